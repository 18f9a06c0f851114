"""What the history does not know of is said by name: items, dates, categories, the day of a stock, rows left out."""

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

FIRST, DAYS = date(2026, 10, 1), 47
LAST = FIRST + timedelta(days=DAYS - 1)
ITEMS = ("001001", "001002", "001003")
TERMS: dict[str, Any] = {"cu": 2, "co": 1, "support": (0, 60), "policy": "erm", "dissimilarity": 0.05}
NONE: dict[str, Any] = TERMS | {"contexts": []}
COMMAND = ("--cu", "2", "--co", "1", "--support", "0", "60", "--policy", "erm", "--dissimilarity", "0.05")


def history(**changes: Any) -> pl.DataFrame:
    rows = [
        {
            "unique_id": name,
            "ds": FIRST + timedelta(days=day),
            "y": float((7 * day + 3 * at) % 11 + 10 * at),
            "Aktion": "J" if (day + at) % 5 == 0 else "N",
            "Bestand": 20 + day,
        }
        for at, name in enumerate(ITEMS)
        for day in range(DAYS)
    ]
    return pl.DataFrame(rows).with_columns(**changes)


def targets(*items: str, day: date = LAST + timedelta(days=1), **contexts: Any) -> pl.DataFrame:
    return pl.DataFrame({"unique_id": items, "ds": [day] * len(items)}).with_columns(**contexts)


# --- items -----------------------------------------------------------------------------------------------------------


def test_items_that_lost_their_zeros_stop_the_plan_by_name() -> None:
    lost = targets("1001", "1002", "1003")
    said = "none of the 3 items to decide is in the history, but '1001' looks like '001001', which is: leading zeros"
    with pytest.raises(pv.InputError, match=f"^{said}"):
        pv.plan(history(), lost, **TERMS)
    sales = pv.read_sales(history())
    with pytest.raises(pv.InputError, match=f"^targets: {said}"):
        pv.read_targets(lost, sales)
    assert pv.read_targets(lost, sales, new_items=True).num_rows == 3
    mostly = "only 1 of the 3 items to decide is in the history, but '1001' looks like '001001', which is"
    with pytest.raises(pv.InputError, match=f"^{mostly}"):
        pv.plan(history(), targets("1001", "1002", "001003"), **TERMS)


def test_numbers_of_a_spreadsheet_are_alike_too() -> None:
    lost = targets("1001", "1002").with_columns(unique_id=pl.Series([1001.0, 1002.0]))
    with pytest.raises(pv.InputError, match=r"but '1001\.0' looks like '001001', which is"):
        pv.plan(history(), lost, **TERMS)


@pytest.mark.parametrize("name", ["1003", " 001003", "001 003", "001-003"])
def test_an_item_that_looks_like_a_known_one_is_not_decided(name: str) -> None:
    with pytest.warns(PlanWarning, match=f"^'{name}' is not in the history, but '001003' is: write it as there"):
        found = pv.plan(history(), targets("001001", "001002", name), **NONE)
    rows = {row["unique_id"]: row for row in found.to_dicts()}
    assert (rows[name]["order"], rows[name]["status"]) == (None, "failed")
    assert rows[name]["message"].startswith(f"'{name}' is not in the history, but '001003' is")
    assert rows["001001"]["status"] == "ok"
    with pytest.warns(PlanWarning, match="is: decided as a new item$"):
        new = pv.plan(history(), targets("001001", "001002", name), new_items=True, **NONE)
    assert {row["unique_id"]: row["status"] for row in new.to_dicts()}[name] == "no data"


