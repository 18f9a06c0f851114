"""How wide errors are, against plain loops: what chance adds where rows are few must not be lost."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pandas as pd
import pytest

from panels import panel
from provend.estimators._panel_rows import Items, Panel
from provend.estimators._spreads import SpreadModel
from provend.tables import read_contexts

COUNTS = [1, 2, 5, 40]


@pytest.mark.parametrize(
    "model", [SpreadModel(0.3, -0.5, 3.0), SpreadModel(2.0, 0.0, 200.0), SpreadModel(1.0, -1.0, 1.0)]
)
def test_widths_against_plain_loops(model: SpreadModel) -> None:
    """Squares and what is expected at that size, over all rows but the one that the centre took."""
    X, _ = panel(COUNTS)
    code = pd.factorize(X["unique_id"])[0]
    laid_out = Panel.of(Items(np.unique(X["unique_id"].to_numpy(str)), code), read_contexts(X[["ds"]]))
    sizes, errors = np.array([4.0, 0.25, 1.0, 9.0]), np.random.default_rng(0).normal(size=(4, max(COUNTS)))
    widths, alike, ahead = (find(errors, laid_out, sizes) for find in (model.widths, model.alike, model.ahead))
    for j, count in enumerate(COUNTS):
        own = errors[j, -count:].tolist()
        expected = model.level * sizes[j] ** model.slope
        width = sqrt((sum(error**2 for error in own) + model.prior * expected) / (count - 1 + model.prior))
        lost = sqrt(count / (count - 1)) if count > 1 else 1.0
        assert widths[j] == pytest.approx(width)
        assert alike[j, -count:] == pytest.approx([error * lost / width for error in own])
        assert ahead[j] == pytest.approx(width * sqrt((count + 1) / count))
