"""An order taken apart: what it was decided on is what it was decided by."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

import provend as pv
from provend.datasets import load_restaurant
from provend.planning import Choice, Explainer, OwnRows, as_history, read_request

REASON = re.compile(r"(\d+) of (\d+) comparable (\w+)")
DATES = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]")


@pytest.fixture(scope="module")
def many() -> pa.Table:
    sold = np.random.default_rng(0).poisson(np.linspace(5, 50, 12)[:, None], (12, 60))
    items = np.repeat([f"item {i}" for i in range(12)], 60)
    history = pa.table({"unique_id": items, "ds": np.tile(DATES, 12), "y": sold.ravel().astype(float)})
    return pa.concat_tables([history, pa.table({"unique_id": ["new"] * 5, "ds": DATES[-5:], "y": [3.0, 4, 5, 6, 7]})])


@pytest.mark.parametrize("dissimilarity", ["auto", "certified", 0.05])
def test_own_rows(dissimilarity: str | float) -> None:
    days = load_restaurant()
    dishes = [
        {"unique_id": [dish] * 90, "ds": days.dates[:90], "y": days.demand[dish][:90]} for dish in ("lamb", "steak")
    ]
    table = pa.concat_tables(map(pa.table, dishes))
    terms = {"support": (0, 100), "horizon": 2}
    plan = pv.plan(table, cu=9, co=1, model="own", dissimilarity=dissimilarity, **terms).to_pylist()
    explainer = Explainer(
        read_request((9, 1), **terms, choice=Choice("own", OwnRows(dissimilarity=dissimilarity))), table
    )
    for row in plan[1:3]:
        found = explainer.weighed((row["unique_id"],), row["ds"])
        assert found.shares.sum() == pytest.approx(1)
        assert 1 / (found.shares**2).sum() == pytest.approx(row["effective_n"])
        counted = found.shares > 0
        enough, size, rows = REASON.search(row["reason"]).groups()  # type: ignore[union-attr]
        day = np.array([date.strftime("%As") == rows for date in found.dates])
        named = counted & (day | (rows == "days"))  # those of one weekday, where these have most of the weight
        assert int(size) == named.sum()
        assert int(enough) == (found.brought[named] <= row["order"] * (1 + 1e-12)).sum()
        assert np.isfinite(found.d[counted]).all()
        assert np.array_equal(found.brought, found.demands) == (dissimilarity == 0.05)  # as it is where d is given
        assert (found.price > 0) == (dissimilarity == "certified")
        assert found.problem == pv.Newsvendor(9, 1, (0, 100))
        mine = table.filter(pa.compute.equal(table["unique_id"], row["unique_id"]))
        np.testing.assert_array_equal(found.demands, mine["y"].to_numpy())


def test_pooled(many: pa.Table) -> None:
    plan = {row["unique_id"]: row for row in pv.plan(many, cu=9, co=1).to_pylist()}
    explainer = Explainer(read_request((9, 1)), many)
    for item, own in (("item 3", 60), ("new", 5)):
        row = plan[item]
        found = explainer.weighed((item,), row["ds"])
        assert found.items.count(item) <= own
        assert found.dates[0] is not None
        assert found.demands[0] == many.filter(pa.compute.equal(many["unique_id"], item))["y"][-1].as_py()
        assert 1 / (found.shares**2).sum() == pytest.approx(row["effective_n"])
        counted = found.shares > 0
        enough = int((found.brought[counted] <= row["order"]).sum())
        assert f"{enough} of {counted.sum()} demands" in row["reason"]
    lent = [date is None for date in found.dates]
    assert lent == [False] * 5 + [True] * (len(lent) - 5)
    assert np.isnan(found.demands[5:]).all()


def test_orders_that_are_not_in_the_plan(many: pa.Table) -> None:
    explainer = Explainer(read_request((9, 1), choice=Choice("own")), many.slice(0, 60))
    for item, when in (("item 0", "1999-01-01"), ("nobody'; DROP TABLE history; --", "2024-03-01")):
        with pytest.raises(pv.InputError, match="there is no order"):
            explainer.weighed((item,), when)


def test_a_file_becomes_a_history_under_its_own_names() -> None:
    table = pa.table({"store": ["a", "a"], "sku": ["1", "2"], "day": ["2026-11-14"] * 2, "sold": [1, 2]})
    names, found = as_history(pv.read_sales(table, item=["store", "sku"], date="day", demand="sold"))
    assert (names.ids, names.date, names.demand) == (("store", "sku"), "day", "sold")
    assert set(found.column_names) == {"store", "sku", "day", "sold"}
