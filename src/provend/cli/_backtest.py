"""``provend backtest``: what policies would have cost on a table of past demand."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from warnings import catch_warnings, simplefilter

import typer

from provend._errors import InputError
from provend._files import keep_apart, prepare
from provend.cli import _arguments as given
from provend.cli._amounts import amount
from provend.cli._columns import Said, as_kinds, doubts_on_stderr, taken_for
from provend.cli._reading import Reading, on_file, say_understood
from provend.cli._render import blocks, print_json, print_table, progress_bar, say
from provend.cli._text import plain, shortened

if TYPE_CHECKING:
    from provend.backtesting import Backtest
    from provend.tables import Table

BAR = 48


@on_file
def backtest(
    reading: Reading,
    file: Annotated[Path, typer.Argument(help="A .csv, .parquet or .xlsx file: items, dates, demand, contexts.")],
    cu: Annotated[str, typer.Option("--cu", help="Cost of one unit short.")],
    co: Annotated[str, typer.Option("--co", help="Cost of one unit left over.")],
    context: Annotated[
        list[str] | None, typer.Option(help="A context column; repeat it. All columns if left out.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="static, rolling, rolling:ROWS, same:COLUMN, seasonal:ROWS, ets:ROWS, linear, gbm, hgb, lgbm, "
            "quantile-forest, minimax, erm, knn, kernel or exponential; repeat it."
        ),
    ] = None,
    column: Said = None,
    test: Annotated[str, typer.Option(help="Share of each item's rows to decide.")] = "0.3",
    refit_every: Annotated[int, typer.Option(help="Rows between two fits.")] = 28,
    support: Annotated[tuple[str, str] | None, typer.Option(help="Lowest and highest possible demand.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for summary.csv, by_item.csv, orders.csv and pooled.csv.")
    ] = None,
    as_json: given.Json = False,
) -> None:
    """Compare policies on the last part of a history, each knowing only what came before."""
    from provend.backtesting import FILES, HindsightWarning
    from provend.backtesting import backtest as run
    from provend.tables import Style

    sales = reading.sales(file, context or None)
    style = Style.like(sales)
    if out is not None:
        prepare(out, FILES)
        keep_apart([file], [out / name for name in FILES])
    with progress_bar("backtest, percent") as progress, doubts_on_stderr(), catch_warnings():
        simplefilter("ignore", HindsightWarning)  # a message of the result, which is printed
        found = run(
            sales.table,
            cu=amount(cu, "--cu"),
            co=amount(co, "--co"),
            contexts=sales.contexts,
            policies=policy or None,
            columns=as_kinds(column) or None,
            test=amount(test, "--test"),
            refit_every=refit_every,
            support=None if support is None else _ends(support),
            progress=lambda share: progress(round(100 * share), 100),
        )
    _refuse_nothing(_rows(found.by_item))
    try:
        if out is not None:
            found.to_csv(out, style=style)
    finally:  # even if the files could not be written
        say_understood(sales.report, beside=as_json)
        _print_as_json(found) if as_json else _print(found, chosen=bool(context))
    if out is not None and not as_json:
        say(f"written to {out}: {', '.join(FILES)}{f' ({style.words})' if style.words else ''}")


def _refuse_nothing(by_item: list[dict[str, Any]]) -> None:
    """End with one line where there is nothing to compare."""
    if any(row["status"] == "ok" for row in by_item):
        return
    items = list(dict.fromkeys(row["unique_id"] for row in by_item))
    more = f", and {len(items) - 1:,} more {'item' if len(items) == 2 else 'items'}" if len(items) > 1 else ""
    raise InputError(
        f"no policy could decide any item: {items[0]!r}: {by_item[0]['status']}{more}; give more history, or another "
        "--policy"
    )


def _ends(support: tuple[str, str]) -> tuple[float, float]:
    from provend._validation import as_exact

    low, high = (float(as_exact(amount(end, "--support"), "support")) for end in support)
    return low, high


def _rows(table: Table) -> list[dict[str, Any]]:
    import narwhals.stable.v2 as nw

    rows = nw.from_native(table, eager_only=True).iter_rows(named=True)
    return [{name: None if isinstance(v, float) and isnan(v) else v for name, v in row.items()} for row in rows]


def _print_as_json(found: Backtest) -> None:
    tables = {name: _rows(getattr(found, name)) for name in ("summary", "by_item", "pooled")}
    facts = {"reference": found.reference, "groups": list(found.groups), "columns": found.columns}
    print_json({**facts, **tables, "note": found.note, "messages": found.messages})


def _print(found: Backtest, *, chosen: bool) -> None:
    rows = _rows(found.summary)
    relative = [row["relative_cost"] for row in rows]
    known = [value for value in relative if value is not None]
    print_table(
        ("policy", "mean cost", "served days", "fill rate", "regret (95% interval)", "guarantee"),
        [_cells(row) for row in rows],
        highlight=relative.index(min(known)) if known else None,
    )
    for message in found.messages:
        say(shortened(message))
    _say_per_date(rows)
    say(taken_for(found.columns))
    if not chosen and len(found.columns) > 1:  # besides the date
        say("all of them count as known when ordering; name those that are with --context")
    say(f"cost relative to {found.reference}")
    full = blocks()[-1]
    for row, value in zip(rows, relative, strict=True):
        bar = full * round(BAR * (value or 0.0) / (max(known, default=0.0) or 1.0))
        say(f"{plain(row['policy']):>16} {bar} {_number(value, '.3f')}")
    _print_pooled(_rows(found.pooled))
    _say_exceeded(rows, _rows(found.by_item))
    skipped: dict[str, list[str]] = {}
    for row in _rows(found.by_item):
        if row["status"] != "ok":
            skipped.setdefault(f"{row['unique_id']}: {row['status']}", []).append(row["policy"])
    for what, policies in skipped.items():
        say(f"skipped {what} ({', '.join(policies)})")
    say("")
    say(found.note)


def _say_per_date(rows: list[dict[str, Any]]) -> None:
    """What costs are per, and those of all items together where there are several."""
    items, days, dates = (max(row[name] for row in rows) for name in ("items", "days", "dates"))
    say(f"costs, regrets and guarantees are per item and day: {days:,} of them, {items:,} items on {dates:,} days")
    if items > 1:
        each = ", ".join(f"{plain(row['policy'])} {_number(row['cost_per_date'])}" for row in rows)
        say(f"cost of all items together, per day: {each}")


def _print_pooled(rows: list[dict[str, Any]]) -> None:
    say("pooled over items: cost relative to the static quantile of each item")
    print_table(
        ("policy", "items", "mean, items alike", "by money", "items cheaper"),
        [
            (
                row["policy"],
                str(row["items"]),
                _number(row["mean_of_items"], ".3f"),
                _number(row["ratio_of_totals"], ".3f"),
                _number(row["share_cheaper"], ".0%"),
            )
            for row in rows
        ],
    )


def _say_exceeded(rows: list[dict[str, Any]], items: list[dict[str, Any]]) -> None:
    """Report the guarantees that were surely not kept on these days."""
    for row in rows:
        alone = [
            plain(str(item["unique_id"])) for item in items if item["exceeded"] and item["policy"] == row["policy"]
        ]
        if row["exceeded"]:
            sure = f"expected regret at least {_number(row['regret_at_least'])} (95% confidence)"
            say(f"guarantee of {plain(row['policy'])} exceeded: {sure}, guaranteed {_number(row['guarantee'])}")
        if alone:
            say(f"guarantee of {plain(row['policy'])} exceeded for {len(alone)} items alone: {', '.join(alone[:5])}")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    interval = f" ({_number(row['regret_context_low'])} to {_number(row['regret_context_high'])})"
    return (
        row["policy"],
        _number(row["mean_cost"]),
        _number(row["service_level"], ".1%"),
        _number(row["fill_rate"], ".1%"),
        _number(row["regret_context"]) + interval,
        _number(row["guarantee"]) + (" exceeded" if row["exceeded"] else ""),
    )


def _number(value: float | None, form: str = ".4g") -> str:
    return "-" if value is None else f"{value:{form}}"
