"""The expected regret of a policy when the demand distributions are known: by quadrature, and by simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._kernels.arithmetic.quadrature import CAUTION, SHARP
from provend._rational import ceil_products
from provend._validation import as_count, as_dissimilarities
from provend.instances._cdfs import PricedInstance, read
from provend.newsvendor import Ratio
from provend.policies import (
    Form,
    Policy,
    Resolution,
)

Floats = NDArray[np.float64]

STEPS = 2**20  # samples times cells of the lattice for real weights; half the cells give an estimate of its error
BLUNT = 1e-10  # the tolerance of the integral where the lattice is what limits accuracy
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, repr=False)
class ExpectedRegret(Shown):
    """The expected regret on one instance, by quadrature: not a bracket.

    Attributes
    ----------
    value : float
        Expected cost above that of the best order, in units of (cu + co) times the width of the support, or in money.
    error : float
        An *estimate* of how far ``value`` may be off.
    optimal_cost, optimal_order : float
        The best order for the future distribution, its smallest q-quantile, and what it costs on average.
    note : str
        What the value rests on besides quadrature; empty if nothing.
    """

    value: float
    error: float
    optimal_cost: float
    optimal_order: float
    note: str = ""

    @property
    def cost(self) -> float:
        """Expected cost of the policy."""
        return self.optimal_cost + self.value


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCurve(Shown, Tabular):
    """Expected regret of ERM on the first n past distributions, n = 1, 2, ...

    Attributes
    ----------
    n, value, error : array
        As in :class:`ExpectedRegret`, one entry for each n.
    """

    n: NDArray[np.int64]
    value: Floats
    error: Floats

    @property
    def best(self) -> int:
        """The n with the least expected regret."""
        return int(self.n[np.argmin(self.value)])

    def _facts(self) -> dict[str, object]:
        return {"samples": self.n.size, "best": self.best, "value": float(self.value.min())}

    def _columns(self) -> Mapping[str, Iterable[object]]:
        return {"n": self.n, "value": self.value, "error": self.error}


@dataclass(frozen=True, repr=False)
class SimulatedRegret(Shown):
    """The expected regret on one instance, by simulation.

    Attributes
    ----------
    mean, standard_error : float
        Over the simulated histories; the demand to come is integrated out, so it adds no noise.
    averaged : float
        The same mean for the convex combination of the orders; differs from ``mean`` only for mixtures.
    repetitions : int
        How many histories were drawn.
    """

    mean: float
    standard_error: float
    averaged: float
    repetitions: int

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval for the expected regret, by the normal approximation."""
        return self.mean - NORMAL_95 * self.standard_error, self.mean + NORMAL_95 * self.standard_error


