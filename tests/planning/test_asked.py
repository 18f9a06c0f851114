"""What is asked for is doubted where it can hardly be meant: rows twice, columns that do not count, odd costs."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import polars as pl
import pytest

import provend as pv
from commands import run
from provend.planning import PlanWarning

FIRST, DAYS = date(2026, 10, 1), 40
NEXT = FIRST + timedelta(days=DAYS)
TERMS: dict[str, Any] = {"cu": 2, "co": 1, "support": (0, 60), "policy": "erm", "dissimilarity": 0.05}
COMMAND = ("--co", "1", "--support", "0", "60", "--policy", "erm", "--dissimilarity", "0.05")


def history(*items: str, **columns: Any) -> pl.DataFrame:
    rows = [
        {"unique_id": name, "ds": FIRST + timedelta(days=day), "y": float((7 * day + 3 * at) % 11)}
        for at, name in enumerate(items or ("a", "b"))
        for day in range(DAYS)
    ]
    return pl.DataFrame(rows).with_columns(**columns)


def targets(*items: str, day: date = NEXT, **columns: Any) -> pl.DataFrame:
    return pl.DataFrame({"unique_id": items, "ds": [day] * len(items)}).with_columns(**columns)


def planned(*tables: pl.DataFrame, **terms: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of a plan, and what it warned of."""
    with catch_warnings(record=True) as found:
        simplefilter("always")
        rows = pv.plan(*tables, **(TERMS | terms)).to_dicts()
    assert all(issubclass(one.category, PlanWarning) and one.filename == __file__ for one in found)
    return rows, [str(one.message) for one in found]


# --- rows that are there twice ---------------------------------------------------------------------------------------


def test_targets_that_are_there_twice_are_named() -> None:
    """They had two full orders without a word."""
    rows, warned = planned(history(), targets("a", "a", "b"))
    assert warned == [
        "1 item and date is there more than once in the targets, such as 'a' on 2026-11-10, 2 times: each row has an "
        "order of its own; leave one"
    ]
    assert [row["status"] for row in rows] == ["asked for twice"] * 2 + ["ok"]
    note = "this item and date are there 2 times in the targets, each with an order of its own"
    assert [row["message"] for row in rows] == [note, note, None]
    assert rows[0]["order"] == rows[1]["order"]


def test_twice_is_by_item_and_date() -> None:
    ahead = pl.concat([targets("a", "b"), targets("a", "b", day=NEXT + timedelta(days=1))])
    assert planned(history(), ahead)[1] == []
    rows, (warned,) = planned(history(), pl.concat([ahead, ahead, targets("b")]), stock=3)
    assert warned.startswith("4 items and dates are there more than once in the targets, such as 'a' on 2026-11-10, 2")
    assert {row["status"] for row in rows if row["order"] is not None} == {"asked for twice"}
    assert sorted(row["message"].partition(" in the")[0][-7:] for row in rows if row["order"]) == ["2 times", "3 times"]


def test_rows_to_come_that_a_history_has_twice_are_named() -> None:
    ahead = targets("a", "a").with_columns(y=pl.lit(None, pl.Float64))
    rows, warned = planned(pl.concat([history(), ahead]))
    assert ([row["status"] for row in rows], len(warned)) == (["asked for twice"] * 2, 1)


def test_the_command_says_what_is_there_twice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history().write_csv(tmp_path / "sales.csv")
    targets("a", "a", "b").write_csv(tmp_path / "t.csv")
    files = ("plan", tmp_path / "sales.csv", "--targets", tmp_path / "t.csv", "--cu", "2", *COMMAND)
    code, said, _ = run(capsys, *files)
    assert (code, "3 targets, 3 orders: 2 asked for twice, 1 ok\n1 item and date is there more than" in said) == (0, 1)
    assert run(capsys, *files, "--strict")[0] == 2


# --- columns that do not count, and what is given twice --------------------------------------------------------------


def test_columns_of_the_targets_that_are_not_used_are_warned_of() -> None:
    ahead = targets("a", "b", Wetter=pl.lit("sunny"))
    assert planned(history(), ahead)[1] == ["not used, as the history does not have them: Wetter of the targets"]


