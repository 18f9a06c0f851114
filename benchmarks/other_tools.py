"""What other tools order on the restaurant's steaks, what that cost, and what they say about it.

Each tool is asked in its own way for a 0.9 quantile, from weekday and date alone, and refitted every 28 days on the
last 30 % of the days. Run ``python -m benchmarks.other_tools`` where some of stockpyl, statsforecast, mapie,
quantile-forest and rsome are installed; what is missing is named.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

import provend as pv

CU, CO, SUPPORT, EVERY = 9, 1, (0, 100), 28
Tool = Callable[[pd.DataFrame, np.ndarray, pd.DataFrame], np.ndarray]


def features(X: pd.DataFrame) -> np.ndarray:
    """Weekdays as seven columns, and the day."""
    day = (X["date"] - pd.Timestamp("2013-01-01")).dt.days.to_numpy()
    return np.column_stack([np.eye(7)[X["date"].dt.weekday], day])


def by_weekday(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame, rule: Callable[[np.ndarray], float]) -> np.ndarray:
    """A rule on the past days of the same weekday."""
    orders = {name: rule(y[(X["weekday"] == name).to_numpy()]) for name in X["weekday"].unique()}
    return np.array([orders[name] for name in week["weekday"]])


def provend_default(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """Orders of the default estimator."""
    return pv.ContextualNewsvendor(CU, CO, support=SUPPORT).fit(X, y).predict(week)


def one_quantile(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """The same order every day."""
    return np.full(len(week), np.quantile(y, 0.9, method="inverted_cdf"))


def stockpyl(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """A normal distribution for each weekday."""
    from stockpyl.newsvendor import newsvendor_normal

    return by_weekday(X, y, week, lambda d: newsvendor_normal(CO, CU, d.mean(), d.std(ddof=1))[0])


def statsforecast(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """Exponential smoothing with a season of seven days; days on which the restaurant was closed are passed over."""
    from statsforecast.models import AutoETS

    return AutoETS(season_length=7).forecast(y=y.astype(float), h=len(week), level=[80])["hi-80"]


def mapie(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """The upper end of a split conformal interval of 80 % around gradient boosting."""
    from mapie.regression import SplitConformalRegressor
    from sklearn.ensemble import HistGradientBoostingRegressor

    half = len(X) // 2
    model = SplitConformalRegressor(HistGradientBoostingRegressor(), confidence_level=0.8, prefit=False)
    model.fit(features(X[:half]), y[:half]).conformalize(features(X[half:]), y[half:])
    return model.predict_interval(features(week))[1][:, 1, 0]


def quantile_forest(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """A quantile regression forest as it comes, with larger leaves."""
    from quantile_forest import RandomForestQuantileRegressor

    forest = RandomForestQuantileRegressor(min_samples_leaf=10, random_state=0).fit(features(X), y)
    return forest.predict(features(week), quantiles=[0.9]).ravel()


def rsome(X: pd.DataFrame, y: np.ndarray, week: pd.DataFrame) -> np.ndarray:
    """The least worst expected cost over distributions on the support within a Wasserstein ball of one portion."""
    from rsome import E, dro

    def order(demands: np.ndarray) -> float:
        sample = demands[-20:]
        model = dro.Model(sample.size)
        a, z, u = model.dvar(), model.rvar(), model.rvar()
        ball = model.ambiguity()
        for s, demand in enumerate(sample):
            ball[s].suppset(z >= SUPPORT[0], z <= SUPPORT[1], abs(z - demand) <= u)
        ball.exptset(E(u) <= 1.0)
        ball.probset(model.p == 1 / sample.size)
        short = model.dvar()
        for s in range(sample.size):
            short.adapt(s)
        short.adapt(z)
        short.adapt(u)
        model.minsup(E((CU + CO) * short + CO * (a - z)), ball)
        model.st(short >= 0, short >= z - a, a >= SUPPORT[0], a <= SUPPORT[1])
        model.solve(display=False)
        return float(a.get())

    return by_weekday(X, y, week, order)


TOOLS: dict[str, Tool] = {
    "one empirical quantile": one_quantile,
    "provend": provend_default,
    "stockpyl": stockpyl,
    "statsforecast": statsforecast,
    "mapie": mapie,
    "quantile-forest": quantile_forest,
    "rsome": rsome,
}


def main() -> None:
    days = pv.datasets.load_restaurant()
    X = pd.DataFrame({"date": days.dates.astype("datetime64[ns]"), "weekday": days.weekdays})
    y = days.demand["steak"]
    first = int(0.7 * y.size)
    for name, tool in TOOLS.items():
        begun, orders = time.perf_counter(), np.full(y.size, np.nan)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for start in range(first, y.size, EVERY):
                    week = X[start : start + EVERY]
                    orders[week.index] = tool(X[:start], y[:start], week)
        except ImportError as missing:
            print(f"{name}: not installed ({missing.name})")
            continue
        decided, demand = orders[first:], y[first:]
        cost = np.where(demand > decided, CU * (demand - decided), CO * (decided - demand)).mean()
        print(f"{name}: cost {cost:.2f}, demand met on {np.mean(demand <= decided):.1%}", end=", ")
        print(f"{time.perf_counter() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
