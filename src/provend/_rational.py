"""Numbers read exactly: ties are decided in rational arithmetic, never in floating point."""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite, nextafter

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError

MOST_DIGITS = 4300  # of a decimal, as of an integer in Python: 1e-999999999 would take forever to write out
_EXPONENT = re.compile(r"e\s*([-+]?[\d_]+)\s*$", re.IGNORECASE)

Number = int | float | Fraction | Decimal | str | np.integer | np.floating


class _TooLongError(OverflowError):
    """A number with more digits than anybody can mean."""


def read_exactly(value: object) -> Fraction:
    """The exact rational a user means by ``value``.

    Integers, fractions, decimals and strings mean themselves. A float means the simplest fraction
    that rounds to it: 0.9 is 9/10 and 5/6 is 5/6, although neither is what the machine stores.

    Raises
    ------
    TypeError, ValueError, ZeroDivisionError, OverflowError
        When ``value`` is not a finite number, or one that cannot be written out; ``read_argument`` names it.
    """
    if isinstance(value, float):  # numpy.float64 included
        return _simplest_rounding_to(value)
    if isinstance(value, np.floating):  # another precision has other neighbours
        exact = Fraction(*value.as_integer_ratio())
        if exact.denominator == 1:
            return exact
        below, above = np.nextafter(value, -np.inf), np.nextafter(value, np.inf)
        return _simplest_between(
            (Fraction(*below.as_integer_ratio()) + exact) / 2, (exact + Fraction(*above.as_integer_ratio())) / 2
        )
    if isinstance(value, np.integer | np.bool_):
        return Fraction(int(value))
    if isinstance(value, Decimal | str) and abs(_exponent(value)) > MOST_DIGITS:
        raise _TooLongError(f"{value!r} has more than {MOST_DIGITS:,} digits")
    if isinstance(value, int | Fraction | Decimal | str):
        return Fraction(value)
    raise TypeError(f"{value!r} is not a number")


def read_argument(value: object, name: str, problem: str) -> Fraction:
    """``read_exactly`` for an argument of the user; ``problem`` says what it should have been, and the remedy."""
    try:
        return read_exactly(value)
    except _TooLongError:
        raise InputError(
            f"{name} = {value!r:.80} is too large or too small to be written out; "
            f"give a number with an exponent of at most {MOST_DIGITS:,}"
        ) from None
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{name} = {value!r:.80} is not {problem}") from None


def _exponent(value: Decimal | str) -> int:
    """The power of ten it is written with; what is not a number at all is left for ``Fraction`` to reject."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return exponent if isinstance(exponent, int) else 0
    found = _EXPONENT.search(value)
    return int(found[1]) if found and len(found[1]) < MOST_DIGITS else 0


@lru_cache(maxsize=65536)
def _simplest_rounding_to(x: float) -> Fraction:
    if not isfinite(x):
        raise ValueError(f"{x!r} is not finite")
    if x == int(x):
        return Fraction(int(x))
    exact, below, above = Fraction(x), Fraction(nextafter(x, -inf)), Fraction(nextafter(x, inf))
    return _simplest_between((below + exact) / 2, (exact + above) / 2)


def _simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in the open interval (low, high)."""
    if low < 0 < high:
        return Fraction(0)
    if high <= 0:
        return -_simplest_between(-high, -low)
    # Walk down the continued fraction that low = a / b and high = c / d share.
    a, b, c, d = low.numerator, low.denominator, high.numerator, high.denominator
    quotients = []
    while True:
        floor = a // b
        if (floor + 1) * d < c:
            quotients.append(floor + 1)
            break
        quotients.append(floor)
        if a == floor * b:  # low itself is excluded: the next quotient is the first integer beyond 1 / (high - floor)
            quotients.append(d // (c - floor * d) + 1)
            break
        a, b, c, d = d, c - floor * d, b, a - floor * b
    numerator, denominator = quotients.pop(), 1
    while quotients:
        numerator, denominator = quotients.pop() * numerator + denominator, numerator
    return Fraction(numerator, denominator)


def ceil_product(q: Fraction, n: int) -> int:
    """ceil(q n), exactly."""
    return -(-q.numerator * n // q.denominator)


def ceil_products(q: Fraction, n: int) -> NDArray[np.int64]:
    """ceil(q k) for k = 1..n, exactly."""
    if max(q.numerator * n, q.denominator) < 2**62:
        return -(-q.numerator * np.arange(1, n + 1) // q.denominator)
    return np.array([ceil_product(q, k) for k in range(1, n + 1)])
