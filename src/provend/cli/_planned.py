"""How a plan looks on the screen."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context
from itertools import takewhile
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from provend.cli._render import is_narrow, print_json, print_table, say

if TYPE_CHECKING:
    from provend.planning import Row, Summary

UP = Context(prec=4, rounding=ROUND_CEILING)
SHOWN = 40  # rows of a plan on the screen


def print_plan(found: Summary, file: Path | None, *, as_json: bool) -> None:
    """Print what a run did, and the plan itself if its file is given."""
    import pyarrow.parquet as pq

    rows = [] if file is None else pq.read_table(file).to_pylist()
    facts = {"targets": found.targets, "counts": found.counts, "spacing": found.spacing, "model": found.model}
    if as_json:
        facts |= {"rows_set_aside_untold": found.untold, "contexts": found.contexts, "left_out": found.left_out}
        print_json(facts if file is None else facts | {"plan": rows})
        return
    if file is not None:
        _print_rows(rows)
    counts = ", ".join(f"{count:,} {status}" for status, count in found.counts.items())
    say(f"{found.targets:,} {'target' if found.targets == 1 else 'targets'}: {counts}")
    if found.again:
        say(
            f"{found.again:,} targets repeat the stock of the one before of their item, which can be used only once: "
            "give what each will find, 0 if it will be used up"
        )
    say(f"model {found.model}")
    if found.spacing is not None:
        say(f"dates to come: {found.spacing}")
    if found.contexts:
        say(f"contexts that count besides the date: {', '.join(found.contexts)}")
    if found.left_out:
        say(f"left out, as not known for the days to come: {', '.join(found.left_out)} (--targets can give them)")


def _print_rows(rows: list[Row]) -> None:
    """Print the first rows; a row that did not go well says so after its reason, if it has one."""
    keys = list(takewhile(lambda name: name != "order", rows[0] if rows else ()))
    numbers = ["order", "order_up_to"] if rows and "order_up_to" in rows[0] else ["order"]
    cells = [
        (
            *(str(row[key]) for key in keys),
            *(_number(row[name]) for name in numbers),
            _bound(row["guarantee"]),
            _share(row),
            _why(row),
        )
        for row in rows[:SHOWN]
    ]
    right = range(len(keys), len(keys) + len(numbers) + 2)
    heads = (*keys, *("order", "up to")[: len(numbers)], "guarantee", "of no data", "reason")
    if is_narrow():
        for row in cells:
            facts = ", ".join(f"{heads[at]} {row[at]}" for at in right)
            say(f"{' '.join(row[: len(keys)])}: {facts}; {row[-1]}")
    else:
        print_table(heads, cells, right=tuple(right))
    if len(rows) > SHOWN:
        say(f"... and {len(rows) - SHOWN:,} more; --out writes them all")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _bound(value: float | None) -> str:
    """Four digits, rounded to the safe side."""
    return "-" if value is None else f"{UP.create_decimal_from_float(value):g}"


def _share(row: Row) -> str:
    share = row["percent_of_no_data"]
    return "-" if share is None else f"{ceil(share)} %"


def _why(row: Row) -> str:
    if row["status"] == "ok":
        return str(row["reason"])
    flaw = row["message"] if row["status"] == "rows set aside" else f"{row['status']}: {row['message']}"
    return flaw if row["reason"] is None else f"{row['reason']} ({flaw})"
