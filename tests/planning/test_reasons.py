"""What a planner has to know about an order stands in its reason: chance, and a support that nobody gave."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import provend as pv

DAYS = 30
CHANCE = "rounded at random to packs of 6 as the guarantee has it"
TOPPED = "as much as past demand says can be needed: give a support if more can"


def sales(items: int = 1, days: int = DAYS) -> pl.DataFrame:
    """Every day differs; the largest demand of item k is 30 + k."""
    dates = [date(2026, 1, 5) + timedelta(days=i) for i in range(days)]
    return pl.concat(
        pl.DataFrame({"unique_id": f"{k:02}", "ds": dates, "y": [30.0 + k - 7 * i % days for i in range(days)]})
        for k in range(items)
    )


def reason(**options: Any) -> tuple[float, str]:
    row = pv.plan(sales(), **{"policy": "erm", "dissimilarity": 0.0, "cu": 9, "co": 1} | options).row(0, named=True)
    return row["order"], row["reason"]


def test_that_orders_are_drawn_is_said() -> None:
    order, said = reason(pack=6, support=(0, 60))
    assert order % 6 == 0
    assert said.endswith(f"; {CHANCE}")
    assert "random" not in reason(pack=1, support=(0, 60))[1]  # by less than one unit
    whole = "rounded at random to whole units, 0 or at least 18, as the guarantee has it"
    assert reason(minimum=18, support=(0, 60))[1].endswith(f"; {whole}")
    only = "rounded at random to packs of 6, 0 or at least 18, as the guarantee has it"
    assert reason(pack=6, minimum=18, support=(0, 60))[1].endswith(f"; {only}")
    assert reason(pack=6, support=(0, 400), lead_time=1, review=2)[1].endswith(f"; {CHANCE}")
    assert "random" not in reason(support=(0, 60))[1]


def test_that_orders_are_drawn_is_said_without_data_too() -> None:
    one = pl.DataFrame({"unique_id": ["new"], "ds": [date(2026, 1, 31)], "y": [7.0]})
    found = pv.plan(pl.concat([sales(), one]), cu=9, co=1, support=(0, 60), pack=6).filter(unique_id="new")
    assert (found["status"][0], found["reason"][0].endswith(f"; {CHANCE}")) == ("no data", True)


def test_nothing_is_drawn_where_sales_were_cut_off() -> None:
    """There, orders are rounded at a price."""
    shelf = sales().with_columns(shelf=pl.lit(40.0))
    row = pv.plan(shelf, cu=9, co=1, support=(0, 60), stock_seen="shelf", pack=6).row(0, named=True)
    assert (row["order"] % 6, "random" in row["reason"]) == (0, False)


@pytest.mark.parametrize("options", [{}, {"lead_time": 0, "review": 1}])
def test_an_order_at_the_largest_demand_seen_says_so(options: dict[str, Any]) -> None:
    order, said = reason(cu=99, **options)
    assert (order, said.endswith(f"; {TOPPED}")) == (30, True)  # all of the demands are at most that
    assert TOPPED not in reason(cu=99, support=(0, 30), **options)[1]  # known
    order, said = reason(cu=1, **options)
    assert order < 30
    assert TOPPED not in said


@pytest.mark.parametrize(("step", "rows"), [("1d", "days"), ("1w", "weeks"), ("1mo", "months")])
def test_rows_are_called_what_they_are(step: str, rows: str) -> None:
    dates = pl.Series([date(2024, 1, 1)] * DAYS).dt.offset_by(pl.Series([f"{at}{step[1:]}" for at in range(DAYS)]))
    row = pv.plan(sales().with_columns(ds=dates), cu=9, co=1, policy="erm", dissimilarity=0.0).row(0, named=True)
    assert f" of 30 comparable {rows} needed at most " in row["reason"]


def test_what_other_items_have_seen_may_be_more() -> None:
    """Of the demands that count, those of others are above the order."""
    mine = pl.col("unique_id") == "00"
    short = sales(12).filter(~mine | (pl.col("ds") < date(2026, 1, 11)))
    low = short.with_columns(y=pl.when(mine).then(pl.col("y") / 5).otherwise("y"))
    row = pv.plan(low, cu=9, co=1, model="pooled").row(0, named=True)
    assert row["order"] > low.filter(mine)["y"].max()
    assert row["reason"].endswith("57 of 66 demands, brought to this day, are at most 8.387")


def test_pooled_orders_say_so_too() -> None:
    found = pv.plan(sales(12), cu=999, co=1, model="pooled", horizon=2, pack=6)
    highest = dict(sales(12).group_by("unique_id").agg(pl.max("y")).iter_rows())
    for row in found.iter_rows(named=True):
        enough, counted = re.match(r".*: (\d+) of (\d+) demands", row["reason"]).groups()  # type: ignore[union-attr]
        most = row["order"] >= highest[row["unique_id"]] and enough == counted
        assert (TOPPED in row["reason"]) == most, row
        assert CHANCE in row["reason"]
    assert found["reason"].str.contains(TOPPED).any()
    low = pv.plan(sales(12), cu=1, co=1, model="pooled")
    assert not low["reason"].str.contains(TOPPED).any()


def test_a_first_promotion_is_not_at_the_top() -> None:
    """It orders more than the item has ever sold, as its support moves along with the promotions of others."""
    rng, days = np.random.default_rng(0), [date(2026, 1, 1) + timedelta(days=i) for i in range(60)]
    promotion = (rng.random((20, 60)) < 0.15) & (np.arange(20) > 0)[:, None]
    past = pl.DataFrame(
        {
            "unique_id": np.repeat([f"{k:02}" for k in range(20)], 60),
            "ds": days * 20,
            "promotion": np.where(promotion, "yes", "no").ravel(),
            "y": rng.poisson(20 + 30 * promotion).ravel().astype(float),
        }
    )
    first = pl.DataFrame({"unique_id": ["00"], "ds": [days[-1] + timedelta(days=1)], "promotion": ["yes"]})
    row = pv.plan(past, first, cu=9, co=1, model="pooled").row(0, named=True)
    assert row["order"] > 1.3 * past.filter(unique_id="00")["y"].max()
    assert TOPPED not in row["reason"]
