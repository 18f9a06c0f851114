"""Processor time to learn from a table and order for 30 targets, beside LightGBM with 100 rounds, one thread each.

LightGBM gets the table already turned into an array of numbers, with whatever its trees can use of a date; we get the
dataframe. The two take turns. "New" are tables never seen, "again" the same table a second time, whose designs are
known by then. Run ``python -m benchmarks.against_lightgbm [--tables N] [--rows N ...]`` where LightGBM is installed.
"""

from __future__ import annotations

import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import provend as pv
from provend.tables import Encoding, read_contexts

TARGETS, LAGS, ROUNDS = 30, 7, 100
CU, CO = 9, 1
Q = CU / (CU + CO)
SHAPES = {
    "date": ["date"],
    "weekday, month, year": ["weekday", "month", "year"],
    "the same as names": ["weekday name", "month name", "year"],
    "weekday, temperature, promotion": ["weekday", "temperature", "promotion"],
    "date and seven lags": ["date", *(f"lag {lag}" for lag in range(1, LAGS + 1))],
}


def simulated(size: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Counts of a shop with weeks, seasons, warm days, promotions and a drifting level; all columns of all shapes."""
    rng = np.random.default_rng(seed)
    dates = pd.Series(pd.date_range("2015-01-01", periods=LAGS + size, freq="D") + pd.Timedelta(days=seed % 1000))
    weekday, turn = dates.dt.weekday.to_numpy(), 2 * np.pi * dates.dt.dayofyear.to_numpy() / 365.25
    temperature = 12 - 9 * np.cos(turn - 0.3) + rng.normal(0, 3, turn.size)
    promotion = (rng.random(turn.size) < 0.15).astype(int)
    mean = rng.uniform(10, 200) * np.exp(
        rng.normal(0, 0.25, 7)[weekday]
        + rng.uniform(0, 0.3) * np.sin(turn - rng.uniform(0, 6))
        + rng.uniform(0, 0.3) * promotion
        + np.cumsum(rng.normal(0, 0.01, turn.size))
    )
    y = rng.poisson(mean * rng.gamma(10, 1 / 10, turn.size)).astype(float)
    columns = {
        "date": dates,
        "weekday": weekday,
        "month": dates.dt.month,
        "year": dates.dt.year,
        "weekday name": dates.dt.day_name(),
        "month name": dates.dt.month_name(),
        "temperature": temperature,
        "promotion": promotion,
        **{f"lag {lag}": np.roll(y, lag) for lag in range(1, LAGS + 1)},
    }
    return pd.DataFrame(columns)[LAGS:].reset_index(drop=True), y[LAGS:]


class Task(NamedTuple):
    """A table, its demands, and the targets; the same as numbers."""

    past: pd.DataFrame
    y: np.ndarray
    targets: pd.DataFrame
    numbers: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, columns: list[str], rows: int, seed: int) -> Task:
        """Simulated days, the last of which are the targets."""
        table, y = simulated(rows + TARGETS, seed)
        past, targets = (part[columns].reset_index(drop=True) for part in (table[:rows], table[rows:]))
        contexts = read_contexts(past)
        encoding = Encoding.of(contexts)
        numbers = encoding.ordinal(contexts), encoding.ordinal(read_contexts(targets, like=contexts))
        return cls(past, y[:rows], targets, numbers)


def ours(task: Task) -> np.ndarray:
    """Orders of the default estimator."""
    return pv.ContextualNewsvendor(CU, CO).fit(task.past, task.y).predict(task.targets)


def lightgbm(task: Task) -> np.ndarray:
    """Orders of LightGBM with the quantile loss."""
    from lightgbm import LGBMRegressor

    model = LGBMRegressor(objective="quantile", alpha=Q, n_estimators=ROUNDS, n_jobs=1, verbose=-1)
    return np.asarray(model.fit(task.numbers[0], task.y).predict(task.numbers[1]))


def seconds(call: Callable[[Task], object], task: Task) -> float:
    """Processor time of one call."""
    start = time.process_time()
    call(task)
    return time.process_time() - start


def compared(columns: list[str], rows: int, tables: int, first: int) -> np.ndarray:
    """Seconds: a row per table, with our time on new data, LightGBM's, ours again, and LightGBM's again."""
    seconds(ours, Task.of(columns, rows, first)), seconds(lightgbm, Task.of(columns, rows, first))
    tasks = [Task.of(columns, rows, first + 1 + k) for k in range(tables)]
    return np.array([[seconds(call, task) for call in (ours, lightgbm) * 2] for task in tasks])


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 365, 1456])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for rows in given.rows:
        for name, columns in SHAPES.items():
            with threadpool_limits(1):
                found = compared(columns, rows, given.tables, given.first)
            new, other, again, other_again = (1e3 * np.median(found, axis=0)).tolist()
            print(
                f"{rows:5} rows, {name}: {new:.1f} ms new, {again:.1f} ms again, LightGBM {other:.1f} ms; "
                f"ratios {new / other:.2f} new, {again / other_again:.2f} again",
                flush=True,
            )


if __name__ == "__main__":
    main()