def test_contexts_that_the_targets_lack_are_warned_of() -> None:
    past = history(promo=pl.lit(1) - pl.col("y") % 2, rain=pl.col("y") % 3)
    said = (
        "left out, as not known for the days to come: {}; give them in targets, or say contexts = {} if none of them "
        "counts"
    )
    assert planned(past)[1] == [said.format("promo, rain", "[]")]
    ahead = targets("a", "b", promo=pl.lit(1.0))
    assert planned(past, ahead)[1] == [said.format("rain", "['promo']")]
    assert planned(past, ahead, contexts=["promo"])[1] == []
    assert planned(past, contexts=[])[1] == []


def test_a_horizon_beside_targets_is_refused() -> None:
    with pytest.raises(pv.InputError, match=r"^horizon = 7 with targets: .*; give one of them$"):
        pv.plan(history(), targets("a"), horizon=7, **TERMS)
    assert planned(history(), targets("a"), horizon=1)[1] == []


# --- costs -----------------------------------------------------------------------------------------------------------


def test_costs_of_different_units_are_warned_of() -> None:
    doubt = "at these costs an order should be enough on 0.009999 % of days: check their units"
    assert planned(history(), cu=0.09, co=900)[1] == [doubt]


def test_columns_of_costs_of_different_units_are_doubted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = (
        "at the costs of {} targets, such as those of {}, an order should be enough on {} % of days: check their units"
    )
    past = history(price=pl.when(pl.col("unique_id") == "a").then(2.5).otherwise(0.001))
    assert planned(past, cu="price")[1] == [said.format("1 of 2", "'b'", "0.0999")]  # of the latest row
    ahead = targets("a", "b", price=pl.Series([9000.0, 3.0]))
    assert planned(past, ahead, cu="price")[1] == [said.format("1 of 2", "'a'", "99.99")]
    assert planned(past, ahead, cu="price", co="price")[1] == []
    (tmp_path / "sales.csv").write_text(past.write_csv())
    out = run(capsys, "plan", tmp_path / "sales.csv", "--cu", "price", *COMMAND, "--json")[1]
    assert json.loads(out)["messages"] == [said.format("1 of 2", "'b'", "0.0999")]


def test_costs_that_are_no_costs_are_left_to_their_rows() -> None:
    rows, warned = planned(history(), targets("a", "b", price=pl.Series([-1.0, None])), cu="price")
    assert (warned, [row["status"] for row in rows]) == ([], ["failed"] * 2)


# --- costs that are no numbers ---------------------------------------------------------------------------------------


def test_a_cost_that_is_no_number_is_shown() -> None:
    """It was said not to be there."""
    ahead = targets("a", "b", price=pl.Series(["9,50", "2"]))
    rows, warned = planned(history(), ahead, cu="price")
    assert rows[0]["message"] == "cu = '9,50' is no number, such as 9.5; correct it"
    assert [row["status"] for row in rows] == ["failed", "ok"]
    assert warned == []
    both = history(price=pl.lit("3"))  # what stands in the target counts, also where it cannot be read
    assert planned(both, ahead, cu="price")[0][0]["status"] == "failed"
    empty = targets("a", "b", price=pl.Series([" ", "2"]))
    assert planned(both, empty, cu="price")[0][0]["status"] == "ok"
    said = "there is no cu for this target, nor in the item's past; fill it in"
    assert planned(history(), empty, cu="price")[0][0]["message"] == said


def test_a_cost_of_the_past_that_is_no_number_is_shown() -> None:
    late = pl.col("ds") >= NEXT - timedelta(days=5)
    past = history(price=pl.when(late & (pl.col("unique_id") == "a")).then(pl.lit("9,50")).otherwise(pl.lit("3")))
    rows, warned = planned(past, cu="price")
    said = (
        "cu = '9,50', the latest of the item's past, is no number, such as 9.5; correct it, or give it in the targets"
    )
    assert ([row["status"] for row in rows], rows[0]["message"]) == (["failed", "ok"], said)
    assert warned == ["cu: the latest `price` of 1 item is no number, such as '9,50' of 'a': no order without it"]
    assert [row["status"] for row in planned(past, targets("a", price=pl.Series(["4"])), cu="price")[0]] == ["ok"]
    early = history(price=pl.when(late).then(pl.lit("3")).otherwise(pl.lit("9,50")))
    assert planned(early, cu="price")[1] == []


def test_a_stock_that_is_no_number_is_shown() -> None:
    rows, _ = planned(history(), targets("a", "b", here=pl.Series(["drei", "2"])), stock="here")
    assert [row["message"] for row in rows] == ["stock = 'drei' is no number, such as 9.5; correct it", None]
