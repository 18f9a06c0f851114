"""What many items have in common, learned once: the size and level of demand, the errors, and how alike these are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.dissimilarity import NOISE, kolmogorov_distances
from provend.estimators._lenders import Lenders, ages_lent
from provend.estimators._pace import Pace
from provend.estimators._panel_rows import Panel, fading_means
from provend.estimators._reach import Reach, usual
from provend.estimators._sizes import SizeModel
from provend.estimators._spreads import SpreadModel
from provend.estimators._weeks import Days, Week
from provend.levels import Forecast, OtherYears, learn_forecast
from provend.tables import Contexts

Floats = NDArray[np.float64]

LEARNED = 10_000  # rows from which the common forecast is learned: whole items, drawn with a fixed seed
PRIOR_ROWS = 0.05, 4.0  # how many rows of an item its expected size is worth: the least and the most
COMPARED, OTHERS = 200, 2000  # items whose errors are compared, and errors of all items to compare them with
FEWEST_COMPARED = 5  # rows of an item whose errors are compared
ASSUMED = 0.1  # distance where there is nobody to compare


@dataclass(frozen=True, eq=False)
class Pool:
    """One model for all items, both those it was learned from and others.

    Attributes
    ----------
    scale : SizeModel
        The size to expect of an item.
    prior : float
        How many rows of an item that is worth.
    forecast : Forecast
        The level of demand in units of the item's size.
    week : Week
        What weekends do to all items, and how far items differ in what weekdays do to them.
    share : float
        The share of an item's recent misses that its forecasts are expected to miss again.
    spread : SpreadModel
        How wide the errors of an item are.
    distance : float
        How far the errors of an item, in units of their width, are from those of the others: an estimated mean
        Kolmogorov distance, in which the few items that are unlike all others count no more than the next ones.
    compared : int
        From how many items it was estimated; 0 if it is assumed.
    reach : Reach
        How far demand reaches in units of each item's size, but for the few items that are unlike all others.
    unseen : Reach
        The same in units of the size to expect of an item never seen.
    lenders : Lenders
        The items it was learned from.
    pace : Pace
        When the latest of all rows was, and how far apart rows are.
    drawn : int
        From how many of them the forecast was learned.
    """

    scale: SizeModel
    prior: float
    forecast: Forecast
    week: Week
    share: float
    spread: SpreadModel
    distance: float
    compared: int
    reach: Reach
    unseen: Reach
    lenders: Lenders
    pace: Pace
    drawn: int


def learn_pool(contexts: Contexts, y: Floats, panel: Panel, q: float) -> Pool:
    """Learn the sizes first, then one forecast of demand in units of size, then what it leaves unexplained."""
    scale = SizeModel.of(contexts, panel, panel.totals(np.abs(y)) / panel.count)
    expected = scale.at(contexts.take(panel.rows[:, -1]))
    prior = _prior_rows(y, panel, expected)
    sizes = shrunk_sizes(y, panel, expected, prior)
    learned = _drawn(panel)
    rows = panel.rows[learned][panel.known[learned]]
    years = OtherYears.of(contexts.time, y / sizes[panel.code])
    forecast = learn_forecast(contexts.take(rows), y[rows] / np.repeat(sizes[learned], panel.count[learned]), q, years)
    level = panel.lines(level_at(forecast, contexts))
    left, days = forecast.power.of(panel.lines(y) / sizes[:, None]) - level, Days.of(panel, contexts)
    week = Week.of(left, days)
    of_items, past = week.effects(left, days)
    missed, means = recent_misses(left - past, panel)
    before = up_to_the_row_before(means)
    share = float(np.clip((before * missed).sum() / max(float((before**2).sum()), 1e-300), 0.0, 1.0))
    errors = missed - share * before
    spread = SpreadModel.of(errors, panel, sizes)
    alike = spread.alike(errors, panel, sizes)
    relative = panel.lines(y) / expected[:, None]
    lenders = _lenders(panel, expected, alike, forecast.power.of(relative) - level - week.of_strangers(days))
    reach, unseen = (
        Reach.of(found, level + (0.0 if days is None else days.of_its_weekday(table)), panel.known)
        for found, table in (
            (panel.lines(y) / sizes[:, None], of_items),
            (relative, np.broadcast_to(week.of_any_item, of_items.shape)),
        )
    )
    distance, pace = _distance(alike, panel), Pace.of(panel, contexts).together()
    return Pool(scale, prior, forecast, week, share, spread, *distance, reach, unseen, lenders, pace, learned.size)


def _lenders(panel: Panel, expected: Floats, errors: Floats, unseen: Floats) -> Lenders:
    lent, ages = ages_lent(panel.count)
    item = np.repeat(np.arange(lent.size), lent)
    first = np.cumsum(lent) - lent
    return Lenders(panel.names, expected, lent, errors[item, -1 - ages], unseen[np.arange(lent.size), -1 - ages[first]])


def shrunk_sizes(y: Floats, panel: Panel, expected: Floats, prior: float) -> Floats:
    """The mean demand of each item, shrunk towards the size to expect from its attributes, worth ``prior`` rows."""
    return (panel.totals(np.abs(y)) + prior * expected) / (panel.count + prior)


def _prior_rows(y: Floats, panel: Panel, expected: Floats) -> float:
    """How many rows tell as much about an item's size as its attributes: few where sizes are far from expected.

    The variance of rows in units of their item's mean, over that of the logarithms of sizes around those expected.
    """
    least, most = PRIOR_ROWS
    means = panel.totals(np.abs(y)) / panel.count
    some = (panel.count > 1) & (means > 0)
    if some.sum() < 3:
        return most
    relative = panel.lines(np.abs(y))[some] / means[some, None] - 1
    noise = np.where(panel.known[some], relative, 0.0).var(axis=1) * panel.rows.shape[1] / (panel.count[some] - 1)
    apart = np.log(means[some] / expected[some]) ** 2 - noise / panel.count[some]
    return float(np.clip(noise.mean() / max(float(apart.mean()), 1e-300), least, most))


def recent_misses(missed: Floats, panel: Panel) -> tuple[Floats, Floats]:
    """The misses of the forecasts, 0 where there is no row, and their fading mean up to and including each row."""
    known = np.where(panel.known, missed, 0.0)
    return known, fading_means(known, panel.known)


def up_to_the_row_before(means: Floats) -> Floats:
    """The mean known when each row was forecast: that up to the row before."""
    return np.hstack([np.zeros((len(means), 1)), means[:, :-1]])


def level_at(forecast: Forecast, contexts: Contexts) -> Floats:
    """The level in each context; contexts that many items share are evaluated only once."""
    if contexts.size == 0:
        return np.zeros(0)
    code = contexts.codes
    first = np.empty(int(code.max()) + 1, np.intp)
    first[code[::-1]] = np.arange(code.size)[::-1]
    levels: Floats = forecast.at(contexts.take(first))[code]
    return levels


def _drawn(panel: Panel) -> NDArray[np.intp]:
    """Items drawn whole until there are enough rows."""
    drawn = np.random.default_rng(0).permutation(panel.count.size)
    enough = int(np.searchsorted(np.cumsum(panel.count[drawn]), LEARNED)) + 1
    return np.sort(drawn[:enough])


def _distance(errors: Floats, panel: Panel) -> tuple[float, int]:
    """The mean distance of some items' errors from those of all items, less what chance alone would show.

    Items that are unlike all others count no more than usual ones, or than chance may show once more. Also how many
    items these are: none if there is only one, which would be compared with itself.
    """
    generator = np.random.default_rng(1)
    some = generator.permutation(panel.count.size)[:COMPARED]
    others = generator.permutation(errors[panel.known])[:OTHERS]
    some = some[(panel.count[some] >= FEWEST_COMPARED) & (panel.count.size > 1)]
    if not some.size:
        return ASSUMED, 0
    seen = [kolmogorov_distances(errors[j][panel.known[j]][None], others[None])[0] for j in some]
    chance = NOISE**2 * (1 / panel.count[some] + 1 / others.size)
    beyond = np.maximum(np.square(seen) - chance, 0.0)
    return float(np.sqrt(np.minimum(beyond, np.maximum(usual(beyond), chance)).mean())), some.size
