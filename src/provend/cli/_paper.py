"""``provend paper``: every table, figure and claim of the paper, computed beside what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from provend._errors import InputError
from provend.cli import _arguments as given
from provend.cli._render import print_json

if TYPE_CHECKING:
    from provend.paper import Item, Result
    from provend.paper._item import Track

STYLES = {"same": "green", "differs": "bold red", "picture": "dim", "beyond": "magenta"}


def paper(
    name: Annotated[str, typer.Argument(help="An item such as table1; 'list' names them, 'all' computes everything.")],
    q: Annotated[str | None, typer.Option("--q", help="Another critical ratio than the paper's.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write CSV files, figures and, for 'all', report.html here.")] = None,
    as_json: given.Json = False,
) -> None:
    """Recompute the paper: computed, printed, verdict, and why they part where they do."""
    from provend.paper import ITEMS
    from provend.paper._registry import find

    if name == "list":
        _print_list(ITEMS.values(), as_json)
        return
    chosen = list(ITEMS.values()) if name == "all" else [find(name)]
    results = _compute(chosen, q)
    if out is not None:
        _save(results, out, q, with_report=name == "all")
    if as_json:
        items = [_as_json(ITEMS[key], result) for key, result in results.items()]
        print_json({"items": items} if name == "all" else items[0])
    elif name == "all":
        _print_summary(results, out)
    else:
        _print_item(chosen[0], results[name])


def _compute(chosen: Sequence[Item], q: str | None) -> dict[str, Result]:
    """One after the other, with a bar for the items and one for the steps within."""
    from provend.paper._registry import options_of, run

    results: dict[str, Result] = {}
    with _bars() as (over_items, within):
        for one in over_items(chosen):
            known = options_of(one)
            if q is not None and "q" not in known and len(chosen) == 1:
                raise InputError(f"{one.name} does not depend on --q; leave it out")
            options: dict[str, Any] = {"track": within} if "track" in known else {}
            options |= {"q": q} if q is not None and "q" in known else {}
            results[one.name] = run(one.name, **options)
    return results


@contextmanager
def _bars() -> Iterator[tuple[Track[Item], Track[Any]]]:
    """Progress on stderr, where that is a terminal, gone when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        overall = bar.add_task("the paper", total=None)

        def over_items(items: Sequence[Item]) -> Iterable[Item]:
            bar.update(overall, total=len(items))
            for one in items:
                bar.update(overall, description=one.name)
                yield one
                bar.advance(overall)

        def within(things: Sequence[Any]) -> Iterable[Any]:
            step = bar.add_task("  steps", total=len(things))
            for thing in things:
                yield thing
                bar.advance(step)
            bar.remove_task(step)

        yield over_items, within


def _save(results: dict[str, Result], folder: Path, q: str | None, *, with_report: bool) -> None:
    from provend.paper import report, write

    try:
        for name, result in results.items():
            write(name, result, folder)
        if with_report:
            (folder / "report.html").write_text(report(results, q=q), encoding="utf-8")
    except OSError as error:
        raise InputError(f"--out {folder}: {error.strerror or error}; name a folder that can be written") from None


def _as_json(one: Item, result: Result) -> dict[str, Any]:
    head = {"name": one.name, "title": one.title, "where": one.where, "text": result.text}
    return head | {"rows": [asdict(row) for row in result.rows]}


def _print_list(items: Iterable[Item], as_json: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    if as_json:
        print_json({"items": [{"name": one.name, "title": one.title, "where": one.where} for one in items]})
        return
    table = Table("name", "what", "where in the paper")
    table.columns[0].no_wrap = True
    for one in items:
        table.add_row(one.name, one.title, one.where)
    Console().print(table)


def _print_item(one: Item, result: Result) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from provend.paper._report import shown

    table = Table("", "computed", "published", "verdict", "why", title=f"{one.title} ({one.where})")
    for column in table.columns[1:3]:
        column.justify, column.no_wrap = "right", True
    reasons = {why: i + 1 for i, why in enumerate(dict.fromkeys(row.why for row in result.rows if row.why))}
    for row in result.rows:
        cells = escape(row.what), shown(row.computed), row.published or "", row.verdict, str(reasons.get(row.why, ""))
        table.add_row(*cells, style=STYLES[row.verdict])
    console = Console()
    console.print(table)
    for why, number in reasons.items():
        console.print(f"{number}: {escape(why)}")
    if result.text:
        console.print(escape(result.text))


def _print_summary(results: dict[str, Result], out: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from provend.paper._report import VERDICTS, count

    table = Table("item", *VERDICTS, title="How many rows of each item agree with print")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, result in results.items():
        counts = count([result])
        table.add_row(name, *(str(counts[verdict] or "") for verdict in VERDICTS))
    total = count(results.values())
    table.add_section()
    table.add_row("all", *(str(total[verdict]) for verdict in VERDICTS), style="bold")
    console = Console()
    console.print(table)
    if out is not None:
        console.print(f"report: {out / 'report.html'}")
