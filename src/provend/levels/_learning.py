"""A forecast learned from past rows: each of its pieces has to earn its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from provend.levels._cost import costs_of, scales, spread_of
from provend.levels._forecast import Forecast
from provend.levels._growth import Growth
from provend.levels._other_years import OtherYears
from provend.levels._power import Power
from provend.levels._recent import Recent
from provend.levels._recurring import FIRM, UNMISTAKABLE, Recurring
from provend.levels._ridge import Ridge
from provend.levels._rows import Rows
from provend.levels._runs import means_of
from provend.levels._step import Step
from provend.levels._trees import Trees
from provend.levels._widths import Widths
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]

FEWEST = 8  # rows needed to try a forecast at all
FEWEST_SHARED = 12  # moments needed where rows share them: however many rows, fewer days cannot be told from chance
MOST_LEARNED = 10_000  # rows to learn from: the latest, if there is a time
ROUNDING = 1e-9  # savings that small, as a share of costs, are those of other sums
DOUBT = 0.5, 20.0  # with n pieces of evidence a saving must exceed 0.5 + 20 / n standard errors
BLIND = 0.25  # the share of a forecast whose trees do not see time
CAUTION = 50.0  # of n^2 + 50 parts of a share n^2 are kept: 80 % with 14 pieces of evidence, 95 % with 30
ROUGH = 1.0  # ridge penalty for standardised features where rows are too few to choose it


def learn_forecast(contexts: Contexts, y: Floats, q: float, years: OtherYears | None = None) -> Forecast:
    """The forecast whose orders would have cost least on unseen demands, if clearly less than without a forecast.

    ``years`` holds the demands of all years where these rows are the latest ones.
    """
    years = years or OtherYears.of(contexts.time, y)
    latest = contexts.latest(MOST_LEARNED)
    if latest.size < contexts.size:
        learned = learn_forecast(contexts.take(latest), y[latest], q, years)
        past, widths = learned.at(contexts), learned.widths(contexts)
        past[latest], widths[latest] = learned.past, learned.past_widths  # each of them is forecast without itself
        return replace(learned, past=past, width=learned.width and replace(learned.width, past=widths))
    encoding, matrix = Encoding.fitted(contexts)
    rows, back = Rows.of(encoding, matrix, contexts, y, years)
    flat = _flat(encoding, Power.fitting(y), rows)
    few = rows.evidence < (FEWEST if rows.evidence == y.size else FEWEST_SHARED)
    if few or float(np.ptp(y)) == 0 or not matrix.any():  # no two contexts differ
        return _finished(flat, rows, back)
    chosen = _cheapest(_candidates(flat, rows, q), rows, q)
    if chosen.learned:
        chosen = _cheapest([chosen, _with_widths(chosen, rows)], rows, q)
    return _finished(chosen, rows, back)


def learn_roughly(contexts: Contexts, y: Floats) -> Forecast:
    """A regression on rows too few to judge it: it says which of them are alike, not what to expect.

    Its levels of the past have seen their own rows. Of eight days hardly two share a weekday, and without them nothing
    would be known about it; but that the same weekday a week ago says most is a good guess.
    """
    encoding, matrix = Encoding.fitted(contexts)
    rows, back = Rows.of(encoding, matrix, contexts, y)
    flat = _flat(encoding, Power.fitting(y, roots=int(y.min() >= 0)), rows)
    found = _finished(flat, rows, back)
    if y.size < FEWEST or float(np.ptp(y)) == 0 or not rows.timeless.any():
        return found
    centre = rows.timeless.mean(axis=0)
    apart, z = rows.timeless - centre, rows.inside(flat.power) - flat.centre
    coefficients = np.linalg.solve(apart.T @ apart + ROUGH * np.eye(centre.size), apart.T @ z)
    levels = Ridge(centre, flat.centre, coefficients, flat.past).predict(rows.timeless)
    ridge = Ridge(centre, flat.centre, coefficients, levels)
    return replace(found, ridge=ridge, shares=np.ones(1), past=levels[back])


def _finished(found: Forecast, rows: Rows, back: NDArray[np.intp]) -> Forecast:
    """The forecast with its spread, and with the past rows in the order given."""
    spread = spread_of(found.power.of(rows.y), found.past)
    width = found.width and replace(found.width, past=found.width.past[back])
    return replace(found, past=found.past[back], spread=spread, width=width)


def _candidates(flat: Forecast, rows: Rows, q: float) -> list[Forecast]:
    """The candidates, simplest first, all on the scale on which a regression serves best."""
    tried = [_with_step(_regression(flat, power, rows), rows) for power in scales(rows.y)]
    best = min(tried, key=lambda one: float(costs_of(one.power, one.past, rows.y, q).mean()))
    simplest = _flat(flat.encoding, best.power, rows, best.step)
    if rows.time is None:
        return [simplest, *_with_trees(best, rows)]
    growth = Growth.of(rows.timeless, rows.inside(best.power, best.step), rows.time, rows.runs)
    if growth is not None:
        best = _regression(replace(best, growth=growth), best.power, rows)
    holidays = _recurring(best, rows, q, UNMISTAKABLE)  # or trees would take them for seasons of a few days
    if holidays:
        best = _regression(replace(best, recurring=holidays), best.power, rows)
    seeing, blind = _with_recurring(_with_trees(best, rows), rows, q)
    lately = _together(_with_recent(seeing, rows), _with_recent(blind, rows))
    recent = [one for one in (_with_recent(simplest, rows), lately) if one.recent and one.recent.pasts.any()]
    return [simplest, _together(seeing, blind), *recent]


def _flat(encoding: Encoding, power: Power, rows: Rows, step: Step | None = None) -> Forecast:
    """No forecast but a step, if there is one: the mean of the other rows."""
    inside = rows.inside(power, step)
    past = rows.of_the_others(inside) + rows.stepped(step)
    return Forecast(encoding, power, past, float(inside.mean()), rows.ends, step=step)


def _regression(flat: Forecast, power: Power, rows: Rows) -> Forecast:
    """A regression of what is left after a step, growth and holidays, if there are any."""
    z = rows.inside(power, flat.step) - _dated(flat, rows)
    ridge = Ridge.along(rows.directions, z)
    found = replace(flat, power=power, ridge=ridge, centre=float(z.mean()))
    return _stacked(found, ridge.past[:, None], rows, [0])


def _with_step(regression: Forecast, rows: Rows) -> Forecast:
    """The regression of what a step leaves, if demand has taken one that neither other years nor columns explain."""
    if rows.moments is None:
        return regression
    missed = regression.power.of(rows.y) - regression.past
    step = Step.of(missed, rows.moments, calendar=rows.days is not None)
    if step is None or rows.explain(step):
        return regression
    return _regression(replace(regression, step=step), regression.power, rows)


def _with_trees(regression: Forecast, rows: Rows) -> list[Forecast]:
    """The forecast with trees that see time, and with trees that do not; there is one where there is no time."""
    assert regression.ridge is not None
    z = rows.inside(regression.power, regression.step) - _dated(regression, rows)
    trees = Trees.of(rows.matrix, z, regression.ridge.past, rows.runs, rows.times)
    found, pasts = replace(regression, trees=trees), np.column_stack([regression.ridge.past, trees.past])
    forests = range(1, pasts.shape[1])
    return [_stacked(found, pasts, rows, [0, *forests[way]]) for way in trees.ways]


def _together(seeing: Forecast, blind: Forecast) -> Forecast:
    """Two forecasts of which one sees time.

    That one is judged by what it says of days between others, which is easier than to say what comes after them; what
    recurs whatever the time is, and the level of the recent past beside it, keep it within bounds.
    """
    shares = (1 - BLIND) * seeing.shares + BLIND * blind.shares
    past = (1 - BLIND) * seeing.past + BLIND * blind.past
    recent = seeing.recent and blind.recent and seeing.recent.beside(blind.recent, BLIND)
    return replace(seeing, shares=shares, past=past, recent=recent)


def _recurring(found: Forecast, rows: Rows, q: float, firm: float = FIRM) -> tuple[Recurring, ...]:
    """What the forecast misses year after year, if anything."""
    recurring = None if rows.days is None else Recurring.of(_missed(found, rows), rows.days, q, firm)
    return () if recurring is None else (recurring,)


def _with_recurring(ways: list[Forecast], rows: Rows, q: float) -> list[Forecast]:
    """The same two forecasts with what both of them together miss year after year."""
    seeing, blind = ways
    found = _recurring(_together(seeing, blind), rows, q)
    return [
        replace(way, recurring=way.recurring + found, past=sum((one.past for one in found), way.past)) for way in ways
    ]


def _dated(found: Forecast, rows: Rows) -> Floats | float:
    """What growth and days that recur add to each row."""
    return sum((one.past for one in found.recurring), rows.grown(found.growth))


def _missed(found: Forecast, rows: Rows) -> Floats:
    """What a forecast misses of each row, with spikes cut off."""
    return rows.inside(found.power, found.step) + rows.stepped(found.step) - found.past


def _stacked(found: Forecast, pasts: Floats, rows: Rows, used: list[int]) -> Forecast:
    """Combine the pieces with the shares at which they recur in demand: non-negative, and at most 1 in total.

    All forecasts, including the mean they depart from, leave out the row itself: useless pieces then gain nothing. The
    few rows that have made the most of shares and penalties have seen less than the days to come.
    """
    dated = _dated(found, rows)
    inside = rows.inside(found.power, found.step) - dated
    centre = rows.of_the_others(inside)
    apart, shares = pasts - centre[:, None], np.zeros(pasts.shape[1])
    shares[used] = _shares(apart[:, used], inside - centre) * rows.evidence**2 / (rows.evidence**2 + CAUTION)
    return replace(found, shares=shares, past=centre + apart @ shares + dated + rows.stepped(found.step))


def _shares(apart: Floats, z: Floats) -> Floats:
    """The shares at which pieces come nearest to z, among all that are non-negative and at most 1 in total.

    With zero as a further piece, shares u are exactly 1 in total, and errors are C u with a column of C for each piece.
    The smallest |C u| is found without that condition: the least of |C v|^2 + (t - 1)^2 over all v = t u is attained at
    t = 1 / (1 + |C u|^2), and rises with |C u|. The share of a single piece is known without a search.
    """
    if apart.shape[1] == 1 and (square := float(apart[:, 0] @ apart[:, 0])) > 0:
        return np.clip(apart.T @ z / square, 0.0, 1.0)
    size = float(np.linalg.norm(z)) or 1.0
    errors = (np.column_stack([apart, np.zeros(z.size)]) - z[:, None]) / size
    shares = nnls(np.vstack([errors, np.ones(errors.shape[1])]), np.append(np.zeros(z.size), 1.0))[0]
    found: Floats = shares[:-1] / shares.sum()
    return found


def _with_recent(found: Forecast, rows: Rows) -> Forecast:
    """The forecast with what it has missed lately."""
    recent = Recent.of(_missed(found, rows), rows.fading)
    return replace(found, recent=recent, past=found.past + recent.past)


def _with_widths(found: Forecast, rows: Rows) -> Forecast:
    """The forecast with errors that may be wider in some contexts than in others."""
    return replace(found, width=Widths.of(rows.directions, _missed(found, rows)))


def _cheapest(candidates: list[Forecast], rows: Rows, q: float) -> Forecast:
    """The cheapest by mean cost, unless its saving over the first, the simplest, may well be due to chance."""
    costs = np.array([_costs(one, rows.y, q) for one in candidates])
    best = int(costs.mean(axis=1).argmin())
    saving = means_of(costs[0] - costs[best], rows.runs)
    doubt = (DOUBT[0] + DOUBT[1] / rows.evidence) * saving.std() / np.sqrt(saving.size)
    clear = saving.mean() > doubt + ROUNDING * costs[0].mean()
    return candidates[best if clear else 0]


def _costs(found: Forecast, y: Floats, q: float) -> Floats:
    """Costs averaged over how far ahead orders may be placed: the recent past must not crowd out what lasts."""
    if found.recent is None:
        return costs_of(found.power, found.past, y, q, found.past_widths)
    pasts = found.past - found.recent.past + found.recent.pasts
    costs: Floats = costs_of(found.power, pasts, y, q, found.past_widths).mean(axis=0)
    return costs
