"""Ridge regression in closed form against fits by least squares, one for every row left out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from provend.levels import Ridge
from provend.levels._ridge import PENALTIES, Directions

Floats = NDArray[np.float64]


def fitted(matrix: Floats, z: Floats, penalty: float) -> Floats:
    """Intercept and slopes: least squares with rows that pull the slopes, not the intercept, to 0."""
    features = matrix.shape[1]
    rows = np.vstack([np.column_stack([np.ones(z.size), matrix]), np.eye(features + 1)[1:] * np.sqrt(penalty)])
    found: Floats = np.linalg.lstsq(rows, np.append(z, np.zeros(features)), rcond=None)[0]
    return found


def left_out(matrix: Floats, z: Floats, penalty: float, together: NDArray[np.intp] | None = None) -> Floats:
    """The forecast of each row from a fit without it, and without the rows that are left out together with it."""
    forecasts, fold = [], np.arange(z.size) if together is None else together
    for i in range(z.size):
        intercept, *slopes = fitted(matrix[fold != fold[i]], z[fold != fold[i]], penalty)
        forecasts.append(intercept + matrix[i] @ slopes)
    return np.array(forecasts)


@pytest.mark.parametrize("seed", range(5))
def test_forecasts_of_the_past_are_those_of_fits_without_the_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, features = int(rng.integers(8, 25)), int(rng.integers(1, 4))
    matrix = rng.normal(size=(n, features))
    z = matrix @ rng.normal(size=features) + rng.normal(size=n)
    errors = [z - left_out(matrix, z, penalty) for penalty in PENALTIES]
    best = int(np.argmin([e @ e for e in errors]))
    found = Ridge.of(matrix, z)
    assert found.past == pytest.approx(z - errors[best], rel=1e-8, abs=1e-10)
    intercept, *slopes = fitted(matrix, z, PENALTIES[best])
    new = rng.normal(size=(4, features))
    assert found.predict(new) == pytest.approx(intercept + new @ slopes, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_more_features_than_rows(seed: int) -> None:
    """Weak penalties fit every row nearly alone, and forecasts without it are as bad as they are: they must not win."""
    rng = np.random.default_rng(seed)
    matrix, z = rng.normal(size=(14, 20)), rng.normal(size=14)
    errors = [z - left_out(matrix, z, penalty) for penalty in PENALTIES]
    found = Directions.of(matrix).errors(z - z.mean()).T
    assert found == pytest.approx(np.array(errors), rel=1e-6, abs=1e-9)
    assert z - Ridge.of(matrix, z).past == pytest.approx(errors[int(np.argmin([e @ e for e in errors]))], rel=1e-6)


@pytest.mark.parametrize("rows", [1, 2, 6])
def test_forecasts_are_finite_however_few_rows_there_are(rows: int) -> None:
    rng = np.random.default_rng(1)
    found = Ridge.of(rng.normal(size=(rows, 40)) * 1e6, rng.normal(size=rows))
    assert np.isfinite(found.past).all()


def test_constant_features_and_copies_of_a_feature_do_no_harm() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=30)
    z = 3 * x + rng.normal(size=30)
    found = Ridge.of(np.column_stack([x, x, np.zeros(30)]), z)
    assert found.coefficients[0] == pytest.approx(found.coefficients[1])
    assert np.corrcoef(found.past, z)[0, 1] > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_rows_left_out_together_are_forecast_without_each_other(seed: int) -> None:
    """Folds of any size in any order, with features that are far from 0 and partly the same within a fold."""
    rng = np.random.default_rng(seed)
    n, features = int(rng.integers(12, 40)), int(rng.integers(1, 4))
    together = rng.integers(0, 5, n)
    matrix = 3 + rng.normal(size=(n, features))
    matrix[:, 0] = rng.normal(size=5)[together]
    z = 7 + matrix @ rng.normal(size=features) + rng.normal(size=5)[together] + rng.normal(size=n)
    errors = [z - left_out(matrix, z, penalty, together) for penalty in PENALTIES]
    best = int(np.argmin([e @ e for e in errors]))
    found = Ridge.along(Directions.of(matrix, together), z)
    assert z - found.past == pytest.approx(errors[best])
    intercept, *slopes = fitted(matrix, z, PENALTIES[best])
    assert found.predict(matrix) == pytest.approx(intercept + matrix @ slopes)


def test_a_fold_for_each_row_is_the_closed_form() -> None:
    rng = np.random.default_rng(0)
    matrix, z = rng.normal(size=(30, 4)), rng.normal(size=30)
    alone, folded = Directions.of(matrix), Directions.of(matrix, np.arange(30))
    assert folded.errors(z - z.mean()) == pytest.approx(alone.errors(z - z.mean()))


def test_folds_of_very_different_sizes_are_forecast_without_each_other() -> None:
    """Those of like size are left out at once, which changes nothing."""
    rng = np.random.default_rng(3)
    matrix, z = rng.normal(size=(60, 2)), rng.normal(size=60)
    together = rng.permutation(np.repeat(np.arange(8), [45, 4, 3, 2, 2, 2, 1, 1]))
    directions = Directions.of(matrix, together)
    assert sorted(len(some.rows) for some in directions.folds) == [1, 2, 2, 3]
    errors = directions.errors(z - z.mean())
    for at in (0, 6, 12):
        assert errors[:, at] == pytest.approx(z - left_out(matrix, z, PENALTIES[at], together), abs=1e-9)


def test_memory_does_not_depend_on_the_largest_fold() -> None:
    """Nearly all rows on one date: places for them in every fold would take twenty times the room."""
    rng = np.random.default_rng(4)
    matrix, together = rng.normal(size=(2000, 20)), np.maximum(np.arange(2000) - 1981, 0)
    directions = Directions.of(matrix, together)
    assert np.unique(together).size == 19
    assert sum(some.out.size for some in directions.folds) <= 2 * matrix.size
