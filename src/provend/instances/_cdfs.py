"""Reading an instance: cdfs, scipy's distributions, and the checks they have to pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._kernels.arithmetic.quadrature import Cdf, Instance
from provend._rational import Number
from provend._validation import as_critical_ratio, as_share, as_support, as_unit

Floats = NDArray[np.float64]

MOST_ATOMS = 2**12  # of a discrete distribution at which to cut the support
CLOSE = 1e-9  # how far a cdf may leave [0, 1], fall, or miss 1 at the top before it is rejected
NOWHERE: Floats = np.empty(0)


@dataclass(frozen=True)
class Shifted:
    """The paper's past for a given future: F(y) = min(F_future(y) + by, 1), at Kolmogorov distance ``by``.

    It moves the mass ``by`` from the largest demands to the bottom of the support.
    """

    future: object
    by: Number

    def __post_init__(self) -> None:
        as_share(self.by, "by")


class PricedInstance(NamedTuple):
    """An instance with what the user means by it: the exact critical ratio, the support, money per unit of cost."""

    instance: Instance
    q: Fraction
    support: tuple[float, float]
    money: float

    @property
    def n(self) -> int:
        """The number of past contexts."""
        return len(self.instance.past)


def read(past: object, future: object, q: object) -> PricedInstance:
    ratio, support = as_critical_ratio(q), as_support((0, 1), q)
    if not isinstance(past, Sequence | np.ndarray) or len(past) == 0:
        raise InputError(f"past = {past!r} must be a non-empty list, one distribution for each past context")
    known: dict[int, Cdf] = {}  # what repeats is read, and later evaluated, only once

    def cdf(given: object, name: str) -> Cdf:
        if isinstance(given, Shifted):
            return cdf(given.future, f"{name}.future").shifted(float(as_share(given.by, "by")))
        if id(given) not in known:
            known[id(given)] = _as_cdf(given, name, support)
        return known[id(given)]

    read = tuple(cdf(one, f"past[{i}]") for i, one in enumerate(past))
    instance = Instance(read, cdf(future, "future"), float(ratio))
    return PricedInstance(instance, ratio, support, as_unit(q) / (support[1] - support[0]))


def _as_cdf(given: Any, name: str, support: tuple[float, float]) -> Cdf:
    """A cdf, a distribution or an empirical cdf of scipy; checked on a grid."""
    low, high = support
    jumps, kinks, inverse = NOWHERE, NOWHERE, None
    if hasattr(given, "evaluate") and hasattr(given, "quantiles"):  # scipy.stats.ecdf(sample).cdf
        function, jumps = given.evaluate, np.asarray(given.quantiles, float)
        _refuse_below(function, name, low)
    elif callable(getattr(given, "cdf", None)):
        function, inverse = given.cdf, getattr(given, "ppf", None)
        _refuse_below(function, name, low)
        jumps, kinks = _atoms(given, high), np.asarray(given.support() if hasattr(given, "support") else (), float)
    elif callable(given):
        function = given
    else:
        raise TypeError(f"{name} = {given!r} is not a distribution; give a cdf or a distribution of scipy.stats")
    at = _on_arrays(function, low, high)
    _check_cdf(at, name, support)
    return Cdf(lambda y: np.clip(at(y), 0.0, 1.0), low, high, jumps, kinks, inverse)


def _on_arrays(function: Callable[[Any], Any], low: float, high: float) -> Callable[[Floats], Floats]:
    """The function itself if it takes arrays, else applied to one number after the other."""
    trial = np.linspace(low, high, 3)
    try:
        if np.shape(function(trial)) == trial.shape:
            return lambda y: np.asarray(function(y), float)
    except (TypeError, ValueError):  # written for numbers
        pass
    return lambda y: np.array([float(function(x)) for x in y.tolist()])


def _atoms(distribution: Any, high: float) -> Floats:
    """Where a distribution of scipy jumps: nowhere if it has a density, else at its values up to ``high``."""
    if hasattr(distribution, "pdf") or not hasattr(distribution, "support"):
        return NOWHERE
    values = getattr(getattr(distribution, "dist", distribution), "xk", None)
    if values is not None:
        return np.asarray(values, float)
    first, last = distribution.support()
    return np.arange(first, min(last, high) + 1.0) if min(last, high) - first < MOST_ATOMS else NOWHERE


def _refuse_below(cdf: Callable[[float], float], name: str, low: float) -> None:
    below = float(cdf(np.nextafter(low, -np.inf)))
    if below > CLOSE:
        raise InputError(
            f"{name} is below {low:g}, the bottom of the support, with probability {below:.3g}; "
            "truncate it, or give a Newsvendor with a wider support"
        )


def _check_cdf(at: Callable[[Floats], Floats], name: str, support: tuple[float, float]) -> None:
    low, high = support
    values = at(np.linspace(low, high, 129))
    if not (np.isfinite(values).all() and values.min() >= -CLOSE and values.max() <= 1 + CLOSE):
        bad = values[~((values >= -CLOSE) & (values <= 1 + CLOSE))][0]
        raise InputError(f"{name} takes the value {bad:g} on [{low:g}, {high:g}]; a cdf lies between 0 and 1")
    if (np.diff(values) < -CLOSE).any():
        raise InputError(f"{name} falls somewhere on [{low:g}, {high:g}]; a cdf never falls")
    if values[-1] < 1 - CLOSE:
        raise InputError(
            f"{name} is {values[-1]:g} at {high:g}, so demand may exceed the support [{low:g}, {high:g}]; "
            "truncate it, or give a Newsvendor with a wider support"
        )
