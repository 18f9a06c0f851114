"""Rules found at once: as good as those of the long search where they are taken, and left alone where they are not."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from provend.minimax import nearly_optimal
from provend.minimax._at_once import _is_smooth, rules_at_once
from provend.minimax._candidates import climbed
from provend.minimax._game import Game
from provend.minimax._weights import rounded_weights

CLUMPS = {
    "two weights": (np.repeat([0.0, 0.03], 75), 0.75),
    "weights that are nearly the same": (np.linspace(0.0, 0.001, 60), 0.75),
    "a hundred days": (np.arange(1, 101) * 3e-5, 0.9),
    "few contexts": (np.linspace(0.01, 0.3, 8), 0.5),
    "hardly ever a one": (np.linspace(0.0, 0.05, 200), 0.98),
}


def at_once(d: np.ndarray, q: float) -> bool:
    return rules_at_once(Game(np.asarray(d, np.float64), q, 1e-2)) is not None


def smooth(d: np.ndarray, q: float) -> bool:
    game = Game(np.asarray(d, np.float64), q, 1e-2)
    (prior, *_) = climbed(game.near, game.c.value, 0.0)
    k = rounded_weights(game.near, game.c.value, prior, 24)
    return _is_smooth(game.near[k > 0], k[k > 0], game.c.value, prior)


def regret(d: np.ndarray, q: float) -> float:
    """Of the counts, mixed."""
    counts = nearly_optimal(d, q=q, rtol=1e-2)
    members = [pv.WeightedQuantile(one.weights, need) for one in counts for need in one.needed]
    policy = pv.Mixture(members, [share for one in counts for share in one.probabilities])
    return pv.worst_case_regret(policy, d, q=q, rtol=1e-4).upper


@pytest.mark.parametrize(("rate", "q"), [(0.0001, 0.9), (0.0005, 0.9), (0.0005, 0.5), (0.002, 0.5), (0.002, 0.2)])
def test_the_regret_is_close_to_what_no_policy_can_beat(rate: float, q: float) -> None:
    d = pv.drift(rate, 300)
    assert smooth(d, q)
    assert at_once(d, q)
    assert regret(d, q) <= 1.003 * pv.minimax(d, q=q, rtol=1e-3).lower_bound


@pytest.mark.parametrize("name", CLUMPS)
def test_sums_in_clumps_are_seen_cell_by_cell(name: str) -> None:
    d, q = CLUMPS[name]
    assert not smooth(d, q)
    assert at_once(d, q)
    assert regret(d, q) <= 1.003 * pv.minimax(d, q=q, rtol=1e-3).lower_bound


def test_the_order_of_the_contexts_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    d = rng.random(150) * 0.1
    assert regret(d, 0.8) == pytest.approx(regret(rng.permutation(d), 0.8), rel=1e-9)


@pytest.mark.parametrize(
    ("d", "q"),
    [
        (np.array([0.0, 0.02, 0.05, 0.2]), 0.9),  # very few contexts
        (np.linspace(0.0, 0.05, 200), 0.999),  # hardly ever a one
        (np.linspace(0.4, 0.6, 30), 0.9),  # none of any use
    ],
)
def test_prior_and_rules_that_do_not_meet_are_left_to_the_long_search(d: np.ndarray, q: float) -> None:
    assert not at_once(d, q)
    assert regret(d, q) <= 1.01 * pv.minimax(d, q=q, rtol=1e-3).lower_bound
