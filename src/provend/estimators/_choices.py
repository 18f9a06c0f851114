"""What is assumed, estimated or calibrated when the user leaves it open, and what a guarantee then means."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from provend._errors import InputError
from provend.certificate import rounded_up
from provend.dissimilarity import (
    Calibration,
    Constant,
    Custom,
    Dissimilarity,
    Drift,
    ForecastDistance,
    ScaleEstimate,
    Sum,
    calibrate_dissimilarity,
    certified_limits,
    estimate_scales,
    parts,
)
from provend.estimators._past import Past, by_age
from provend.newsvendor import Newsvendor
from provend.tables import Contexts

Floats = NDArray[np.float64]

SHARE = 0.3  # of the distance of two normal distributions: most of a difference between forecasts is their error
DRIFT = 1.25e-4  # per step, times the density: 5e-5 at the median
MEANING = {
    "given": (
        "Dissimilarities as given: guarantees hold if no Kolmogorov distance is larger, and if they were chosen "
        "without looking at the demands that are weighed."
    ),
    "calibrated": (
        "Dissimilarities learned and calibrated on the very demands that are weighed: the values that worked, not "
        "bounds. Guarantees hold if no Kolmogorov distance is larger and learning from these demands did no harm; "
        "'split' and 'certified' learn from others."
    ),
    "learned": (
        "Dissimilarities learned from the very demands that are weighed, too few to calibrate on: not bounds. "
        "Guarantees hold if no Kolmogorov distance is larger and learning from these demands did no harm; 'split' and "
        "'certified' learn from others."
    ),
    "cautious": (
        "Dissimilarities at upper confidence limits of their scales, from distances between groups of the very demands "
        "that are weighed: guarantees hold where these are large enough and learning from these demands did no harm."
    ),
    "too few": (
        "Too few rows to estimate scales: dissimilarities are what normal demand would show, from a forecast learned "
        "from the very demands that are weighed. Guarantees hold if no Kolmogorov distance is larger."
    ),
    "alike": (
        "Too few rows to learn dissimilarities: all contexts count as alike, but for a slow drift where there is a "
        "time. Guarantees hold if they are."
    ),
    "split": (
        "Dissimilarities learned from {learned:,} {rows} that are not weighed: the values that worked there, not "
        "bounds. Guarantees hold if no Kolmogorov distance is larger."
    ),
    "certified": (
        "Dissimilarities certified: limits of the Kolmogorov distances between groups ({groups}), from {learned:,} "
        "{rows} that are not weighed, which hold together with probability {confidence:g}; the price of the other case "
        "is included. Guarantees hold if demands are independent and those of one group have one distribution{ignored}."
    ),
}
LEARNED = ("auto", "cautious", "split", "certified")


@dataclass(frozen=True, eq=False)
class Chosen:
    """A model of dissimilarity, where it comes from, and what that means.

    ``weighed`` are the rows that may be weighed, ``None`` for all of them; ``price`` is what the chance of a wrong
    model adds to the regret, in units of (cu + co) times the width of the support.
    """

    model: Dissimilarity
    basis: str
    calibration: Calibration | None = None
    estimate: ScaleEstimate | None = None
    weighed: NDArray[np.intp] | None = None
    price: float = 0.0


def chosen_dissimilarity(given: object, history: Past, q: Fraction) -> Chosen:
    """The model for what the user asked for."""
    if isinstance(given, str):
        return {"auto": _auto, "cautious": _cautious, "split": _split, "certified": _certified}[given](history, q)
    if isinstance(given, Dissimilarity):
        return Chosen(given, MEANING["given"])
    if callable(given):
        return Chosen(Custom(given), MEANING["given"])
    if isinstance(given, int | float | np.number):
        return Chosen(Constant(float(given)), MEANING["given"])
    raise TypeError(
        f"dissimilarity = {given!r} is not one; give {', '.join(LEARNED)}, a number, a model or a "
        "function(past, targets)"
    )


def _auto(history: Past, q: Fraction) -> Chosen:
    start = starting_model(history, q)
    calibration = calibrate_dissimilarity(start, history.contexts, history.y, q=q)
    learned = "calibrated" if calibration.attempted else "learned"
    return Chosen(calibration.model, MEANING[learned if _learned(start) else "alike"], calibration=calibration)


def _cautious(history: Past, q: Fraction) -> Chosen:
    start = starting_model(history, q)
    try:
        estimate = estimate_scales(start, history.contexts, history.y)
    except InputError:  # no two groups of five rows
        return Chosen(start.scaled(1 / SHARE), MEANING["too few" if _learned(start) else "alike"])
    floors = zip(parts(start), estimate.upper, strict=True)  # never below where "auto" starts
    cautious = Sum(tuple(part.scaled(max(1.0, upper)) for part, upper in floors))
    return Chosen(cautious, MEANING["cautious"], estimate=estimate)


def _split(history: Past, q: Fraction) -> Chosen:
    """Learn as "auto" does, from the older half of the rows; weigh the more recent one."""
    older, recent, rows = _halves(history)
    learned = _auto(history.take(older), q)
    basis = MEANING["split" if _learned(learned.model) else "alike"].format(learned=older.size, rows=rows)
    return Chosen(learned.model, basis, calibration=learned.calibration, weighed=recent)


def _certified(history: Past, q: Fraction) -> Chosen:
    """Limits from the older half of the rows; weigh the more recent one."""
    older, recent, rows = _halves(history)
    learned = history.take(older)
    model = certified_limits(learned.contexts, learned.y)
    grouping = model.grouping
    ignored = f", whatever {' and '.join(grouping.ignored)} may be" if grouping.ignored else ""
    basis = MEANING["certified"].format(
        groups=", ".join(grouping.columns) or "one",
        learned=older.size,
        rows=rows,
        confidence=1 - model.alpha,
        ignored=ignored,
    )
    return Chosen(model, basis, weighed=recent, price=rounded_up(model.alpha * float(max(q, 1 - q))))


def _halves(history: Past) -> tuple[NDArray[np.intp], NDArray[np.intp], str]:
    if history.y.size < 2:
        raise InputError("one row cannot be split into rows to learn from and rows to weigh; give more history")
    return *by_age(history.contexts), "other rows" if history.contexts.time is None else "older rows"


def _learned(model: Dissimilarity) -> bool:
    return any(isinstance(part, ForecastDistance) and part.learned for part in parts(model))


def starting_model(history: Past, q: Fraction) -> Dissimilarity:
    r"""A share of what normal demand would show, plus a slow drift.

    Two normal distributions whose means are x standard deviations apart differ by about :math:`x \varphi(z_q)` where
    the order is; both parts carry that density.
    """
    density = float(norm.pdf(norm.ppf(float(q))))
    contexts = history.contexts
    model: Dissimilarity = ForecastDistance.learn(contexts, history.y, scale=SHARE * density)
    if (step := _step(contexts)) is not None:
        model = model + Drift(DRIFT * density / step)
    return model


def _step(contexts: Contexts) -> float | None:
    """The usual time between two observations; ``None`` where there is no time, or no time passes."""
    if contexts.time is None:
        return None
    gaps = np.diff(np.unique(contexts.time.values))
    return float(np.median(gaps)) if gaps.size else None


def chosen_support(given: tuple[float, float] | None, y: Floats) -> tuple[tuple[float, float], str]:
    """The support, and what it rests on."""
    if given is None:
        text = (
            f"Support [{y.min():g}, {y.max():g}] is the range of the history: guarantees hold if demand stays in it, "
            "and if that was known without looking at these demands."
        )
        return (float(y.min()), float(y.max())), text
    low, high = Newsvendor(1, 1, given).support
    outside = y[(y < low) | (y > high)]
    if outside.size:
        raise InputError(f"y holds {outside[0]:g}, outside the support [{low:g}, {high:g}]; widen it or correct y")
    return (low, high), f"Support [{low:g}, {high:g}] as given."
