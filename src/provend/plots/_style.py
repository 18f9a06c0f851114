"""How all pictures look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")

COLOURS = ("#1f5f8b", "#c8553d", "#588157", "#8d6a9f", "#b08900")
ROUND_NUMBERS = [m * 10.0**e for e in range(-6, 10) for m in (1, 2, 5)]  # ticks of a logarithmic axis
FAINT = {"color": "#777777", "dash": "dot", "width": 1.5}


def named(one_or_several: T | Mapping[str, T], name: str) -> Mapping[str, T]:
    """What to compare, by name; a single thing is called ``name``."""
    return one_or_several if isinstance(one_or_several, Mapping) else {name: one_or_several}
