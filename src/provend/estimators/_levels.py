"""Levels given by the user, which past demand is brought from and to: a column of forecasts, or a regressor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold

from provend._errors import InputError
from provend.levels import Level, Power, best_power
from provend.tables import Contexts, Table

Floats = NDArray[np.float64]

FOLDS = 5
TOLD = 120  # characters of a regressor's complaint that are passed on


class Regressor(Protocol):
    """A regressor in the sense of scikit-learn."""

    def fit(self, X: Table, y: Floats) -> object:
        """Learn from contexts and demands."""

    def predict(self, X: Table) -> Floats:
        """The forecast of demand in each context."""


@dataclass(frozen=True, eq=False)
class OfColumn(Level):
    """A column of forecasts made elsewhere."""

    name: str
    power: Power
    spread: float

    def at(self, contexts: Contexts) -> Floats:
        """The column, on the power scale."""
        return self.power.of(column_of(contexts, self.name))


@dataclass(frozen=True, eq=False)
class OfRegressor(Level):
    """The forecasts of a fitted regressor given by the user."""

    regressor: Regressor
    power: Power
    spread: float

    def at(self, contexts: Contexts) -> Floats:
        """Its predictions, on the power scale."""
        return self.power.of(forecasts(self.regressor, contexts))


def with_level(contexts: Contexts, level: object, said: Mapping[str, str] | None) -> Contexts:
    """The contexts with the column of forecasts read as numbers, even if they only ever rise, as times do."""
    mistaken = {column.name for column in contexts.columns if column.kind == "time" and not column.calendar}
    if not isinstance(level, str) or level not in mistaken - set(said or {}):
        return contexts
    columns = (replace(column, kind="number") if column.name == level else column for column in contexts.columns)
    return replace(contexts, columns=tuple(columns))


def column_of(contexts: Contexts, name: str) -> Floats:
    """The numbers of a column of forecasts."""
    found = next((column for column in contexts.columns if column.name == name), None)
    if found is None:
        known = ", ".join(column.name for column in contexts.columns)
        raise InputError(
            f"level = {name!r} is not a column of X; there are {known}. Or give 'auto', None or a regressor"
        )
    if found.kind != "number":
        raise InputError(f"level = {name!r} is taken for a {found.kind}; forecasts are numbers")
    values = np.asarray(found.values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"level = {name!r}: every row needs a forecast, a finite number; complete the column")
    return values


def forecasts(regressor: Regressor, contexts: Contexts) -> Floats:
    """The predictions, checked."""
    with _named(regressor, "predict"):
        found = np.asarray(regressor.predict(contexts.native.table), dtype=np.float64).reshape(-1)
    if found.shape != (contexts.size,) or not np.isfinite(found).all():
        raise InputError("level: predict must return one finite number per row; mend the regressor")
    return found


def of_column(name: str, contexts: Contexts, y: Floats, q: float) -> tuple[Level, Floats]:
    """The level in a column, on the scale that would have served best, and the levels of the past rows."""
    given = column_of(contexts, name)
    power, spread = best_power(given, y, q)
    return OfColumn(name, power, spread), power.of(given)


def plain_column(name: str, contexts: Contexts) -> tuple[Level, Floats]:
    """The same on the scale of demand itself: a map that does not depend on any demand."""
    return OfColumn(name, Power(), 1.0), column_of(contexts, name)


def cross_fitted(regressor: Regressor, contexts: Contexts, y: Floats, q: float) -> tuple[Level, Floats]:
    """Fit to all rows for the targets, and forecast each past row from the other folds, which are runs of rows."""
    if y.size < 2:
        raise InputError("level: one row is too few to fit a regressor to; give more history, or level=None")
    past = np.empty(y.size)
    for others, fold in KFold(min(FOLDS, y.size)).split(past):
        trained = _fitted(regressor, contexts.take(others), y[others])
        past[fold] = forecasts(trained, contexts.take(fold))
    power, spread = best_power(past, y, q)
    return OfRegressor(_fitted(regressor, contexts, y), power, spread), power.of(past)


def _fitted(regressor: Regressor, contexts: Contexts, y: Floats) -> Regressor:
    with _named(regressor, "fit"):
        found: Regressor = clone(regressor)
        found.fit(contexts.native.table, y)
    return found


@contextmanager
def _named(regressor: Regressor, method: str) -> Iterator[None]:
    """Errors that say that it is the user's regressor which cannot use a table."""
    try:
        yield
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(
            f"level: {type(regressor).__name__} failed in {method}: {told[:TOLD]}; give one that can read these "
            "columns, such as a pipeline that encodes text and dates first, or level='auto'"
        ) from error


def as_regressor(level: object) -> Regressor:
    """The level that the user gave, checked to be a regressor."""
    if isinstance(level, type):
        raise TypeError(f"level = {level.__name__} is a class; give an instance: {level.__name__}()")
    if not (hasattr(level, "fit") and hasattr(level, "predict")):
        what = f"{type(level).__name__} of {len(level)} values" if isinstance(level, Sized) else f"{level!r:.80}"
        raise TypeError(
            f"level = {what} is not a level; give 'auto', None, the name of a column of forecasts or a regressor"
        )
    if is_classifier(level):
        raise InputError(f"level = {level!r:.80} is a classifier, whose forecasts are classes; give a regressor")
    return cast(Regressor, level)
