"""The report of a plan: its numbers recomputed from the plan, small, offline, and harmless."""

from __future__ import annotations

import re
from datetime import date, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import provend as pv
from provend.planning import Choice, Files, OwnRows, Supply, _digest, _embedded, read_request, run
from provend.planning import _run as running
from provend.planning._digest import BIN, Digest
from provend.planning._listed import bound
from provend.planning._report import page

HOSTILE, NEW = "<script>alert(1)</script>", "<b>new</b>"
MOST = 5_000_000  # bytes


def sales(items: int, days: int = 30) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    dates = [date(2024, 1, 1) + timedelta(days=i) for i in range(days)]
    names = [HOSTILE, *(f"item {i}" for i in range(1, items))]
    one = [
        pl.DataFrame({"unique_id": n, "ds": dates, "y": rng.poisson(9 + i, days) * 1.0}) for i, n in enumerate(names)
    ]
    return pl.concat([*one, one[0].head(1).with_columns(unique_id=pl.lit(NEW))])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.DataFrame, Digest, str]:
    """A plan, what its report was made from, and the page."""
    folder = tmp_path_factory.mktemp("report")
    sales(4).write_parquet(folder / "sales.parquet")
    seen: list[Digest] = []

    def watched(found: Digest, facts: dict[str, str], messages: tuple[str, ...]) -> str:
        seen.append(found)
        return page(found, facts, messages)

    request = read_request((9, 1), support=(0, 50), horizon=3, choice=Choice("own", OwnRows("knn:20", "auto")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "page", watched)
        patch.setattr(_embedded, "ALONE", 1000)  # no processes for so little
        run(request, Files(folder / "sales.parquet", None, folder / "plan.parquet", folder / "plan.html"))
    html = (folder / "plan.html").read_text(encoding="utf-8")
    return pl.read_parquet(folder / "plan.parquet"), seen[0], html


def test_items_without_an_order_are_not_counted(tmp_path: Path) -> None:
    """It said "2 orders for 2 items" of two orders for one item, beside another that had none."""
    past = sales(2).filter(pl.col("unique_id") != HOSTILE).with_columns(price=pl.lit(2.0))
    past = past.with_columns(price=pl.when(pl.col("unique_id") == "item 1").then("price"))
    past.write_parquet(tmp_path / "sales.parquet")
    for horizon, said in ((1, "<b>1</b>order for 1 item<"), (2, "<b>2</b>orders for 1 item<")):
        request = read_request(
            ("price", 1), support=(0, 50), horizon=horizon, choice=Choice("own", OwnRows("erm", 0.05))
        )
        run(request, Files(tmp_path / "sales.parquet", None, tmp_path / "plan.parquet", tmp_path / "plan.html"))
        assert said in (tmp_path / "plan.html").read_text(encoding="utf-8")


def test_the_numbers_are_those_of_the_plan(made: tuple[pl.DataFrame, Digest, str]) -> None:
    plan, found, html = made
    no_data = pv.Newsvendor(9, 1, (0, 50)).no_data_regret
    assert found.totals["targets"] == len(plan) == 15
    assert found.totals["items"] == 5
    assert found.totals["units"] == pytest.approx(sum(plan["order"]))
    assert found.totals["exposure"] == pytest.approx(sum(plan["guarantee"]))
    assert found.totals["without_data"] == pytest.approx(15 * no_data)
    assert f"{100 * sum(plan['guarantee']) / (15 * no_data):.1f} %" in html
    by_item = {name: sum(rows["guarantee"]) for (name,), rows in plan.group_by("unique_id")}
    assert [row["item"] for row in found.exposed] == sorted(by_item, key=lambda name: (-by_item[name], name))
    assert [row["exposure"] for row in found.exposed] == pytest.approx(sorted(by_item.values(), reverse=True))
    assert found.counts == {"no data": 3, "ok": 12}
    assert {row["item"] for row in found.flawed} == {NEW}
    expected: dict[float, int] = {}
    for share in plan["percent_of_no_data"]:
        lowest = BIN * (min(share, 100) // BIN)
        expected[lowest] = expected.get(lowest, 0) + 1
    assert found.shares == expected


def rows_listed(html: str) -> list[list[str]]:
    """The cells of the table of orders, as people read them."""
    table = html.split("The orders</h2>")[1].split("</table>")[0].split("<tbody>")[1]
    texts = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("</tr>")[:-1]]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in texts]


def test_orders_are_listed_by_what_they_can_cost(made: tuple[pl.DataFrame, Digest, str]) -> None:
    """Every order with guarantee, share and reason; numbers of guarantees never below those of the plan."""
    plan, _, html = made
    rows = sorted(plan.to_dicts(), key=lambda row: (-row["guarantee"], row["unique_id"], row["ds"]))
    shown = rows_listed(html)
    assert len(shown) == len(rows) == 15
    for cells, row in zip(shown, rows, strict=True):
        item, day, order, guarantee, share, why = cells
        assert (item, day) == (row["unique_id"], str(row["ds"]))
        assert float(order) == pytest.approx(row["order"], rel=1e-3)
        assert 1 <= float(guarantee.replace(",", "")) / row["guarantee"] < 1.002
        assert 0 <= float(share.removesuffix(" %")) - row["percent_of_no_data"] < 1
        assert why == f"{row['reason'].split(': ', 1)[1]}" + (f" {row['message']}" if row["message"] else "")
    assert " more are in the file" not in html


