"""Rules found at once: as good as those of the long search where they are taken, and left alone where they are not."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from provend.minimax import nearly_optimal
from provend.minimax._game import Game
from provend.minimax._smooth import smooth_rules


def smooth(d: np.ndarray, q: float) -> bool:
    return smooth_rules(Game(np.asarray(d, np.float64), q, 1e-2)) is not None


@pytest.mark.parametrize(("rate", "q"), [(0.0001, 0.9), (0.0005, 0.9), (0.0005, 0.5), (0.002, 0.5), (0.002, 0.2)])
def test_the_regret_is_close_to_what_no_policy_can_beat(rate: float, q: float) -> None:
    d = pv.drift(rate, 300)
    assert smooth(d, q)
    regret = pv.worst_case_regret(nearly_optimal(d, q=q, rtol=1e-2), d, q=q, rtol=1e-4).upper
    assert regret <= 1.003 * pv.minimax(d, q=q, rtol=1e-3).lower_bound


def test_the_order_of_the_contexts_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    d = rng.random(150) * 0.1
    shuffled = rng.permutation(d)
    regrets = [pv.worst_case_regret(nearly_optimal(x, q=0.8, rtol=1e-2), x, q=0.8).upper for x in (d, shuffled)]
    assert regrets[0] == pytest.approx(regrets[1], rel=1e-9)


@pytest.mark.parametrize(
    ("d", "q"),
    [
        (np.repeat([0.0, 0.03], 75), 0.75),  # two weights: sums come in clumps
        (np.linspace(0.0, 0.001, 60), 0.75),  # weights that are nearly the same
        (np.linspace(0.01, 0.3, 8), 0.5),  # few contexts
        (np.linspace(0.0, 0.05, 200), 0.999),  # hardly ever a one
    ],
)
def test_rough_sums_are_left_to_the_long_search(d: np.ndarray, q: float) -> None:
    assert not smooth(d, q)


def test_prior_and_rules_that_do_not_meet_are_left_to_the_long_search() -> None:
    d = pv.drift(0.0005, 200)
    assert smooth_rules(Game(np.asarray(d), 0.9, 1e-2)) is not None
    assert smooth_rules(Game(np.asarray(d), 0.9, 1e-9)) is None
