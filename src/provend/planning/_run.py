"""A run from files to a file: resumable, with the same bytes however often it was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os.path import isdir
from pathlib import Path

import duckdb

from provend._errors import InputError
from provend._files import OutputError, keep_apart, prepare, replacing
from provend.planning._digest import digest
from provend.planning._embedded import Progress, decide_all
from provend.planning._notes import notes_beside, with_notes
from provend.planning._output import check_kind, check_page, write
from provend.planning._report import page
from provend.planning._request import Opened, Request, as_asked, open_tables
from provend.planning._schema import AGAIN, ASIDE, ITEM, OK, TARGET, TWICE
from provend.planning._source import connect, literal, quoted
from provend.planning._split import all_rows
from provend.planning._state import Facts, State, asked_for, write_json
from provend.tables import USUAL, Style, Table

Engine = Callable[[Opened, State, Progress], list[Path]]


@dataclass(frozen=True)
class Summary:
    """What a run did.

    Attributes
    ----------
    targets, orders : int
        The number of rows of the plan, decided or not, and of those with an order.
    counts : dict
        The number of rows with each status.
    contexts, left_out : tuple of str
        Contexts that counted besides the date, and those that the targets lack.
    spacing : str or None
        How the dates to come were found.
    untold : int
        Past rows that were set aside and that no row of the plan mentions, such as those that name no item.
    model : str
        Who decided, in words.
    manifest : Path
        The record of inputs, options, versions and counts.
    defused : int
        Texts of the plan with an apostrophe in front, as a spreadsheet would run them as formulas.
    aside : int
        Past rows that were set aside and that rows of the plan mention.
    messages : tuple of str
        What is to be known about the plan as a whole: items, dates and contexts that the history does not know, the
        day a stock is of, rows left out.
    """

    targets: int
    orders: int
    counts: dict[str, int]
    contexts: tuple[str, ...]
    left_out: tuple[str, ...]
    spacing: str | None
    untold: int
    model: str
    manifest: Path
    defused: int = 0
    aside: int = 0
    messages: tuple[str, ...] = ()

    @property
    def flawed(self) -> int:
        """Rows of the plan whose status is not "ok", plus past rows that none of them mentions."""
        return self.targets - self.counts.get(OK, 0) + self.untold


@dataclass(frozen=True)
class Files:
    """What is read and written: past demand and perhaps what to decide; the plan and perhaps a page about it.

    ``read`` is the history if it was read already, in the manner of ``how``; likewise ``ahead`` for the targets.
    ``aside`` is how many rows of the history were set aside then. What was not read yet is read as a stream.
    ``style`` is that of a plan in a .csv file.
    """

    history: Path
    targets: Path | None
    out: Path
    report: Path | None = None
    read: Table | None = None
    how: Facts = field(default_factory=dict)
    aside: int = 0
    ahead: Table | None = None
    style: Style = USUAL


def run(
    request: Request,
    files: Files,
    *,
    resume: bool = False,
    engine: Engine = decide_all,
    progress: Progress = lambda done, total: None,
) -> Summary:
    """Make a plan from tables in files and write it, with a manifest beside it and perhaps a report."""
    check_kind(files.out)
    if files.report is not None:
        check_page(files.report)
    state = State.beside(files.out)
    made = (files.out, files.report, _manifest(files.out), notes_beside(files.out))
    written = [file for file in made if file is not None]
    for file in written:
        _refuse_nowhere(file)
        prepare(file.parent, [file.name])
    keep_apart([files.history, *filter(None, [files.targets])], written, emptied=state.folder)
    with _resumable(state), state.held(), connect(state.spilled) as connection:
        history = files.history if files.read is None else files.read
        targets = files.targets if files.ahead is None else files.ahead
        opened = open_tables(connection, request, history, targets)  # reports first what is wrong with them
        asked = asked_for(files.history, files.targets, request.options() | {"reading": files.how})
        asked |= {"model": opened.chosen.facts()}
        state.begin(asked, resume=resume)
        parts = engine(opened, state, progress)
        summary = _finish(opened, state, parts, files, asked)
        if files.report is not None:
            _write_report(opened, state, summary, files.report)
        state.remove()
    return summary


def _refuse_nowhere(file: Path) -> None:
    """Refuse a folder that is not there: it is rather misspelt than to be made."""
    if not isdir(file.parent):
        raise InputError(f"{file}: there is no folder {file.parent}; make it, or name another file")


def is_unfinished(out: Path) -> bool:
    """Whether a run that was to write this file can be resumed."""
    return State.beside(out).manifest.exists()


@contextmanager
def _resumable(state: State) -> Iterator[None]:
    """A full disk is not a bug: finished parts are kept, and the message says so."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if isinstance(error, duckdb.Error) and not isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException):
            raise
        why = getattr(error, "strerror", None) or " ".join(str(error).split())[:200]
        done = len(list(state.folder.glob("decided-*.parquet"))) if state.folder.is_dir() else 0
        raise OutputError(f"{why}; {done} parts are done and kept in {state.folder}: run again with --resume") from None


