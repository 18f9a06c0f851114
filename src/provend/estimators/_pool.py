"""What many items have in common: the size of their demand, its level, what is left of it, and how alike that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.dissimilarity import NOISE, kolmogorov_distances
from provend.estimators._panel_rows import Panel, fading_means
from provend.levels import Forecast, Ridge, learn_forecast
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]

LEARNED = 10_000  # rows the common forecast is learned from: whole items, drawn with a fixed seed
PRIOR_ROWS = 4.0  # how many rows of an item the size expected of it counts for
HALF_LIFE, PRIOR = 15.0, 8.0  # of what an item's forecasts have missed lately, in rows
COMPARED, OTHERS = 200, 2000  # items whose errors are compared, and errors of all that they are compared with


@dataclass(frozen=True, eq=False)
class Pool:
    """One model for all items.

    Attributes
    ----------
    panel : Panel
        Their rows.
    sizes, expected : array
        Mean demand of each item, shrunk towards what its attributes make one expect, and that expectation.
    forecast : Forecast
        The level of demand in units of the item's size.
    errors, strangers : array
        What is left of each row's demand, by the item's own size and level, and by what would be known of an item never
        seen; laid out as the panel.
    recent : array
        What the forecasts of each item have missed lately.
    distance : float
        How far the errors of an item are from those of the others: a mean Kolmogorov distance, an estimate.
    """

    panel: Panel
    sizes: Floats
    expected: Floats
    scale: SizeModel
    forecast: Forecast
    errors: Floats
    strangers: Floats
    recent: Floats
    distance: float

    def lenders(self, item: NDArray[np.intp], expected: Floats, many: int) -> NDArray[np.intp]:
        """For each target so many other items, those whose expected size is nearest in rank; never the item itself."""
        order = np.argsort(self.expected, kind="stable")
        place = np.empty(order.size, np.intp)
        place[order] = np.arange(order.size)
        known = item >= 0
        at = np.where(known, place[item], np.searchsorted(self.expected[order], expected))
        first = np.clip(at - many // 2, 0, order.size - many - known)
        window = first[:, None] + np.arange(many)
        found: NDArray[np.intp] = order[window + (known[:, None] & (window >= at[:, None]))]
        return found


@dataclass(frozen=True, eq=False)
class SizeModel:
    """The mean demand to expect of an item, from the columns that do not change within an item."""

    columns: tuple[int, ...]
    encoding: Encoding | None
    ridge: Ridge | None
    mean: float

    @classmethod
    def of(cls, contexts: Contexts, panel: Panel, means: Floats) -> SizeModel:
        """A regression of the logarithm of the mean demands."""
        log = np.log(np.maximum(means, 1e-3 * (means.mean() or 1.0)))
        fixed = _attributes(contexts, panel)
        if not fixed or means.size < 3:
            return cls((), None, None, float(log.mean()))
        items = _only(contexts.take(panel.rows[:, -1]), fixed)
        encoding = Encoding.of(items)
        return cls(fixed, encoding, Ridge.of(encoding.matrix(items), log), float(log.mean()))

    def at(self, contexts: Contexts) -> Floats:
        """The mean demand to expect in each context."""
        if self.encoding is None or self.ridge is None:
            return np.full(contexts.size, np.exp(self.mean))
        expected: Floats = np.exp(self.ridge.predict(self.encoding.matrix(_only(contexts, self.columns))))
        return expected


def learn_pool(contexts: Contexts, y: Floats, panel: Panel, q: float) -> Pool:
    """Sizes first, then one forecast of demand in units of them, then what it leaves."""
    lines = panel.lines(np.abs(y))
    total, count = lines.sum(axis=1), panel.count
    scale = SizeModel.of(contexts, panel, total / count)
    expected = scale.at(contexts.take(panel.rows[:, -1]))
    sizes = (total + PRIOR_ROWS * expected) / (count + PRIOR_ROWS)
    learned = _drawn(panel)
    rows = panel.rows[learned][panel.known[learned]]
    by_row = np.repeat(sizes[learned], count[learned])
    forecast = learn_forecast(contexts.take(rows), y[rows] / by_row, q)
    level = panel.lines(level_at(forecast, contexts))
    missed = np.where(panel.known, forecast.power.of(panel.lines(y) / sizes[:, None]) - level, 0.0)
    means = fading_means(missed, panel.known, half_life=HALF_LIFE, prior=PRIOR)
    before = np.hstack([np.zeros((len(means), 1)), means[:, :-1]])
    share = float(np.clip((before * missed).sum() / max(float((before**2).sum()), 1e-300), 0.0, 1.0))
    errors = missed - share * before
    strangers = forecast.power.of(panel.lines(y) / expected[:, None]) - level
    return Pool(
        panel, sizes, expected, scale, forecast, errors, strangers, share * means[:, -1], _distance(errors, panel)
    )


def level_at(forecast: Forecast, contexts: Contexts) -> Floats:
    """The level in each context; contexts that many items share are looked at once."""
    codes = [np.unique(column.values, return_inverse=True)[1].ravel() for column in contexts.columns]
    _, first, back = np.unique(np.column_stack(codes), axis=0, return_index=True, return_inverse=True)
    levels: Floats = forecast.at(contexts.take(first))[back.ravel()]
    return levels


def _attributes(contexts: Contexts, panel: Panel) -> tuple[int, ...]:
    """The columns that have one value within every item, and several among items."""
    found = []
    latest = panel.rows[:, -1]
    for place, column in enumerate(contexts.columns):
        codes = np.unique(column.values, return_inverse=True)[1].ravel()
        same = np.where(panel.known, codes[panel.rows] == codes[latest][:, None], True)
        if column.kind != "time" and same.all() and np.ptp(codes) > 0:
            found.append(place)
    return tuple(found)


def _only(contexts: Contexts, places: tuple[int, ...]) -> Contexts:
    return Contexts(tuple(contexts.columns[place] for place in places), contexts.size, contexts.native)


def _drawn(panel: Panel) -> NDArray[np.intp]:
    """Whole items until there are rows enough."""
    drawn = np.random.default_rng(0).permutation(panel.count.size)
    enough = int(np.searchsorted(np.cumsum(panel.count[drawn]), LEARNED)) + 1
    return np.sort(drawn[:enough])


def _distance(errors: Floats, panel: Panel) -> float:
    """Mean over some items of the distance of their errors to those of all, less what chance alone would show."""
    generator = np.random.default_rng(1)
    some = generator.permutation(panel.count.size)[:COMPARED]
    others = generator.permutation(errors[panel.known])[:OTHERS]
    found = []
    for j in some[panel.count[some] >= 5]:
        own = errors[j][panel.known[j]]
        seen = float(kolmogorov_distances(own[None], others[None])[0])
        found.append(max(seen**2 - NOISE**2 * (1 / own.size + 1 / others.size), 0.0))
    return float(np.sqrt(np.mean(found))) if found else 0.1
