"""How the guarantee changes with the number of past contexts, and how many of them are needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from threading import Event

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._rational import ceil_products
from provend._validation import as_critical_ratio, as_dissimilarities, as_exact, as_float, as_rtol, as_unit
from provend.certificate import Bracket, Frozen, Promise
from provend.newsvendor import Ratio
from provend.policies import ERM, PATIENT, QUICK, Effort, Form, Policy, with_effort
from provend.regret import DEFAULT_RTOL, certified, lengths

CURVE_STEPS = 2**27  # of one evaluation for each n, summed over all n
SHARED = "weights: all n share the budget of one; rtol below 1e-9 gives each its own"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Promise, Shown, Tabular, Frozen):
    """Certified worst-case regret on the first n contexts, n = 1, 2, ...

    Attributes
    ----------
    n : array
        1, 2, ..., number of contexts.
    lower, upper : array
        Brackets, aligned with ``n``; in money where a newsvendor was given.
    evaluations : int
        Tail probabilities computed in all.
    q : Fraction
        The critical ratio.
    unit : float
        Money per unit of regret.
    note : str
        What makes brackets wider than those of :func:`worst_case_regret`, else empty.
    """

    n: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    evaluations: int
    q: Fraction
    unit: float = 1.0
    note: str = ""

    @property
    def best(self) -> int:
        """The n with the least guarantee; the smallest, where ``upper`` ties."""
        return int(self.n[np.argmin(self.upper)])

    @property
    def indistinguishable(self) -> tuple[int, ...]:
        """Every n whose bracket reaches down to the best: the exact best is one of them."""
        return tuple(int(n) for n in self.n[self.lower <= self.upper.min()])

    def _facts(self) -> dict[str, object]:
        at = self.best - 1
        here = {"lower": float(self.lower[at]), "upper": float(self.upper[at])}
        return {"samples": self.n.size, "best": self.best} | here | {"percent_of_no_data": self.percent_of_no_data[at]}

    def _columns(self) -> Mapping[str, Iterable[object]]:
        bracket = {"n": self.n, "lower": self.lower, "upper": self.upper}
        return bracket | {"percent_of_no_data": self.percent_of_no_data}


def learning_curve(
    policy: Policy, d: ArrayLike, /, *, q: Ratio, rtol: float = 1e-9, progress: Progress | None = None
) -> LearningCurve:
    """The worst-case regret of ``policy`` on the first n entries of ``d`` as given, for n = 1..len(d).

    Parameters
    ----------
    policy : Policy
        ``KNN(k)`` uses min(k, n) neighbours, ``WeightedERM`` its first n weights.
    d : array
        Dissimilarities in the order in which the contexts become available.
    q : number or Newsvendor
        Critical ratio.
    rtol : float
        As in :func:`worst_case_regret`; the budget for weights that cannot be evaluated exactly is shared by all n.
    progress : callable, optional
        Called with (done, total) now and then.

    Examples
    --------
    >>> import provend as pv
    >>> pv.learning_curve(pv.ERM(), pv.constant(0.1, n=100), q=0.9).best
    16
    """
    ratio, dissimilarities, tolerance = as_critical_ratio(q), as_dissimilarities(d), as_rtol(rtol)
    n = dissimilarities.size
    if isinstance(policy, ERM) and np.ptp(dissimilarities) > 0:
        ranks = ceil_products(ratio, n)
        lower, upper, evaluations = count_brackets(dissimilarities, ranks, ratio, tolerance, progress)
        effort = QUICK
    else:
        effort = PATIENT if tolerance < DEFAULT_RTOL else _effort_each(policy, dissimilarities, ratio)
        lower, upper, evaluations = _one_by_one(policy, dissimilarities, ratio, tolerance, effort, progress)
    unit = as_unit(q)
    bracket = Bracket(lower, upper).scaled(unit)
    note = "" if effort in (QUICK, PATIENT) else SHARED
    return LearningCurve(np.arange(1, n + 1), bracket.lower, bracket.upper, evaluations, ratio, unit, note)


def count_brackets(
    d: NDArray[np.float64], ranks: NDArray[np.int64], q: Fraction, rtol: float, progress: Progress | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """For each prefix of d: bracket of the regret of the ranks[k]-th smallest of its k demands.

    Work grows with the cube of k; it is cut into pieces of equal work for a pool of threads.
    """
    from provend._kernels.maximise.count_curve import count_curve

    c = lengths(q)
    workers = os.cpu_count() or 1
    pieces = 1 if d.size < 100 else 4 * workers
    cuts = np.unique(np.rint(d.size * (np.arange(pieces + 1) / pieces) ** (1 / 3)).astype(int))
    done = 0

    def solve(piece: tuple[int, int]) -> NDArray[np.float64]:
        first, last = piece
        return count_curve(d[:last], ranks, c, rtol, first + 1, stop.is_set)

    rows, stop = [], Event()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for piece in pool.map(solve, zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)):
                rows.append(piece)
                done += len(piece)
                if progress:
                    progress(done, d.size)
        finally:
            stop.set()  # if interrupted, the threads should not finish what nobody is waiting for
    table = np.concatenate(rows)
    return table[:, 0], table[:, 1], int(table[:, 4].sum())


def _one_by_one(
    policy: Policy, d: NDArray[np.float64], q: Fraction, rtol: float, effort: Effort, progress: Progress | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Each prefix on its own; one that differs from another by contexts without effect is not solved again."""
    lower, upper, evaluations = np.empty(d.size), np.empty(d.size), 0
    solved: dict[object, tuple[float, float]] = {}
    for n in range(1, d.size + 1):
        forms = policy.on_first(n).form(d[:n], q)
        key = _effect(forms, d[:n])
        if key is None or key not in solved:
            guarantee = certified(forms, d[:n], q, rtol, effort)
            evaluations += guarantee.evaluations
            solved[key] = guarantee.lower, guarantee.upper
        lower[n - 1], upper[n - 1] = solved[key]
        if progress:
            progress(n, d.size)
    return lower, upper, evaluations


