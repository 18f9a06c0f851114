"""The history that an estimator decides from: rows as they were given, each of them one observation.

Nothing here, and nothing that later sorts or splits rows, looks at the demands that are then weighed. Nor does what
weighs them, unless dissimilarities are learned from them ("auto", "cautious"): the guarantee needs weights that are
fixed beforehand.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from provend._errors import InputError
from provend.estimators._demands import as_demands
from provend.estimators._levels import with_level
from provend.tables import Contexts, Table, as_frame, codes_of, is_lazy, names_of, read_contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SORTED = 20  # distinct demands from which a sorted column is no accident
ACCIDENT = 0.01  # chance below which rows that agree in everything were pasted rather than sold alike


class RowOrderWarning(UserWarning):
    """The rows are sorted by demand, so their order, which should not depend on the demands, does."""


class RepeatedRowsWarning(UserWarning):
    """Rows occur again, time and demand included, so each counts as several observations."""


@dataclass(frozen=True, eq=False)
class Past:
    """Past contexts and demands; ``rows`` are their positions in the given table, which has ``given`` rows.

    ``importance`` says how much each row counts relative to the others; ``None`` means that all count equally.
    """

    contexts: Contexts
    y: Floats
    rows: Rows
    given: int
    importance: Floats | None = None

    def take(self, rows: Rows) -> Past:
        """Some of the rows."""
        importance = None if self.importance is None else self.importance[rows]
        return replace(
            self, contexts=self.contexts.take(rows), y=self.y[rows], rows=self.rows[rows], importance=importance
        )


def read_table(estimator: BaseEstimator, X: Table, like: Contexts | None = None) -> Contexts:
    """Contexts from any table, checked against those seen in ``fit`` if ``like`` is given."""
    if (frame := as_frame(X)) is not None:
        if not _names_are_known(estimator, names_of(frame), first=like is None):
            validate_data(estimator, X, reset=like is None, skip_check_array=True)
        if len(X) == 0:
            raise InputError("X has 0 rows; give at least one context")
        return read_contexts(frame, like=like, kinds=estimator.columns)
    _refuse_others(X)
    array = validate_data(estimator, X, dtype=None, ensure_all_finite=False, reset=like is None)
    return read_contexts(array, like=like, kinds=estimator.columns)


def _refuse_others(X: Table) -> None:
    """Refuse in a line what is no table; scikit-learn would show all of it."""
    what, wanted = type(X).__name__, "give a dataframe, or an array with one row per context"
    if is_lazy(X):
        raise InputError(f"X is a {what}; collect it first")
    if isinstance(X, list | tuple):
        apart = 1 + np.ndim(X[0]) if X else 1
        what += f" of {type(X[0]).__name__}" if X and isinstance(X[0], Mapping) else ""
    elif not hasattr(X, "ndim"):
        apart = 0 if isinstance(X, Mapping | str) else np.asarray(X).ndim
    else:
        apart = X.ndim
    if apart == 1 and not what.endswith("dict"):
        raise InputError(f"X is a one-dimensional {what}; {wanted}. Reshape your data: one column is (-1, 1)")
    if apart < 2:
        raise InputError(f"X is a {what}; {wanted}")


def _names_are_known(estimator: BaseEstimator, names: list[object], *, first: bool) -> bool:
    """Keep the names of columns, or find them to be those kept; scikit-learn does the same, and says what is wrong."""
    if first and names and all(type(name) is str for name in names):
        estimator.feature_names_in_, estimator.n_features_in_ = np.array(names, dtype=object), len(names)
        return True
    return not first and names == getattr(estimator, "feature_names_in_", np.zeros(0)).tolist()


def read_past(estimator: BaseEstimator, X: Table, y: ArrayLike, sample_weight: ArrayLike | None) -> Past:
    """The rows that count, in the order given."""
    contexts = with_level(read_table(estimator, X), estimator.level, estimator.columns)
    demand = as_demands(y, contexts.size)
    _look_for_sorted(contexts, demand)
    _look_for_copies(contexts, demand)
    history = Past(contexts, demand, np.arange(demand.size), demand.size)
    if sample_weight is None:
        return history
    weights = as_weights(sample_weight, demand.size)
    counted = np.flatnonzero(weights)
    if counted.size == 0:
        raise InputError("sample_weight is zero for every row; at least one row must count")
    alike = np.ptp(weights[counted]) == 0
    return replace(history, importance=None if alike else weights / weights.max()).take(counted)


def _look_for_sorted(contexts: Contexts, y: Floats) -> None:
    steps, time = np.diff(y), contexts.time
    is_sorted = (steps >= 0).all() or (steps <= 0).all()
    if is_sorted and np.unique(y).size >= SORTED and (time is None or (np.diff(time.values) < 0).any()):
        warnings.warn(
            "the rows are sorted by demand, but rows at the same dissimilarity are taken in the order given, which "
            "must not depend on demand: sort them by date, or shuffle them",
            RowOrderWarning,
            stacklevel=4,
        )


def _look_for_copies(contexts: Contexts, y: Floats) -> None:
    """Rows of one moment and context whose demands never differ, as if a file had been pasted below itself.

    Where some differ, the table does not say what tells them apart, and others may agree by chance. Without a time,
    equal rows are nothing unusual.
    """
    if contexts.time is None or np.unique(contexts.time.values).size == y.size:
        return
    place, demand = contexts.codes, codes_of(y)
    copies = y.size - np.unique(place).size
    differ = np.unique(place * (demand.max() + 1) + demand).size > np.unique(place).size
    agree = float(np.square(np.bincount(demand) / y.size).sum())  # the chance that two demands do
    if copies and not differ and agree**copies < ACCIDENT:
        warnings.warn(
            f"{copies} of {y.size} rows repeat another one, its time and demand included, and count as observations of "
            "their own: drop the copies, or, if they are separate sales, add a column that tells them apart",
            RepeatedRowsWarning,
            stacklevel=4,
        )


def as_weights(sample_weight: ArrayLike | None, size: int) -> Floats:
    """One weight per row, finite and at least 0; a number stands for all rows."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sample_weight = {sample_weight!r:.80} does not hold numbers; give one per row") from None
    if weights.ndim == 0:
        weights = np.full(size, float(weights))
    if weights.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array; give one per row")
    if weights.size != size:
        raise InputError(f"sample_weight has {weights.size} entries for {size} rows; give one per row")
    good = np.isfinite(weights) & (weights >= 0)
    if not good.all():
        raise InputError(f"sample_weight holds {weights[~good][0]}; weights are finite and at least 0")
    return weights


def at_random(size: int) -> tuple[Rows, Rows]:
    """Two random halves of the rows, drawn with a fixed seed; the second half gets the odd row."""
    drawn = np.random.default_rng(0).permutation(size)
    return np.sort(drawn[: size // 2]), np.sort(drawn[size // 2 :])


def by_age(contexts: Contexts) -> tuple[Rows, Rows]:
    """The older and the more recent half of the rows, or random halves if there is no time."""
    if contexts.time is None:
        return at_random(contexts.size)
    oldest_first = np.argsort(contexts.time.values, kind="stable")
    return np.sort(oldest_first[: contexts.size // 2]), np.sort(oldest_first[contexts.size // 2 :])
