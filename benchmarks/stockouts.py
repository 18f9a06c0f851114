"""What orders from sales cut off by stock cost on real demand: ``python -m benchmarks.stockouts [demand.parquet]``.

Recorded demand is cut off by stock that was drawn without looking at it; every policy sees the same days and is charged
with the demand that was recorded. First demand counts as it is, then demand and stock are brought to the level of the
day's weekday. A parquet file with the columns store, product, date, weekday and demand adds series.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import provend as pv

Floats = NDArray[np.float64]

RATIOS = (0.75, 0.9, 0.95)
WINDOW, EARLY = 120, 200  # days weighed, and days before the first of them that stock and support may be planned from
USUAL = 4  # days of average demand that the level of a weekday is learned with
FACTORS = np.array([0.6, 0.8, 1.0, 1.2, 1.5])  # of the planned quantile: shelves of five sizes
LEAST = EARLY + WINDOW + 24


class Setting(NamedTuple):
    """Whether demand is brought to the weekday's level, the dissimilarities assumed, and what is looked at.

    ``other`` is the dissimilarity of another weekday, ``aging`` that of as many ``days`` of age, or fewer.
    """

    levelled: bool
    other: float
    aging: float
    days: int
    origins: int  # per series
    planned: tuple[str, ...]

    def apart(self, other: NDArray[np.bool_], age: NDArray[np.int64]) -> Floats:
        """The dissimilarity of each past day."""
        return np.asarray(self.other * other + self.aging * np.ceil(age / self.days))


SETTINGS = {
    "demand as it is": Setting(False, 0.1, 0.0002, 1, 24, ("at q", "at the median")),
    "by weekday": Setting(True, 0.02, 0.02, 100, 12, ("at q",)),
}


class Series(NamedTuple):
    """Recorded demand, open days only."""

    demand: Floats
    weekday: NDArray[np.str_]


class Case(NamedTuple):
    """What a policy may see, and the demand behind the sales."""

    sales: Floats
    stock: Floats
    demand: Floats
    d: Floats
    q: float
    top: float
    rule: pv.DecidingPolicy  # the best on all days, were nothing cut off


def restaurant() -> Iterator[Series]:
    days = pv.datasets.load_restaurant()
    for demand in days.demand.values():
        yield Series(demand, days.weekdays)


def parquet(path: str, every: int = 15) -> Iterator[Series]:
    """Every fifteenth series that is long enough, closed days left out."""
    import polars as pl

    table = pl.read_parquet(path).filter(pl.col("demand") > 0).sort("date")
    groups = [one for one in table.partition_by("store", "product", maintain_order=True) if one.height > LEAST]
    for group in sorted(groups, key=lambda one: (str(one["store"][0]), str(one["product"][0])))[::every]:
        yield Series(group["demand"].to_numpy().astype(float), group["weekday"].to_numpy().astype(str))


def levels(series: Series) -> Floats:
    """Of each day by its weekday, learned from early demand alone: none of the days weighed is looked at."""
    early, weekday = series.demand[:EARLY], series.weekday[:EARLY]
    usual = float(early.mean())
    of_day = {
        day: (early[weekday == day].sum() + USUAL * usual) / (np.count_nonzero(weekday == day) + USUAL)
        for day in np.unique(series.weekday)
    }
    return np.array([of_day[day] for day in series.weekday])


def cases(
    series: Series, setting: Setting, q: float, planned: float, rng: np.random.Generator
) -> Iterator[tuple[Case, float]]:
    """The past of some days, cut off by stock around the ``planned`` quantile of early demand, and their demand."""
    y, early = series.demand, series.demand[:EARLY]
    top = max(1.25 * early.max(), y.max())
    stock = np.ceil(np.quantile(early, planned) * rng.choice(FACTORS, y.size))
    level = levels(series) if setting.levelled else np.ones(y.size)
    for today in np.linspace(EARLY + WINDOW, y.size - 1, setting.origins).astype(int):
        past = np.arange(today - WINDOW, today)
        d = setting.apart(series.weekday[past] != series.weekday[today], today - past)
        moved = level[today] / level[past]  # the same map for demand and stock: what was cut off stays so
        demand, shelf = np.minimum(y[past] * moved, top), stock[past] * moved
        rule = pv.minimax(d, q=q).policy
        yield Case(np.minimum(demand, shelf), shelf, demand, d, q, top, rule), float(y[today])


def segments(case: Case) -> float:
    return pv.order_with_stockouts(case.sales, case.stock, case.d, q=case.q, support=(0, case.top)).order


def ignoring(case: Case) -> float:
    return case.rule.order(case.sales, case.d, q=case.q, support=(0, case.top))


def dropping(case: Case) -> float:
    left = case.sales < case.stock
    return pv.Optimal().order(case.sales[left], case.d[left], q=case.q, support=(0, case.top))


def kaplan_meier(case: Case) -> float:
    """The q-quantile of the product-limit estimate; the largest sales where that does not reach q."""
    survival = 1.0
    for value in np.unique(case.sales):
        met = np.count_nonzero((case.sales == value) & (case.sales < case.stock))
        survival *= 1 - met / np.count_nonzero(case.sales >= value)
        if 1 - survival >= case.q:
            return float(value)
    return float(case.sales.max())


def uncensored(case: Case) -> float:
    return case.rule.order(case.demand, case.d, q=case.q, support=(0, case.top))


POLICIES: dict[str, Callable[[Case], float]] = {
    "segments": segments,
    "sales as demand": ignoring,
    "sold-out days dropped": dropping,
    "Kaplan-Meier": kaplan_meier,
    "demand known": uncensored,
}


def rows(every: list[Series], setting: Setting) -> Iterator[tuple[str, ...]]:
    """Mean cost per policy, relative to sales taken for demand, and the standard error of the first of these ratios."""
    for q in RATIOS:
        for plan in setting.planned:
            planned = q if plan == "at q" else 0.5
            rng = np.random.default_rng(2024)
            costs, out = [], []
            for series in every:
                problem, scale = pv.Newsvendor(q, 1 - q), float(np.mean(series.demand[:EARLY]))
                for case, demand in cases(series, setting, q, planned, rng):
                    costs.append([float(problem.cost(policy(case), demand)) / scale for policy in POLICIES.values()])
                    out.append(np.mean(case.sales == case.stock))
            mean, (ours, sales) = np.mean(costs, axis=0), np.transpose(costs)[:2]
            error = np.std(ours - mean[0] / mean[1] * sales, ddof=1) / np.sqrt(ours.size) / mean[1]  # paired
            yield (str(q), plan, f"{np.mean(out):.0%}", *(f"{cost / mean[1]:.3f}" for cost in mean), f"{error:.2f}")


if __name__ == "__main__":
    sources = {"restaurant": list(restaurant())} | {path: list(parquet(path)) for path in sys.argv[1:]}
    for words, setting in SETTINGS.items():
        print(words, "q", "stock planned", "sold out", *POLICIES, "+-", sep="\t")
        for name, every in sources.items():
            for row in rows(every, setting):
                print(name.rsplit("/", 1)[-1], *row, sep="\t", flush=True)
