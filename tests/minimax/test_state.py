"""The search for the best policy, step by step."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from itertools import pairwise

import numpy as np
import pytest

import provend as pv
from provend._kernels.arithmetic.points import Floats
from provend._kernels.game.candidate import Candidate
from provend._kernels.programs.exchange import Round, Rows, exchange, tips
from provend._kernels.programs.program import MixtureProgram
from provend.minimax import _rules, _solve
from provend.minimax._efforts import EFFORTS
from provend.minimax._game import Game
from provend.minimax._nature import polish, prove
from provend.minimax._rules import Case, Rules
from provend.minimax._state import State, begin, improve, surprised

HARD = 1e-9  # a gap that is never reached, so that every attempt is made


def a_game(seed: int) -> Game:
    rng = np.random.default_rng(seed)
    d = rng.random(int(rng.integers(2, 15))) * rng.choice([0.1, 0.3])
    return Game(d, float(rng.choice([0.9, 0.5, 0.3])), HARD)


def cost(rules: Rules, game: Game, case: Case) -> float:
    """(c - t) P(error) by brute force over all outcomes."""
    c = game.c.value if case.side == 0 else 1 - game.c.value
    p = np.minimum(case.t + game.near, 1.0)
    outcomes = np.array(np.meshgrid(*[[0, 1]] * p.size, indexing="ij")).reshape(p.size, -1).T
    law = np.prod(np.where(outcomes == 1, p, 1 - p), axis=1)
    total = 0.0
    for k, level, probability in rules.rules:
        successes = outcomes @ k
        errs = successes > level if case.side == 0 else k.sum() - successes <= level
        total += probability * float(law[errs].sum())
    return (c - case.t) * total


@pytest.mark.parametrize("seed", range(6))
def test_an_attempt_never_loses(seed: int) -> None:
    state = begin(a_game(seed))
    while not state.settled:
        better = improve(state)
        assert better.bound >= state.bound
        assert better.rules.value <= state.rules.value
        assert better.steps == min(8 * state.steps, 2e9)
        assert better.attempts == state.attempts + 1
        assert better.nature.tried >= state.nature.tried
        state = better
    assert state.attempts == EFFORTS.attempts
    assert state.bound <= state.rules.value * (1 + 1e-6)  # seen at some means only, and nearly the worst ones


def test_an_attempt_can_gain() -> None:
    """On both sides, somewhere: otherwise the test above would pass with an attempt that does nothing."""
    states = [begin(a_game(seed)) for seed in range(6)]
    better = [improve(state) for state in states]
    assert any(new.bound > old.bound for new, old in zip(better, states, strict=True))
    assert any(new.rules.value < old.rules.value for new, old in zip(better, states, strict=True))


def test_a_state_is_frozen_and_left_as_it_was() -> None:
    state = begin(a_game(1))
    before = {field.name: getattr(state, field.name) for field in fields(State)}
    improve(state)
    surprised(state, Case(0, 0.01))
    assert all(getattr(state, name) is value for name, value in before.items())
    with pytest.raises(FrozenInstanceError):
        state.attempts = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        state.nature.prior = state.nature.prior  # type: ignore[misc]


def test_a_closed_gap_needs_no_attempt() -> None:
    assert begin(Game(np.array(pv.drift(0.0025, 100)), 0.9, 0.1)).settled


@pytest.mark.parametrize("seed", range(4))
def test_what_the_program_sees_is_what_the_rules_cost(seed: int) -> None:
    state = improve(begin(a_game(seed)))
    seen = [cost(state.rules, state.game, Case(atom.side, atom.t)) for atom in state.rules.worst]
    assert max(seen) == pytest.approx(state.rules.value, rel=1e-6)
    assert sum(atom.probability for atom in state.rules.worst) == pytest.approx(1)


@pytest.mark.parametrize("side", [0, 1])
def test_a_worst_case_that_was_missed_becomes_a_row(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that looks at hardly any means misses worst cases; once told, it misses that one no more."""
    monkeypatch.setattr(_rules, "EFFORTS", replace(EFFORTS, first_t=2, first_near=1, near=0.9, hump=2.0))
    state = begin(a_game(2))
    length = state.game.c.value if side == 0 else 1 - state.game.c.value
    cases = [Case(side, float(t)) for t in np.linspace(0, length, 40)]
    case = max(cases, key=lambda one: cost(state.rules, state.game, one))
    assert cost(state.rules, state.game, case) > state.rules.value * 1.01
    told = surprised(state, case)
    assert cost(told.rules, told.game, case) <= told.rules.value * (1 + 1e-9)
    assert told.worst == improve(told).worst == (case,)
    assert (told.families, told.nature) == (state.families, state.nature)


