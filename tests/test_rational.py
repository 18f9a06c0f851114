"""Numbers are read as what the user means."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provend._errors import InputError
from provend._rational import ceil_product, read_argument, read_exactly
from provend._validation import as_critical_ratio

F = Fraction
relaxed = settings(deadline=None, derandomize=True, max_examples=300)


@pytest.mark.parametrize(
    ("given_as", "meant"),
    [
        (0.9, F(9, 10)),
        (5 / 6, F(5, 6)),
        (1 / 3, F(1, 3)),
        (0.07, F(7, 100)),
        (-0.3, F(-3, 10)),
        (0.1 + 0.2, None),  # not 3/10: it is another float
        (1e-5, F(1, 10**5)),
        (0.0, F(0)),
        (-0.0, F(0)),
        (2.0**60, F(2**60)),
        (1e22, F(10**22)),
        (2.5, F(5, 2)),
        (7, F(7)),
        (F(2, 7), F(2, 7)),
        (Decimal("0.9"), F(9, 10)),
        (Decimal("0.1000000000000000055511151231257827"), F("0.1000000000000000055511151231257827")),
        ("9/10", F(9, 10)),
        (" 0.25 ", F(1, 4)),
        ("1e-3", F(1, 1000)),
        (np.float64(0.9), F(9, 10)),
        (np.float32(0.9), F(9, 10)),
        (np.float32(1 / 3), F(1, 3)),
        (np.float16(0.1), F(1, 10)),
        (np.float32(1e10), F(10**10)),  # a whole number means itself, as 1e10 does
        (np.int8(3), F(3)),
        (np.True_, F(1)),
    ],
)
def test_reads(given_as: object, meant: Fraction | None) -> None:
    if meant is None:
        assert read_exactly(given_as) != F(3, 10)
    else:
        assert read_exactly(given_as) == meant


@relaxed
@given(st.integers(1, 400), st.data())
def test_simplest_is_simplest(m: int, data: st.DataObject) -> None:
    """Every fraction with a small denominator survives a trip through a float, and no smaller denominator hits it."""
    x = data.draw(st.integers(1, 3 * m)) / m
    read = read_exactly(x)
    first = next(k for k in range(1, m + 1) if round(x * k) / k == x)
    assert read.denominator == first
    assert float(read) == x


@relaxed
@given(st.floats(1e-3, 1e3), st.booleans())
def test_short_floats_by_brute_force(x: float, negative: bool) -> None:
    """In half precision all denominators can be tried."""
    short = np.float16(-x if negative else x)
    exact = F(float(short))
    below, above = (F(float(np.nextafter(short, np.float16(s)))) for s in (-np.inf, np.inf))
    low, high = (below + exact) / 2, (exact + above) / 2
    denominator = next(k for k in range(1, 5000) if floor(low * k) + 1 < high * k)
    read = read_exactly(short)
    assert read.denominator == denominator
    assert low < read < high


@relaxed
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_reads_a_number_that_rounds_to_the_float(x: float) -> None:
    read = read_exactly(x)
    assert read.numerator / read.denominator == x
    assert read_exactly(-x) == -read


@relaxed
@given(st.fractions(min_value=0, max_value=1, max_denominator=1000), st.integers(0, 10**6))
def test_products_round_exactly(q: Fraction, n: int) -> None:
    assert ceil_product(q, n) == ceil(q * n)


@pytest.mark.parametrize(
    ("bad", "kind"),
    [(float("nan"), ValueError), (float("inf"), ValueError), ("x", ValueError), (None, TypeError), ([1], TypeError)],
)
def test_rejects(bad: object, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        read_exactly(bad)


@pytest.mark.parametrize("exact", [Fraction(0.35), Decimal.from_float(0.35)], ids=["Fraction", "Decimal"])
def test_the_stored_value_and_the_float_are_two_numbers(exact: object) -> None:
    """They compare equal in Python, so a cache must not confuse them: whoever came first would decide ties."""
    assert exact == 0.35
    assert as_critical_ratio(exact) == Fraction(0.35)
    assert as_critical_ratio(0.35) == F(7, 20)
    assert as_critical_ratio(exact) == Fraction(0.35)


def test_single_and_double_precision_are_two_numbers() -> None:
    single = np.float32(0.65)
    assert as_critical_ratio(single) == F(13, 20)
    assert as_critical_ratio(float(single)) == read_exactly(float(single)) != F(13, 20)


def test_an_error_does_not_print_a_whole_column() -> None:
    with pytest.raises(InputError, match="cu = ") as error:
        read_argument([9] * 200, "cu", "a number; give one")
    assert len(str(error.value)) < 120
