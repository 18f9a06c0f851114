"""The best member of a family of policies, and what a wrong dissimilarity does to a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._validation import as_critical_ratio, as_dissimilarities, as_dissimilarity, as_rtol, as_unit
from provend.certificate import Frozen, Guarantee
from provend.curves import LearningCurve, Progress, learning_curve
from provend.newsvendor import Ratio
from provend.policies import ERM, KNN, SHAPES, Exponential, Kernel, NoData, Policy
from provend.policies.names import KINDS, PolicyName, parse
from provend.regret import estimated_regret, worst_case_regret

SCAN = 48  # parameters tried before the search narrows
CELLS = 2**12  # of the lattice the estimates are made on
FEW = 12  # samples up to which no estimate is needed
PROMISING = 3  # local minima of the scan that are refined
GOLDEN = (5**0.5 - 1) / 2

Family = type[KNN] | type[Exponential] | Kernel | partial[Kernel] | str


class Tried(NamedTuple):
    """One member of a family; without a certified bracket, lower and upper are None."""

    parameter: float
    estimate: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Shown, Tabular):
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
        """The value chosen for what was tuned."""
        best = min(self.table, key=lambda tried: tried.upper if self.certified and tried.upper else tried.estimate)
        return best.parameter

    def _facts(self) -> dict[str, object]:
        found = {"policy": self.policy, "upper": self.guarantee.upper}
        return found | {"percent_of_no_data": self.guarantee.percent_of_no_data, "certified": self.certified}

    def _columns(self) -> dict[str, tuple[float | None, ...]]:
        return dict(zip(Tried._fields, zip(*self.table, strict=True), strict=True))


def tune(family: Family, d: ArrayLike, /, *, q: Ratio, rtol: float = 1e-9, progress: Progress | None = None) -> Tuned:
    """The member of ``family`` with the least worst-case regret.

    Parameters
    ----------
    family : class or str
        ``KNN`` or "knn"; ``Exponential`` or "exp"; for kernels "kernel:gaussian" or ``partial(Kernel, "gaussian")``,
        or the shape alone, except "exponential", which is short for ``Exponential``.
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
    k, and the bandwidth of a uniform kernel, are compared exhaustively by certified brackets; a bandwidth that reaches
    no context decides as :class:`NoData` and takes part. gamma and the other bandwidths are real: the search scans
    their whole range on estimates and narrows down on the best local minima.

    Examples
    --------
    >>> import provend as pv
    >>> best = pv.tune(pv.KNN, pv.drift(0.001, n=100), q=0.9)
    >>> best.policy, round(best.guarantee.upper, 6)
    (KNN(k=37), 0.013417)
    """
    as_critical_ratio(q)
    dissimilarities, tolerance = as_dissimilarities(d), as_rtol(rtol)
    name = _family(family)
    if name.kind == "knn" or name.shape == "uniform":
        return _tune_count(name.kind, dissimilarities, q, tolerance, progress)
    if name.shape is None:
        grid = _Grid(Exponential, _gammas(dissimilarities.size), [])
    else:
        narrow = [_narrowest(dissimilarities)]
        grid = _Grid(partial(Kernel, name.shape), _bandwidths(dissimilarities), narrow)
    return _tune_real(grid, dissimilarities, q, tolerance, progress)


def _family(family: Family) -> PolicyName:
    """What to tune: a name without its parameter."""
    if isinstance(family, partial) and family.func is Kernel and len(family.args) == 1:
        return _family(f"kernel:{family.args[0]}")
    if isinstance(family, Kernel):
        return PolicyName("kernel", family.shape)
    text = {KNN: "knn", Exponential: "exp"}.get(family, "") if isinstance(family, type) else family
    try:
        name = parse(f"kernel:{text}" if text in SHAPES and text not in KINDS else str(text))
    except InputError:
        name = PolicyName("")
    if name.kind not in ("knn", "exponential") and name.shape is None:
        shapes = ", ".join(SHAPES)
        raise InputError(f"family = {family!r} is unknown; give KNN, Exponential or a kernel shape: {shapes}")
    if name.parameter is not None:
        raise InputError(f"family = {family!r} has a parameter already; leave it out, it is what is tuned")
    return name


def _tune_count(kind: str, d: NDArray[np.float64], q: Ratio, rtol: float, progress: Progress | None) -> Tuned:
    """Every number of nearest contexts; for the uniform kernel every group of contexts that some bandwidth reaches."""
    ordered = np.sort(d)
    curve = learning_curve(ERM(), ordered, q=q, rtol=rtol, progress=progress)
    counts = _reach(ordered) if kind == "kernel" else {float(k): int(k) for k in curve.n}
    table = tuple(
        Tried(parameter, (lower + upper) / 2, lower, upper)
        for parameter, k in counts.items()
        for lower, upper in [_with_nearest(k, curve, q)]
    )
    best = min(table, key=lambda tried: tried.upper or 0.0)
    policy = Kernel("uniform", best.parameter) if kind == "kernel" else KNN(int(best.parameter))
    rivals = tuple(tried.parameter for tried in table if (tried.lower or 0.0) <= (best.upper or 0.0))
    return Tuned(policy, worst_case_regret(policy, d, q=q, rtol=rtol), table, True, rivals)


def _reach(ordered: NDArray[np.float64]) -> dict[float, int]:
    """Bandwidths of the uniform kernel, one for each set of contexts within reach, and how many these are.

    Bandwidths are positive, so one below the first positive dissimilarity reaches only what lies at 0, if anything:
    half of that dissimilarity, unless there is no such float.
    """
    values, counts = np.unique(ordered, return_counts=True)
    reached = dict(zip(values.tolist(), np.cumsum(counts).tolist(), strict=True))
    at_zero = reached.pop(0.0, 0)
    below = min(reached, default=1.0) / 2
    return {below: at_zero, **reached} if below > 0 else reached


def _with_nearest(k: int, curve: LearningCurve, q: Ratio) -> tuple[float, float]:
    """Bracket of ERM on the k nearest; on none it is the decision without data."""
    if k > 0:
        return float(curve.lower[k - 1]), float(curve.upper[k - 1])
    guarantee = worst_case_regret(NoData(), [1.0], q=q)
    return guarantee.lower, guarantee.upper


def _gammas(n: int) -> NDArray[np.float64]:
    """From one effective sample to many times n, evenly in the logarithm of 1 / (1 - gamma), and 1 itself."""
    effective = np.geomspace(1.05, 20 * n, SCAN - 1)
    return np.append(1 - 1 / effective, 1.0)


def _bandwidths(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """From just beyond the nearest context to far beyond the last one."""
    positive = d[d > 0]
    if positive.size == 0:
        return np.array([1.0])
    return np.geomspace(max(0.2 * positive.min(), np.finfo(float).tiny), 20 * positive.max(), SCAN)


def _narrowest(d: NDArray[np.float64]) -> float:
    """A bandwidth so small that only contexts at 0, if any, have weight, whatever the shape."""
    return float(max(d[d > 0].min(initial=1.0) / 1000, np.finfo(float).tiny))


class _Grid(NamedTuple):
    """Policies by a real parameter: which values to ``scan``, and which to try that stand ``apart`` from them."""

    members: Callable[[float], Policy]
    scan: NDArray[np.float64]
    apart: list[float]


def _tune_real(grid: _Grid, d: NDArray[np.float64], q: Ratio, rtol: float, progress: Progress | None) -> Tuned:
    """Scan, then golden-section search around the best local minima, all on estimates; certify the winner."""
    members, scan, apart = grid
    unit, ratio, total = as_unit(q), as_critical_ratio(q), scan.size + 12 * PROMISING
    estimates: dict[float, float] = {}

    def estimate(parameter: float) -> float:
        if parameter not in estimates:
            estimates[parameter] = unit * _estimate(members(parameter), d, ratio)
            if progress:
                progress(min(len(estimates), total), total)
        return estimates[parameter]

    values = [estimate(float(parameter)) for parameter in [*scan, *apart]][: scan.size]
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


def _estimate(policy: Policy, d: NDArray[np.float64], q: Fraction) -> float:
    """An estimate of the regret; where samples are so few that each weight shows, the exact value."""
    if d.size <= FEW:
        return worst_case_regret(policy, d, q=q, rtol=1e-6).upper
    return estimated_regret(policy, d, q, CELLS)


def _golden(function: Callable[[float], float], low: float, high: float) -> None:
    """Narrow [low, high] around a minimum; the caller's table keeps every value met."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    for _ in range(10):
        if function(left) <= function(right):
            high, right = right, left
            left = high - GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Shown, Tabular, Frozen):
    """Guarantee of each policy (column) under each scale of the dissimilarities (row)."""

    scales: tuple[float, ...]
    policies: tuple[str, ...]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def best(self) -> tuple[str, ...]:
        """The best of the policies at each scale."""
        return tuple(self.policies[i] for i in np.argmin(self.upper, axis=1))

    def _facts(self) -> dict[str, object]:
        return {"scales": self.scales, "best": self.best}

    def _columns(self) -> Mapping[str, Iterable[object]]:
        many, each = len(self.policies), len(self.scales)
        bracket: dict[str, Iterable[object]] = {"lower": self.lower.ravel(), "upper": self.upper.ravel()}
        named: dict[str, Iterable[object]] = {"policy": list(self.policies) * each}
        return {"scale": np.repeat(self.scales, many)} | named | bracket


def sensitivity(
    policies: Mapping[str, Policy], d: ArrayLike, /, *, q: Ratio, scales: Iterable[float], rtol: float = 1e-9
) -> Sensitivity:
    """What each choice guarantees if the dissimilarities are ``scales`` times ``d`` (misspecified drift).

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
    lower, upper = (np.array([[getattr(g, end) for g in row] for row in rows]) for end in ("lower", "upper"))
    return Sensitivity(factors, tuple(policies), lower, upper)