def test_orders_beyond_those_listed_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With stock, what there is with each order is listed, too; rows without an order are not orders."""
    monkeypatch.setattr(_digest, "LISTED", 4)
    monkeypatch.setattr(_embedded, "ALONE", 1000)
    sales(6).with_columns(have=pl.lit(2.0)).write_parquet(tmp_path / "sales.parquet")
    given: dict[str, Any] = {"supply": Supply(stock="have"), "choice": Choice("own", OwnRows("erm", 0.2))}
    run(
        read_request((9, 1), **given),
        Files(tmp_path / "sales.parquet", None, tmp_path / "plan.parquet", tmp_path / "plan.html"),
    )
    plan = pl.read_parquet(tmp_path / "plan.parquet")
    html = (tmp_path / "plan.html").read_text(encoding="utf-8")
    most = plan.sort("guarantee", descending=True, nulls_last=True).head(4)
    shown = rows_listed(html)
    assert [row[0] for row in shown] == most["unique_id"].to_list()
    assert [float(row[3]) - float(row[2]) for row in shown] == pytest.approx([2.0] * 4)
    assert f"These are 4; {plan['order'].count() - 4} more are in the file" in html


def test_the_order_explained_is_that_of_the_plan(made: tuple[pl.DataFrame, Digest, str]) -> None:
    """Twenty neighbours count alike, and as many of them were at most the order as the reason says."""
    plan, found, _ = made
    one = found.explained
    assert one is not None
    row = plan.filter((pl.col("unique_id") == one.item) & (pl.col("ds") == one.when.date())).row(0, named=True)
    assert (one.order, one.reason) == (row["order"], row["reason"])
    assert one.shares.sum() == pytest.approx(100)
    assert (one.shares > 0).sum() == 20
    said = f"{one.order:.4g}: 18 of 20 comparable days needed at most {one.order:.4g}"  # nine tenths, as q has it
    assert one.reason in (said, f"{said}, once brought to its level")
    assert row["guarantee"] == max(plan.filter(pl.col("policy") != "no-data")["guarantee"])


def test_a_pooled_order_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what it was decided on: its own few demands, and those that others lent."""
    seen: list[Digest] = []
    monkeypatch.setattr(running, "page", lambda found, *rest: seen.append(found) or page(found, *rest))
    monkeypatch.setattr(_embedded, "ALONE", 1000)
    few = pl.DataFrame({"unique_id": "few", "ds": [date(2024, 1, 29), date(2024, 1, 30)], "y": [90.0, 99.0]})
    pl.concat([sales(12), few]).write_parquet(tmp_path / "sales.parquet")
    request = read_request((9, 1), choice=Choice("pooled"))
    run(request, Files(tmp_path / "sales.parquet", None, tmp_path / "plan.parquet", tmp_path / "plan.html"))
    one, plan = seen[0].explained, pl.read_parquet(tmp_path / "plan.parquet")
    assert one is not None
    row = plan.filter(pl.col("unique_id") == one.item).row(0, named=True)
    counted = one.shares > 0
    assert (one.item, one.order) == ("few", row["order"])
    assert f"{int((one.brought[counted] <= one.order).sum())} of {counted.sum()} demands" in row["reason"]
    assert one.demands[:2].tolist() == [99.0, 90.0]
    assert [name == "" for name in one.lenders] == [date is not None for date in one.dates]
    html = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "One order explained: few" in html
    assert HOSTILE not in html


def test_guarantees_are_rounded_to_their_safe_side() -> None:
    shown = {12.34101: "12.35", 99.991: "100.0", 276.01: "277", 1_234_001.0: "1.24 million", 0.0: "0", 5.0: "5"}
    assert {number: bound(number) for number in shown} == shown


def test_harmless_and_offline(made: tuple[pl.DataFrame, Digest, str]) -> None:
    html = made[2]
    assert HOSTILE not in html
    assert NEW not in html
    own = re.sub(r"<script>/\*\*.*?</script>", "", html, flags=re.S)
    assert len(own) < 200_000
    assert not re.search(r"(src|href)=\"(https?:)?//", own)


def test_the_page_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand days behind one order, more items than are listed."""
    long = [date(1990, 1, 1) + timedelta(days=i) for i in range(10_000)]
    rng = np.random.default_rng(0)
    one = pl.DataFrame({"unique_id": "old", "ds": long, "y": rng.poisson(50, 10_000) * 1.0})
    pl.concat([sales(40), one]).write_parquet(tmp_path / "sales.parquet")
    request = read_request((9, 1), support=(0, 200), choice=Choice("own", OwnRows("erm", 0.2)))
    monkeypatch.setattr(_embedded, "ALONE", 1000)  # no processes for so little
    run(request, Files(tmp_path / "sales.parquet", None, tmp_path / "plan.csv", tmp_path / "plan.html"))
    assert (tmp_path / "plan.html").stat().st_size < MOST
