"""What is assumed, estimated or calibrated when the user leaves it open, and what a guarantee then means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from provend._errors import InputError
from provend._kernels.arithmetic.sorting import median
from provend.certificate import rounded_up
from provend.dissimilarity import (
    Ageing,
    Constant,
    Custom,
    Dissimilarity,
    Drift,
    ForecastDistance,
    ScaleEstimate,
    Sum,
    certified_limits,
    comparable,
    estimate_scales,
    learned_drift,
    parts,
)
from provend.estimators._basis import BROUGHT, MEANING, SUPPORTED
from provend.estimators._levels import as_regressor, cross_fitted, of_column, plain_column
from provend.estimators._library import DEAREST
from provend.estimators._past import Past, by_age
from provend.levels import AsTheyAre, Brought, Demands, Forecast, Level, leaning, learn_forecast, learn_roughly
from provend.tables import Contexts

Floats = NDArray[np.float64]

# Shares of the distance between two normal laws: a difference between forecasts is mostly error, all the more where
# demand has already been brought to the target and only the law of the errors can still differ.
SHARES = {"moved": 0.02, "as they are": 0.3, "few": 0.1}  # few: rows that could not judge the forecast
SHARP = 0.25  # of how far levels differ: errors that are narrower say that the forecast is good, not that laws differ
MOST_CAUTIOUS = 10.0  # times the starting scale; an estimate beyond that says that contexts have nothing in common
FEWEST_MOVED = 12  # rows needed to bring demand to the target: the errors of fewer say little about large errors
MOST_WEIGHED = 3000  # rows weighed where dissimilarities are learned: more would hardly lower any guarantee
DRIFT = 1.5e-4  # per step, times the density, unless another one would have paid: 6e-5 at the median
APART = {ForecastDistance: "the difference of forecasts learned from these demands", Drift: "a drift over time"}
LEARNED = ("auto", "cautious", "split", "certified")


@dataclass(frozen=True, eq=False)
class Chosen:
    """A model of dissimilarity, the demands it refers to, and what a guarantee therefore rests on.

    ``weighed`` holds the rows that are weighed; ``price`` is what the chance of a wrong model adds to the regret, in
    units of (cu + co) times the width of the support. No order goes beyond the past demands that count where that costs
    at most ``dearest`` times the optimal guarantee.
    """

    model: Dissimilarity
    demands: Demands
    weighed: Past
    basis: str
    estimate: ScaleEstimate | None = None
    price: float = 0.0
    dearest: float = 1.0


def chosen_dissimilarity(given: object, level: object, history: Past, q: Fraction) -> Chosen:
    """The model that the user asked for."""
    if isinstance(given, str):
        ways = {"auto": _auto, "cautious": _cautious, "split": _split, "certified": _certified}
        return ways[given](history, level, q)
    if isinstance(given, Dissimilarity):
        return _given(given, history, level, q)
    if callable(given):
        return _given(Custom(given), history, level, q)
    if isinstance(given, int | float | np.number) and not isinstance(given, bool):
        return _given(Constant(float(given)), history, level, q)
    raise TypeError(
        f"dissimilarity = {given!r} is not a dissimilarity; give {', '.join(LEARNED)}, a number, a model or a "
        "function(past, targets)"
    )


def _given(model: Dissimilarity, history: Past, level: object, q: Fraction) -> Chosen:
    """A given model refers to demand as it is, unless the user gives a level; that is learned from the older half."""
    if level is None or _is_auto(level):
        return Chosen(model, AsTheyAre(history.y), history, MEANING["given"])
    if isinstance(level, str):
        known, levels = plain_column(level, history.contexts)
        text = BROUGHT["difference"].format(name=level)
        return Chosen(model, Brought(history.y, known, levels), history, f"{MEANING['given']} {text}")
    learned, weighed, _ = _halves(history)
    found = _elsewhere(level, learned, weighed, q)
    return Chosen(model, found.demands, weighed, f"{MEANING['given']} {found.text}")


def _auto(history: Past, level: object, q: Fraction) -> Chosen:
    found, weighed = _weighed(_leaning(_here(level, history, q), history, q), history)
    model, basis = _starting_model(found, weighed.contexts, q), _basis("learned", found)
    return Chosen(model, found.demands, weighed, basis, dearest=DEAREST)


def _leaning(found: _Found, history: Past, q: Fraction) -> _Found:
    """Demands brought to a level of targets that leans towards their quantiles, if it is a forecast of ours."""
    demands, forecast = found.demands, found.level
    if not isinstance(demands, Brought) or not isinstance(forecast, Forecast):
        return found
    leans = leaning(forecast, history.contexts, history.y, float(q))
    if leans is forecast:
        return found
    return found._replace(demands=replace(demands, level=leans), text=f"{found.text} {BROUGHT['leaning']}")


def _weighed(found: _Found, history: Past) -> tuple[_Found, Past]:
    """The rows that are weighed: if there are very many, only the latest."""
    rows = history.contexts.latest(MOST_WEIGHED)
    if rows.size == history.y.size:
        return found, history
    levels = None if found.levels is None else found.levels[rows]
    some = found._replace(demands=found.demands.take(rows), left=found.left[rows], levels=levels)
    return some, history.take(rows)


def _basis(meaning: str, found: _Found) -> str:
    return f"{MEANING[meaning if found.tells_apart else 'alike']} {found.text}".strip()


def _cautious(history: Past, level: object, q: Fraction) -> Chosen:
    found, history = _weighed(_leaning(_here(level, history, q), history, q), history)
    start, estimate = _starting_model(found, history.contexts, q), None
    upper = [MOST_CAUTIOUS] * len(parts(start))
    if isinstance(start, Constant):  # neither a forecast nor a time
        basis = MEANING["alike"]
    elif comparable(history.contexts):
        estimate = estimate_scales(start, history.contexts, found.left)
        basis, upper = MEANING["cautious"], list(estimate.upper)
    else:
        apart = " and ".join(APART[type(part)] for part in parts(start))
        basis = MEANING["too few"].format(apart=apart)
    limits = zip(parts(start), upper, strict=True)  # never below where "auto" starts
    model = Sum(tuple(part.scaled(min(max(1.0, limit), MOST_CAUTIOUS)) for part, limit in limits))
    basis = " ".join(filter(None, (basis, found.text, SUPPORTED)))
    return Chosen(model, found.demands, history, basis, estimate=estimate, dearest=np.inf)


def _split(history: Past, level: object, q: Fraction) -> Chosen:
    """Learn as "auto" does, but from the older half of the rows; weigh the more recent half."""
    learned, weighed, rows = _halves(history)
    found = _elsewhere(level, learned, weighed, q)
    meaning = MEANING["split" if found.tells_apart else "alike"].format(learned=learned.y.size, rows=rows)
    basis = f"{meaning} {found.text}".strip()
    return Chosen(_starting_model(found, learned.contexts, q), found.demands, weighed, basis)


def _certified(history: Past, level: object, q: Fraction) -> Chosen:
    """Learn limits from the older half of the rows; weigh the more recent half.

    The level, and whether there is one, is learned from still older rows, so that, given the level, the limits are
    those of independent samples.
    """
    learned, weighed, rows = _halves(history)
    found = _as_they_are(weighed.y)
    if level is not None and learned.y.size >= 2:
        oldest, learned = (learned.take(half) for half in by_age(learned.contexts))
        moved = _elsewhere(level, oldest, weighed, q)
        found = moved if isinstance(moved.demands, Brought) else found
    model = certified_limits(learned.contexts, _left(found, learned))
    grouping = model.grouping
    basis = MEANING["certified"].format(
        groups=", ".join(grouping.columns) or "one",
        learned=learned.y.size,
        rows=rows,
        confidence=1 - model.alpha,
        moved="" if found.level is None else ", brought to one level,",
        ignored=f", whatever {' and '.join(grouping.ignored)} may be" if grouping.ignored else "",
    )
    price = rounded_up(model.alpha * float(max(q, 1 - q)))
    return Chosen(model, found.demands, weighed, f"{basis} {found.text}".strip(), price=price)


def _left(found: _Found, learned: Past) -> Floats:
    """What is left of demands that the level has not seen, once it is taken away."""
    if found.level is None:
        return learned.y
    contexts = learned.contexts
    return Brought(learned.y, found.level, found.level.at(contexts), found.level.widths(contexts)).errors


def _halves(history: Past) -> tuple[Past, Past, str]:
    """The rows to learn from, the rows to weigh, and what to call the former."""
    if history.y.size < 2:
        raise InputError("one row cannot be split into rows to learn from and rows to weigh; give more history")
    older, recent = by_age(history.contexts)
    rows = "other rows" if history.contexts.time is None else "older rows"
    return history.take(older), history.take(recent), rows


def _is_auto(level: object) -> bool:
    return isinstance(level, str) and level == "auto"


class _Found(NamedTuple):
    """The demands as they are weighed, and a text on how they are brought to the target.

    Of the rows learned from, ``left`` is what the level, if there is one, leaves of demand, and ``levels`` are theirs.
    Contexts are compared by ``level``; that of the demands may lean.
    """

    demands: Demands
    left: Floats
    text: str = ""
    level: Level | None = None
    levels: Floats | None = None

    @property
    def tells_apart(self) -> bool:
        return self.level is not None


def _here(level: object, history: Past, q: Fraction) -> _Found:
    """Learn the level from the rows that are weighed; each past row is forecast without its own demand."""
    contexts, y, ratio = history.contexts, history.y, float(q)
    if level is None or _is_auto(level):
        few = y.size < FEWEST_MOVED
        forecast = learn_roughly(contexts, y) if few else learn_forecast(contexts, y, ratio)
        if not forecast.learned:
            return _as_they_are(y)
        if level is None or few:
            return _as_they_are(y)._replace(level=forecast, levels=forecast.past)
        text = BROUGHT["here"].format(pieces=forecast.described)
        return _brought(Brought(y, forecast, forecast.past, forecast.past_widths), text)
    if isinstance(level, str):
        return _brought(Brought(y, *of_column(level, contexts, y, ratio)), BROUGHT["column"].format(name=level))
    text = BROUGHT["here"].format(pieces=type(level).__name__)
    return _brought(Brought(y, *cross_fitted(as_regressor(level), contexts, y, ratio)), text)


def _as_they_are(y: Floats) -> _Found:
    return _Found(AsTheyAre(y), y)


def _brought(demands: Brought, text: str) -> _Found:
    return _Found(demands, demands.errors, text, demands.level, demands.levels)


def _elsewhere(level: object, learned: Past, weighed: Past, q: Fraction) -> _Found:
    """Learn the level from rows other than those weighed."""
    found, contexts = _here(level, learned, q), weighed.contexts
    if found.level is None or not isinstance(found.demands, Brought):
        return found._replace(demands=AsTheyAre(weighed.y))
    demands = Brought(weighed.y, found.level, found.level.at(contexts), found.level.widths(contexts))
    if isinstance(level, str) and not _is_auto(level):
        return found._replace(demands=demands)
    pieces = found.level.described if isinstance(found.level, Forecast) else type(level).__name__
    return found._replace(demands=demands, text=BROUGHT["older"].format(pieces=pieces, learned=learned.y.size))


def _starting_model(found: _Found, contexts: Contexts, q: Fraction) -> Dissimilarity:
    r"""A share of the distance that normal demand would show, plus a drift as fast as the rows learned from suggest.

    Near the order, two normal distributions whose means are x standard deviations apart differ by about
    :math:`x \varphi(z_q)`; both parts carry that density.
    """
    density = float(np.exp(-np.square(ndtri(float(q))) / 2) / np.sqrt(2 * np.pi))
    step, models = _step(contexts), list[Dissimilarity]()
    if found.level is not None and found.levels is not None:
        scale = _share(found, found.level, found.levels) * density
        models.append(ForecastDistance(scale, found.level, contexts, found.levels))
    if contexts.time is not None and step is not None:
        models.append(_drift(learned_drift(found.left, contexts.time.values, float(q), DRIFT * density), density, step))
    return Sum(tuple(models)) if models else Constant(0.0)


def _drift(found: Ageing, density: float, step: float) -> Drift:
    """A drift that is faster than usual was seen over its reach: further ahead, it is the usual one."""
    usual = DRIFT * density
    if found.drift <= usual:
        return Drift(found.drift / step)
    return Drift(found.drift / step, until=found.reach * step, then=usual / step)


def _share(found: _Found, level: Level, levels: Floats) -> float:
    """The share of a distance in units of errors that counts.

    What a forecast gets wrong between two contexts grows with its errors, as both come from the same rows. Where errors
    are narrow it would count for too much in units of them.
    """
    if isinstance(found.demands, Brought):
        differ = float(np.sort(levels).std())  # sums must not depend on the order of the rows
        return SHARES["moved"] * min(1.0, level.spread / max(SHARP * differ, 1e-300))
    return SHARES["few" if levels.size < FEWEST_MOVED else "as they are"]


def _step(contexts: Contexts) -> float | None:
    """The median time between observations; ``None`` if there is no time column, or only a single time."""
    if contexts.time is None:
        return None
    gaps = np.diff(np.unique(contexts.time.values))
    return median(gaps) if gaps.size else None