def test_new_items_are_counted_and_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history().write_csv(tmp_path / "sales.csv")
    targets("001001", "Neu", "Torte").write_csv(tmp_path / "t.csv")
    files = ("plan", tmp_path / "sales.csv", "--targets", tmp_path / "t.csv", "--out", tmp_path / "plan.csv")
    code, said, _ = run(capsys, *files, *COMMAND)
    assert (code, "2 items have no history: 'Neu', 'Torte'\n" in said) == (0, True)
    known = json.loads((tmp_path / "plan.csv.manifest.json").read_text())
    assert known["messages"] == ["2 items have no history: 'Neu', 'Torte'"]
    targets("Neu", "Torte").write_csv(tmp_path / "t.csv")
    code, _, error = run(capsys, *files, *COMMAND)
    assert (code, "none of the 2 items to decide is in the history, such as 'Neu'; write" in error) == (2, True)
    assert run(capsys, *files, *COMMAND, "--new-items")[0] == 0


# --- contexts and dates ----------------------------------------------------------------------------------------------


def test_a_category_never_seen_is_named() -> None:
    ahead = targets(*ITEMS, Aktion=pl.Series(["ja", "N", None]))
    said = r"^Aktion: 'ja', an empty cell were never seen; seen: J, N \(2 targets\)$"
    with pytest.warns(PlanWarning, match=said):
        one, two, three = pv.plan(history(), ahead, contexts=["Aktion"], **TERMS).to_dicts()
    assert (one["status"], one["message"]) == ("context never seen", "Aktion: 'ja' was never seen; seen: J, N")
    assert (two["status"], two["message"]) == ("ok", None)
    assert three["message"] == "Aktion: an empty cell was never seen; seen: J, N"
    known = pv.plan(history(), targets(*ITEMS, Aktion=pl.lit("N")), contexts=["Aktion"], **TERMS)
    assert known["status"].to_list() == ["ok"] * 3


@pytest.mark.parametrize("name", ["aktion", "Aktion ", " AKTION"])
def test_a_context_under_another_name_is_refused(name: str) -> None:
    """It was left out, "as not known for the days to come"."""
    ahead = targets(*ITEMS).with_columns(pl.lit("J").alias(name))
    said = f"the history has a column 'Aktion', the targets have '{name}'; rename it to 'Aktion'"
    with pytest.raises(pv.InputError, match=f"^{said}$"):
        pv.plan(history(), ahead, **TERMS)
    assert pv.plan(history(), ahead, **NONE)["status"].to_list() == ["ok"] * 3  # does not count


def test_columns_of_targets_that_are_not_used_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history().write_csv(tmp_path / "sales.csv")
    targets(*ITEMS, Wetter=pl.lit("sunny"), price=pl.lit(3)).write_csv(tmp_path / "t.csv")
    files = ("plan", tmp_path / "sales.csv", "--targets", tmp_path / "t.csv")
    costs = ("--cu", "price", *COMMAND[2:])
    code, said, _ = run(capsys, *files, *costs)
    assert (code, "not used, as the history does not have them: Wetter of the targets\n" in said) == (0, True)


def test_dates_and_numbers_are_no_categories() -> None:
    """A price, or a date of its own, may well be new."""
    past = history(price=pl.Series([2.5, 3.5, 4.5] * DAYS), until=pl.col("ds").cast(pl.String)).drop(
        "Aktion", "Bestand"
    )
    found = pv.plan(past, targets(*ITEMS, price=pl.lit(9.0), until=pl.lit("2026-12-24")), **TERMS)
    assert found["status"].to_list() == ["ok"] * 3


def test_targets_that_are_not_after_the_past_are_named() -> None:
    """All of the past counts for them, as it does for a day to come."""
    early = targets("001001", "001002", day=FIRST + timedelta(days=5))
    said = (
        "^2 targets are not after the item's own past, such as '00100[12]' on 2026-10-06, whose past ends on 2026-11-16"
    )
    with pytest.warns(PlanWarning, match=said):
        found = pv.plan(history(), early, **NONE).to_dicts()
    assert [row["status"] for row in found] == ["not after its past"] * 2
    assert found[0]["message"].startswith("the date is not after the item's past, which ends on 2026-11-16: demands of")
    assert [row["effective_n"] for row in found] == pytest.approx([DAYS] * 2)
    with pytest.warns(PlanWarning, match="^1 target is not after"):
        last = pv.plan(history(), targets("001001", day=LAST), **NONE)
    assert last["status"].to_list() == ["not after its past"]


