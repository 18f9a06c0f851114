"""``provend plan``: how much of every item to order for the days to come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from provend._errors import InputError
from provend.cli import _arguments as given
from provend.cli._amounts import amount
from provend.cli._columns import Said, as_kinds
from provend.cli._errors import StoppedError
from provend.cli._planned import print_plan
from provend.cli._reading import Reading, named, on_file, say_understood
from provend.cli._render import progress_bar, say

if TYPE_CHECKING:
    import pyarrow as pa

    from provend.planning import Engine, Names, Style, Summary, Supply
    from provend.tables import Sales, SalesReport

STREAMED = 200_000_000  # bytes of text beyond which a file is not read all at once
OUTLIER = 100  # times the second largest demand, from which the largest is doubted


@on_file
def plan(
    reading: Reading,
    history: Annotated[Path, typer.Argument(help="Past demand: a .csv, .parquet or .xlsx file.")],
    cu: Annotated[str, typer.Option("--cu", help="Cost of one unit short: a number, or a column.")],
    co: Annotated[str, typer.Option("--co", help="Cost of one unit left over: a number, or a column.")],
    targets: Annotated[Path | None, typer.Option(help="What to decide: items, dates, contexts.")] = None,
    horizon: Annotated[
        int | None, typer.Option(help="Without --targets: how many dates after the last one to decide; 1 if left out.")
    ] = None,
    support: Annotated[
        tuple[str, str] | None, typer.Option(help="Lowest and highest demand possible: numbers, or columns.")
    ] = None,
    context: Annotated[
        list[str] | None, typer.Option(help="A context column; repeat it. All that both files have if left out.")
    ] = None,
    column: Said = None,
    model: Annotated[
        str, typer.Option(help="own: each item on its own rows; pooled: one model for all; auto: by the history.")
    ] = "auto",
    policy: Annotated[str, typer.Option(help="minimax, erm, knn, kernel, exponential, knn:27, ...")] = "minimax",
    dissimilarity: Annotated[
        str, typer.Option(help="auto, cautious, split, certified, or a number that holds for all.")
    ] = "auto",
    pack: Annotated[str | None, typer.Option(help="Units per pack: a number, or a column.")] = None,
    minimum: Annotated[str | None, typer.Option(help="Least quantity delivered: a number, or a column.")] = None,
    stock: Annotated[str | None, typer.Option(help="Units on hand: a number, or a column.")] = None,
    on_order: Annotated[str | None, typer.Option(help="Units ordered, not yet there: a number, or a column.")] = None,
    lead_time: Annotated[str | None, typer.Option(help="Days from order to delivery: a number, or a column.")] = None,
    review: Annotated[str | None, typer.Option(help="Days from order to order: a number, or a column.")] = None,
    stock_seen: Annotated[
        str | None, typer.Option(help="The column of what was on the shelf on past days, where that cut sales off.")
    ] = None,
    sold_out: Annotated[str | None, typer.Option(help="The column that says which past days sold out.")] = None,
    new_items: Annotated[
        bool, typer.Option("--new-items", help="Items of --targets without history are new, not misspelt.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The plan: a .csv, .parquet or .xlsx file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was stopped.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 2 unless every row is ok.")] = False,
    engine: Annotated[str, typer.Option(help="embedded, or spark.")] = "embedded",
    master: Annotated[str | None, typer.Option(help="Where Spark is: spark://HOST:PORT, or local[2].")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Reasons and messages in full on the screen, as files have them.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="A page about the plan: an .html file.")] = None,
    as_json: given.Json = False,
) -> None:
    """Orders for many items, each with its guarantee and the reason in words; a bad row never stops the rest."""
    from provend.planning import Choice, Files, OwnRows, Supply, read_request, run

    if targets is not None and horizon is not None:
        raise InputError("--targets and --horizon are two ways to say what to decide; give one of them")
    if resume and out is None:
        raise InputError("--resume goes on with a run that writes a file; name it with --out")
    supply = _typed(Supply(pack, minimum, stock, on_order, lead_time, review, stock_seen, sold_out))
    supply.refuse_incomplete(support=support is not None, written=_option)
    found = _past(reading, history)
    request = read_request(
        (amount(cu, "--cu"), amount(co, "--co")),
        replace(found.names, contexts=tuple(context) if context else None),
        support=None if support is None else (amount(support[0], "--support"), amount(support[1], "--support")),
        horizon=1 if horizon is None else horizon,
        choice=Choice(model, OwnRows(policy, _dissimilarity(dissimilarity), as_kinds(column) or None), new_items),
        supply=supply,
    )
    with TemporaryDirectory(prefix="provend-") as elsewhere:
        file = Path(elsewhere) / "plan.parquet" if out is None else out
        with progress_bar("plan, targets", rate=True) as progress:
            ahead = _ahead(reading, targets, found)
            style = _style(found, file)
            files = Files(history, targets, file, report, found.table, _how(reading), found.aside, ahead, style)
            with _resumable(out):
                done = run(request, files, resume=resume, engine=_engine(engine, master), progress=progress)
        print_plan(done, file if out is None else None, as_json=as_json, explain=explain)
    if found.report is not None:
        say_understood(found.report, beside=as_json)
    elif done.untold and not as_json:
        say(f"{done.untold:,} past rows name no item and are set aside")
    if support is None and found.outlier and not as_json:
        say(f"{found.outlier}: correct it, or give --support")
    if pack is None and minimum is None and not as_json and found.is_whole and done.orders:
        say("demand comes in whole units: --pack 1 orders whole units, too")
    if out is not None and not as_json:
        _say_written(out, style, done)
    if report is not None and not as_json:
        say(f"a page about it: {report}")
    if done.targets and not done.orders:
        raise InputError("no order could be given; the message of each row says why")
    if strict and (done.flawed or done.aside):
        aside = done.untold + done.aside
        past = f", {aside:,} past rows are set aside" if aside else ""
        flawed = done.flawed - done.untold
        raise InputError(f"--strict: {flawed:,} of {done.targets:,} rows are not ok{past}; see their messages")


def _say_written(out: Path, style: Style, done: Summary) -> None:
    """Say where the plan is, how it is written, and what is beside it."""
    text = out.suffix.lower() == ".csv"
    how = f" ({style.words})" if text and style.words else ""
    beside = f"{done.manifest.name} and {out.name}.basis.csv" if text else done.manifest.name
    say(f"written to {out}{how}, with {beside} beside it")
    if done.defused:
        say(
            f"{done.defused:,} texts that a spreadsheet would run as formulas have an apostrophe in front there; .xlsx "
            "and .parquet files keep them as they are"
        )


@contextmanager
def _resumable(out: Path | None) -> Iterator[None]:
    """Say what is left of a run that is interrupted, if it can be resumed."""
    from provend.planning import is_unfinished

    try:
        yield
    except KeyboardInterrupt:
        if out is not None and is_unfinished(out):
            raise StoppedError(f"what is decided is kept in {out}.parts: run again with --resume") from None
        raise


@dataclass(frozen=True, eq=False)
class Past:
    """The history as read or, if it is to be streamed, the names of its columns and how they look."""

    names: Names
    table: pa.Table | None = None
    sales: Sales | None = None

    @property
    def report(self) -> SalesReport | None:
        """How the history was understood."""
        return None if self.table is None or self.sales is None else self.sales.report

    @property
    def aside(self) -> int:
        """The number of rows that were set aside."""
        return 0 if self.report is None else self.report.set_aside.num_rows

    @property
    def is_whole(self) -> bool:
        """Whether all demands are known to be whole numbers."""
        import pyarrow.compute as pc

        if self.table is None:
            return False
        demand = self.table[self.names.demand].drop_null()
        return bool(len(demand)) and bool(pc.all(pc.equal(demand, pc.floor(demand))).as_py())

    @property
    def outlier(self) -> str | None:
        """The largest demand of the file, in words, if it is out of all proportion to the others."""
        import numpy as np

        if self.table is None or self.table.num_rows < 2:
            return None
        y = np.nan_to_num(self.table[self.names.demand].to_numpy().astype(float), posinf=0.0)
        second, first = np.argpartition(y, -2)[-2:]
        if not 0 < OUTLIER * y[second] < y[first]:
            return None
        where = [self.table[name][int(first)].as_py() for name in (*self.names.ids, self.names.date)]
        row = ", ".join(str(one).removesuffix(" 00:00:00") for one in where)
        return f"the largest demand, {y[first]:g} ({row}), is {y[first] / y[second]:,.0f} times the second largest"


def _past(reading: Reading, file: Path) -> Past:
    """Read text and workbooks as planners write them; leave typed or larger files to the engine."""
    from provend.planning import Names, as_history, columns_of
    from provend.tables import find_roles, glance, has_texts

    if file.suffix.lower() == ".parquet" or (file.is_file() and file.stat().st_size > STREAMED):
        columns = columns_of(file)
        with named(file):
            roles = find_roles(columns, reading.said(None))
        if file.stat().st_size > STREAMED or not has_texts(file, roles):
            like = glance(file, roles) if file.suffix.lower() == ".parquet" else None
            return Past(Names(roles.ids, roles.date or "", roles.demand), None, like)
    sales = _gentle(reading).sales(file, None)
    return Past(*as_history(sales), sales)


def _ahead(reading: Reading, file: Path | None, past: Past) -> pa.Table | None:
    """The targets, written like the history; left to the engine if the history is."""
    from provend.planning import under_its_names
    from provend.tables import read_targets

    if file is None or past.sales is None or (past.table is None and file.suffix.lower() == ".parquet"):
        return None
    how = {name: getattr(reading, name) for name in ("decimal", "delimiter", "encoding", "day_first")}
    ahead = read_targets(file, past.sales, new_items=True, **how)  # the plan says which are not known
    return under_its_names(ahead, past.sales)


def _style(past: Past, out: Path) -> Style:
    """A file for spreadsheets in the manner of the history, so that the same spreadsheet opens both."""
    from provend.planning import Style

    return Style() if past.sales is None or out.suffix.lower() == ".parquet" else Style.like(past.sales)


def _gentle(reading: Reading) -> Reading:
    """Let no single row refuse the file: what can be said of an item is left to its rows, the rest is set aside."""
    return replace(
        reading,
        negative=reading.negative or "drop",
        duplicates=reading.duplicates or "keep",
        missing="keep" if reading.missing == "drop" else reading.missing,
    )


def _how(reading: Reading) -> dict[str, str]:
    """How the file is read, for the record."""
    return {name: str(value) for name, value in asdict(reading).items() if value is not None}


def _option(name: str) -> str:
    """The option that stands for an argument of the library."""
    return f"--{name.replace('_', '-')}"


def _typed(supply: Supply) -> Supply:
    """Numbers as people type them; the names of columns stay."""
    return supply.with_values({name: amount(str(value), _option(name)) for name, value in supply.said()})


def _dissimilarity(text: str) -> str | float:
    try:
        return float(amount(text, "--dissimilarity"))
    except ValueError:
        return text


def _engine(name: str, master: str | None) -> Engine:
    from provend import planning

    if name == "spark":
        return planning.spark_engine(master)
    if name != "embedded":
        raise InputError(f"--engine {name}: unknown; choose embedded or spark")
    if master is not None:
        raise InputError("--master is for --engine spark; leave it out, or name the engine")
    return planning.embedded_engine
