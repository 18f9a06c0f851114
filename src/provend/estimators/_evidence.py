"""The evidence behind an order: what the level explains, how many demands count, and how far apart they may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from provend._display import Shown, Tabular, at_least
from provend.certificate import Frozen
from provend.dissimilarity import Dissimilarity, DissimilarityCheck, check_dissimilarity
from provend.estimators._past import Past
from provend.levels import Brought, Demands
from provend.newsvendor import Newsvendor

Floats = NDArray[np.float64]

LEAST = 0.5  # percent: less is shown as nothing


@dataclass(frozen=True, eq=False, repr=False)
class Evidence(Shown, Tabular, Frozen):
    """What the order for each target rests on; ``sentences`` say it in words.

    Attributes
    ----------
    observations : int
        How many past demands are weighed.
    effective_n : array
        How many of them count for the order: 1 / (sum of squared weights), which is k if k of them count equally.
    dissimilarity : array
        Their weighted mean dissimilarity to the target, as the guarantee assumes it.
    explained : float
        What the level explains: by how many percent past demand would have cost less with orders at one distance above
        (or below) the level of each context than with one order for all, both the best in hindsight. It is 0 where
        demand is not moved, and negative where the level does harm.
    moved : bool
        Whether past demand is brought to the level of the target before it counts.
    check : DissimilarityCheck
        Whether past demands, in the form in which they are weighed, contradict the dissimilarities (95% confidence).
    """

    observations: int
    effective_n: Floats
    dissimilarity: Floats
    explained: float
    moved: bool
    check: DissimilarityCheck

    def __len__(self) -> int:
        return self.effective_n.size

    @property
    def sentences(self) -> list[str]:
        """One sentence for each target."""
        return [
            f"{self._level}{n:.3g} of {self.observations:,} past demands count, assumed to be {d:.2g} from the target "
            f"on average. {self._verdict}"
            for n, d in zip(self.effective_n, self.dissimilarity, strict=True)
        ]

    @property
    def _level(self) -> str:
        """What the level explains; nothing is said where there is none."""
        if not self.moved:
            return ""
        if self.explained >= LEAST:
            return f"The level explains {self.explained:.0f}% of what past demand would cost without it. "
        harm = f": orders by it would have cost {-self.explained:.0f}% more" if self.explained <= -LEAST else ""
        return f"The level explains nothing of what past demand would cost without it{harm}. "

    @property
    def _verdict(self) -> str:
        worst = self.check.worst
        if worst is None:
            return "Past demands cannot tell whether that is too little: no column splits them into groups to compare."
        apart = f"at least {at_least(worst.at_least)} apart"
        pair = f"those with {worst.column} {worst.first} and {worst.second} are {apart}"
        assumed = f"while {worst.assumed:.2g} is assumed"
        if self.check.contradicted:
            return f"Past demands contradict this: {pair}, {assumed}. So the guarantee may be too low."
        if worst.at_least == 0:
            return "Past demands do not contradict this: what sets groups of them apart may be chance."
        return f"Past demands do not contradict this: at worst {pair}, {assumed}."

    def _facts(self) -> dict[str, object]:
        return {"targets": len(self), "explained": self.explained, "contradicted": self.check.contradicted} | (
            {"sentence": self.sentences[0]} if len(self) else {}
        )

    def _columns(self) -> Mapping[str, Iterable[object]]:
        return {"effective_n": self.effective_n, "dissimilarity": self.dissimilarity, "sentence": self.sentences}


def evidence(
    shares: Floats, dissimilarities: Floats, demands: Demands, history: Past, model: Dissimilarity, problem: Newsvendor
) -> Evidence:
    """The evidence behind orders, given the shares and dissimilarities of past rows, one row of each per target."""
    left = demands.errors if isinstance(demands, Brought) else history.y
    return Evidence(
        observations=history.y.size,
        effective_n=1 / (shares**2).sum(axis=1),
        dissimilarity=(shares * dissimilarities).sum(axis=1),
        explained=100 * explained(demands, history.y, problem),
        moved=isinstance(demands, Brought),
        check=check_dissimilarity(model, history.contexts, left),
    )


def explained(demands: Demands, y: Floats, problem: Newsvendor) -> float:
    """The share of the empirical quantile's cost that is saved by the same quantile above the level of each row."""
    if not isinstance(demands, Brought):
        return 0.0
    rank = ceil(problem.critical_ratio * y.size) - 1
    above = np.sort(demands.errors)[rank]
    orders = demands.level.power.back(demands.levels + demands.widths * above)
    alone, with_level = (float(np.mean(problem.cost(order, y))) for order in (np.sort(y)[rank], orders))
    return 1 - with_level / alone if alone > 0 else 0.0