# --- stock -----------------------------------------------------------------------------------------------------------


def test_a_stock_from_the_past_has_its_day(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gone = history(Bestand=pl.when(pl.col("ds") < LAST).then("Bestand"))
    gone.write_csv(tmp_path / "sales.csv")
    said = run(capsys, "plan", tmp_path / "sales.csv", *COMMAND, "--stock", "Bestand", "--json")[1]
    found = json.loads(said)
    assert found["messages"] == [
        "stock: `Bestand` of each item's latest past row that has one, such as 65 of '001001' on 2026-11-15; if that "
        "is not what is there now, give it in the targets"
    ]
    assert all(row["reason"].endswith("; stock 65 is that of 2026-11-15") for row in found["plan"])
    own = pv.plan(history(), targets(*ITEMS, Bestand=pl.lit(3.0)), stock="Bestand", **NONE)
    assert not any("is that of" in why for why in own["reason"])


# --- costs -----------------------------------------------------------------------------------------------------------


def test_costs_of_different_units_are_doubted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history().write_csv(tmp_path / "sales.csv")
    for cu, co, share in (("0.09", "900", "0.009999"), ("9000", "1", "99.99"), ("1", "99", None), ("999", "1", None)):
        said = run(capsys, "plan", tmp_path / "sales.csv", "--cu", cu, "--co", co, *COMMAND[4:], "--json")[1]
        doubt = f"at these costs an order should be enough on {share} % of days: check their units"
        assert json.loads(said)["messages"] == ([] if share is None else [doubt])


# --- rows left out ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gone", "status"), [(2, "ok"), (3, "rows set aside")])
def test_few_rows_left_out_are_a_note_many_a_status(gone: int, status: str) -> None:
    """A twentieth of 47 rows is between two and three."""
    past = history(y=pl.when(pl.col("ds") >= FIRST + timedelta(days=gone)).then("y"))
    found = pv.plan(past, **NONE).to_dicts()
    assert [row["status"] for row in found] == [status] * 3
    assert all(row["message"].startswith(f"{gone} past rows set aside: no demand on 2026-10-01") for row in found)


def test_orders_are_not_called_rows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history(y=pl.when(pl.col("ds") > FIRST).then("y")).write_csv(tmp_path / "sales.csv")
    page = tmp_path / "plan.html"
    code, said, _ = run(capsys, "plan", tmp_path / "sales.csv", *COMMAND, "--report", page)
    assert (code, "3 targets: 3 ok\n3 past rows of 3 items could not be used" in said) == (0, True)
    text = page.read_text()
    assert "<li>3 past rows of 3 items could not be used" in text
    assert "class='bad'" not in text
    assert "<b>3</b>orders for 3 items" in text


def test_what_is_said_of_negative_demands_holds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history(y=pl.when(pl.col("ds") > FIRST).then("y").otherwise(-1.0)).write_csv(tmp_path / "sales.csv")
    code, said, _ = run(capsys, "plan", tmp_path / "sales.csv", *COMMAND)
    assert (code, "3 rows set aside: rows 2, 49, 96: below zero" in said) == (0, True)
    code, _, error = run(capsys, "plan", tmp_path / "sales.csv", *COMMAND, "--negative", "refuse")
    assert (code, "holds '-1.0', below zero, in row 2" in error) == (2, True)
    assert run(capsys, "backtest", tmp_path / "sales.csv", "--cu", "2", "--co", "1")[0] == 2


# --- numbers as people type them -------------------------------------------------------------------------------------


def test_decimal_commas_are_understood(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    history().write_csv(tmp_path / "sales.csv")
    rest = ("--support", "0", "60", "--policy", "erm", "--dissimilarity", "0,05", "--json")
    point = json.loads(run(capsys, "plan", tmp_path / "sales.csv", "--cu", "0.80", "--co", "0.40", *rest)[1])
    comma = json.loads(run(capsys, "plan", tmp_path / "sales.csv", "--cu", "0,80", "--co", ",4", *rest)[1])
    assert comma["plan"] == point["plan"]
    for text, remedy in (("1.000", "1 or 1000"), ("1,000", "1000 or 1"), ("12,345", "12345 or 12.3450")):
        code, _, error = run(capsys, "plan", tmp_path / "sales.csv", "--cu", text, "--co", "1", *rest)
        told = f"provend: --cu {text}: its sign may stand before decimals or thousands; write {remedy}\n"
        assert (code, error) == (2, told)
    assert run(capsys, "regret", "--q", "0,9", "--constant", "0.1", "-n", "4")[0] == 0


# --- items not seen for long -----------------------------------------------------------------------------------------


def seen_until(last: date, *gone: date) -> pl.DataFrame:
    """Items "a", "b", ... of 60 rows: the first is seen until ``last``, the others until their own day."""
    days = [
        (name, day - timedelta(days=back))
        for name, day in zip("abcd", (last, *gone), strict=False)
        for back in range(60)
    ]
    return pl.DataFrame(
        {"unique_id": [n for n, _ in days], "ds": [d for _, d in days], "y": [float(d.day % 7) for _, d in days]}
    )


def test_items_not_seen_for_long_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    past = seen_until(date(2024, 5, 29), date(2022, 4, 30), date(2024, 3, 31), date(2024, 3, 30))
    said = (
        "2 items have not been seen for long, such as 'b', last on 2022-04-30, 761 days before: leave out what is no "
        "longer sold"
    )
    with pytest.warns(PlanWarning, match=f"^{said}$"):
        rows = pv.plan(past, **TERMS).to_dicts()
    assert [row["message"] for row in rows] == [
        None,
        "last seen on 2022-04-30, 761 days before",
        None,  # 60 days
        "last seen on 2024-03-30, 61 days before",
    ]
    assert {row["status"] for row in rows} == {"ok"}
    past.write_csv(tmp_path / "sales.csv")
    code, out, _ = run(capsys, "plan", tmp_path / "sales.csv", *COMMAND)
    assert (code, f"4 targets: 4 ok\n{said}\n" in out) == (0, True)
    with pytest.warns(
        PlanWarning, match="^1 item has not been seen for long, such as 'b', last on 2022-04-30, 733 days"
    ):
        named = pv.plan(past, targets("b", "c", "d", day=date(2024, 5, 2)), **TERMS)
    assert named["message"].to_list() == ["last seen on 2022-04-30, 733 days before", None, None]


def test_gaps_that_are_usual_for_an_item_are_not_long() -> None:
    other = pl.DataFrame({"unique_id": "x", "ds": [date(2024, 5, 29)], "y": [1.0]})

    def spaced(*gaps: int) -> pl.DataFrame:
        days = [date(2024, 2, 1)]
        for gap in gaps:
            days.append(days[-1] - timedelta(days=gap))
        return pl.DataFrame({"unique_id": "b", "ds": days, "y": [float(at % 7) for at in range(len(days))]})

    weeks, months, away, shorter = [7] * 30, [30] * 12, [*[1] * 60, 150, 1], [*[1] * 60, 100, 1]
    for gaps, doubt in ((weeks, True), (months, False), (away, False), (shorter, True)):
        past = pl.concat([spaced(*gaps), other])
        with catch_warnings(record=True) as found:
            simplefilter("always")
            pv.plan(past, **TERMS)
        assert any("not been seen for long" in str(one.message) for one in found) == doubt, gaps


def test_numbers_have_no_days_between_them() -> None:
    past = pl.DataFrame({"unique_id": ["a"] * 40 + ["b"] * 2, "ds": [*range(1000, 1040), 1, 2], "y": [1.0, 2.0] * 21})
    assert pv.plan(past, **TERMS)["message"].to_list() == [None, None]