def _finish(opened: Opened, state: State, parts: list[Path], files: Files, asked: Facts) -> Summary:
    """Write all parts to one file, by item and date, and the manifest beside it."""
    out, decided = files.out, ", ".join(literal(str(part)) for part in parts)
    opened.connection.execute(f"CREATE OR REPLACE VIEW decisions AS SELECT * FROM read_parquet([{decided}])")
    tally = opened.connection.sql(
        'SELECT status, count(*), count("order") FROM decisions GROUP BY status ORDER BY status'
    ).fetchall()
    counts = {str(status): int(count) for status, count, _ in tally}
    changed = _write_plan(opened, out, files.style)
    nobodys = f"SELECT count(*) FROM {all_rows(state)} WHERE {quoted(ITEM)} IS NULL AND NOT {quoted(TARGET)}"
    ((without_item,),) = opened.connection.sql(nobodys).fetchall()
    manifest, layout = _manifest(out), opened.layout
    facts: Facts = {"contexts": layout.contexts, "left_out": layout.left_out, "spacing": layout.spacing}
    untold = int(without_item) + files.aside
    aside, said = _aside(opened)
    messages = (*layout.doubts, *layout.notes, *_again(counts), *said)
    facts |= {"rows_set_aside_untold": untold, "rows_set_aside": aside, "messages": messages}
    write_json(manifest, {**asked, **facts, "counts": counts, "parts": len(parts), "rows": sum(counts.values())})
    return Summary(
        targets=sum(counts.values()),
        orders=sum(int(made) for _, _, made in tally),
        counts=counts,
        contexts=layout.contexts,
        left_out=layout.left_out,
        spacing=layout.spacing,
        untold=untold,
        model=opened.chosen.words,
        manifest=manifest,
        defused=changed,
        aside=aside,
        messages=messages,
    )


def _again(counts: dict[str, int]) -> list[str]:
    """That stock is counted for several orders."""
    many = counts.get(AGAIN, 0)
    said = "repeat the stock of the one before of their item, which can be used only once"
    return [f"{many:,} targets {said}: give what each will find, 0 if it will be used up"] if many else []


def _aside(opened: Opened) -> tuple[int, list[str]]:
    """How many past rows of items to decide are left out, and that in words, with those that are there twice."""
    aside, twice = quoted(ASIDE), quoted(TWICE)
    ((items, rows, again),) = opened.connection.sql(
        "SELECT count(*), coalesce(sum(aside), 0)::BIGINT, coalesce(sum(twice), 0)::BIGINT FROM (SELECT "
        f"max({aside}) AS aside, max({twice}) AS twice FROM decisions WHERE {aside} > 0 GROUP BY {quoted(ITEM)})"
    ).fetchall()
    if not rows:
        return 0, []
    of = f"{rows:,} past {'row' if rows == 1 else 'rows'} of {items:,} {'item' if items == 1 else 'items'}"
    words = f"{of} could not be used, and are left out; the messages of the orders say which"
    if again:
        words += (
            f". In {again:,} of them the item has the date more than once, and none of these rows counts: say "
            "duplicates = 'sum' or 'last' (of read_sales; --duplicates) if one of them should"
        )
    return rows, [words]


def _write_plan(opened: Opened, out: Path, style: Style) -> int:
    """Write the view ``decisions`` to a file; returns how many texts in it were given an apostrophe.

    Files for spreadsheets say in a word what a guarantee rests on; a .csv file has the full texts in a file beside it.
    """
    if out.suffix.lower() == ".parquet":  # texts that are the same take no room there
        found, notes = as_asked(opened, "decisions"), None
    else:
        found, notes = with_notes(opened, "decisions")
    rows, beside = found.to_arrow_reader(10_000), notes_beside(out)
    changed = write(out, rows.schema, rows, style, notes)
    if beside is not None and notes is not None:
        write(beside, notes.schema, notes.to_batches(), style)
    return changed


def _manifest(out: Path) -> Path:
    return out.with_name(f"{out.name}.manifest.json")


def _write_report(opened: Opened, state: State, summary: Summary, file: Path) -> None:
    terms = opened.job.terms
    costs = {"one unit short costs": terms.cu, "one left over": terms.co}
    facts = {name: "what its column says" if cost is None else str(cost) for name, cost in costs.items()}
    facts["model"] = summary.model
    if summary.spacing is not None:
        facts["dates to come"] = summary.spacing
    with replacing(file) as part:
        part.write_text(page(digest(opened, state, summary.counts), facts, summary.messages), encoding="utf-8")
