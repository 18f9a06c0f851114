"""The best member of a family of policies, and what a wrong dissimilarity does to a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._validation import as_critical_ratio, as_dissimilarities, as_dissimilarity, as_rtol, as_unit
from provend.certificate import Guarantee
from provend.curves import Progress, learning_curve
from provend.policies import ERM, KNN, SHAPES, Exponential, Kernel, Policy
from provend.regret import estimated_regret, worst_case_regret

SCAN = 48  # parameters tried before the search narrows
CELLS = 2**12  # of the lattice the estimates are made on
PROMISING = 3  # local minima of the scan that are refined
GOLDEN = (5**0.5 - 1) / 2


class Tried(NamedTuple):
    """One member of a family; without a certified bracket, lower and upper are None."""

    parameter: float
    estimate: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, eq=False)
class Tuned:
    """The best member of a family.

    Attributes
    ----------
    policy : Policy
        The member chosen.
    guarantee : Guarantee
        Its certified worst-case regret.
    table : tuple of Tried
        Every parameter tried, ascending.
    certified : bool
        Whether all members were compared by certified brackets. Otherwise the search compared sharp estimates, and
        only the guarantee of the member chosen is certified, not that no other member is better.
    indistinguishable : tuple of float
        Parameters whose bracket reaches down to the best, where ``certified``; the exact best is one of them.
    """

    policy: Policy
    guarantee: Guarantee
    table: tuple[Tried, ...]
    certified: bool
    indistinguishable: tuple[float, ...] = ()

    @property
    def parameter(self) -> float:
        """What was tuned."""
        return min(
            self.table, key=lambda tried: tried.upper if self.certified and tried.upper else tried.estimate
        ).parameter


def tune(family: Any, d: ArrayLike, /, *, q: Any, rtol: float = 1e-9, progress: Progress | None = None) -> Tuned:
    """The member of ``family`` with the least worst-case regret.

    Parameters
    ----------
    family : class or str
        ``KNN`` or "knn"; ``Exponential`` or "exp"; for kernels the name of the shape, such as "gaussian", or
        ``partial(Kernel, "gaussian")``.
    d : array
        Dissimilarities.
    q : number or Newsvendor
        Critical ratio.
    rtol : float
        As in :func:`worst_case_regret`.
    progress : callable, optional
        Called with (done, total) now and then.

    Notes
    -----
    k, and the bandwidth of a uniform kernel, are compared exhaustively by certified brackets. gamma and the other
    bandwidths are real: the search scans their whole range on estimates and narrows down on the best local minima.

    Examples
    --------
    >>> import provend as pv
    >>> best = pv.tune(pv.KNN, pv.drift(0.001, n=100), q=0.9)
    >>> best.policy, round(best.guarantee.upper, 6)
    (KNN(k=37), 0.013417)
    """
    ratio, dissimilarities, tolerance = as_critical_ratio(q), as_dissimilarities(d), as_rtol(rtol)
    name = _family_name(family)
    if name in ("knn", "uniform"):
        return _tune_count(name, dissimilarities, q, tolerance, progress)
    members: Callable[[float], Policy] = Exponential if name == "exp" else partial(Kernel, name)
    scan = _gammas(dissimilarities.size) if name == "exp" else _bandwidths(dissimilarities)
    return _tune_real(members, scan, dissimilarities, q, ratio, tolerance, progress)


def _family_name(family: Any) -> str:
    if isinstance(family, partial) and family.func is Kernel and len(family.args) == 1:
        family = family.args[0]
    elif isinstance(family, Kernel):
        family = family.shape
    named: dict[object, str] = {KNN: "knn", Exponential: "exp"}
    name = named.get(family) if isinstance(family, type) else family
    if isinstance(name, str):
        name = name.removeprefix("kernel:")
    if name not in ("knn", "exp", *SHAPES):
        raise InputError(
            f"family = {family!r} is unknown; give KNN, Exponential or a kernel shape: {', '.join(SHAPES)}"
        )
    return str(name)


def _tune_count(name: str, d: NDArray[np.float64], q: Any, rtol: float, progress: Progress | None) -> Tuned:
    """All numbers of nearest contexts at once; for the uniform kernel only those that end a group of equal d."""
    ordered = np.sort(d)
    curve = learning_curve(ERM(), ordered, q=q, rtol=rtol, progress=progress)
    ends = np.flatnonzero(np.append(np.diff(ordered) > 0, True)) if name == "uniform" else np.arange(d.size)
    parameter = ordered if name == "uniform" else curve.n
    table = tuple(
        Tried(
            float(parameter[i]),
            float(curve.lower[i] + curve.upper[i]) / 2,
            float(curve.lower[i]),
            float(curve.upper[i]),
        )
        for i in ends
        if parameter[i] > 0  # a bandwidth is positive
    )
    best = min(table, key=lambda tried: tried.upper or 0.0)
    policy = Kernel("uniform", best.parameter) if name == "uniform" else KNN(int(best.parameter))
    rivals = tuple(tried.parameter for tried in table if (tried.lower or 0.0) <= (best.upper or 0.0))
    return Tuned(policy, worst_case_regret(policy, d, q=q, rtol=rtol), table, True, rivals)


def _gammas(n: int) -> NDArray[np.float64]:
    """From one effective sample to many times n, evenly in the logarithm of 1 / (1 - gamma), and 1 itself."""
    effective = np.geomspace(1.05, 20 * n, SCAN - 1)
    return np.append(1 - 1 / effective, 1.0)


def _bandwidths(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """From just beyond the nearest context to far beyond the last one."""
    positive = d[d > 0]
    if positive.size == 0:
        return np.array([1.0])
    return np.geomspace(0.2 * positive.min(), 20 * positive.max(), SCAN)


def _tune_real(
    members: Callable[[float], Policy],
    scan: NDArray[np.float64],
    d: NDArray[np.float64],
    q: Any,
    ratio: Fraction,
    rtol: float,
    progress: Progress | None,
) -> Tuned:
    """Scan, then golden-section search around the best local minima, all on estimates; certify the winner."""
    unit = as_unit(q)
    total = scan.size + 12 * PROMISING
    estimates: dict[float, float] = {}

    def estimate(parameter: float) -> float:
        if parameter not in estimates:
            estimates[parameter] = unit * estimated_regret(members(parameter), d, ratio, CELLS)
            if progress:
                progress(min(len(estimates), total), total)
        return estimates[parameter]

    values = [estimate(float(parameter)) for parameter in scan]
    padded = [np.inf, *values, np.inf]
    minima = [i for i in range(scan.size) if padded[i] >= padded[i + 1] <= padded[i + 2]]
    for i in sorted(minima, key=lambda i: values[i])[:PROMISING]:
        _golden(estimate, float(scan[max(i - 1, 0)]), float(scan[min(i + 1, scan.size - 1)]))
    best = min(estimates, key=lambda parameter: estimates[parameter])
    policy = members(best)
    guarantee = worst_case_regret(policy, d, q=q, rtol=rtol)
    if progress:
        progress(total, total)
    table = tuple(
        Tried(p, e, guarantee.lower if p == best else None, guarantee.upper if p == best else None)
        for p, e in sorted(estimates.items())
    )
    return Tuned(policy, guarantee, table, False)


def _golden(function: Callable[[float], float], low: float, high: float) -> None:
    """Narrow [low, high] around a minimum; every value met is in the caller's table."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    for _ in range(10):
        if function(left) <= function(right):
            high, right = right, left
            left = high - GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Guarantee of each policy (column) under each scale of the dissimilarities (row)."""

    scales: tuple[float, ...]
    policies: tuple[str, ...]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def best(self) -> tuple[str, ...]:
        """The best of the policies at each scale."""
        return tuple(self.policies[i] for i in np.argmin(self.upper, axis=1))


def sensitivity(
    policies: Mapping[str, Policy], d: ArrayLike, /, *, q: Any, scales: Iterable[float], rtol: float = 1e-9
) -> Sensitivity:
    """What each choice guarantees if the dissimilarities are ``scales`` times ``d`` (section on misspecified drift).

    Examples
    --------
    >>> import provend as pv
    >>> choices = {f"k = {k}": pv.KNN(k) for k in (8, 17, 27)}
    >>> table = pv.sensitivity(choices, pv.drift(1, n=100), q=0.9, scales=(0.001, 0.0025, 0.005))
    >>> table.best
    ('k = 27', 'k = 17', 'k = 8')
    """
    base = np.asarray(d, dtype=np.float64)
    factors = tuple(as_dissimilarity(scale, f"scales[{i}]") for i, scale in enumerate(scales))
    rows = [[worst_case_regret(policy, base * s, q=q, rtol=rtol) for policy in policies.values()] for s in factors]
    if not rows or not policies:
        raise InputError("policies and scales need at least one entry each")
    lower, upper = (np.array([[getattr(g, side) for g in row] for row in rows]) for side in ("lower", "upper"))
    return Sensitivity(factors, tuple(policies), lower, upper)
