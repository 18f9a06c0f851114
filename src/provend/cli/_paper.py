"""``provend paper``: every table, figure and claim of the paper, computed beside what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from provend._errors import InputError
from provend._files import prepare, write_all
from provend.cli import _arguments as given
from provend.cli._render import print_json, print_table, say

if TYPE_CHECKING:
    from provend.paper import Item, Result, Track

STYLES = {"same": "green", "differs": "bold red", "picture": "dim", "beyond": "magenta"}


def paper(
    name: Annotated[str, typer.Argument(help="An item such as table1; 'list' names them, 'all' computes everything.")],
    q: Annotated[str | None, typer.Option("--q", help="Another critical ratio than the paper's.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write CSV files, figures and, for 'all', report.html here.")] = None,
    as_json: given.Json = False,
) -> None:
    """Recompute the paper: computed, printed, verdict, and why they part where they do."""
    from provend.paper import ITEMS, find

    if name == "list":
        if q is not None or out is not None:
            raise InputError("paper list only names the items; leave out --q and --out")
        _print_list(ITEMS.values(), as_json)
        return
    chosen = list(ITEMS.values()) if name == "all" else [find(name)]
    if out is not None:
        prepare(out, [f"{one.name}.csv" for one in chosen])
    results: dict[str, Result] = {}
    try:
        _compute(chosen, q, results)
    finally:  # keep what is finished, even if the rest never will be
        if out is not None and results:
            _save(results, out, q, with_report=len(results) == len(ITEMS))
    if as_json:
        items = [_as_json(ITEMS[key], result) for key, result in results.items()]
        print_json({"items": items} if name == "all" else items[0])
        return
    if name == "all":
        _print_summary(results)
    else:
        _print_item(chosen[0], results[name])
    if out is not None:
        say(f"written to {out / 'report.html' if name == 'all' else out}")


def _compute(chosen: Sequence[Item], q: str | None, results: dict[str, Result]) -> None:
    """Compute one item after another, with a bar for the items and one for the steps within."""
    from provend.paper import options_of, run

    with _bars() as (over_items, within):
        for one in over_items(chosen):
            known = options_of(one)
            if q is not None and "q" not in known and len(chosen) == 1:
                raise InputError(f"{one.name} does not depend on --q; leave it out")
            options: dict[str, Any] = {"track": within} if "track" in known else {}
            options |= {"q": q} if q is not None and "q" in known else {}
            results[one.name] = run(one.name, **options)


@contextmanager
def _bars() -> Iterator[tuple[Track[Item], Track[Any]]]:
    """Progress bars on stderr, if that is a terminal, gone when the work is done."""
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
    from provend.paper import contents, report

    files: dict[str, str] = {}
    for name, result in results.items():
        files |= contents(name, result)
    if with_report:
        files["report.html"] = report(results, q=q)
    write_all(folder, files)


def _as_json(one: Item, result: Result) -> dict[str, object]:
    head = {"name": one.name, "title": one.title, "where": one.where, "text": result.text}
    return head | {"rows": [asdict(row) for row in result.rows]}


def _print_list(items: Iterable[Item], as_json: bool) -> None:
    if as_json:
        print_json({"items": [{"name": one.name, "title": one.title, "where": one.where} for one in items]})
        return
    rows = [(one.name, one.title, one.where) for one in items]
    print_table(("name", "what", "where in the paper"), rows, right=())


def _print_item(one: Item, result: Result) -> None:
    from provend.paper import shown

    reasons = {why: i + 1 for i, why in enumerate(dict.fromkeys(row.why for row in result.rows if row.why))}
    print_table(
        ("", "computed", "published", "verdict", "why"),
        [
            (row.what, shown(row.computed), row.published or "", row.verdict, str(reasons.get(row.why, "")))
            for row in result.rows
        ],
        title=f"{one.title} ({one.where})",
        right=(1, 2),
        styles=[STYLES[row.verdict] for row in result.rows],
    )
    for why, number in reasons.items():
        say(f"{number}: {why}")
    if result.text:
        say(result.text)


def _print_summary(results: dict[str, Result]) -> None:
    from provend.paper import VERDICTS, count

    counts = {name: count([result]) for name, result in results.items()} | {"all": count(results.values())}
    print_table(
        ("item", *VERDICTS),
        [(name, *(str(found[verdict] or "") for verdict in VERDICTS)) for name, found in counts.items()],
        title="How many rows of each item agree with print",
        right=range(1, 1 + len(VERDICTS)),
        styles=[*[""] * len(results), "bold"],
    )
