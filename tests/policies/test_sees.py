"""What a policy asks about past contexts, and what follows from it."""

from dataclasses import dataclass

import numpy as np
import pytest

import provend as pv
from provend.policies import DecidingPolicy

RANKS, POSITIONS, DISSIMILARITIES = ({"ranks"}, {"positions"}, {"dissimilarities"})


@dataclass(frozen=True)
class Ours(DecidingPolicy):
    """Somebody's empirical quantile."""

    def form(self, d, q):
        return pv.ERM().form(d, q)


class ByRank(Ours):
    """The same, which says that ranks are all it asks for."""

    sees = frozenset(RANKS)


class ByPosition(Ours):
    """The same, with something to say about the first n contexts."""

    def on_first(self, n):
        return self


@pytest.mark.parametrize(
    ("policy", "sees"),
    [
        (pv.ERM(), RANKS),
        (pv.KNN(3), RANKS),
        (pv.Exponential(0.9), RANKS),
        (pv.OrderStatistic(1, 2), RANKS),
        (pv.OrderStatistic(1, subset=[0, 2]), POSITIONS),
        (pv.WeightedERM([1, 2]), POSITIONS),
        (pv.WeightedQuantile([1, 2], 1), POSITIONS),
        (pv.Counting(lambda b: b[0]), POSITIONS),
        (pv.Separable(lambda h: h[0]), POSITIONS),
        (pv.Kernel("gaussian", 0.1), DISSIMILARITIES),
        (pv.Optimal(), DISSIMILARITIES),
        (pv.NoData(), set()),
        (pv.Mixture([pv.ERM(), pv.NoData()], [0.5, 0.5]), RANKS),
        (pv.Mixture([pv.WeightedERM([1, 2]), pv.Optimal()], [0.5, 0.5]), POSITIONS | DISSIMILARITIES),
        (Ours(), DISSIMILARITIES),
        (ByRank(), RANKS),
        (ByPosition(), POSITIONS),
    ],
)
def test_what_a_policy_sees(policy, sees):
    assert policy.sees == sees


@pytest.mark.parametrize(
    "policy",
    [
        *(pv.ERM(), pv.KNN(2), pv.Exponential(0.6), pv.OrderStatistic(1, 2), pv.NoData()),
        *(pv.OrderStatistic(1, subset=[2]), pv.WeightedERM([1, 5, 2]), pv.Counting(lambda b: b[1])),
    ],
)
def test_orders_agree_with_what_is_seen(policy):
    y, d, moved = np.array([0.2, 0.9, 0.4]), np.array([0.3, 0.05, 0.1]), np.array([1, 2, 0])
    assert policy.order(y, d, q=0.7) == policy.order(y, d**2, q=0.7)  # nothing but ranks or positions
    same = policy.order(y, d, q=0.7) == policy.order(y[moved], d[moved], q=0.7)
    assert same == ("positions" not in policy.sees)


def test_a_policy_by_rank_needs_no_dissimilarities():
    from scipy.stats import uniform

    past = [uniform(), uniform(0, 0.5)]
    assert pv.expected_regret(ByRank(), past, uniform(), q=0.7).value == pytest.approx(
        pv.expected_regret(pv.ERM(), past, uniform(), q=0.7).value
    )
    for policy in (Ours(), pv.Mixture([pv.WeightedERM([1, 2]), pv.Optimal()], [0.5, 0.5])):
        with pytest.raises(pv.InputError, match="depends on dissimilarities; give d"):
            pv.expected_regret(policy, past, uniform(), q=0.7)


def test_a_policy_by_position_is_refused_where_rows_are_left_out():
    X, y = np.arange(40.0)[:, None], np.tile([3.0, 5, 8, 13], 10)
    with pytest.raises(pv.InputError, match="ByPosition names rows by position"):
        pv.ContextualNewsvendor(dissimilarity="split", policy=ByPosition()).fit(X, y)
    for policy in (ByRank(), Ours()):
        model = pv.ContextualNewsvendor(dissimilarity="split", policy=policy, support=(0, 20)).fit(X, y)
        plain = pv.ContextualNewsvendor(dissimilarity="split", policy=pv.ERM(), support=(0, 20)).fit(X, y)
        assert model.predict(X[-1:]) == plain.predict(X[-1:])
