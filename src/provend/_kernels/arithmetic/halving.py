"""Where a condition ceases to hold, by halving or faster."""

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


def last_positive(value: Callable[[float], float], halvings: int) -> float:
    """A t in [0, 1] at which the value is positive, within 2^-halvings of one at which it is not; 0 where it never is.

    Where the value falls smoothly, few evaluations are needed: false position, the value of an end that stays halved
    each time (Illinois), and every fourth point in the middle, so that four times the halvings are always enough.
    """
    low, high, width, count = 0.0, 1.0, 0.5**halvings, 0
    if (at_high := value(high)) > 0:
        return high
    if not (at_low := value(low)) > 0:
        return low
    rose = None
    while high - low > width:
        count += 1
        between = low + (high - low) * (at_low / (at_low - at_high))
        at = between if count % 4 and low < between < high else (low + high) / 2
        if (found := value(at)) > 0:
            low, at_low, at_high = at, found, at_high / 2 if rose is True else at_high
        else:
            high, at_high, at_low = at, found, at_low / 2 if rose is False else at_low
        rose = found > 0
    return low