def expected_regret(
    policy: Policy, past: Sequence[object], future: object, /, *, q: Ratio, d: ArrayLike | None = None
) -> ExpectedRegret:
    r"""The expected regret of a separable policy on a fixed instance.

    .. math:: \int P(F_1(y), \ldots, F_n(y)) (q - F_0(y)) + \max\{F_0(y) - q, 0\} \, dy

    where P is the probability that the policy orders at most y. Worst-case guarantees hold for all distributions within
    the dissimilarities; this is what happens on one of them.

    Parameters
    ----------
    policy : Policy
        Any policy of this package. Mixtures are evaluated as drawn; deciding by the convex combination costs no more.
    past : list
        One distribution per past context on the support: cdfs (functions of arrays or of numbers), distributions of
        scipy, ``scipy.stats.ecdf(sample).cdf``, or :class:`Shifted`. Nearest first, unless ``d`` is given.
    future : distribution
        The distribution of the demand to come.
    q : number or Newsvendor
        Critical ratio. With a :class:`~provend.Newsvendor`, demand lies in its support and the result is in money.
    d : array, optional
        Dissimilarities given to the policy, aligned with ``past``; kernels and :class:`~provend.Optimal` need them.

    Examples
    --------
    >>> from scipy import stats
    >>> import provend as pv
    >>> from provend.instances import expected_regret
    >>> result = expected_regret(pv.ERM(), [stats.uniform()], stats.uniform(), q=0.9)
    >>> print(f"{result.value:.9f}")  # q / 2 - 1 / 3 + (1 - q)^2 / 2
    0.121666667
    """
    problem = read(past, future, q)
    instance, forms = problem.instance, _forms(policy, problem, d)
    rounded = any(form.estimated for form in forms)
    cells = max(STEPS // problem.n, 2**10)
    variants = [Resolution(cells), Resolution(cells // 2), Resolution(cells, ties=True)][: 3 if rounded else 1]
    chances = [[form.chance(variant) for form in forms] for variant in variants]
    fixed = [pair for form in forms for pair in form.fixed(problem.support)]

    def at_most(y: Floats) -> Floats:
        rows, where = instance.past_at(y)
        by_row = np.array([[sum(one(h) for one in variant) for variant in chances] for h in rows])
        return by_row[where] + sum(float(p) * (y >= order)[:, None] for p, order in fixed)

    values, errors = instance.expectations(at_most, [order for _, order in fixed], BLUNT if rounded else SHARP)
    return ExpectedRegret(
        value=float(values[0]) * problem.money,
        error=float(errors[0] + CAUTION * np.ptp(values[:-1])) * problem.money,
        optimal_cost=float(values[-1]) * problem.money,
        optimal_order=instance.optimal_order,
        note=_note(forms),
    )


def expected_curve(past: Sequence[object], future: object, /, *, q: Ratio) -> ExpectedCurve:
    """The expected regret of ERM on the first n of ``past``, for every n at once.

    With ``past`` nearest first, entry k is the regret of ``KNN(k)``. Parameters as in :func:`expected_regret`.
    """
    from provend._kernels.tails.counts import prefix_slopes

    problem = read(past, future, q)
    ranks = ceil_products(problem.q, problem.n)

    def at_most(y: Floats) -> Floats:
        rows, where = problem.instance.past_at(y)
        return np.array([prefix_slopes(h, ranks)[0] for h in rows])[where]

    values, errors = problem.instance.expectations(at_most, [])
    return ExpectedCurve(np.arange(1, problem.n + 1), values[:-1] * problem.money, errors[:-1] * problem.money)


def simulated_regret(
    policy: Policy,
    past: Sequence[object],
    future: object,
    /,
    *,
    q: Ratio,
    d: ArrayLike | None = None,
    repetitions: int = 1000,
    random_state: int | np.random.Generator | None = None,
) -> SimulatedRegret:
    """The same expectation by drawing histories and letting the policy decide: a check of :func:`expected_regret`.

    Parameters
    ----------
    policy, past, future, q, d
        As in :func:`expected_regret`; a policy that cannot decide, such as :class:`~provend.Separable`, is rejected.
    repetitions : int
        Histories to draw, at least 2.
    random_state : int or Generator, optional
        Seed.
    """
    problem = read(past, future, q)
    forms = _forms(policy, problem, d)
    count = as_count(repetitions, "repetitions", least=2)
    uniforms = np.random.default_rng(random_state).random((count, problem.n))
    demands = np.stack([cdf.quantile(uniforms[:, i]) for i, cdf in enumerate(problem.instance.past)], axis=1)
    shares, orders = _decide(forms, demands, problem.support)
    combined = np.clip(orders @ shares, *problem.support)
    regrets = problem.instance.regrets(np.column_stack([orders, combined])) * problem.money
    drawn = regrets[:, :-1] @ shares
    return SimulatedRegret(
        float(drawn.mean()), float(drawn.std(ddof=1) / np.sqrt(count)), float(regrets[:, -1].mean()), count
    )


def _decide(forms: Sequence[Form], y: Floats, support: tuple[float, float]) -> tuple[Floats, Floats]:
    """Probabilities of the orders a policy may place, and the orders, one row per history."""
    shares = [float(p) for form in forms for p in form.probabilities]
    return np.array(shares), np.concatenate([form.orders(y, support) for form in forms], axis=1)


def _forms(policy: object, problem: PricedInstance, d: ArrayLike | None) -> tuple[Form, ...]:
    n, q = problem.n, problem.q
    if not isinstance(policy, Policy):
        raise TypeError(f"policy = {policy!r} is not a policy; give one such as ERM() or KNN(27)")
    if d is None:
        if "dissimilarities" in policy.sees:
            raise InputError(f"{policy!r} depends on dissimilarities; give d, one for each of the {n} past contexts")
        return policy.form(np.arange(n) / n, q)
    dissimilarities = as_dissimilarities(d)
    if dissimilarities.size != n:
        raise InputError(f"d has {dissimilarities.size} entries for {n} past distributions; give one each")
    return policy.form(dissimilarities, q)


def _note(forms: Sequence[Form]) -> str:
    orders = sum(len(form.probabilities) for form in forms)
    notes = ["members drawn; deciding by the convex combination of their orders costs no more"] if orders > 1 else []
    if any(form.estimated for form in forms):
        notes.append("real weights on a lattice, whose error is estimated")
    return "; ".join(notes)