def test_surprises_are_certified_again_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if every certified regret is a surprise, the best policy seen is the answer."""
    seen, factors = list[pv.Minimax](), iter([1.3, 1.1, 1.2, 1.4])

    def worse(state: State) -> pv.Minimax:
        assert len(state.worst) == len(seen)
        found = certified(state)
        seen.append(replace(found, guarantee=found.guarantee.scaled(next(factors), unit=1.0)))
        return seen[-1]

    certified = _solve._certified
    monkeypatch.setattr(_solve, "_is_surprise", lambda *_: True)
    monkeypatch.setattr(_solve, "_certified", worse)
    assert pv.minimax([0.01, 0.03, 0.08], q=0.7) is seen[1]
    assert len(seen) == EFFORTS.retries


def test_the_best_of_some_priors_is_kept() -> None:
    game = a_game(3)
    c = game.c.value
    ones = [Candidate(c * x, (1 - c) * x, 0.0) for x in (0.01, 0.2, 0.5)]
    alone = [prove(game, [one], 1e5) for one in ones]
    together = prove(game, ones, 1e5)
    assert together.prior.bound == max(one.prior.bound for one in alone)
    assert prove(game, ones[:1], 1e5, together).prior is together.prior
    assert polish(game, together, 1e5).prior.bound > together.prior.bound


class Parabolas:
    """Three columns whose costs are parabolas of t on [0, 1], with tips a unit high at 0.2, 0.5 and 0.9."""

    at = np.array([0.2, 0.5, 0.9])

    def __init__(self, side: int) -> None:
        self.side, self._seen = side, set[float]()

    def _rows(self, t: Floats) -> Rows:
        t = np.array([x for x in np.unique(t).tolist() if x not in self._seen])
        self._seen.update(t.tolist())
        return Rows(t, self.costs(t))

    def costs(self, t: Floats) -> Floats:
        return np.asarray(1 - (t[:, None] - self.at) ** 2)

    def first(self) -> Rows:
        return self._rows(np.array([0.0, 1.0]))

    def missed(self, w: Floats, z: float) -> Rows:
        tip = np.array([self.at @ w])
        return self._rows(tip[self.costs(tip) @ w > z * (1 + 1e-9)])


def test_the_exchange_finds_the_rows_it_needs() -> None:
    """The cost of a mixture is 1 - its variance at the tip: half on either outermost column, and a prior at 0.55."""
    rounds = list[Round](exchange(MixtureProgram(3, 0.25), [Parabolas(0), Parabolas(1)], 50))
    last = rounds[-1]
    assert last.z == pytest.approx(1 - 0.35**2, abs=1e-7)
    assert last.w == pytest.approx([0.5, 0.0, 0.5], abs=1e-3)
    assert all(after.z >= before.z - 1e-10 for before, after in pairwise(rounds))
    assert sum(atom.probability for atom in last.atoms) == pytest.approx(1)
    assert sum(atom.probability * atom.t for atom in last.prior(1e-9)) == pytest.approx(0.55, abs=1e-3)
    assert len({(atom.side, atom.t) for atom in last.atoms}) == len(last.atoms)


def test_tips_of_parabolas() -> None:
    t = np.array([0.0, 0.1, 0.35, 0.5, 1.0])
    found = tips(t, 2 - 3 * (t - 0.3) ** 2, np.array([1, 2, 3]))
    assert found.t == pytest.approx([0.3, 0.3, 0.35])  # the last one stays between its neighbours
    assert found.bend == pytest.approx([3, 3, 3])
    assert found.rise == pytest.approx([3 * 0.04, 3 * 0.0025, 3 * 0.04])
    assert found.width == pytest.approx([0.35, 0.4, 0.65])
