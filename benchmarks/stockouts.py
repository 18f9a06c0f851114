"""What plans cost on real demand cut off by stock: ``python -m benchmarks.stockouts [demand.parquet]``.

Recorded demand is cut off by stock that was drawn without looking at it; every policy sees the same days and is charged
with the demand that was recorded. A parquet file with the columns store, product, date, demand and contexts adds
series: those of the stores that were not looked at while anything was chosen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import provend as pv
from provend.planning import CutOff, OwnRows, Terms
from provend.planning._schema import DEMAND, SHELF

Floats = NDArray[np.float64]

RATIOS = (0.75, 0.9, 0.95)
PAST, EARLY = 240, 200  # days weighed, and days before the first of them that stock is planned from
FACTORS = np.array([0.6, 0.8, 1.0, 1.2, 1.5])  # of the planned quantile: shelves of five sizes
ORIGINS = 5  # per series
EVERY = 3  # of this many stores one was looked at while dissimilarities and witnesses were chosen
CONTEXTS = ("is_schoolholiday", "is_holiday", "is_holiday_next2days", "promotion_currentweek")


class Series(NamedTuple):
    """Recorded demand and its contexts, open days only."""

    demand: Floats
    contexts: pa.Table


class Case(NamedTuple):
    """What a policy may see, and the demand behind the sales."""

    past: pa.Table
    ahead: pa.Table
    demand: Floats
    stock: Floats
    terms: Terms

    @property
    def sales(self) -> Floats:
        """Demand, or the stock where that was less."""
        return np.minimum(self.demand, self.stock)


def restaurant() -> Iterator[Series]:
    days = pv.datasets.load_restaurant()
    for demand in days.demand.values():
        yield Series(demand, pa.table({"date": days.dates}))


def parquet(path: str) -> Iterator[Series]:
    """All series that are long enough, of stores that were not looked at before; closed days left out."""
    import polars as pl

    table = pl.read_parquet(path).filter(pl.col("demand") > 0).sort("date")
    groups = [one for one in table.partition_by("store", "product", maintain_order=True) if one.height > 700]
    stores = sorted({int(one["store"][0]) for one in groups})
    for group in sorted(groups, key=lambda one: (int(one["store"][0]), int(one["product"][0]))):
        if int(group["store"][0]) not in stores[::EVERY]:
            contexts = group.select("date", *(pl.col(name).cast(pl.String) for name in CONTEXTS))
            yield Series(group["demand"].to_numpy().astype(float), contexts.to_arrow())


def cases(series: Series, q: float, planned: float, rng: np.random.Generator) -> Iterator[tuple[Case, float]]:
    """The past of some days, cut off by stock around the ``planned`` quantile of early demand, and their demand."""
    y, early = series.demand, series.demand[:EARLY]
    stock = np.ceil(np.quantile(early, planned) * rng.choice(FACTORS, y.size))
    terms = Terms(str(q), str(round(1 - q, 2)), (0.0, max(1.25 * float(early.max()), float(y.max()))))
    for today in np.linspace(EARLY + PAST, y.size - 1, ORIGINS).astype(int).tolist():
        past = slice(today - PAST, today)
        contexts = series.contexts.slice(today - PAST, PAST), series.contexts.slice(today, 1)
        yield Case(*contexts, y[past], stock[past], terms), float(y[today])


def segments(case: Case) -> float:
    history = case.past.append_column(DEMAND, pa.array(case.sales)).append_column(SHELF, pa.array(case.stock))
    return float(CutOff().decide(history, case.ahead, case.terms)["order"][0].as_py())


def _plain(case: Case, demand: Floats, rows: NDArray[np.intp] | None = None) -> float:
    """What the same plan orders that takes these numbers for demand."""
    history = case.past.append_column(DEMAND, pa.array(demand))
    history = history if rows is None else history.take(rows)
    return float(OwnRows().decide(history, case.ahead, case.terms)["order"][0].as_py())


def ignoring(case: Case) -> float:
    return _plain(case, case.sales)


def dropping(case: Case) -> float:
    return _plain(case, case.sales, np.flatnonzero(case.sales < case.stock))


def kaplan_meier(case: Case) -> float:
    """The q-quantile of the product-limit estimate of sales as they are; the largest where that does not reach q."""
    survival, q = 1.0, float(case.terms.cu)
    for value in np.unique(case.sales):
        met = np.count_nonzero((case.sales == value) & (case.sales < case.stock))
        survival *= 1 - met / np.count_nonzero(case.sales >= value)
        if 1 - survival >= q:
            return float(value)
    return float(case.sales.max())


def uncensored(case: Case) -> float:
    return _plain(case, case.demand)


POLICIES: dict[str, Callable[[Case], float]] = {
    "segments": segments,
    "sales as demand": ignoring,
    "sold-out days dropped": dropping,
    "Kaplan-Meier": kaplan_meier,
    "demand known": uncensored,
}


def rows(every: list[Series], q: float, planned: float) -> tuple[float, Floats]:
    """The share of days sold out, and the costs of all policies, a row per decision, in units of early mean demand."""
    rng, costs, out = np.random.default_rng(2024), list[list[float]](), list[float]()
    problem = pv.Newsvendor(q, 1 - q)
    for series in every:
        scale = float(np.mean(series.demand[:EARLY]))
        for case, demand in cases(series, q, planned, rng):
            costs.append([float(problem.cost(policy(case), demand)) / scale for policy in POLICIES.values()])
            out.append(float(np.mean(case.sales == case.stock)))
    return float(np.mean(out)), np.array(costs)


def ratio(ours: Floats, theirs: Floats) -> str:
    """Of mean costs, with its standard error; decisions are paired."""
    found = float(ours.mean() / theirs.mean())
    error = np.std(ours - found * theirs, ddof=1) / np.sqrt(ours.size) / theirs.mean()
    return f"{found:.3f} +- {error:.3f}"


if __name__ == "__main__":
    sources = {"restaurant": list(restaurant())} | {path: list(parquet(path)) for path in sys.argv[1:]}
    print("data", "q", "stock planned", "decisions", "sold out", *POLICIES, "segments / dropped", sep="\t")
    for name, every in sources.items():
        for q in RATIOS:
            for words, planned in (("at q", q), ("at the median", 0.5)):
                out, costs = rows(every, q, planned)
                each = [ratio(column, costs[:, 1]) for column in costs.T]
                told = name.rsplit("/", 1)[-1], q, words, len(costs), f"{out:.0%}"
                print(*told, *each, ratio(costs[:, 0], costs[:, 2]), sep="\t", flush=True)
