"""How the search sees a problem, and how its findings are translated back into the terms of the caller."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.points import Floats, TwoFloats
from provend._kernels.game.prior import Prior
from provend._kernels.programs.program import ORDINARY
from provend._validation import as_critical_ratio, as_unit
from provend.certificate import Guarantee
from provend.minimax._efforts import EFFORTS
from provend.minimax._results import PriorPoint
from provend.minimax._rules import Case, Rules
from provend.newsvendor import Ratio
from provend.policies import PATIENT, DecidingPolicy, Mixture, NoData, WeightedQuantile, WholeCount
from provend.regret import certified, lengths


@dataclass(frozen=True)
class Game:
    """Contexts by ascending d and, where ``flipped``, the top of the support at the bottom."""

    given: Floats  # validated dissimilarities, in the order given
    ratio: Ratio  # q, or the newsvendor it belongs to
    rtol: float

    @cached_property
    def by_d(self) -> NDArray[np.intp]:
        return np.argsort(self.given, kind="stable")

    @cached_property
    def d(self) -> Floats:
        """All dissimilarities, ascending."""
        return np.asarray(self.given[self.by_d])

    @cached_property
    def near(self) -> Floats:
        """Those below 1/2, the only ones that may count: from 1/2 on Nature can always hide."""
        return self.d[self.d < 0.5]

    @cached_property
    def q(self) -> Fraction:
        return as_critical_ratio(self.ratio)

    @property
    def unit(self) -> float:
        """Money per unit of regret."""
        return as_unit(self.ratio)

    @cached_property
    def flipped(self) -> bool:
        return self.q < EFFORTS.upside_down

    @cached_property
    def c(self) -> TwoFloats:
        """The length of the low side as the search sees it."""
        sides = lengths(self.q)
        return sides.high if self.flipped else sides.low

    def counts(self, rules: Rules) -> tuple[WholeCount, ...]:
        """The rules as counts of the contexts as given, each with its probability."""
        scale = EFFORTS.parts / min(float(self.q * (1 - self.q)) / ORDINARY, 1.0)  # shares scale with a tiny regret
        parts = [round(rule.probability * scale) for rule in rules.rules]
        found = []
        for rule, part in zip(rules.rules, parts, strict=True):
            k = np.zeros(self.by_d.size, np.int64)
            k[self.by_d[: rule.k.size]] = rule.k
            # Order the top if the ones exceed the level; flipped, the bottom if the zeros do.
            needed = rule.level + 1 if self.flipped else int(k.sum()) - rule.level
            found.append(WholeCount(k, (needed,), (Fraction(part, sum(parts)),)))
        return tuple(found)

    def policy(self, rules: Rules) -> tuple[DecidingPolicy, Floats]:
        """The mixture as a policy on the contexts as given, and the weights in percent."""
        counts, percent = self.counts(rules), np.zeros(self.by_d.size)
        for count in counts:
            if 0 < count.needed[0] <= count.total:  # the others ignore the data
                percent += float(count.probabilities[0]) * (count.weights / count.total)
        if not percent.any():
            return NoData(), percent
        members = [WeightedQuantile(count.weights, count.needed[0]) for count in counts]
        shares = [count.probabilities[0] for count in counts]
        return Mixture(members, shares) if len(members) > 1 else members[0], 100 * percent / percent.sum()

    def certify(self, policy: DecidingPolicy) -> Guarantee:
        """The policy's certified regret in money; patiently, as the weights were chosen to make that possible."""
        forms = policy.form(self.given, self.q)
        found = certified(forms, self.given, self.q, self.rtol / EFFORTS.precision, PATIENT)
        return found.scaled(self.unit, unit=self.unit)

    def worst(self, guarantee: Guarantee) -> Case:
        """Side and t of a worst case, as the search sees them."""
        world = guarantee.worst_case
        t = world.mean if world.side == "low" else 1 - world.mean
        return Case(int((world.side == "high") != self.flipped), t)

    def points(self, prior: Prior) -> tuple[PriorPoint, ...]:
        """The two hypotheses with their histories as given."""
        histories = np.empty((2, self.by_d.size))
        histories[:, self.by_d] = prior.low_history, prior.high_history
        low = PriorPoint(prior.low, prior.probability, histories[0])
        high = PriorPoint(prior.high, 1 - prior.probability, histories[1])
        if not self.flipped:
            return low, high
        return tuple(PriorPoint(1 - point.mean, point.probability, 1 - point.history) for point in (high, low))
