"""Rows of a history that are still to come are what is decided, with what they say of their day."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import provend as pv
from provend.planning import PlanWarning

QUICK = {"cu": 9, "co": 1, "support": (0, 60), "policy": "erm", "dissimilarity": 0.05}
DAYS = [date(2024, 1, 1) + timedelta(days=i) for i in range(30)]
COMING = [date(2024, 1, 31), date(2024, 2, 1)]


def sales(names: tuple[str, ...] = ("a", "b")) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.concat(
        pl.DataFrame({"unique_id": n, "ds": DAYS, "y": rng.poisson(12, 30) * 1.0, "promotion": ["no", "yes"] * 15})
        for n in names
    )


def coming(names: tuple[str, ...] = ("a", "b"), promotion: str | None = "yes") -> pl.DataFrame:
    rows = [{"unique_id": n, "ds": day, "y": None, "promotion": promotion} for n in names for day in COMING]
    return pl.DataFrame(rows, schema=sales().schema)


def test_they_are_the_targets() -> None:
    found = pv.plan(pl.concat([sales(), coming()]), **QUICK)
    assert found.equals(pv.plan(sales(), coming().drop("y"), **QUICK))
    assert found["status"].to_list() == ["ok"] * 4


def test_contexts_that_they_leave_empty_do_not_count() -> None:
    with pytest.warns(PlanWarning, match="^left out, as not known for the days to come: promotion; "):
        found = pv.plan(pl.concat([sales(), coming(promotion=None)]), **QUICK)
    assert found.equals(pv.plan(sales().drop("promotion"), horizon=2, **QUICK))


def test_a_demand_that_is_missing_in_the_past_is_none_of_them() -> None:
    """Somebody sold something on that day, or later."""
    rows = sales().to_dicts()
    rows[29]["y"] = None
    found = pv.plan(pl.DataFrame(rows), contexts=[], **QUICK)
    assert found["ds"].to_list() == [COMING[0]] * 2
    assert found["status"].to_list() == ["ok", "ok"]
    assert found["message"].to_list() == ["1 past row set aside: no demand on 2024-01-30", None]


def test_a_horizon_beyond_them_is_asked_about() -> None:
    with pytest.raises(
        pv.InputError, match=r"rows without a demand for 2 dates from 2024-01-31 on.*leave the horizon out"
    ):
        pv.plan(pl.concat([sales(), coming()]), horizon=3, **QUICK)


def test_only_text_and_nan_for_a_demand() -> None:
    text = pl.concat([sales(), coming()]).with_columns(pl.col("y").cast(pl.String).fill_null(" "))
    nan = pl.concat([sales(), coming()]).with_columns(pl.col("y").fill_null(float("nan")))
    wanted = pv.plan(pl.concat([sales(), coming()]), **QUICK)
    assert pv.plan(text, **QUICK).equals(wanted)
    assert pv.plan(nan, **QUICK).equals(wanted)


def test_days_that_begin_at_midnight_somewhere_are_days_there() -> None:
    place = ZoneInfo("Europe/Berlin")
    days = [datetime(2024, 3, 11, tzinfo=place) + timedelta(days=i) for i in range(30)]  # the clock changes on the 31st
    midnight = [datetime(day.year, day.month, day.day, tzinfo=place) for day in days]
    table = {
        "unique_id": ["a"] * 30,
        "ds": pa.array(midnight, pa.timestamp("us", "Europe/Berlin")),
        "y": [1.0, 2.0] * 15,
    }
    found = pv.plan(pa.table(table), **QUICK)
    assert found["ds"].to_pylist() == [date(2024, 4, 10)]


def test_targets_that_are_no_days_make_the_history_moments_too() -> None:
    """Midnight in Berlin is the evening before in universal time: for both tables, or for neither."""
    week = [datetime(2024, 1, 1) + timedelta(days=i) for i in range(56)]
    y = [20.0 if day.weekday() == 1 else 5.0 for day in week]
    ahead = [datetime(2024, 2, 27), datetime(2024, 2, 27, 12)]  # a Tuesday
    place = pa.timestamp("us", "Europe/Berlin")
    hour = timedelta(hours=1)
    zoned, plain = (
        pv.plan(
            pa.table({"unique_id": ["a"] * 56, "ds": pa.array([day - hour for day in week], kind), "y": y}),
            pa.table({"unique_id": ["a"] * 2, "ds": pa.array([day - hour for day in ahead], kind)}),
            cu=9,
            co=1,
            support=(0, 60),
        )
        for kind in (place, pa.timestamp("us"))
    )
    assert zoned.equals(plain)
    assert zoned["order"].to_pylist()[0] > 15


@pytest.mark.parametrize("name", ["seen", "sold", "moment", "written", "past"])
@pytest.mark.parametrize("role", ["y", "ds", "promotion"])
def test_columns_may_be_called_anything(name: str, role: str) -> None:
    rows = pl.concat([sales(("a",)), coming(("a",))]).with_columns(pl.col("ds").cast(pl.String))
    called = {"date": "ds", "demand": "y"} | {"ds": {"date": name}, "y": {"demand": name}}.get(role, {})
    found = pv.plan(rows.rename({role: name}), **called, **QUICK)
    assert found["order"].to_list() == pv.plan(rows, **QUICK)["order"].to_list()


def test_columns_of_the_plan_are_no_names_of_items() -> None:
    with pytest.raises(pv.InputError, match="'order' is called as one of the plan will be; rename it"):
        pv.plan(sales().rename({"unique_id": "order"}), item="order", **QUICK)
