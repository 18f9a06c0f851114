"""How a plan looks on the screen."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Context
from itertools import takewhile
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from provend.cli._render import is_narrow, print_json, print_table, say
from provend.cli._text import shortened

if TYPE_CHECKING:
    from provend.planning import Row, Summary

UP = Context(prec=4, rounding=ROUND_CEILING)
SHOWN = 40  # rows of a plan on the screen
WORDS = {"rows set aside": "made without some past rows", "failed": "failed, without an order"}
DAYS = re.compile(r": (\d+ of \d+) (?:comparable )?(\w+)(?:, brought to this day,)? (?:needed|are) at most")


def print_plan(found: Summary, file: Path | None, *, as_json: bool, explain: bool) -> None:
    """Print what a run did, and the plan itself if its file is given; ``explain`` prints every reason in full."""
    import pyarrow.parquet as pq

    rows = [] if file is None else pq.read_table(file).to_pylist()
    facts = {"targets": found.targets, "counts": found.counts, "spacing": found.spacing, "model": found.model}
    if as_json:
        facts |= {"rows_set_aside_untold": found.untold, "rows_set_aside": found.aside, "messages": found.messages}
        facts |= {"contexts": found.contexts, "left_out": found.left_out}
        print_json(facts if file is None else facts | {"plan": rows})
        return
    if file is not None:
        _print_rows(rows, explain=explain)
    say(_counted(found))
    for message in found.messages:
        say(shortened(message))
    say(f"model {found.model}")
    if found.spacing is not None:
        say(f"dates to come: {found.spacing}")
    if found.contexts:
        say(f"contexts that count besides the date: {', '.join(found.contexts)}")
    if found.left_out:
        say(f"left out, as not known for the days to come: {', '.join(found.left_out)} (--targets can give them)")


def _counted(found: Summary) -> str:
    """How many orders were made, and what is to be said of them."""
    targets = f"{found.targets:,} {'target' if found.targets == 1 else 'targets'}"
    orders = f", {found.orders:,} {'order' if found.orders == 1 else 'orders'}"
    counts = ", ".join(f"{count:,} {WORDS.get(status, status)}" for status, count in found.counts.items())
    return f"{targets}{'' if {*found.counts} <= {'ok'} else orders}: {counts}"


def _print_rows(rows: list[Row], *, explain: bool) -> None:
    """Print the first rows, with their reasons in short; a row that did not go well says so after its reason."""
    keys = list(takewhile(lambda name: name != "order", rows[0] if rows else ()))
    numbers = ["order", "order_up_to"] if rows and "order_up_to" in rows[0] else ["order"]
    cells = [
        (
            *("-" if row[key] is None else str(row[key]) for key in keys),
            *(_number(row[name]) for name in numbers),
            _bound(row["guarantee"]),
            _share(row),
            _why(row) if explain else _in_short(row),
        )
        for row in rows[:SHOWN]
    ]
    right = range(len(keys), len(keys) + len(numbers) + 2)
    heads = (
        *keys,
        *("order", "up to")[: len(numbers)],
        "guarantee",
        "of no data",
        "reason" if explain else "enough on",
    )
    if is_narrow():
        for row in cells:
            facts = ", ".join(f"{heads[at]} {row[at]}" for at in right)
            say(f"{' '.join(row[: len(keys)])}: {facts}; {row[-1]}")
    else:
        print_table(heads, cells, right=tuple(right))
    if len(rows) > SHOWN:
        say(f"... and {len(rows) - SHOWN:,} more; --out writes them all")
    if not explain and any(row["message"] for row in rows):
        say("--explain shows what there is to say about single orders")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _bound(value: float | None) -> str:
    """Four digits, rounded to the safe side."""
    return "-" if value is None else f"{UP.create_decimal_from_float(value):g}"


def _share(row: Row) -> str:
    share = row["percent_of_no_data"]
    return "-" if share is None else f"{ceil(share)} %"


def _why(row: Row) -> str:
    """The reason and the message in full."""
    flaw = "" if row["message"] is None else str(row["message"])
    if row["status"] not in ("ok", "rows set aside"):
        flaw = f"{row['status']}: {flaw}"
    if row["reason"] is None:
        return flaw
    return f"{row['reason']} ({flaw})" if flaw else str(row["reason"])


def _in_short(row: Row) -> str:
    """On how many days the order was enough, or the reason up to its first stop, and the status of a row not ok."""
    if row["reason"] is None:
        return _why(row)
    found = DAYS.search(row["reason"])
    days = " ".join(found.groups()) if found else row["reason"].partition(": ")[2].partition(";")[0]
    return days if row["status"] == "ok" else f"{days} ({row['status']})"
