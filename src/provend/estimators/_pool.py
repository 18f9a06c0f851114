"""What many items have in common, learned once: size and level of demand, what is left, and how alike that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.dissimilarity import NOISE, kolmogorov_distances
from provend.estimators._lenders import Lenders
from provend.estimators._panel_rows import Panel, fading_means
from provend.estimators._sizes import SizeModel
from provend.levels import Forecast, learn_forecast
from provend.tables import Contexts, codes_of

Floats = NDArray[np.float64]

LEARNED = 10_000  # rows the common forecast is learned from: whole items, drawn with a fixed seed
PRIOR_ROWS = 4.0  # how many rows of an item the size expected of it counts for
HALF_LIFE, PRIOR = 15.0, 8.0  # of what an item's forecasts have missed lately, in rows
COMPARED, OTHERS = 200, 2000  # items whose errors are compared, and errors of all that they are compared with


@dataclass(frozen=True, eq=False)
class Pool:
    """One model for all items, those it was learned from and others.

    Attributes
    ----------
    scale : SizeModel
        The size to expect of an item.
    forecast : Forecast
        The level of demand in units of the item's size.
    share : float
        How much of what an item's forecasts have missed lately they will miss again.
    distance : float
        How far the errors of an item are from those of the others: a mean Kolmogorov distance, an estimate.
    range : pair of float
        From 0, or the smallest demand of any item it was learned from, to the largest, in units of the item's size.
    lenders : Lenders
        The items it was learned from.
    """

    scale: SizeModel
    forecast: Forecast
    share: float
    distance: float
    range: tuple[float, float]
    lenders: Lenders


def learn_pool(contexts: Contexts, y: Floats, panel: Panel, q: float) -> Pool:
    """Sizes first, then one forecast of demand in units of them, then what it leaves."""
    scale = SizeModel.of(contexts, panel, panel.totals(np.abs(y)) / panel.count)
    expected = scale.at(contexts.take(panel.rows[:, -1]))
    sizes = shrunk_sizes(y, panel, expected)
    learned = _drawn(panel)
    rows = panel.rows[learned][panel.known[learned]]
    forecast = learn_forecast(contexts.take(rows), y[rows] / np.repeat(sizes[learned], panel.count[learned]), q)
    level = panel.lines(level_at(forecast, contexts))
    missed, means = recent_misses(forecast.power.of(panel.lines(y) / sizes[:, None]) - level, panel)
    before = up_to_the_row_before(means)
    share = float(np.clip((before * missed).sum() / max(float((before**2).sum()), 1e-300), 0.0, 1.0))
    errors = missed - share * before
    strangers = forecast.power.of(panel.lines(y)[:, -1] / expected) - level[:, -1]
    relative = panel.lines(y) / sizes[:, None]  # 0 where there is no row, which is in the range anyway
    least, most = float(relative.min(initial=0.0)), float(relative.max(initial=0.0))
    lenders = Lenders(panel.names, expected, errors[:, -1].copy(), strangers)
    return Pool(scale, forecast, share, _distance(errors, panel), (least, most if least < most else 1.0), lenders)


def shrunk_sizes(y: Floats, panel: Panel, expected: Floats) -> Floats:
    """Mean demand of each item, shrunk towards what its attributes make one expect."""
    return (panel.totals(np.abs(y)) + PRIOR_ROWS * expected) / (panel.count + PRIOR_ROWS)


def recent_misses(missed: Floats, panel: Panel) -> tuple[Floats, Floats]:
    """What forecasts have missed, 0 where there is no row, and its fading mean up to each row."""
    known = np.where(panel.known, missed, 0.0)
    return known, fading_means(known, panel.known, half_life=HALF_LIFE, prior=PRIOR)


def up_to_the_row_before(means: Floats) -> Floats:
    """What was known of a line when its row was forecast."""
    return np.hstack([np.zeros((len(means), 1)), means[:, :-1]])


def level_at(forecast: Forecast, contexts: Contexts) -> Floats:
    """The level in each context; contexts that many items share are looked at once."""
    if contexts.size == 0:
        return np.zeros(0)
    code, *others = (codes_of(column.values) for column in contexts.columns)
    for further in others:
        code = codes_of(code * (int(further.max()) + 1) + further)
    first = np.empty(int(code.max()) + 1, np.intp)
    first[code[::-1]] = np.arange(code.size)[::-1]
    levels: Floats = forecast.at(contexts.take(first))[code]
    return levels


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