def _effort_each(policy: Policy, d: NDArray[np.float64], q: Fraction) -> Effort:
    """The effort for each prefix so that the curve takes some seconds: the usual one, unless weights make it slow."""
    prefixes = (with_effort(policy.on_first(n).form(d[:n], q), QUICK) for n in range(1, d.size + 1))
    steps = sum(form.steps for forms in prefixes for form in forms)
    return QUICK.shared(ceil(steps / CURVE_STEPS))


def _effect(forms: Sequence[Form], d: NDArray[np.float64]) -> object:
    """What the regret depends on, if that is known to be counts of some dissimilarities; else None."""
    counts = [form.count(d.size) for form in forms]
    effects = [count.effect(d) for count in counts if count is not None]
    return tuple(effects) if len(effects) == len(counts) else None


@dataclass(frozen=True, repr=False)
class SamplesNeeded(Shown):
    """How many past contexts reach a target.

    Attributes
    ----------
    target : float
        In the units of the curve.
    first : int or None
        The first n whose certified regret is at or below the target.
    stays_from : int or None
        From this n on the regret never rises above the target again, within the contexts given.
    undecided : tuple of int
        Those n whose bracket contains the target; they count as not reached.
    limit : float or None
        For ERM and equal dissimilarities zeta, the limit as n tends to infinity: min(zeta, max(q, 1 - q)); else None.
    """

    target: float
    first: int | None
    stays_from: int | None
    undecided: tuple[int, ...]
    limit: float | None

    @property
    def statement(self) -> str:
        """What is known beyond the contexts given."""
        if self.limit is None:
            return "Nothing is said beyond the contexts given."
        relation = "at or below" if self.limit <= self.target else "above"
        return f"As the number of such contexts grows the regret tends to {self.limit:.6g}, {relation} the target."


def samples_needed(
    policy: Policy, d: ArrayLike, /, *, q: Ratio, target: float | str, progress: Progress | None = None
) -> SamplesNeeded:
    """How many of the contexts, in the order given, bring the worst-case regret to a target.

    Parameters
    ----------
    policy, d, q
        As in :func:`learning_curve`.
    target : float or str
        In regret units (money with a newsvendor), or as "25%" of the no-data regret.
    progress : callable, optional
        Called with (done, total) now and then.

    Examples
    --------
    >>> import provend as pv
    >>> needed = pv.samples_needed(pv.ERM(), pv.constant(0.02, n=60), q=0.9, target="25%")
    >>> needed.first, needed.stays_from
    (16, 31)
    """
    ratio, dissimilarities, unit = as_critical_ratio(q), as_dissimilarities(d), as_unit(q)
    goal = _as_target(target, ratio, unit)
    curve = learning_curve(policy, dissimilarities, q=q, progress=progress)
    reached = curve.upper <= goal
    above = np.flatnonzero(~reached)
    first = int(curve.n[np.argmax(reached)]) if reached.any() else None
    stays = 1 if above.size == 0 else int(above[-1]) + 2
    limit = None
    if isinstance(policy, ERM) and np.ptp(dissimilarities) == 0:
        limit = min(float(dissimilarities[0]), float(max(ratio, 1 - ratio))) * unit
    return SamplesNeeded(
        target=goal,
        first=first,
        stays_from=stays if stays <= dissimilarities.size else None,
        undecided=tuple(int(n) for n in curve.n[(curve.lower <= goal) & ~reached]),
        limit=limit,
    )


def _as_target(target: float | str, q: Fraction, unit: float) -> float:
    text = target.strip() if isinstance(target, str) else target
    if isinstance(text, str) and text.endswith("%"):
        share = as_exact(text[:-1].strip(), "target") / 100
        goal = as_float(share * q * (1 - q), "target") * unit
    else:
        goal = as_float(text, "target")
    if goal <= 0:
        raise InputError(f"target = {target!r} must be positive; give a regret or a percentage such as '25%'")
    return goal
