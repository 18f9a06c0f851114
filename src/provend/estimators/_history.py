"""The history an estimator decides from: rows in an order of their own, repeated as their weights say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_consistent_length, validate_data

from provend._errors import InputError
from provend.dissimilarity._contexts import Contexts, Encoding, read_contexts

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class History:
    """Past contexts and demands; ``rows`` are their positions in the table given, of ``given`` rows."""

    contexts: Contexts
    y: Floats
    rows: NDArray[np.intp]
    given: int


def read_table(estimator: BaseEstimator, X: Any, like: Contexts | None = None) -> Contexts:
    """Contexts from any table, checked against those seen in ``fit`` where ``like`` is given."""
    if isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame):
        _check_feature_names(estimator, X, reset=like is None)
        _check_n_features(estimator, X, reset=like is None)
        if len(X) == 0:
            raise InputError("X has 0 rows; give at least one context")
        return read_contexts(X, like=like)
    array = validate_data(estimator, X, dtype=None, ensure_all_finite=False, reset=like is None)
    return read_contexts(array, like=like)


def read_history(estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any) -> History:
    """The history in an order that does not depend on that of the rows, except where it tells a column to be time."""
    contexts = read_table(estimator, X)
    if y is None:
        raise InputError("requires y to be passed, but the target y is None; give one past demand per row of X")
    column = column_or_1d(y, warn=True)
    demand = check_array(column, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(X, demand)
    repeats = _repeats(sample_weight, demand.size)
    time = contexts.time
    keys = [*Encoding.of(contexts).matrix(contexts).T, demand]
    by_row = np.lexsort([*keys, time.values] if time is not None else keys)
    rows = np.repeat(by_row, repeats[by_row])
    if rows.size == 0:
        raise InputError("sample_weight is zero for every row; at least one row must count")
    return History(contexts.take(rows), demand[rows], rows, demand.size)


def _repeats(sample_weight: Any, size: int) -> NDArray[np.int64]:
    if sample_weight is None:
        return np.ones(size, np.int64)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array; give one per row")
    if weights.size != size:
        raise InputError(f"sample_weight has {weights.size} entries for {size} rows; give one per row")
    whole = np.isfinite(weights) & (weights >= 0) & (weights == np.round(weights))
    if not whole.all():
        bad = weights[~whole][0]
        raise InputError(f"sample_weight holds {bad}; weights are repetitions, whole numbers of at least 0")
    return weights.astype(np.int64)
