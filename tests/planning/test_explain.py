"""An order taken apart: what it was decided on is what it was decided by."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import provend as pv
from provend.datasets import load_restaurant
from provend.planning import Choice, Explainer, OwnRows, Supply, WeighedPeriods, WeighedSales, as_history, read_request

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


@pytest.mark.parametrize("stock", [None, 20, 41.5])  # with 41.5, some classes order nothing
def test_orders_for_several_days_are_the_mean_over_classes_of_periods(stock: float | None) -> None:
    days, size = 3, 44
    y = np.random.default_rng(3).poisson(12, size).astype(float)
    table = pa.table({"unique_id": ["a"] * size, "ds": DATES[:size], "y": y})
    supply = {"lead_time": 2, "review": 1} | ({} if stock is None else {"stock": stock})
    own = {"policy": "erm", "dissimilarity": 0.05}
    (row,) = pv.plan(table, cu=3, co=1, support=(0, 150), **own, **supply).to_pylist()
    request = read_request((3, 1), support=(0, 150), choice=Choice("auto", OwnRows(**own)), supply=Supply(**supply))
    found = Explainer(request, table).weighed(("a",), row["ds"])
    assert isinstance(found, WeighedPeriods)
    have = stock or 0
    sums = np.array([y[i : i + days].sum() for i in range(size - days + 1)])
    classes = [sums[first::days] for first in range(days)]
    levels = [max(sorted(one)[-(-3 * one.size // 4) - 1], have) for one in classes]  # ERM at q = 3/4
    assert [one.level for one in found.classes] == levels
    assert [one.periods for one in found.classes] == [one.size for one in classes]
    assert row["order"] == pytest.approx(np.mean(levels) - have)
    assert row["guarantee"] == pytest.approx(np.mean([one.guarantee for one in found.classes]))
    exact = pv.worst_case_regret(pv.ERM(), [0.05] * classes[0].size, q=pv.Newsvendor(3, 1, (0, 150))).upper
    assert stock or exact <= found.classes[0].guarantee <= 1.001 * exact
    assert stock != 41.5 or min(levels) == 41.5 < max(levels)
    assert (found.days, found.stock) == (days, have)
    np.testing.assert_array_equal(found.demands, sums)
    assert [date.strftime("%F") for date in found.dates] == DATES[: sums.size].astype(str).tolist()  # type: ignore[attr-defined]
    np.testing.assert_allclose(found.shares, [1 / (days * classes[i % days].size) for i in range(sums.size)])
    np.testing.assert_array_equal(found.d, 0.05)


def test_sales_cut_off_by_stock_are_taken_apart_by_segment() -> None:
    rng, size = np.random.default_rng(4), 60
    shelf = rng.choice([20.0, 30.0, 45.0], size)
    sold = np.minimum(rng.poisson(28, size), shelf)
    table = pa.table({"unique_id": ["a"] * size, "ds": DATES, "y": sold, "shelf": shelf})
    (row,) = pv.plan(table, cu=3, co=1, support=(0, 90), stock_seen="shelf", dissimilarity=0.04).to_pylist()
    request = read_request(
        (3, 1), support=(0, 90), choice=Choice("auto", OwnRows(dissimilarity=0.04)), supply=Supply(stock_seen="shelf")
    )
    found = Explainer(request, table).weighed(("a",), row["ds"])
    assert isinstance(found, WeighedSales)
    by_hand = pv.order_with_stockouts(sold, shelf, [0.04] * size, q=pv.Newsvendor(3, 1, (0, 90)))
    assert found.found.segments == by_hand.segments
    assert row["order"] == pytest.approx(sum(one.order for one in found.found.segments))
    assert row["guarantee"] == pytest.approx(sum(one.part for one in found.found.segments))
    for as_it_was, brought, expected in (
        (found.sales, found.brought, sold),
        (found.shelf, found.brought_shelf, shelf),
    ):
        np.testing.assert_array_equal(as_it_was, expected)
        np.testing.assert_array_equal(brought, expected)


def test_of_sales_only_the_days_that_are_weighed_are_shown() -> None:
    rng, size = np.random.default_rng(5), 60
    shelf = rng.choice([20.0, 30.0, 45.0], size)
    sold = np.minimum(rng.poisson(28, size), shelf)
    table = pa.table({"unique_id": ["a"] * size, "ds": DATES, "y": sold, "shelf": shelf})
    request = read_request(
        (3, 1),
        support=(0, 90),
        choice=Choice("auto", OwnRows(dissimilarity="split")),
        supply=Supply(stock_seen="shelf"),
    )
    found = Explainer(request, table).weighed(("a",), "2024-03-01")
    assert isinstance(found, WeighedSales)
    np.testing.assert_array_equal(found.sales, sold[30:])
    np.testing.assert_array_equal(found.shelf, shelf[30:])
    assert len(found.dates) == found.brought.size == found.brought_shelf.size == 30


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


@pytest.mark.parametrize(
    "options", [{"lead_time": 1, "review": 2}, {}, {"stock_seen": "shelf"}], ids=["periods", "own", "stock-outs"]
)
def test_orders_without_data_have_nothing_to_show(options: dict[str, Any]) -> None:
    history = pa.table({"unique_id": ["old"] * 20, "ds": DATES[:20], "y": np.arange(20.0), "shelf": [40.0] * 20})
    ahead = pa.table({"unique_id": ["old", "new"], "ds": DATES[[20, 20]]})
    request = read_request((9, 1), support=(0, 100), choice=Choice("own", new_items=True), supply=Supply(**options))
    if "shelf" not in options.values():
        history = history.drop_columns(["shelf"])
    explainer = Explainer(request, history, ahead)
    assert explainer.weighed(("old",), DATES[20])
    with pytest.raises(pv.InputError, match="the order was decided without data, as"):
        explainer.weighed(("new",), DATES[20])
