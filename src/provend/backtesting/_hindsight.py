"""Contexts that seem to know the demand of their own day: nobody has them when the order is placed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from provend.tables import History, as_floats, share_at_limit

Floats = NDArray[np.float64]

LEAST = 20  # rows; with fewer, ranks agree by chance
NEARLY = 0.99  # correlation of ranks from which a column says it all


class HindsightWarning(UserWarning):
    """A context that seems to be made from the demand of its own day."""


def told_by(history: History) -> list[str]:
    """What each such context has in common with the demand, in words.

    Prices, promotions and the weather move demand; only what is made from it follows it in nearly every row.
    """
    numbers = [name for name in history.contexts if history.kinds[name] == "number"]
    said = ((name, _told(as_floats(history.frame[name]), history)) for name in numbers)
    return [
        f"{name} tells the demand of its own day ({what}): is it known when you order? If not, the costs here are too "
        "good to be true: leave it out (contexts or --context name those to keep)"
        for name, what in said
        if what
    ]


def _told(x: Floats, history: History) -> str | None:
    y, item = history.y, history.groups(())
    reached = share_at_limit(x, y, item)
    if reached is not None:
        return f"demand is never above it, and equal to it in {reached:.0%} of the rows"
    usable = np.isfinite(x) & np.isfinite(y)
    alike = _correlation(x[usable], y[usable], item[usable]) if usable.sum() >= LEAST else 0.0
    return f"it rises and falls with demand, rank correlation {alike:.2f}" if abs(alike) >= NEARLY else None


def _correlation(x: Floats, y: Floats, item: NDArray[np.int64]) -> float:
    """The correlation of ranks within items: that large items have more of everything says nothing about days."""
    both = np.zeros((2, x.size))
    for one in np.unique(item):
        mine = item == one
        for row, values in enumerate((x[mine], y[mine])):
            both[row, mine] = rankdata(values) - (mine.sum() + 1) / 2
    squares = (both**2).sum(axis=1)
    return float((both[0] * both[1]).sum() / np.sqrt(squares.prod())) if squares.all() else 0.0
