"""Panels of items with few or many rows, and the day after them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def panel(counts: list[int], seed: int = 0, **more: Any) -> tuple[pd.DataFrame, Floats]:
    """Items of so many rows each, of sizes 5, 10, 15 and so on."""
    rng, names = np.random.default_rng(seed), [f"item {j}" for j in range(len(counts))]
    X = pd.DataFrame(
        {
            "unique_id": np.repeat(names, counts),
            "ds": np.concatenate([pd.date_range(end="2024-06-30", periods=n).to_numpy() for n in counts]),
            **more,
        }
    )
    return X, rng.poisson(np.repeat(5.0 * np.arange(1, len(counts) + 1), counts)).astype(float)


def ahead(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"unique_id": names, "ds": pd.Timestamp("2024-07-01")})
