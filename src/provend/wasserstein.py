"""The theorem's neighbour: worst cases when dissimilarities are Wasserstein distances (Theorem G-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, nextafter
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown
from provend._errors import InputError
from provend._kernels.arithmetic.points import Integers
from provend._kernels.arithmetic.rounding import TOTAL, UNIT
from provend._kernels.maximise.cutting_planes import minimise
from provend._kernels.maximise.lagrangian import Groups, PricedSide, attained
from provend._validation import as_critical_ratio, as_dissimilarities, as_unit
from provend.certificate import Bracket, Frozen, Promise, rounded_up
from provend.newsvendor import Ratio
from provend.policies import Form, Policy
from provend.regret import worst_case_regret

Floats = NDArray[np.float64]

MOST_GROUPS = 1000  # different multipliers; more dissimilarities have to share them, which is valid but a little looser
MOST_STEPS = 2**18  # samples times cells of the weight lattice for one evaluation of the weighted relaxation
WEIGHTED_RTOL, MOST_EVALUATIONS = 1e-4, 2**14  # of that relaxation, whose bounds are of first order
GRID, BETAS = 33, (0.0, 0.5, 1.0, 2.0, 4.0)  # where it looks for multipliers


@dataclass(frozen=True, eq=False, repr=False)
class WassersteinBound(Promise, Shown, Frozen):
    """An interval that contains the worst-case regret under the Wasserstein distance.

    Attributes
    ----------
    lower, upper : float
        ``lower <= worst case <= upper``, rounding errors included. ``lower`` is attained: by the Bernoulli demands of
        the Kolmogorov worst case, for which the two distances agree, or by demands that spend the whole distance on a
        part of the support. ``upper`` is the Lagrangian bound; it is in general not attained.
    multipliers : array
        The paper's lambda, one per dissimilarity in its order. ``upper + multipliers @ (other - d)`` is a valid bound
        at other dissimilarities ``other`` of the same samples for the same policy (for KNN: the same neighbours).
    note : str
        What makes ``upper`` looser than the best Lagrangian bound, else empty.
    q : Fraction
        The critical ratio.
    unit : float
        Money per unit of regret; 1 unless a :class:`Newsvendor` was given.
    """

    lower: float
    upper: float
    multipliers: Floats
    note: str
    q: Fraction
    unit: float = 1.0

    def _facts(self) -> dict[str, object]:
        return {"lower": self.lower, "upper": self.upper} | ({"note": self.note} if self.note else {})


def wasserstein_bound(policy: Policy, d: ArrayLike, /, *, q: Ratio) -> WassersteinBound:
    r"""Bound the worst-case regret over all distributions within given Wasserstein distances.

    .. math:: \sup_{F_0} \sup_{\int |F_i - F_0| \le d_i} \mathbb{E}\bigl[R(\pi(y), F_0)\bigr] \le
       \inf_{\lambda \ge 0} \sup_{\mu \in [0, 1]^{n+1}} \mathbb{E}_{y_i \sim B(\mu_i)}\bigl[R(\pi(y), B(\mu_0))\bigr]
       + \sum_i \lambda_i (d_i - |\mu_0 - \mu_i|)

    For policies that count samples without weights the right-hand side is computed to a relative accuracy of about
    1e-8 (1e-6 beyond a thousand samples, 1e-5 beyond ten thousand): the best past means are :math:`\mu_0` or one end of
    the support, and the samples moved to the end are those with the smallest multipliers. For integer weights the
    inner supremum is relaxed (Nature may choose each past mean after seeing the demands before it) and the multipliers
    follow a formula: valid, but looser, and ``note`` says so.

    Parameters
    ----------
    policy : Policy
        ERM, KNN, OrderStatistic, NoData, mixtures of ranks among the same samples, or Weighted ERM and
        WeightedQuantile with integer weights (or rational ones with a common unit).
    d : array
        1-Wasserstein distances to the target, in units of the width of the support; above 1 counts as 1.
    q : number or Newsvendor
        Critical ratio; with a :class:`Newsvendor` the result is in money.

    Examples
    --------
    >>> import provend as pv
    >>> bound = wasserstein_bound(pv.ERM(), pv.constant(0.1, n=15), q=0.9)
    >>> print(f"{bound.lower:.4f} {bound.upper:.4f}")
    0.0900 0.1121
    """
    if not isinstance(policy, Policy):
        raise TypeError(f"policy = {policy!r} is not a policy; give one such as ERM() or KNN(27)")
    ratio, dissimilarities = as_critical_ratio(q), as_dissimilarities(d)
    forms = policy.form(dissimilarities, ratio)
    counted = _as_ranks(forms, dissimilarities.size)
    if counted is not None:
        found = _count_bound(counted, dissimilarities, ratio)
    else:
        found = _weighted_bound(_as_weighted(policy, forms, dissimilarities.size), dissimilarities, ratio)
    lower = max(worst_case_regret(policy, dissimilarities, q=ratio).lower, found.lower)
    unit = as_unit(q)
    bracket = Bracket(lower, found.upper).scaled(unit)
    return replace(found, lower=bracket.lower, upper=bracket.upper, multipliers=found.multipliers * unit, unit=unit)


class _Ranks(NamedTuple):
    """Ranks among the ``samples`` with probabilities, and the top of the support with a share of it."""

    samples: NDArray[np.intp]
    ranks: tuple[int, ...]
    probabilities: tuple[Fraction, ...]
    bottom: Fraction = Fraction(0)  # probability of ordering the bottom, whatever the data say
    top: Fraction = Fraction(0)


def _as_ranks(forms: Sequence[Form], n: int) -> _Ranks | None:
    """The policy as ranks among some samples, or None if it is anything else."""
    counts = [form.count(n) for form in forms]
    blind = [count for count in counts if count is not None and not count.samples.size]
    bottom, top = (sum(ends, Fraction(0)) for ends in ([c.bottom for c in blind], [c.top for c in blind]))
    if len(blind) == len(counts):
        return _Ranks(np.arange(n), (), (), bottom, top)
    count, *more = (count for count in counts if count is None or count.samples.size)
    if more or count is None or not count.unweighted:
        return None
    return _Ranks(count.samples, count.needed, count.probabilities, bottom, top)


def _count_bound(count: _Ranks, d: Floats, q: Fraction) -> WassersteinBound:
    """Proposition G-4 with n + 1 vertices instead of 2^n."""
    multipliers, n = np.zeros(d.size), count.samples.size
    sides = [
        _side(count, tuple(n - rank + 1 for rank in count.ranks), count.top, 1 - q),
        _side(count, count.ranks, count.bottom, q),
    ]
    if all(side.last == 0 for side in sides):
        upper = max(side.c * side.constant for side in sides) * (1 + 16 * UNIT)
        return WassersteinBound(0.0, upper, multipliers, "", q)
    farthest_first = count.samples[np.argsort(-d[count.samples], kind="stable")]
    groups, group = _grouped(d[farthest_first])
    found = minimise(sides, groups, rtol=1e-9 if n <= 1000 else 1e-6 if n <= 10_000 else 1e-5)
    multipliers[farthest_first] = found.price[group]
    shared = groups.sizes.size < np.unique(d[farthest_first]).size
    note = f"{n} dissimilarities share {groups.sizes.size} multipliers" if shared else ""
    return WassersteinBound(attained(sides, d[count.samples]), found.upper, multipliers, note, q)


def _side(count: _Ranks, thresholds: tuple[int, ...], constant: Fraction, c: Fraction) -> PricedSide:
    """One side, without what is certain: a threshold of at most 0 is met by any history."""
    pairs = list(zip(thresholds, count.probabilities, strict=True))
    certain = constant + sum((p for r, p in pairs if r <= 0), Fraction(0))
    open_pairs = [(r, p) for r, p in pairs if 1 <= r <= count.samples.size]
    return PricedSide(
        count.samples.size,
        tuple(r for r, _ in open_pairs),
        tuple(float(p) for _, p in open_pairs),
        float(certain),
        nextafter(float(c), 2.0),
    )


def _grouped(d: Floats) -> tuple[Groups, NDArray[np.intp]]:
    """Equal dissimilarities share a multiplier, by symmetry and convexity at no loss; if too many, so do neighbours."""
    new = np.concatenate([[False], d[1:] != d[:-1]])
    group = np.cumsum(new)
    if group[-1] >= MOST_GROUPS:
        group = group * MOST_GROUPS // (int(group[-1]) + 1)
    sizes = np.bincount(group)
    ends = np.cumsum(sizes)
    sums = [fsum(d[end - size : end].tolist()) for end, size in zip(ends, sizes, strict=True)]
    return Groups(sizes.astype(np.int64), np.array(sums)), group


class _Weighted(NamedTuple):
    """Integer weights of the ``samples``, thresholds on the weight of the zeros, a probability each."""

    samples: NDArray[np.intp]
    w: Integers
    needed: tuple[int, ...]
    probabilities: tuple[float, ...]


def _as_weighted(policy: Policy, forms: Sequence[Form], n: int) -> _Weighted:
    form, count = forms[0], forms[0].count(n)
    if len(forms) > 1 or not form.shares_effort:
        raise TypeError(
            f"policy = {policy!r}: the Wasserstein bound is for one count of the samples, weighted or not; "
            "use ERM, KNN, OrderStatistic, WeightedERM or a Mixture of ranks among the same samples"
        )
    if count is None or count.total * count.samples.size > MOST_STEPS:
        raise InputError(
            f"policy = {policy!r}: its weights have no common unit, or too fine a one, for the Wasserstein bound; "
            "use integer weights, such as those of policy.rounded(d, cells=20)"
        )
    used = count.samples
    return _Weighted(used, count.weights[used], count.needed, tuple(float(p) for p in count.probabilities))


def _weighted_bound(policy: _Weighted, d: Floats, q: Fraction) -> WassersteinBound:
    """Multipliers alpha w_i (1 + beta (1 - d_i / max d)): alpha by line search on a grid, then certified there."""
    lightest_first = np.argsort(policy.w, kind="stable")  # Nature sees the light samples first: found to be tighter
    index, w = policy.samples[lightest_first], policy.w[lightest_first]
    total, far = int(w.sum()), d[index]
    low, high = (
        _terminal(policy, [total - need + 1 for need in policy.needed], total),
        _terminal(policy, policy.needed, total),
    )
    sides = [_Relaxed(w, low, nextafter(float(1 - q), 2.0)), _Relaxed(w, high, nextafter(float(q), 2.0))]
    betas = BETAS if np.ptp(far) > 0 else BETAS[:1]
    shapes = [w * (1 + beta * (1 - far / max(float(far.max()), UNIT))) for beta in betas]
    price = min((_line_search(sides, shape, far) for shape in shapes), key=lambda found: found[0])[1]
    budget = rounded_up(fsum((price * far).tolist()))
    multipliers = np.zeros(d.size)
    multipliers[index] = price
    note = "weights: Nature may react to earlier demands, and multipliers follow a formula; looser than for counts"
    upper = (budget + max(side.bound(price) for side in sides)) * (1 + TOTAL)
    return WassersteinBound(0.0, upper, multipliers, note, q)


def _terminal(policy: _Weighted, thresholds: Sequence[int], total: int) -> Floats:
    """How likely the policy errs once the weight 0, 1, ... has been reached."""
    within = [threshold for threshold in thresholds if threshold <= total]
    reached = np.arange(max(within, default=0) + 1)
    pairs = zip(thresholds, policy.probabilities, strict=True)
    return np.asarray(sum(p * (reached >= threshold) for threshold, p in pairs), dtype=np.float64)


@dataclass(frozen=True)
class _Relaxed:
    """One side when Nature buys samples one after the other, knowing the outcomes so far."""

    w: Integers
    terminal: Floats
    c: float

    def value(self, price: Floats, reward: Floats, t: Floats, cost: Floats) -> Floats:
        """Backward induction over the weight reached, for many t at once: leave the sample to chance, or buy it."""
        V = reward[:, None] * self.terminal
        chance, cost = t[:, None], cost[:, None]
        for w, each in zip(self.w[::-1], price[::-1], strict=True):
            split = max(V.shape[1] - w, 0)
            mixed = (1 - chance) * V
            for here, ahead in ((slice(split), V[:, w:]), (slice(split, None), V[:, -1:])):
                mixed[:, here] += chance * ahead
                np.maximum(mixed[:, here], ahead - cost * each, out=mixed[:, here])
            V = mixed
        return np.asarray(V[:, 0])

    def bound(self, price: Floats) -> float:
        """Branch and bound in t: on [a, b] take the chance at b, but reward c - a and cost 1 - a.

        A strategy worth having errs with probability F at least its mean price C, as (c - t) F >= (1 - t) C, so its
        value (c - t) F - (1 - t) C falls in t at given F and C; and a higher chance is never worse.
        """
        a, b = np.zeros(1), np.array([self.c])
        slack, best, upper, evaluations = 16 * UNIT * (self.w.size + 4), 0.0, 0.0, 0
        batch = max(2**21 // self.terminal.size, 1)
        while a.size:
            parts = [slice(i, i + batch) for i in range(0, a.size, batch)]
            bound = np.concatenate([self.value(price, self.c - a[i], b[i], 1 - a[i]) for i in parts]) + slack
            best = max(best, *(float(self.value(price, self.c - a[i], a[i], 1 - a[i]).max()) for i in parts))
            evaluations += 2 * a.size
            settled = (bound <= best * (1 + WEIGHTED_RTOL)) | (evaluations > MOST_EVALUATIONS)
            upper = max(upper, float(bound[settled].max(initial=0.0)))
            a, b = a[~settled], b[~settled]
            middle = (a + b) / 2
            a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        return upper


def _line_search(sides: Sequence[_Relaxed], shape: Floats, d: Floats) -> tuple[float, Floats]:
    """The best multiple of ``shape``, as far as a grid can tell; beyond its range the bound exceeds the trivial one."""
    from scipy.optimize import minimize_scalar

    def lagrangian(alpha: float) -> float:
        grids = [np.linspace(0, side.c, GRID) for side in sides]
        values = [side.value(alpha * shape, side.c - t, t, 1 - t).max() for side, t in zip(sides, grids, strict=True)]
        return alpha * float(shape @ d) + float(max(values))

    most = min(1 / float(shape @ d) if shape @ d > 0 else np.inf, 1 / float(shape.min()))
    found = minimize_scalar(lagrangian, bounds=(0.0, most), method="bounded", options={"xatol": 1e-3 * most})
    return float(found.fun), found.x * shape
