"""The structured evaluation of data-driven newsvendor approaches of Buttler et al., on the demand data at hand.

Per series the first 75 % of the days are learned from in one go, the last 25 % are ordered for; the context is the
date. Costs are relative to the empirical quantile of the training days. The published methods are also run here, on the
same series: how the published ones were prepared is not known. Run with the folder that holds ``yaz.csv`` and
``bakery.parquet``: ``python -m benchmarks.decisions FOLDER [EVERY]``, EVERY-th series of the bakery only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import track
from rich.table import Table

import provend as pv
from benchmarks.published_methods import METHODS, Days, orders_of
from provend.backtesting import EmpiricalQuantile

OURS = "provend, default"
RATIOS = (0.5, 0.75, 0.9)
PUBLISHED = {  # relative costs at these ratios, without features that hold the day's own demand
    "yaz": {
        "random-forest weights": (0.945, 0.905, 0.914),
        "k-NN weights": (0.909, 0.860, 0.872),
        "kernel weights": (0.968, 0.914, 0.994),
        "linear": (0.930, 0.923, 1.011),
        "deep learning": (0.981, 0.963, 0.960),
    },
    "bakery": {
        "random-forest weights": (0.580, 0.537, 0.525),
        "k-NN weights": (0.721, 0.669, 0.683),
        "kernel weights": (0.687, 0.651, 0.633),
        "linear": (0.581, 0.552, 0.555),
        "deep learning": (0.560, 0.537, 0.533),
    },
}


def yaz(folder: Path) -> Iterator[tuple[pd.DataFrame, np.ndarray]]:
    """Seven ingredients, on the days that are open."""
    days = pd.read_csv(folder / "yaz.csv", parse_dates=["date"])
    days = days[days["is_closed"] == 0].reset_index(drop=True)
    for name in days.columns:
        if name.startswith("demand_"):
            yield days[["date"]], days[name].to_numpy(np.float64)


def bakery(folder: Path, every: int = 1) -> Iterator[tuple[pd.DataFrame, np.ndarray]]:
    """Products of stores on all days; 94 remain without those that had no sales on a hundred days but Sundays."""
    table = pd.read_parquet(folder / "bakery.parquet", columns=["date", "store", "product", "demand"])
    closed = table["demand"].eq(0) & table["date"].dt.day_of_week.ne(6)
    table = table[closed.groupby([table["store"], table["product"]]).transform("sum") < 100]
    for _, rows in list(table.groupby(["store", "product"]))[::every]:
        rows = rows.sort_values("date").reset_index(drop=True)
        yield rows[["date"]], rows["demand"].to_numpy(np.float64)


def relative_costs(X: pd.DataFrame, y: np.ndarray) -> dict[str, np.ndarray]:
    """Of the default estimator and the published methods on the last quarter, for each ratio."""
    train = int(0.75 * len(y))
    days = Days.of(X["date"])
    past, ahead = days.part(slice(train)), days.part(slice(train, None))

    def costs(orders: Iterable[np.ndarray]) -> np.ndarray:
        return np.array([pv.average_costs(y[train:], o, q, 1 - q) for o, q in zip(orders, RATIOS, strict=True)])

    def ordered(kind: type) -> np.ndarray:
        models = [kind(cu=q, co=1 - q).fit(X[:train], y[:train]) for q in RATIOS]
        return costs(model.predict(X[train:]) for model in models)

    found = {OURS: ordered(pv.ContextualNewsvendor)}
    found |= {name: costs(orders_of(name, past, y[:train], ahead, RATIOS)) for name in METHODS}
    static = ordered(EmpiricalQuantile)
    return {name: cost / static for name, cost in found.items()}


def main(folder: Path, every: int) -> None:
    """One table per data set: what was found here, on the same series, and what was published."""
    for name, series in (("yaz", list(yaz(folder))), ("bakery", list(bakery(folder, every)))):
        found = [relative_costs(X, y) for X, y in track(series, name, console=Console(stderr=True))]
        table = Table("method", *(f"q = {q}" for q in RATIOS), title=f"{name}, {len(series)} series")
        for method in (OURS, *METHODS):
            mean = np.mean([one[method] for one in found], axis=0)
            table.add_row(method, *(f"{cost:.3f}" for cost in mean), style="bold" if method == OURS else None)
        for method, costs in PUBLISHED[name].items():
            table.add_row(f"published: {method}", *(f"{cost:.3f}" for cost in costs))
        Console().print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
