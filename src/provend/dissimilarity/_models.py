"""How far apart contexts are: small models that map past contexts and targets to dissimilarities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from provend._errors import InputError
from provend._validation import as_critical_ratio, as_dissimilarity
from provend.levels import Level, learn_forecast
from provend.newsvendor import Ratio
from provend.tables import Column, Contexts, Table, read_contexts

Floats = NDArray[np.float64]

PAIR_BY_PAIR = {"euclidean": "euclidean", "l2": "euclidean", "cosine": "cosine"}  # scikit-learn's names to scipy's


class Dissimilarity(ABC):
    """Maps past contexts and targets to a matrix of dissimilarities: one row per target, one column per past context.

    Models are added with ``+`` and scaled with ``*``. Called with two tables, a model returns values cut off at 1.
    """

    @abstractmethod
    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """Dissimilarities before they are cut off at 1."""

    def among(self, past: Contexts, rows: NDArray[np.intp]) -> Floats:
        """Dissimilarities among past contexts, with those in ``rows`` as the targets."""
        return self.between(past, past.take(rows))

    def scaled(self, factor: float) -> Dissimilarity:
        """The model with all its values multiplied by ``factor``."""
        return replace(self, scale=self.scale * factor)  # type: ignore[type-var, attr-defined]

    def __call__(self, past: Table, targets: Table, /) -> Floats:
        """Read two tables with the same columns and compare every target with every past context."""
        history = past if isinstance(past, Contexts) else read_contexts(past)
        to_come = targets if isinstance(targets, Contexts) else read_contexts(targets, like=history)
        found = self.between(history, to_come)
        return found if found.max(initial=0.0) <= 1.0 else np.minimum(found, 1.0)  # large tables take time to copy

    def __mul__(self, factor: float) -> Dissimilarity:
        return self.scaled(as_dissimilarity(factor, "factor"))

    __rmul__ = __mul__

    def __add__(self, other: Dissimilarity) -> Sum:
        return Sum((*parts(self), *parts(other)))


@dataclass(frozen=True)
class Sum(Dissimilarity):
    """The sum of models: a bound, by the triangle inequality, when several things differ at once."""

    models: tuple[Dissimilarity, ...]

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """The sum over the models."""
        if not self.models:
            return np.zeros((targets.size, past.size))
        return reduce(np.add, (model.between(past, targets) for model in self.models))

    def scaled(self, factor: float) -> Sum:
        """The sum with every model scaled."""
        return Sum(tuple(model.scaled(factor) for model in self.models))


def parts(model: Dissimilarity) -> tuple[Dissimilarity, ...]:
    return model.models if isinstance(model, Sum) else (model,)


@dataclass(frozen=True)
class Constant(Dissimilarity):
    """The same dissimilarity for every past context: what unobserved factors may do (the paper's partial contexts)."""

    value: float

    def __post_init__(self) -> None:
        as_dissimilarity(self.value, "value")

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """The constant."""
        return np.full((targets.size, past.size), float(self.value))

    def scaled(self, factor: float) -> Constant:
        """Another constant."""
        return Constant(self.value * factor)


@dataclass(frozen=True)
class Mismatch(Dissimilarity):
    """``scale`` where a column differs, 0 where it agrees; a category not seen before differs from all others."""

    column: str
    scale: float

    def __post_init__(self) -> None:
        as_dissimilarity(self.scale, "scale")

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """Scale times 1{different}."""
        ours, theirs = _codes(_named(targets, self.column), _named(past, self.column))
        apart: Floats = float(self.scale) * (ours[:, None] != theirs[None, :])
        return apart


@dataclass(frozen=True)
class Distance(Dissimilarity):
    """``scale`` times a distance between columns of numbers, each standardised over the history.

    Parameters
    ----------
    scale : float
        Dissimilarity per unit of distance.
    columns : tuple of str, optional
        The columns compared; by default, all numbers. Missing values are set to the mean; constant columns are ignored.
    metric : str or callable
        Any metric of :func:`sklearn.metrics.pairwise_distances`; the default adds up the differences of the columns.
    """

    scale: float
    columns: tuple[str, ...] | None = None
    metric: str | Callable[..., float] = "manhattan"

    def __post_init__(self) -> None:
        as_dissimilarity(self.scale, "scale")

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """Scale times the distance of the standardised columns."""
        names = self.columns or tuple(column.name for column in past.columns if column.kind == "number")
        if not names:
            raise InputError("Distance found no numbers in the contexts; name its columns, or use Mismatch")
        ours, theirs = (np.column_stack([_numbers(table, name) for name in names]) for table in (targets, past))
        centre, spread = np.nanmean(theirs, axis=0), np.nanstd(theirs, axis=0)
        spread = np.where(spread > 1e-12, spread, np.inf)
        scaled = [(np.where(np.isnan(x), centre, x) - centre) / spread for x in (ours, theirs)]
        return float(self.scale) * self._distances(*scaled)

    def _distances(self, ours: Floats, theirs: Floats) -> Floats:
        """Pair by pair: the rounding of scikit-learn's fast products depends on the other targets in a call."""
        if self.metric in PAIR_BY_PAIR:
            return np.asarray(cdist(ours, theirs, PAIR_BY_PAIR[self.metric]))
        return np.asarray(pairwise_distances(ours, theirs, metric=self.metric))


@dataclass(frozen=True)
class Drift(Dissimilarity):
    """``rate`` times the time between two contexts: the paper's drift.

    Parameters
    ----------
    rate : float
        Dissimilarity per unit of time; per day if the column holds dates.
    column : str, optional
        The column of times; by default, the first one.
    until, then : float, optional
        The time from which on the rate is another one, ``then``.
    """

    rate: float
    column: str | None = None
    until: float | None = None
    then: float = 0.0

    def __post_init__(self) -> None:
        as_dissimilarity(self.rate, "rate")
        as_dissimilarity(self.then, "then")
        if self.until is not None:
            as_dissimilarity(self.until, "until")

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """Rate times age; a target before the history is as far from it as one equally long after it."""
        ours, theirs = (self._times(table) for table in (targets, past))
        if self.until is None:
            return _differences(ours, theirs, float(self.rate))
        ages = _differences(ours, theirs, 1.0)
        return float(self.then) * ages + (float(self.rate) - float(self.then)) * np.minimum(ages, float(self.until))

    def scaled(self, factor: float) -> Drift:
        """Other rates."""
        return replace(self, rate=self.rate * factor, then=self.then * factor)

    def _times(self, table: Contexts) -> Floats:
        time = table.time if self.column is None else _named(table, self.column)
        if time is None:
            raise InputError("Drift found no time in the contexts; add a column of dates, or name the column")
        return _numbers(table, time.name)


@dataclass(frozen=True, eq=False)
class Custom(Dissimilarity):
    """Your own function, called as ``function(past, targets)`` with the tables as you gave them, one row per context.

    Dataframes stay dataframes of their kind, and arrays stay arrays, with fewer rows where not all are needed. The
    function returns a matrix with one row per target and one column per past context, finite and at least 0.
    """

    function: Callable[[Any, Any], Any]
    scale: float = 1.0

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """What the function returns, checked."""
        found = np.asarray(self.function(past.native.table, targets.native.table), dtype=np.float64)
        if found.shape != (targets.size, past.size):
            raise InputError(
                f"the function returned shape {found.shape}; one row per target and one column per past context, "
                f"{(targets.size, past.size)}, is needed"
            )
        if not (np.isfinite(found) & (found >= 0)).all():
            raise InputError("the function returned a dissimilarity that is negative or not finite")
        return float(self.scale) * found


@dataclass(frozen=True, eq=False)
class ForecastDistance(Dissimilarity):
    r"""``scale`` times the difference between two forecasts, in standard deviations of demand around the forecast.

    If demand were normal around the forecast with the same spread everywhere, the Kolmogorov distance would be at most
    :math:`1 / \sqrt{2 \pi} \approx 0.4` of this difference, and :math:`\varphi(z_q)` of it around the order. Everything
    is on the scale of the forecast, on which errors are alike: demand itself, or a root of it.

    Attributes
    ----------
    level : Level
        The forecast.
    learned_from : Contexts
        The past contexts it was learned from; ``levels`` are forecasts for them, each made without its own demand.
    """

    scale: float
    level: Level
    learned_from: Contexts
    levels: Floats

    @classmethod
    def learn(cls, X: Table, y: ArrayLike, /, *, scale: float, q: Ratio = 0.5) -> ForecastDistance:
        """Learn the forecast from past contexts and their demands, for orders at the critical ratio ``q``."""
        contexts = X if isinstance(X, Contexts) else read_contexts(X)
        forecast = learn_forecast(contexts, np.asarray(y, dtype=np.float64), float(as_critical_ratio(q)))
        return cls(scale, forecast, contexts, forecast.past)

    def __post_init__(self) -> None:
        as_dissimilarity(self.scale, "scale")

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """Scale times the difference; each past demand is forecast without itself."""
        return _differences(targets.once(self.level.at), self._of_past(past), self._per_unit)

    def among(self, past: Contexts, rows: NDArray[np.intp]) -> Floats:
        """The same among past contexts, with those in ``rows`` as the targets."""
        levels = self._of_past(past)
        return _differences(levels[rows], levels, self._per_unit)

    def _of_past(self, past: Contexts) -> Floats:
        return self.levels if past is self.learned_from else self.level.at(past)

    @property
    def _per_unit(self) -> float:
        return float(self.scale) / self.level.spread


def _differences(ours: Floats, theirs: Floats, scale: float) -> Floats:
    """Scale times how far any two numbers are apart, in place: with many rows, memory takes longer than arithmetic."""
    apart: Floats = ours[:, None] - theirs[None, :]
    np.abs(apart, out=apart)
    apart *= scale
    return apart


def _named(table: Contexts, name: str) -> Column:
    for column in table.columns:
        if column.name == name:
            return column
    known = ", ".join(column.name for column in table.columns)
    raise InputError(f"column {name!r} is not among the contexts; there are {known}")


def _codes(ours: Column, theirs: Column) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    """Numbers that differ where the values do; columns of numbers are compared as they are."""
    if theirs.kind != "category":
        return ours.values, theirs.values
    known = {text: code for code, text in enumerate(dict.fromkeys([*theirs.values, *ours.values]))}
    return tuple(np.array([known[text] for text in column.values], np.int64) for column in (ours, theirs))  # type: ignore[return-value]


def _numbers(table: Contexts, name: str) -> Floats:
    column = _named(table, name)
    if column.kind == "category":
        raise InputError(f"column {name!r} holds categories; compare them with Mismatch({name!r}, scale)")
    numbers: Floats = column.values.astype(np.float64)
    return numbers
