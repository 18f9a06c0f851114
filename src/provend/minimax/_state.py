"""What is known about a game, and one step towards knowing more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from provend._kernels.game.candidate import Candidate
from provend.certificate import relative_gap
from provend.minimax._candidates import around, promising, refined, suggested
from provend.minimax._efforts import EFFORTS
from provend.minimax._game import Game
from provend.minimax._nature import Proved, polish, prove
from provend.minimax._rules import Case, Rules, best_rules
from provend.minimax._weights import Family, family


@dataclass(frozen=True, eq=False)
class State:
    """The best prior and the best rules so far, the worst cases that came as a surprise, and the efforts made."""

    game: Game
    nature: Proved
    rules: Rules
    families: tuple[Family, ...]  # the weights of the rules
    worst: tuple[Case, ...] = ()
    steps: float = EFFORTS.steps  # operations of one law of the bound
    finer: int = 1  # times the usual cells of the rules
    attempts: int = 0

    @property
    def bound(self) -> float:
        """No policy has a smaller regret."""
        return self.nature.prior.bound

    @property
    def closed(self) -> bool:
        """Whether bound and value are as close as aimed at."""
        return relative_gap(self.bound, self.rules.value) <= self.game.rtol * EFFORTS.share_of_rtol

    @property
    def settled(self) -> bool:
        return self.closed or self.attempts == EFFORTS.attempts


def begin(game: Game) -> State:
    """The best prior of a global search, its bound, and the best rules against it."""
    nature = prove(game, promising(game.near, game.c.value), EFFORTS.steps)
    families = _families(game, [nature.means], 1)
    return State(game, nature, best_rules(game.near, game.c.value, families, ()), families)


def improve(state: State) -> State:
    """One more attempt: a finer lattice for the bound; if that is not enough, other priors and finer weights."""
    state = _finer_bound(state)
    if not (state.closed or _smooth(state)):
        pairs = suggested(state.rules.worst, state.game.c.value)
        state = _better_rules(_better_prior(state, pairs), pairs[: EFFORTS.suggestions])
    return replace(state, attempts=state.attempts + 1)


def surprised(state: State, case: Case) -> State:
    """Find the rules once more, on the same weights, with a worst case that the program had missed."""
    worst = (*state.worst, case)
    return replace(state, worst=worst, rules=best_rules(state.game.near, state.game.c.value, state.families, worst))


def _finer_bound(state: State) -> State:
    steps = min(state.steps * EFFORTS.steps_growth, EFFORTS.most_steps)
    return replace(state, steps=steps, nature=prove(state.game, [state.nature.means], steps, state.nature))


def _better_prior(state: State, pairs: list[Candidate]) -> State:
    """Climbs from what the worst cases of the rules suggest, then on the bound itself."""
    game = state.game
    nature = prove(game, refined(game.near, game.c.value, pairs), state.steps, state.nature)
    return replace(state, nature=polish(game, nature, state.steps))


def _better_rules(state: State, pairs: list[Candidate]) -> State:
    """Finer weights, and those of priors nearby; kept if they cost less."""
    game, means, finer = state.game, state.nature.means, state.finer * EFFORTS.finer
    families = _families(game, [means, *around(means, game.c.value), *pairs], finer)
    rules = best_rules(game.near, game.c.value, families, state.worst)
    if rules.value < state.rules.value:
        return replace(state, finer=finer, rules=rules, families=families)
    return replace(state, finer=finer)


def _families(game: Game, candidates: Iterable[Candidate], finer: int) -> tuple[Family, ...]:
    """The weights of some priors; equal weights where none of these uses any data."""
    candidates = list(candidates)
    found = [family(game.near, game.c.value, one, finer) for one in candidates]
    return tuple(one for one in found if one.k.any()) or (Family(candidates[0], np.ones(game.near.size, np.int64)),)


def _smooth(state: State) -> bool:
    """Whether so many contexts count that only the lattice is worth refining; with few different d, later."""
    d, cut_off = state.game.near, state.nature.means.cut_off
    near = d[: np.searchsorted(d, EFFORTS.may_count * cut_off)]
    if near.size <= 2 * EFFORTS.many and np.searchsorted(near, cut_off) <= EFFORTS.many:
        return False
    late = state.attempts >= EFFORTS.few_attempts
    return late or near.size > EFFORTS.crowd or np.unique(near).size > EFFORTS.many
