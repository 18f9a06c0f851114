"""Where a condition ceases to hold, by halving."""

from collections.abc import Callable


def last_where(holds: Callable[[float], bool], halvings: int) -> float:
    """A t in [0, 1] at which the condition holds, within 2^-halvings of where it ceases to; 0 where it never holds."""
    low, high = 0.0, 1.0
    if holds(high):
        return high
    if not holds(low):
        return low
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
