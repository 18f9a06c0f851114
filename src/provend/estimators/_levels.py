"""Which level past demand is brought from and to: learned here, or given by the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from provend._errors import InputError
from provend.levels import Level, Power, best_power
from provend.tables import Contexts, Table

Floats = NDArray[np.float64]

FOLDS = 5


class Regressor(Protocol):
    """What scikit-learn calls one."""

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
    """The forecasts of a regressor of the user's, fitted."""

    regressor: Regressor
    power: Power
    spread: float

    def at(self, contexts: Contexts) -> Floats:
        """Its predictions, on the power scale."""
        return self.power.of(forecasts(self.regressor, contexts))


def column_of(contexts: Contexts, name: str) -> Floats:
    """The numbers of a column of forecasts."""
    found = next((column for column in contexts.columns if column.name == name), None)
    if found is None:
        known = ", ".join(column.name for column in contexts.columns)
        raise InputError(
            f"level = {name!r} is not a column of X; there are {known}. Or give 'auto', None or a regressor"
        )
    values = np.asarray(found.values, dtype=np.float64) if found.kind == "number" else np.full(1, np.nan)
    if not np.isfinite(values).all():
        raise InputError(f"level = {name!r}: every row needs a forecast, a finite number; complete the column")
    return values


def forecasts(regressor: Regressor, contexts: Contexts) -> Floats:
    """Predictions, checked."""
    found = np.asarray(regressor.predict(contexts.native.table), dtype=np.float64).reshape(-1)
    if found.shape != (contexts.size,) or not np.isfinite(found).all():
        raise InputError("level: predict must return one finite number per row; mend the regressor")
    return found


def of_column(name: str, contexts: Contexts, y: Floats, q: float) -> tuple[Level, Floats]:
    """The level in a column, and that of the past rows."""
    given = column_of(contexts, name)
    power, spread = best_power(given, y, q)
    return OfColumn(name, power, spread), power.of(given)


def fitted(regressor: Regressor, contexts: Contexts, y: Floats, q: float) -> OfRegressor:
    """A copy fitted to these rows."""
    trained = clone(regressor)
    trained.fit(contexts.native.table, y)
    power, spread = best_power(forecasts(trained, contexts), y, q)
    return OfRegressor(trained, power, spread)


def cross_fitted(regressor: Regressor, contexts: Contexts, y: Floats, q: float) -> tuple[Level, Floats]:
    """Fitted to all rows for targets; past rows are forecast from the other folds, which are runs of rows."""
    if y.size < FOLDS:
        raise InputError(
            f"level: {y.size} rows are too few to fit a regressor to; give at least {FOLDS}, or level=None"
        )
    past = np.empty(y.size)
    for others, fold in KFold(FOLDS).split(past):
        trained = clone(regressor)
        trained.fit(contexts.take(others).native.table, y[others])
        past[fold] = forecasts(trained, contexts.take(fold))
    power, spread = best_power(past, y, q)
    whole = clone(regressor)
    whole.fit(contexts.native.table, y)
    return OfRegressor(whole, power, spread), power.of(past)


def as_regressor(level: object) -> Regressor:
    """What the user gave as a level, if it is one."""
    if not (hasattr(level, "fit") and hasattr(level, "predict")):
        raise TypeError(
            f"level = {level!r} is none; give 'auto', None, the name of a column of forecasts or a regressor"
        )
    return cast(Regressor, level)
