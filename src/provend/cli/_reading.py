"""Files of past demand on the command line: the options that say how to read them, and what was understood."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provend._errors import InputError
from provend.cli._arguments import sharing
from provend.cli._render import say
from provend.cli._text import plain, shortened

if TYPE_CHECKING:
    from provend.tables import Choices, Said, Sales, SalesReport


PANEL = "How the file is read (found out where nothing is said)"


@dataclass(frozen=True)
class Reading:
    """How a file is to be read; whatever is ``None`` is found out from the file."""

    item: list[str] | None
    date: str | None
    demand: str | None
    decimal: str | None
    delimiter: str | None
    encoding: str | None
    day_first: bool | None
    negative: str | None
    duplicates: str | None
    missing: str

    def said(self, contexts: Sequence[str] | None) -> Said:
        """The columns that were named."""
        from provend.tables import Said

        return Said(self.item, self.date, self.demand, contexts)

    def choices(self, duplicates: str) -> Choices:
        """Everything else that was said; ``duplicates`` applies if nothing was said about them."""
        from provend.tables import Choices

        return Choices(
            self.decimal, self.day_first, self.negative or "refuse", self.duplicates or duplicates, self.missing
        )

    def sales(self, file: Path, contexts: Sequence[str] | None) -> Sales:
        """The long history in a file."""
        from provend.tables import find_roles, read_source, understand

        source = read_source(file, self.delimiter, self.encoding)
        with named(file):
            roles = find_roles(source.table.column_names, self.said(contexts))
            return understand(source, roles, self.choices("refuse"))


@contextmanager
def named(file: Path) -> Iterator[None]:
    """Name this file in whatever error is raised."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _reading_options(
    id_column: Annotated[
        list[str] | None,
        typer.Option(
            "--id", help="A column that names the item; repeat it if it takes several.", rich_help_panel=PANEL
        ),
    ] = None,
    date: Annotated[str | None, typer.Option(help="The column of dates.", rich_help_panel=PANEL)] = None,
    demand: Annotated[str | None, typer.Option(help="The column of demand.", rich_help_panel=PANEL)] = None,
    decimal: Annotated[
        str | None, typer.Option(help="The sign before decimals, . or a comma.", rich_help_panel=PANEL)
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What stands between fields, such as ; or a tab.", rich_help_panel=PANEL)
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of a text file, such as cp1252.", rich_help_panel=PANEL)
    ] = None,
    day_first: Annotated[
        bool | None,
        typer.Option(
            "--day-first/--month-first", help="Whether 05/06/2026 is in June or in May.", rich_help_panel=PANEL
        ),
    ] = None,
    negative: Annotated[
        str | None,
        typer.Option(
            help="Demands below zero: refuse, clip or drop. If left out, plan drops them, and others refuse the file.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    duplicates: Annotated[
        str | None,
        typer.Option(
            help="Several rows of an item and date: refuse, sum, last or keep. If left out, plan counts none of them, "
            "and others refuse the file.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Rows without demand: drop, zero, keep or refuse.", rich_help_panel=PANEL)
    ] = "drop",
) -> Reading:
    return Reading(id_column, date, demand, decimal, delimiter, encoding, day_first, negative, duplicates, missing)


def on_file(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command(reading, ...)`` the options that say how to read a file, before its own."""
    return sharing(_reading_options, command)


def say_understood(report: SalesReport, *, beside: bool) -> None:
    """Say in a few lines what was understood of a file; ``beside`` the results if those are for machines."""
    for line in report.lines():
        if beside:
            print("provend:", shortened(plain(line)), file=sys.stderr)
        else:
            say(shortened(line))
