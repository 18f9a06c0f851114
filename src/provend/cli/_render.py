"""How results look: JSON for machines; tables and a chart for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

if TYPE_CHECKING:
    from provend.certificate import Guarantee
    from provend.curves import Progress as ProgressCallback

WIDTH, HEIGHT = 64, 8
BLOCKS = " ▁▂▃▄▅▆▇█"


def print_json(result: dict[str, Any]) -> None:
    """One object on stdout."""
    print(json.dumps(result))


def guarantee_json(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee under the names of its attributes."""
    worst = guarantee.worst_case
    return {
        "lower": guarantee.lower,
        "upper": guarantee.upper,
        "estimate": guarantee.estimate,
        "gap": guarantee.gap,
        "percent_of_no_data": guarantee.percent_of_no_data,
        "evaluations": guarantee.evaluations,
        "note": guarantee.note,
        "q": str(guarantee.q),
        "unit": guarantee.unit,
        "worst_case": {"side": worst.side, "mean": worst.mean, "history": worst.history.tolist()},
    }


def print_guarantee(guarantee: Guarantee, policy: str) -> None:
    """The bracket and what makes it so bad."""
    worst = guarantee.worst_case
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(style="bold")
    money = "" if guarantee.unit == 1 else " in money"
    table.add_row(f"worst-case regret of {policy}{money}", f"{guarantee.upper:.10g}")
    table.add_row("certified bracket", f"[{guarantee.lower:.15g}, {guarantee.upper:.15g}]".replace("[", r"\["))
    table.add_row("share of the no-data regret", f"{guarantee.percent_of_no_data:.2f} %")
    looks = "higher" if worst.side == "low" else "lower"
    table.add_row(
        "worst case",
        f"demand at the top with probability {worst.mean:.6f}; the past looks {looks}, "
        f"{worst.history.min():.4f} to {worst.history.max():.4f}",
    )
    table.add_row("evaluations", str(guarantee.evaluations))
    if guarantee.note:
        table.add_row("note", f"{guarantee.note}; estimate {guarantee.estimate:.10g}, not certified")
    Console().print(table)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, highlight: int | None = None) -> None:
    """A table of numbers, one row perhaps the answer."""
    table = Table(*columns, show_header=any(columns))
    for column in table.columns:
        column.justify = "right"
    for i, row in enumerate(rows):
        table.add_row(*row, style="bold green" if i == highlight else "")
    Console().print(table)


@contextmanager
def progress_bar(what: str) -> Iterator[ProgressCallback]:
    """A bar on stderr, where that is a terminal, which goes away when the work is done."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def print_chart(title: str, x: Sequence[float], y: Sequence[float], *, form: str = ".3f", highest: float = inf) -> None:
    """y against x, drawn with block characters; what exceeds ``highest`` is cut off."""
    console = Console()
    top = min(max(y), highest) or 1.0
    eighths = [min(round(8 * HEIGHT * value / top), 8 * HEIGHT) for value in y]
    console.print(f"\n{title}", style="bold")
    for row in range(HEIGHT - 1, -1, -1):
        label = f"{top:9.4g}" if row == HEIGHT - 1 else " " * 9
        console.print(label, "".join(BLOCKS[min(max(level - 8 * row, 0), 8)] for level in eighths), style="cyan")
    left, right = f"{x[0]:{form}}", f"{x[-1]:{form}}"
    console.print(" " * 10 + left + " " * max(len(eighths) - len(left) - len(right), 1) + right)
