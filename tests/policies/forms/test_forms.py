"""What forms answer, against brute force in fractions: orders, chances, counts, and what joins what."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import provend as pv
from provend.policies import Effort, Form, Resolution, how_many, with_effort, with_ends

Q = Fraction(2, 3)
D = np.array([0.0, 0.03, 0.03, 0.1, 0.2])
SUPPORT = (-1.0, 2.0)
RNG = np.random.default_rng(5)
FEW = Resolution(1024)

POLICIES = {
    "erm": pv.ERM(),
    "knn": pv.KNN(3),
    "subset": pv.OrderStatistic(2, subset=[4, 1, 2]),
    "bottom": pv.OrderStatistic(0),
    "top": pv.OrderStatistic(9),
    "weights": pv.WeightedERM([3, 0, 1, 2, 3]),
    "last minimiser": pv.WeightedERM([3, 0, 1, 2, 3], tie_break=0.25),
    "fractions": pv.WeightedQuantile(["1/3", "1/6", "1/2", "0", "1/3"], "5/6"),
    "equal": pv.WeightedERM([0, 7, 7, 0, 7]),
    "real": pv.Exponential(0.7),
    "some real": pv.WeightedERM([0.0, 2**0.5, 3**0.5, 5**0.5, 1.0]),
    "counting": pv.Counting(lambda b: int(b[0] + b[1] + b[2] >= 2 or all(b))),
    "mixture": pv.Mixture([pv.KNN(2), pv.WeightedERM([1, 2, 3, 4, 5]), pv.ERM()], ["1/2", "1/3", "1/6"]),
}


def weighted_quantile(weights: list[Fraction], threshold: Fraction, y: list[float]) -> float:
    """The smallest a of support and demands with sum w_i 1{y_i <= a} >= threshold, by its definition."""
    for a in sorted({SUPPORT[0], *y}):
        if sum((w for w, one in zip(weights, y, strict=True) if one <= a and a > SUPPORT[0]), Fraction(0)) >= threshold:
            return a
    return SUPPORT[1]


@pytest.mark.parametrize("seed", range(30))
def test_the_quantile_by_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, y = rng.integers(0, 4, (4, 6)), np.sort(rng.integers(0, 4, 6) / 4)
    for needed in range(-1, int(weights.sum(axis=1).max()) + 2):
        found = with_ends(y, SUPPORT)[how_many(weights, needed)]
        exact = [weighted_quantile(list(map(Fraction, row.tolist())), Fraction(needed), y.tolist()) for row in weights]
        assert found.tolist() == exact


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("unit", [1, Fraction(1, 10**40 + 7)], ids=["lattice", "no useful unit"])
def test_orders_of_many_histories_by_the_definition(seed: int, unit: Fraction) -> None:
    rng = np.random.default_rng(seed)
    weights = (
        [(10**20 + int(k)) * unit for k in rng.permutation([1, -1, 0, 0, 0, 0])]
        if unit != 1
        else rng.integers(0, 5, 6).tolist()
    )
    threshold, histories = Q * sum(map(Fraction, weights)), rng.integers(0, 4, (7, 6)) / 4
    if not any(weights):
        return
    (form,) = pv.WeightedERM(weights).form(np.zeros(6), Q)  # two thirds of six: some ties are exact, some only nearly
    exact = [[weighted_quantile(list(map(Fraction, weights)), threshold, y)] for y in histories.tolist()]
    assert form.orders(histories, SUPPORT).tolist() == exact


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_histories_together_and_one_by_one(policy: pv.DecidingPolicy) -> None:
    histories = RNG.integers(0, 4, (20, 5)) / 4
    for form in policy.form(D, Q):
        together = form.orders(histories, SUPPORT)
        assert together.shape == (20, len(form.probabilities))
        assert np.array_equal(together, np.concatenate([form.orders(y[None], SUPPORT) for y in histories]))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_chances_by_all_outcomes(policy: pv.DecidingPolicy) -> None:
    """With past cdfs h at y, demand i is at most y with probability h_i: enumerate who is."""
    forms = policy.form(D, Q)
    for h in ([0.2, 0.9, 0.5, 0.4, 0.7], [0.3] * 5, [0.0, 1.0, 0.25, 1.0, 0.0]):
        exact = Fraction(0)
        for below in product([0, 1], repeat=5):
            chance = np.prod([Fraction(p) if b else 1 - Fraction(p) for b, p in zip(below, h, strict=True)])
            y = np.where(np.array(below, bool), 0.25, 0.75)[None]
            for form in forms:
                for p, order in zip(form.probabilities, form.orders(y, SUPPORT)[0], strict=True):
                    exact += chance * p * (order <= 0.5)
        found = sum(form.chance(FEW)(np.array(h)) for form in forms)
        assert found == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in POLICIES if name not in ("real", "some real", "counting")])
def test_what_a_form_counts_is_what_it_orders(name: str) -> None:
    histories = RNG.integers(0, 4, (20, 5)) / 4
    for form in POLICIES[name].form(D, Q):
        count = form.count(5)
        assert count is not None
        assert count.probabilities == form.probabilities
        ordered = np.argsort(histories, axis=1, kind="stable")
        rows = np.arange(20)[:, None]
        padded = with_ends(histories[rows, ordered], SUPPORT)
        for j, needed in enumerate(count.needed):
            taken = how_many(count.weights[ordered], needed)
            assert np.array_equal(padded[np.arange(20), taken], form.orders(histories, SUPPORT)[:, j])


def test_forms_that_are_no_count() -> None:
    forms: list[Form] = [*POLICIES["counting"].form(D, Q), *pv.Separable(lambda h: float(h.min())).form(D, Q)]
    forms += pv.WeightedERM(list(np.sqrt(np.arange(1, 6)))).form(D, Q)
    assert [form.count(5) for form in forms] == [None] * 3


def test_no_data_counts_nothing() -> None:
    (form,) = pv.NoData().form(D, Q)
    count = form.count(5)
    assert count is not None
    assert (count.samples.size, count.top, count.bottom) == (0, Q, 1 - Q)
    assert form.fixed(SUPPORT) == ((1, 1.0),)


def test_kin_is_joined_and_others_are_not() -> None:
    ranks = pv.Mixture([pv.OrderStatistic(1), pv.OrderStatistic(3), pv.OrderStatistic(1)], ["1/2", "1/4", "1/4"])
    (form,) = ranks.form(D, Q)
    assert (form.count(5).needed, form.probabilities) == ((1, 3), (Fraction(3, 4), Fraction(1, 4)))
    subsets = [pv.OrderStatistic(1, subset=s) for s in ([0, 1], [1, 0], [2, 3])]
    assert len(pv.Mixture(subsets, ["1/3"] * 3).form(D, Q)) == 2
    weighted = [pv.WeightedQuantile(np.array(w), t) for w, t in (([1, 2, 3, 4, 5], 3), ([1, 2, 3, 4, 5], 7))]
    weighted += [pv.WeightedQuantile(["1", "2", "3", "4", "5"], 7), pv.WeightedQuantile([5, 4, 3, 2, 1], 7)]
    first, second = pv.Mixture(weighted, ["1/4"] * 4).form(D, Q)
    assert (first.count(5).needed, second.count(5).needed) == ((3, 7, 7), (7,))


def test_equal_weights_are_exact_however_many() -> None:
    """An order statistic goes between no lattices, and does not say so either."""
    d = np.linspace(0, 0.5, 30_000)
    (form,) = with_effort(pv.Kernel("uniform", 0.4).form(d, Q), Effort(exact=0, rounded=0))
    assert (form.note, form.estimated, form.shares_effort) == ("", False, False)


def test_contexts_without_weight_are_not_solved_again() -> None:
    d = np.array([0.0, 0.01, 0.02, 0.5, 0.6, 0.7])
    whole, near = (pv.learning_curve(pv.Kernel("triangular", 0.1), some, q=Q) for some in (d, d[:3]))
    assert whole.evaluations == near.evaluations
    assert whole.upper.tolist() == [*near.upper.tolist(), *near.upper[-1:].tolist() * 3]


def test_a_rank_of_nobody_is_an_end_of_the_support() -> None:
    nobody = pv.OrderStatistic(1, subset=[])
    (form,) = nobody.form(D, Q)
    assert (form.count(5).top, nobody.order(np.full(5, 0.5), D, q=Q)) == (1, 1.0)
