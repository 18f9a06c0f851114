"""Orders from sales that stock has cut off: against decisions layer by layer, and at the ends of what can be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv


@pytest.mark.parametrize("seed", range(40))
def test_the_order_is_the_decision_layer_by_layer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, top = int(rng.integers(1, 12)), 20
    stock = rng.choice(np.arange(0, 2 * top), n).astype(float)
    sales = np.minimum(rng.integers(0, top + 1, n), stock)
    q = Fraction(int(rng.integers(1, 10)), 10)
    found = pv.order_with_stockouts(sales, stock, np.zeros(n), q=q, support=(0, top), policy=pv.ERM())
    stocked = 0
    for y in range(top):
        seen = [s for s, c in zip(sales, stock, strict=True) if c > y]
        stocked += bool(seen) and sum(s <= y for s in seen) < q * len(seen)
    assert sum(one.order for one in found.segments if one.rows) == stocked
    assert found.order == pytest.approx(sum(one.order for one in found.segments), rel=1e-12)
    for one in found.segments:
        assert one.rows == sum(c >= one.top for c in stock)


@pytest.mark.parametrize("stock", [[np.inf] * 6, [100.0] * 6, [100, 200, 150, np.inf, 100, 101]])
def test_with_enough_stock_it_is_the_plain_answer(stock: list[float]) -> None:
    sales, d = [10, 80, 30, 55, 100, 20], [0.0, 0.02, 0.1, 0.1, 0.3, 0.05]
    problem = pv.Newsvendor(9, 1, support=(0, 100))
    found, plain = pv.order_with_stockouts(sales, stock, d, q=problem), pv.minimax(d, q=problem)
    assert found.order == plain.policy.order(sales, d, q=problem)
    assert found.upper == pytest.approx(plain.guarantee.upper, rel=1e-12)
    assert found.upper >= plain.guarantee.upper
    assert len(found.segments) == 1
    assert found.unseen == 0


def test_all_sold_out_at_one_level_leaves_the_no_data_share_of_the_rest() -> None:
    found = pv.order_with_stockouts([40.0] * 30, [40.0] * 30, [0.0] * 30, q=0.9, support=(0, 100))
    assert found.order == pytest.approx(40 + 0.9 * 60)
    assert found.unseen == pytest.approx(0.6 * 0.09, rel=1e-3)
    left = pv.order_with_stockouts([39.0] * 30, [40.0] * 30, [0.0] * 30, q=0.9, support=(0, 100))
    assert left.order == 39
    assert left.upper == found.upper


def test_empty_shelves_and_far_days_say_nothing() -> None:
    for stock, d in (([0.0, 0.0], [0.0, 0.1]), ([10.0, 10.0], [0.6, 1.0])):
        found = pv.order_with_stockouts([0.0, 0.0], stock, d, q=0.75, support=(0, 10))
        assert found.order == pytest.approx(7.5)
        assert found.upper == pytest.approx(0.1875, rel=2e-3)
        assert found.lower == pytest.approx(0.1875, rel=1e-12)


def test_the_guarantee_does_not_depend_on_sales_nor_on_the_order_of_the_days() -> None:
    rng = np.random.default_rng(3)
    stock, d = rng.choice([20.0, 35, 50, 80], 25), rng.uniform(0, 0.2, 25)
    sales = np.minimum(rng.uniform(0, 100, 25), stock)
    found = pv.order_with_stockouts(sales, stock, d, q=0.8, support=(0, 100))
    again = rng.permutation(25)
    same = pv.order_with_stockouts(sales[again], stock[again], d[again], q=0.8, support=(0, 100))
    assert same.order == pytest.approx(found.order)
    assert same.upper == pytest.approx(found.upper)
    assert pv.order_with_stockouts(0 * sales, stock, d, q=0.8, support=(0, 100)).upper == found.upper


def test_money_and_other_units() -> None:
    args = np.array([2.0, 3, 1]), np.array([2.0, 4, 4]), [0.1, 0.0, 0.05]
    plain = pv.order_with_stockouts(*args, q=0.75, support=(0, 10))
    money = pv.order_with_stockouts(*args, q=pv.Newsvendor(6, 2, support=(0, 10)))
    moved = pv.order_with_stockouts(args[0] + 5, args[1] + 5, args[2], q=0.75, support=(5, 15))
    assert money.order == plain.order == moved.order - 5
    assert money.upper == pytest.approx(80 * plain.upper)
    assert money.lower == pytest.approx(80 * plain.lower)
    assert money.percent_of_no_data == pytest.approx(plain.percent_of_no_data)
    assert moved.upper == pytest.approx(plain.upper)


@pytest.mark.parametrize(
    ("sales", "stock", "d", "message"),
    [
        ([1.0], [True], [0.1], r"stock holds flags: .* give the stock of every day"),
        ([1, 2], [3], [0.1, 0.1], r"stock has 1 entries for 2 dissimilarities; give the stock of every past day"),
        ([1], [3, 3], [0.1, 0.1], r"sales has 1 entries and stock has 2; give both"),
        ([1.0], [np.nan], [0.1], r"stock\[0\] = nan is not a stock; give what was there to be sold, inf where"),
        ([1.0], [-np.inf], [0.1], r"stock\[0\] = -inf is not a stock"),
        ([3, 5], [3, 4], [0, 0], r"sales\[1\] = 5.0 exceeds stock\[1\] = 4.0; correct one"),
        ([np.nan], [4], [0], r"sales\[0\] is missing; give what was sold, or leave the day out"),
        ([-1], [4], [0], r"sales\[0\] = -1.0 lies outside the support \[0, 10\]"),
        ([11], [np.inf], [0], r"sales\[0\] = 11.0 lies outside the support \[0, 10\]; correct the sales or widen"),
    ],
)
def test_what_cannot_be_is_said(sales: list[float], stock: list[float], d: list[float], message: str) -> None:
    with pytest.raises(pv.InputError, match=message):
        pv.order_with_stockouts(sales, stock, d, q=0.5, support=(0, 10))


def test_exploring_is_worth_the_difference_of_two_guarantees() -> None:
    stock, d, problem = [40, 40, 60], [0.05] * 3, pv.Newsvendor(3, 1, support=(0, 100))
    worth = pv.value_of_stock(stock, d, q=problem, new_stock=[80, 80], new_d=[0.1, 0.1])
    now = pv.order_with_stockouts([0] * 3, stock, d, q=problem)
    then = pv.order_with_stockouts([0] * 5, [*stock, 80, 80], [*d, 0.1, 0.1], q=problem)
    assert (worth.now.upper, worth.then.upper) == (now.upper, then.upper)
    assert worth.reduction == now.upper - then.upper > 0
    assert then.unseen < now.unseen
    with pytest.raises(pv.InputError, match=r"new_stock has 1 entries"):
        pv.value_of_stock(stock, d, q=problem, new_stock=[80], new_d=[0.1, 0.1])


def test_repr_and_frame_show_the_parts() -> None:
    found = pv.order_with_stockouts([2, 4], [3, 4], [0, 0], q=0.75, support=(0, 10))
    assert repr(found).startswith("OrderWithStockouts(order=")
    assert "unseen=0.1125" in repr(found)
    frame = found.to_frame()
    assert list(frame.columns) == ["bottom", "top", "rows", "order", "part"]
    assert list(frame["rows"]) == [2, 1, 0]
    assert sum(frame["part"]) == pytest.approx(found.upper)
