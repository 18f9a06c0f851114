"""What a backtest refuses, and how it says so."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

import provend as pv
from histories import table
from provend.backtesting import QuantileModel, backtest

GOOD = table([1.0] * 20, weekday=["d"] * 20)


@pytest.mark.parametrize(
    ("history", "options", "message"),
    [
        (GOOD.drop("y"), {}, r"history lacks the columns \['y'\]; it has .*: rename yours"),
        (GOOD.clear(), {}, "history has no rows; give past demand"),
        (
            GOOD.with_columns(y=-pl.col("y")),
            {},
            r"column 'y' holds '-1.0', below zero, in row 0; correct it, or say negative = 'clip' or 'drop' "
            r"\(of read_sales\)$",
        ),
        (
            GOOD.with_columns(y=pl.lit("many")),
            {},
            r"column 'y': not a number in 20 of 20 rows, as in row 0 \('many'\); correct it or call another 'y'$",
        ),
        (
            pl.concat([GOOD, GOOD[3:4]]),
            {},
            "two rows for unique_id 'a' at ds 2024-01-04; keep one demand per item and date",
        ),
        (
            GOOD.with_columns(ds=pl.lit("soon")),
            {},
            "'ds' holds 'soon' and the like, which are not dates; .* or call the column of dates 'ds'$",
        ),
        (
            GOOD.with_columns(ds=pl.lit(None)),
            {},
            "'ds' is of type null, not dates; give dates, or call the column that has them 'ds'$",
        ),
        (GOOD.with_columns(ds=pl.lit("01/02/2024")), {}, "which comes first with day_first of read_sales, or give ISO"),
        (GOOD.with_columns(y=pl.lit("1.000")), {}, "decimals with decimal = '.' or ',' of read_sales$"),
        (GOOD.with_columns(ds=pl.lit(float("nan"))), {}, "'ds': no date in 20 of 20 rows, as in row 0"),
        (GOOD.with_columns(unique_id=pl.lit(None)), {}, "'unique_id': no item in 20 of 20 rows, as in row 0"),
        (GOOD, {"contexts": ["rain"]}, r"contexts: 'rain' is not a context column .* choose among \['weekday'\]"),
        (GOOD, {"contexts": "weekday"}, r"contexts = 'weekday' is a string; give a list .* \['weekday'\]"),
        (GOOD, {"groups": ["rain"]}, r"groups: 'rain' is not a context; choose among \['weekday'\]"),
        (GOOD, {"test": 1}, "test = 1 must lie strictly between 0 and 1; it is the share of rows to decide"),
        (GOOD, {"test": "most"}, "test = 'most' is not a finite number"),
        (GOOD, {"refit_every": 0}, "refit_every = 0 must be an integer of at least 1"),
        (GOOD, {"random_state": -1}, "random_state = -1 must be an integer of at least 0"),
        (GOOD, {"cu": 0}, "cu = 0 must be positive"),
        (GOOD, {"support": (0, 0.5)}, r"y = 1 lies outside support = \[0, 0.5\]; correct it or widen the support"),
        (GOOD, {"policies": []}, r"policies = \[\]: give a list of names"),
        (GOOD, {"policies": "static"}, "policies = 'static': give a list of names"),
        (GOOD, {"policies": ["oracle"]}, "policies: 'oracle' is unknown; use static, rolling, rolling:ROWS"),
        (GOOD, {"policies": ["rolling:0"]}, "policies: 'rolling:0' is unknown"),
        (
            GOOD,
            {"policies": ["seasonal:11"]},
            "'seasonal:11': two seasons are 22 rows, and no item has more than 20; give",
        ),
        (
            GOOD,
            {"policies": {"mine": "ets:1000"}},
            "'ets:1000': two seasons are 2,000 rows, and no item has more than 20",
        ),
        (GOOD, {"policies": ["same:rain"]}, r"policies: 'same:rain' names no context; the contexts are \['weekday'\]"),
        (GOOD, {"policies": ["static", "static"]}, "policies: 'static' is there twice; name each policy once"),
    ],
)
def test_bad_input(history: pl.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        backtest(history, **{"cu": 1, "co": 1, "policies": ["static"], **options})


def test_periods_are_no_dates() -> None:
    """The remedy named an option of the command."""
    periods = pd.DataFrame({"unique_id": "a", "ds": pd.period_range("2024-01-01", periods=20), "y": 1.0})
    with pytest.raises(pv.InputError, match=r"^history: column 'ds' holds periods, not dates; give their") as told:
        backtest(periods, cu=1, co=1)
    assert "--" not in str(told.value)


def test_seasons_as_long_as_half_of_the_longest_item_are_taken() -> None:
    found = backtest(GOOD, cu=1, co=1, policies=["seasonal:10", "seasonal:1"])
    assert found.by_item["status"].to_list() == ["ok"] * 2


def test_bad_types() -> None:
    for history in ([1, 2], GOOD.lazy()):
        with pytest.raises(TypeError, match="give a pandas, polars or pyarrow table"):
            backtest(history, cu=1, co=1)
    with pytest.raises(TypeError, match=r"policies: 'mine' is 3 without fit\(\); give an estimator or one of static"):
        backtest(GOOD, cu=1, co=1, policies={"mine": 3})
    with pytest.raises(ValueError, match="model = 'magic' is unknown; use one of linear, gbm, hgb, forest"):
        QuantileModel(1, 1, model="magic").fit(GOOD.select("weekday"), GOOD["y"])
