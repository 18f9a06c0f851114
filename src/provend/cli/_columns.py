"""What columns are taken for: as stated by the user, and as shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated
from warnings import catch_warnings, simplefilter, warn_explicit

import typer

from provend._errors import InputError
from provend.cli._text import plain, shortened

Said = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=KIND",
        help="What a column is to be taken for: number, category or time; repeat it. By its looks if left out.",
    ),
]


def as_kinds(said: Sequence[str] | None) -> dict[str, str]:
    """The options as a mapping."""
    kinds = {}
    for text in said or ():
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise InputError(f"--column {text}: give NAME=KIND, such as weekday=category")
        kinds[name] = kind
    return kinds


def taken_for(kinds: Mapping[str, str]) -> str:
    """One line that says what each column is taken for."""
    return f"columns: {', '.join(f'{name} {kind}' for name, kind in kinds.items())}"


@contextmanager
def doubts_on_stderr() -> Iterator[None]:
    """Print doubts about columns on stderr, one line each, beside the results rather than among them."""
    from provend.tables import ColumnWarning

    with catch_warnings(record=True) as caught:
        simplefilter("always", ColumnWarning)
        yield
    doubts = [one for one in caught if issubclass(one.category, ColumnWarning)]
    for message in dict.fromkeys(str(one.message) for one in doubts):
        print("provend:", shortened(plain(message)), file=sys.stderr)
    for one in caught:
        if one not in doubts:
            warn_explicit(one.message, one.category, one.filename, one.lineno)
