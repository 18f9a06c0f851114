"""The only place that converts and rejects user input. Every message names argument, value and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._rational import read_argument
from provend.newsvendor import Newsvendor

Seed = int | Sequence[int] | np.random.Generator  # the source of randomness

MARGIN = Fraction(1, 10**12)
RATIO = "a number; give a critical ratio such as 0.9, '9/10' or a Newsvendor"


def as_critical_ratio(q: object) -> Fraction:
    """The critical ratio as an exact rational in (0, 1)."""
    try:
        exact = q.critical_ratio if isinstance(q, Newsvendor) else _cached_ratio(q)
    except TypeError:  # not a number: all of those are hashable
        raise InputError(f"q = {q!r} is not {RATIO}") from None
    if not 0 < exact < 1:
        raise InputError(f"q = {q!r} must lie strictly between 0 and 1; it is cu / (cu + co)")
    if not MARGIN < exact < 1 - MARGIN:
        if isinstance(q, Newsvendor):
            raise InputError(f"cu = {q.cu!r} and co = {q.co!r} are too far apart to compute with; check their units")
        raise InputError(f"q = {q!r} is too close to 0 or 1 to compute with; keep a distance of {float(MARGIN):g}")
    return exact


@lru_cache(maxsize=1024, typed=True)  # typed: Fraction(0.9) equals 0.9 but means another number
def _cached_ratio(q: object) -> Fraction:
    return read_argument(q, "q", RATIO)


def as_unit(q: object) -> float:
    """Money per unit of regret: 1 unless ``q`` is a :class:`Newsvendor`."""
    return q.unit if isinstance(q, Newsvendor) else 1.0


def as_dissimilarities(d: ArrayLike) -> NDArray[np.float64]:
    """A non-empty 1-D array of finite non-negative numbers; what exceeds 1 becomes 1."""
    array = _as_floats(d, "d")
    if array.size == 0:
        raise InputError(
            "d is empty; give at least one dissimilarity, or use NoData().order for a decision without data"
        )
    if not (array.min() >= 0 and array.max() <= 1):  # False for nan as well
        for i in np.flatnonzero(~(np.isfinite(array) & (array >= 0))):
            raise InputError(
                f"d[{i}] = {array[i]}: dissimilarities are finite and at least 0; drop the row or set it to 1"
            )
        array = np.minimum(array, 1.0)
    return array


def as_demands(y: ArrayLike, n: int, support: tuple[float, float]) -> NDArray[np.float64]:
    """One finite demand inside the support per dissimilarity."""
    array = _as_floats(y, "y")
    if array.size != n:
        raise InputError(f"y has {array.size} demands but d has {n} dissimilarities; give one demand per past context")
    lo, hi = support
    for i in np.flatnonzero(~((array >= lo) & (array <= hi))):
        raise InputError(
            f"y[{i}] = {array[i]} lies outside the support [{lo:g}, {hi:g}]; correct the demand or widen the support"
        )
    return array


def as_stock(stock: ArrayLike, n: int, *, name: str = "stock") -> NDArray[np.float64]:
    """One stock level per dissimilarity, inf where demand was seen whatever the stock."""
    if np.asarray(stock).dtype == np.bool_:
        raise InputError(
            f"{name} holds flags: that a day sold out does not say what stock the others had, and using these because "
            "they did not would favour low demand; give the stock of every day, inf where nothing limited sales"
        )
    array = _as_floats(stock, name)
    if array.size != n:
        raise InputError(f"{name} has {array.size} entries for {n} dissimilarities; give the stock of every past day")
    for i in np.flatnonzero(~(array > -np.inf)):
        raise InputError(
            f"{name}[{i}] = {array[i]} is not a stock; give what was there to be sold, inf where nothing limited sales"
        )
    return array


def as_sales(sales: ArrayLike, stock: NDArray[np.float64], support: tuple[float, float]) -> NDArray[np.float64]:
    """One number per day: demand inside the support, or the stock where that was less."""
    array = _as_floats(sales, "sales")
    if array.size != stock.size:
        raise InputError(f"sales has {array.size} entries and stock has {stock.size}; give both for every past day")
    lo, hi = support
    for i in np.flatnonzero(np.isnan(array)):
        raise InputError(f"sales[{i}] is missing; give what was sold, or leave the day out")
    for i in np.flatnonzero(array > stock):
        raise InputError(f"sales[{i}] = {array[i]} exceeds stock[{i}] = {stock[i]}; correct one of them")
    for i in np.flatnonzero(~((array >= np.minimum(lo, stock)) & (array <= hi))):
        raise InputError(
            f"sales[{i}] = {array[i]} lies outside the support [{lo:g}, {hi:g}]; correct the sales or widen the support"
        )
    return array


def as_support(support: tuple[float, float], q: object) -> tuple[float, float]:
    """The support to decide on: the newsvendor's own where ``q`` is one."""
    if isinstance(q, Newsvendor):
        if support not in ((0, 1), [0, 1], q.support, list(q.support)):
            raise InputError(
                f"support = {support!r} contradicts the newsvendor's {q.support!r}; leave it out when q is a Newsvendor"
            )
        return q.support
    return Newsvendor(1, 1, support).support


