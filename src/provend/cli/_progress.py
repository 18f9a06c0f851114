"""Progress on stderr, if that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from provend.cli._text import plain

if TYPE_CHECKING:
    from provend.curves import Progress as ProgressCallback


class RateColumn(ProgressColumn):
    """How many per second."""

    def render(self, task: Task) -> Text:
        """The speed so far."""
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


@contextmanager
def bar_on_stderr(what: str, *, rate: bool = False) -> Iterator[ProgressCallback]:
    """A bar that disappears when the work is done, with speed and time left if wanted."""
    name = TextColumn("{task.description}", markup=False)
    columns: list[ProgressColumn] = [name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    columns += [RateColumn(), TextColumn("left"), TimeRemainingColumn()] if rate else []
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(plain(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
