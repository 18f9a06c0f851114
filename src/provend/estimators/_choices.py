"""What is assumed, estimated or calibrated when the user leaves it open, and what a guarantee then means."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from provend._errors import InputError
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
    estimate_scales,
)
from provend.dissimilarity._contexts import Contexts
from provend.dissimilarity._models import parts
from provend.estimators._history import History
from provend.newsvendor import Newsvendor

Floats = NDArray[np.float64]

SHARE = 0.3  # of the distance of two normal distributions: most of a difference between forecasts is their error
DRIFT = 1.25e-4  # per step, times the density: 5e-5 at the median
MEANING = {
    "given": "Dissimilarities as given: guarantees hold if no Kolmogorov distance is larger.",
    "calibrated": (
        "Dissimilarities calibrated on the history: the values that worked, not bounds. Guarantees hold if no "
        "Kolmogorov distance happens to be larger."
    ),
    "cautious": (
        "Dissimilarities at upper confidence limits of their scales, from distances between groups of past demands: "
        "guarantees hold where these are large enough."
    ),
    "too few": "Too few rows to learn dissimilarities: all contexts count as alike, and guarantees hold if they are.",
}


@dataclass(frozen=True, eq=False)
class Chosen:
    """A model of dissimilarity, where it comes from, and what that means."""

    model: Dissimilarity
    basis: str
    calibration: Calibration | None = None
    estimate: ScaleEstimate | None = None


def chosen_dissimilarity(given: Any, history: History, q: Fraction) -> Chosen:
    """The model for what the user asked for."""
    if isinstance(given, str):
        return _learned(given, history, q)
    if isinstance(given, Dissimilarity):
        return Chosen(given, MEANING["given"])
    if callable(given):
        return Chosen(Custom(given), MEANING["given"])
    if isinstance(given, int | float | np.number):
        return Chosen(Constant(float(given)), MEANING["given"])
    raise TypeError(
        f"dissimilarity = {given!r} is not one; give 'auto', 'cautious', a number, a model or a function(past, targets)"
    )


def _learned(given: str, history: History, q: Fraction) -> Chosen:
    if given not in ("auto", "cautious"):
        raise InputError(f"dissimilarity = {given!r} is not known; give 'auto', 'cautious' or a model")
    start = starting_model(history, q)
    if given == "auto":
        calibration = calibrate_dissimilarity(start, history.contexts, history.y, q=q)
        return Chosen(calibration.model, MEANING["calibrated"], calibration=calibration)
    try:
        estimate = estimate_scales(start, history.contexts, history.y)
    except ValueError:  # no two groups of five rows
        return Chosen(start.scaled(1 / SHARE), MEANING["too few"])
    floors = zip(parts(start), estimate.upper, strict=True)  # never below where "auto" starts
    cautious = Sum(tuple(part.scaled(max(1.0, upper)) for part, upper in floors))
    return Chosen(cautious, MEANING["cautious"], estimate=estimate)


def starting_model(history: History, q: Fraction) -> Dissimilarity:
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


def chosen_support(given: Any, y: Floats) -> tuple[tuple[float, float], str]:
    """The support, and what it rests on."""
    if given is None:
        text = f"Support [{y.min():g}, {y.max():g}] is the range of the history: guarantees hold if demand stays in it."
        return (float(y.min()), float(y.max())), text
    low, high = Newsvendor(1, 1, given).support
    outside = y[(y < low) | (y > high)]
    if outside.size:
        raise InputError(f"y holds {outside[0]:g}, outside the support [{low:g}, {high:g}]; widen it or correct y")
    return (low, high), f"Support [{low:g}, {high:g}] as given."
