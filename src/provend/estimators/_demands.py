"""The demands that came with a table: one finite number per row, or one line that says what to mend."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from provend._errors import InputError

Floats = NDArray[np.float64]


def as_demands(y: ArrayLike, size: int) -> Floats:
    """Finite numbers, one per row, as they are now; where an array holds nothing else, there is nothing to check."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None; give one past demand per row of X")
    if type(y) is np.ndarray and y.shape == (size,) and y.dtype == np.float64 and np.isfinite(y).all():
        return y.copy()
    demand = _numbers(column_or_1d(y, warn=True))
    if demand.size != size:
        raise InputError(f"y has {demand.size} entries for {size} rows of X; give one per row")
    _refuse(np.isnan(demand), "contains NaN", "demands are missing", "drop these rows, or fill them in")
    _refuse(np.isinf(demand), "contains infinity", "demands", "correct these rows, or drop them")
    return demand


def _numbers(column: NDArray[np.generic]) -> Floats:
    """The column as floats, nan where nothing is known."""
    options = {"ensure_2d": False, "ensure_all_finite": False, "ensure_min_samples": 0, "input_name": "y"}
    try:
        found: Floats = check_array(column, dtype=np.float64, copy=True, **options)
    except (TypeError, ValueError):
        if np.iscomplexobj(column):
            raise
        return _one_by_one(column.tolist())
    return found


def _one_by_one(items: Iterable[object]) -> Floats:
    numbers = list[float]()
    for row, item in enumerate(items):
        try:
            numbers.append(float(item))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            if item is not None and type(item).__name__ not in ("NAType", "NaTType"):
                raise InputError(
                    f"y holds {item!r:.80} in row {row}, which is not a number; give one demand per row"
                ) from None
            numbers.append(np.nan)
    return np.array(numbers)


def _refuse(flawed: NDArray[np.bool_], what: str, kind: str, remedy: str) -> None:
    """In the words of scikit-learn, and where to look."""
    if flawed.any():
        many, first = int(flawed.sum()), int(flawed.argmax())
        raise InputError(f"Input y {what}: {many:,} of {flawed.size:,} {kind}, the first in row {first}; {remedy}")