def as_rtol(rtol: object) -> float:
    """A relative tolerance in (0, 1)."""
    if isinstance(rtol, int | float) and 0 < rtol < 1:
        return float(rtol)
    raise InputError(f"rtol = {rtol!r} must be a number between 0 and 1, such as 1e-9")


def as_count(value: object, name: str, *, least: int = 1) -> int:
    """An integer that is at least ``least``."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or int(value) < least:  # type: ignore[call-overload]
        raise InputError(f"{name} = {value!r} must be an integer of at least {least}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def as_means(values: ArrayLike) -> NDArray[np.float64]:
    """A 1-D array of probabilities."""
    array = _as_floats(values, "means")
    for i in np.flatnonzero(~((array >= 0) & (array <= 1))):
        raise InputError(f"means[{i}] = {array[i]} is not a probability; give numbers between 0 and 1")
    return array


def as_entries(values: ArrayLike | Iterable[object], name: str) -> list[object]:
    """The entries of a list, an array or a dataframe column."""
    try:
        return list(np.asarray(values)) if hasattr(values, "__array__") else list(values)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name} = {values!r} is not a sequence; give one entry per past context") from None


def as_dissimilarity(value: object, name: str) -> float:
    """One finite non-negative number."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{name} = {value!r} is not a number; give a dissimilarity of at least 0") from None
    if not (np.isfinite(number) and number >= 0):
        raise InputError(f"{name} = {value!r} must be finite and at least 0")
    return number


def as_share(value: object, name: str) -> Fraction:
    """An exact number in [0, 1]."""
    exact = as_exact(value, name)
    if not 0 <= exact <= 1:
        raise InputError(f"{name} = {value!r} must lie between 0 and 1")
    return exact


def as_open_share(value: object, name: str) -> Fraction:
    """An exact number strictly between 0 and 1, or a percentage such as "95%"."""
    text = value.strip() if isinstance(value, str) else value
    percent = isinstance(text, str) and text.endswith("%")
    exact = as_exact(text[:-1].strip(), name) / 100 if percent else as_exact(text, name)  # type: ignore[index]
    if not 0 < exact < 1:
        raise InputError(f"{name} = {value!r} must lie strictly between 0 and 1; give a share such as 0.95 or '95%'")
    return exact


def as_exact(value: object, name: str) -> Fraction:
    """Any finite number, exactly."""
    return read_argument(value, name, "a finite number; give an int, float, Fraction or string")


def as_float(value: object, name: str) -> float:
    """Any finite number, as the float nearest to it."""
    try:
        return float(as_exact(value, name))
    except OverflowError:
        raise InputError(f"{name} = {value!r} is beyond what a float can hold; give a number below 1e308") from None


def as_probabilities(values: Iterable[object], name: str) -> tuple[Fraction, ...]:
    """Exact non-negative numbers that sum to 1, up to rounding of the floats given."""
    exact = tuple(as_share(value, f"{name}[{i}]") for i, value in enumerate(as_entries(values, name)))
    total = sum(exact, Fraction(0))
    if total == 1:
        return exact
    if abs(total - 1) > Fraction(1, 10**9):
        raise InputError(f"{name} sum to {float(total):.12g}; they must sum to 1")
    return tuple(p / total for p in exact)


def as_sample(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """A non-empty 1-D array of finite numbers."""
    sample = _as_floats(values, name)
    if sample.size == 0:
        raise InputError(f"{name} is empty; give at least one demand")
    for i in np.flatnonzero(~np.isfinite(sample)):
        raise InputError(f"{name}[{i}] = {sample[i]}: demands are finite; drop what was not observed")
    return sample


def as_confidence(value: object) -> float:
    """A probability strictly between 0 and 1."""
    if isinstance(value, int | float | np.number) and 0 < value < 1:
        return float(value)
    raise InputError(f"confidence = {value!r} must lie strictly between 0 and 1; give a probability such as 0.95")


def as_generator(random_state: Seed) -> np.random.Generator:
    """The generator itself, or one that starts from the seed."""
    try:
        if random_state is not None:  # which would start anywhere: a draw that nobody can repeat
            return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        pass
    raise InputError(
        f"random_state = {random_state!r} is not a seed; give an integer of at least 0, several, or a Generator"
    )


def as_numbers(values: ArrayLike, name: str, *, wanted: str = "an array") -> NDArray[np.float64]:
    """An array of any shape."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} holds something that is not a number; give {wanted} of numbers") from None


def _as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = as_numbers(values, name, wanted="a one-dimensional array")
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; give a one-dimensional array")
    return array
