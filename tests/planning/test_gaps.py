"""Items whose rows are further apart than the dates to come are not planned at these in silence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import polars as pl
import pytest

import provend as pv
from commands import run

FIRST = date(2024, 1, 1)
TERMS: dict[str, Any] = {"cu": 9, "co": 1, "support": (0, 300), "policy": "erm", "dissimilarity": 0.05}
COMMAND = ("--cu", "9", "--co", "1", "--support", "0", "300", "--policy", "erm", "--dissimilarity", "0.05")
APART = (
    "rows of {} are {} apart{}, the dates to come are {}: plan {} of {} own, or add rows of 0 for dates on which "
    "nothing was sold"
)


def item(name: str, days: Iterable[object], level: float = 20.0) -> pl.DataFrame:
    when = list(days)
    return pl.DataFrame({"unique_id": name, "ds": when, "y": [level + at % 7 for at in range(len(when))]})


def every(step: int, count: int, first: int = 0) -> list[date]:
    return [FIRST + timedelta(days=first + step * at) for at in range(count)]


def planned(*items: pl.DataFrame, **terms: Any) -> tuple[dict[str, str | None], list[str]]:
    """The message of each item's first row, and what the plan warned of."""
    with catch_warnings(record=True) as found:
        simplefilter("always")
        rows = pv.plan(pl.concat(items), **(TERMS | terms)).to_dicts()
    return {row["unique_id"]: row["message"] for row in reversed(rows)}, [str(one.message) for one in found]


def said(name: str, apart: str, coming: str, more: str = "") -> str:
    table, its = ("them in a table", "their") if more else ("it in a table", "its")
    return APART.format(name, apart, more, coming, table, its)


def test_a_weekly_item_beside_daily_ones_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It was ordered a week's demand for each of two successive days."""
    tables = item("x", every(7, 20), 140.0), item("a", every(1, 140)), item("b", every(1, 140))
    messages, warned = planned(*tables, horizon=2)
    assert warned == [said("'x'", "7 days", "daily")]
    note = "its rows are 7 days apart, the dates to come are daily: every order is as large as one of these rows needs"
    assert messages == {"x": note, "a": None, "b": None}
    pl.concat(tables).write_csv(tmp_path / "sales.csv")
    code, out, _ = run(capsys, "plan", tmp_path / "sales.csv", *COMMAND)
    assert (code, warned[0] in " ".join(out.split())) == (0, True)


def test_fortnights_in_turns_are_no_weeks() -> None:
    messages, warned = planned(item("x", every(14, 12)), item("y", every(14, 12, first=7)))
    assert warned == [said("'x'", "14 days", "weekly, on Mondays", ", and those of 1 more item are too far apart, too")]
    assert all(message is not None for message in messages.values())


def test_quarters_are_further_apart_than_months() -> None:
    months = [date(2020 + at // 12, 1 + at % 12, 1) for at in range(48)]
    _, warned = planned(item("x", months[::3]), item("a", months))
    assert warned == [said("'x'", "91 days", "monthly, on day 1")]


def test_months_beside_days_are_named() -> None:
    months = [date(2023 + at // 12, 1 + at % 12, 1) for at in range(15)]
    _, warned = planned(item("x", months), item("a", [date(2023, 1, 1) + timedelta(days=at) for at in range(440)]))
    assert warned == [said("'x'", "31 days", "daily")]


def test_numbers_have_gaps_too() -> None:
    messages, warned = planned(item("x", range(0, 60, 5)), item("a", range(60)))
    assert warned == [said("'x'", "5", "numbers, 1 apart")]
    assert messages["x"] is not None


def test_few_rows_one_long_gap_or_rare_sales_are_not_regular() -> None:
    days = every(1, 140)
    rare = [day for at, day in enumerate(days) if at * at % 11 in (3, 5)]
    away = [*every(1, 20), *every(1, 70, first=70)]
    open_days = [day for day in days if day.weekday() < 5]
    mostly = [*every(7, 18), days[-2], days[-1]]  # 17 gaps of 19
    others = item("a", days), item("c", open_days), item("d", away), item("e", rare), item("f", mostly)
    assert planned(*others, item("b", days[::-1][:15:5]))[1] == []  # three rows are too few
    _, (warned,) = planned(*others, item("b", days[::-1][:20:5]))
    assert warned.startswith("rows of 'b' are 5 days apart, the dates to come are daily")
    nearly = item("f", [*every(7, 20)[:-1], days[-1]])  # 18 gaps of 19
    assert planned(others[0], nearly)[1] != []


def test_targets_say_themselves_when_to_order() -> None:
    past = pl.concat([item("x", every(7, 20)), item("a", every(1, 140))])
    ahead = pl.DataFrame({"unique_id": ["x", "a"], "ds": [FIRST + timedelta(days=140)] * 2})
    assert pv.plan(past, ahead, **TERMS)["message"].to_list() == [None, None]


NAMES = "item last most days rows first gap usual past ahead moment problem value name units day asked known again"


@pytest.mark.parametrize("text", [False, True])
def test_contexts_may_be_called_as_anything_is_here(text: bool) -> None:
    """A context "most" ended in an error of the database; one called "days" hid that an item is gone."""
    last, following = FIRST + timedelta(days=59), FIRST + timedelta(days=60)
    contexts = [pl.lit("x" if text else 1.0).alias(name) for name in NAMES.split()]
    history = pl.concat([item("a", every(1, 60)), item("old", every(1, 60, -800))]).with_columns(*contexts)
    targets = pl.DataFrame({"unique_id": ["a", "a", "a", "old"], "ds": [last, following, following, following]})
    with catch_warnings(record=True) as found:
        simplefilter("always")
        plan = pv.plan(history, targets.with_columns(*contexts), **TERMS)
        costs = history.with_columns(cost=pl.lit(9.0)), targets.with_columns(*contexts), TERMS | {"cu": "cost"}
        assert pv.plan(*costs[:2], **costs[2]).equals(plan)
    assert plan["status"].to_list() == ["not after its past", "asked for twice", "asked for twice", "ok"]
    assert plan["message"].to_list()[-1] == "last seen on 2021-12-21, 801 days before"
    said = " ".join(str(one.message) for one in found)
    assert all(part in said for part in ("not been seen for long", "more than once", "not after the item's own past"))


def test_an_item_that_is_gone_has_one_row_for_each_date() -> None:
    messages, _ = planned(item("a", every(1, 60)), item("old", every(1, 60, -800)), horizon=3)
    assert messages["old"] is not None
    with catch_warnings():
        simplefilter("ignore")
        plan = pv.plan(pl.concat([item("a", every(1, 60)), item("old", every(1, 60, -800))]), **TERMS, horizon=3)
    assert plan["unique_id"].to_list() == ["a"] * 3 + ["old"] * 3
    assert len({*plan.filter(pl.col("unique_id") == "old")["message"]}) == 3
