"""How numbers look in tables: a few digits, bounds rounded to the safe side. JSON keeps all digits."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isfinite

DIGITS, BRACKET_DIGITS = 4, 8
FORGIVEN = Decimal("1e-8")  # the width of most brackets: 0.05, certified from above by 0.05 + 6e-11, stays 0.05
LEAST = 1e-3  # percent; a smaller share is not worth mentioning
PLAIN = Decimal("1e-6"), Decimal("1e15")  # numbers in between are written without an exponent


def at_most(value: float, digits: int = DIGITS) -> str:
    """An upper bound, rounded up unless it exceeds the number shown by no more than rounding error."""
    return _rounded(value, Context(prec=digits, rounding=ROUND_CEILING), 1 - FORGIVEN)


def at_least(value: float, digits: int = DIGITS) -> str:
    """A lower bound, rounded down in the same way."""
    return _rounded(value, Context(prec=digits, rounding=ROUND_FLOOR), 1 + FORGIVEN)


def bracket(lower: float, upper: float) -> str:
    """Two bounds that still enclose what they did; no error is forgiven."""
    down, up = (Context(prec=BRACKET_DIGITS, rounding=way) for way in (ROUND_FLOOR, ROUND_CEILING))
    return f"{_rounded(lower, down)} to {_rounded(upper, up)}"


def percent(value: float) -> str:
    """A share that is an upper bound, given in percent: three digits, rounded up."""
    return f"{at_most(max(value, LEAST) if value > 0 else value, 3)} %"


def _rounded(value: float, context: Context, factor: Decimal = Decimal(1)) -> str:
    if not isfinite(value):
        return str(value)
    rounded = context.create_decimal(Decimal(value) * factor)
    shown = rounded.normalize(context)
    return f"{shown:,f}" if not shown or PLAIN[0] <= abs(shown) < PLAIN[1] else f"{shown:e}"
