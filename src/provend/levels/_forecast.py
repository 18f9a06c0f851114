"""A forecast on a scale on which errors are alike, put together from pieces that have earned their place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from provend.levels._brought import Level
from provend.levels._cost import costs_of, scales, spread_of
from provend.levels._power import Power
from provend.levels._recent import Recent
from provend.levels._ridge import Ridge
from provend.levels._trees import Trees
from provend.levels._widths import Widths
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]

FEWEST = 8  # rows from which a forecast is tried at all
FENCES = 4.0  # interquartile ranges beyond the quartiles at which a demand is cut off while learning: one spike
MOST_LEARNED = 10_000  # rows to learn from, the latest where there is a time
DOUBT = 1.5, 3.0  # with n rows a saving must exceed 1.5 + 3 / n standard errors


@dataclass(frozen=True, eq=False)
class Forecast(Level):
    """What demand is about in each context.

    Attributes
    ----------
    power : Power
        The scale of all that follows.
    pieces : str
        What the level is made of, in words.
    past : array
        The level of each past row, forecast without that row.
    spread : float
        Standard deviation of past demands around it; positive.
    """

    encoding: Encoding
    power: Power
    pieces: str
    past: Floats
    spread: float
    centre: float
    ridge: Ridge | None = None
    trees: Trees | None = None
    shares: Floats = field(default_factory=lambda: np.zeros(2))
    recent: Recent | None = None
    width: Widths | None = None

    @property
    def learned(self) -> bool:
        """Whether it tells contexts apart."""
        return self.ridge is not None or self.recent is not None

    def at(self, contexts: Contexts) -> Floats:
        """The level in each context, never further than one spread beyond the levels of the past."""
        level = np.full(contexts.size, self.centre)
        if self.ridge is not None:
            matrix = self.encoding.matrix(contexts)
            timeless = self.encoding.without_time(matrix, contexts)
            level += self.shares[0] * (self.ridge.predict(timeless) - self.centre)
            if self.trees is not None:
                level += self.shares[1] * (self.trees.predict(matrix) - self.centre)
        if self.recent is not None:
            level += self.recent.latest
        inside: Floats = np.clip(level, self.past.min() - self.spread, self.past.max() + self.spread)
        return inside

    def widths(self, contexts: Contexts) -> Floats:
        """How wide errors are in each context, relative to each other."""
        if self.width is None:
            return np.ones(contexts.size)
        return self.width.at(self.encoding.without_time(self.encoding.matrix(contexts), contexts))

    @property
    def described(self) -> str:
        """What it is made of, in words."""
        return self.pieces if self.width is None else f"{self.pieces}, and the width of its errors"

    @property
    def past_widths(self) -> Floats | float:
        """Those of the past rows."""
        return 1.0 if self.width is None else self.width.past


def learn_forecast(contexts: Contexts, y: Floats, q: float) -> Forecast:
    """The forecast whose orders would have cost least on demands it has not seen, if clearly less than without one."""
    rows = contexts.latest(MOST_LEARNED)
    if rows.size < contexts.size:
        learned = learn_forecast(contexts.take(rows), y[rows], q)
        past, widths = learned.at(contexts), learned.widths(contexts)
        past[rows], widths[rows] = learned.past, learned.past_widths  # those it has learned from, without themselves
        return replace(learned, past=past, width=learned.width and replace(learned.width, past=widths))
    encoding = Encoding.of(contexts)
    flat = _flat(encoding, Power.fitting(y), y)
    if y.size < FEWEST or float(np.ptp(y)) == 0:
        return flat
    matrix = encoding.matrix(contexts)
    order = np.lexsort((*matrix.T, y))  # an order of their own: that of the rows does not matter
    some, demand = contexts.take(order), y[order]
    matrix = matrix[order]
    timeless = encoding.without_time(matrix, some)
    tried = [_regression(flat, power, timeless, demand) for power in scales(y)]
    best = min(tried, key=lambda one: float(costs_of(one.power, one.past, demand, q).mean()))
    candidates = [_flat(encoding, best.power, demand), best, _with_trees(best, matrix, demand)]
    if some.time is not None:
        candidates += [_with_recent(one, demand, some.time.values) for one in candidates]
    chosen = _cheapest(candidates, demand, q)
    if chosen.learned:
        chosen = _cheapest([chosen, _with_widths(chosen, timeless, demand)], demand, q)
    back = np.argsort(order)
    width = chosen.width and replace(chosen.width, past=chosen.width.past[back])
    return replace(chosen, past=chosen.past[back], width=width)


def _flat(encoding: Encoding, power: Power, y: Floats) -> Forecast:
    """No forecast: the mean of the other rows."""
    z = power.of(y)
    inside = _inside_fences(z)
    past = _of_the_others(inside)
    return Forecast(encoding, power, "one level", past, spread_of(z, past), float(inside.mean()))


def _of_the_others(z: Floats) -> Floats:
    """For each row the mean without it."""
    return z.copy() if z.size == 1 else (z.sum() - z) / (z.size - 1)


def _regression(flat: Forecast, power: Power, timeless: Floats, y: Floats) -> Forecast:
    z = _inside_fences(power.of(y))
    ridge = Ridge.of(timeless, z)
    found = replace(flat, power=power, pieces="a regression", ridge=ridge, centre=float(z.mean()))
    return _stacked(found, [ridge.past], y)


def _with_trees(regression: Forecast, matrix: Floats, y: Floats) -> Forecast:
    assert regression.ridge is not None
    trees = Trees.of(matrix, _inside_fences(regression.power.of(y)))
    found = replace(regression, pieces="a regression and trees", trees=trees)
    return _stacked(found, [regression.ridge.past, trees.past], y)


def _stacked(found: Forecast, pasts: list[Floats], y: Floats) -> Forecast:
    """The pieces in the shares in which they are found again in demand: at least 0, together at most 1.

    All without the row itself, the mean they depart from included: pieces that say nothing are no better than none.
    """
    z = found.power.of(y)
    inside = _inside_fences(z)
    centre = _of_the_others(inside)
    apart = np.column_stack(pasts) - centre[:, None]
    shares = nnls(apart, inside - centre)[0]
    shares /= max(float(shares.sum()), 1.0)
    past = centre + apart @ shares
    return replace(found, shares=shares, past=past, spread=spread_of(z, past))


def _with_recent(found: Forecast, y: Floats, time: Floats) -> Forecast:
    z = found.power.of(y)
    recent = Recent.of(_inside_fences(z) - found.past, time)
    past = found.past + recent.past
    pieces = f"{found.pieces}, and the level of the recent past"
    return replace(found, pieces=pieces, recent=recent, past=past, spread=spread_of(z, past))


def _with_widths(found: Forecast, timeless: Floats, y: Floats) -> Forecast:
    """With errors that may be wider in some contexts than in others."""
    errors = _inside_fences(found.power.of(y)) - found.past
    return replace(found, width=Widths.of(timeless, errors))


def _inside_fences(z: Floats) -> Floats:
    """Without spikes; where most demands are the same there are no fences."""
    low, high = np.quantile(z, [0.25, 0.75])
    reach = FENCES * (high - low)
    return z if reach == 0 else np.clip(z, low - reach, high + reach)


def _cheapest(candidates: list[Forecast], y: Floats, q: float) -> Forecast:
    """The cheapest by mean cost, unless its saving over the first, the simplest, may well be chance."""
    costs = np.array([costs_of(one.power, one.past, y, q, one.past_widths) for one in candidates])
    best = int(costs.mean(axis=1).argmin())
    saving = costs[0] - costs[best]
    clear = saving.mean() > (DOUBT[0] + DOUBT[1] / y.size) * saving.std() / np.sqrt(y.size)
    return candidates[best if clear else 0]
