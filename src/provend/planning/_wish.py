"""What the user says about the tables."""

from __future__ import annotations

from dataclasses import dataclass

from provend.planning._source import Names


@dataclass(frozen=True)
class Wish:
    """Names of columns, columns that hold terms, and the horizon.

    ``seen`` are the columns that say what was on the shelf on past days.
    """

    names: Names
    terms: dict[str, str]
    horizon: int
    seen: dict[str, str]
