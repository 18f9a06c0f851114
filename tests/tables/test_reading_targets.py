"""``read_targets``: the rows to decide, read as the history was."""

from __future__ import annotations

import datetime
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

import provend as pv

DAYS = [f"{day:02}/03/2026" for day in range(1, 29)]


def history(**more: object) -> pv.Sales:
    """Dates with the day first, prices with a comma, codes that look like numbers but for one."""
    columns = {"Artikel": ["7"] * 28, "Datum": DAYS, "Menge": ["3,5"] * 28, "Preis": ["1,99", "2,49"] * 14}
    return pv.read_sales(pa.table(columns | {"Code": ["12", "A1"] * 14} | more))


def read(sales: pv.Sales, **columns: list[object]) -> list[dict[str, object]]:
    return pv.read_targets(pa.table(columns), sales).to_pylist()


def test_dates_numbers_and_codes_are_those_of_the_history() -> None:
    found = read(history(), Artikel=["7"], Datum=["05/04/2026"], Preis=["1,99"], Code=["12"], Neu=["3,5"])
    day = datetime.date(2026, 4, 5)  # the day first, as the history shows and this table does not
    assert found == [{"unique_id": "7", "ds": day, "Preis": 1.99, "Code": "12", "Neu": 3.5}]


def test_what_is_said_goes_first() -> None:
    told = pa.table({"Artikel": ["7"], "Datum": ["05/04/2026"], "Preis": ["1.99"]})
    found = pv.read_targets(told, history(), day_first=False, decimal=".").to_pylist()
    assert (found[0]["ds"], found[0]["Preis"]) == (datetime.date(2026, 5, 4), 1.99)


def test_a_demand_is_not_looked_at() -> None:
    assert "Menge" not in read(history(), Artikel=["7"], Datum=["29/03/2026"], Menge=["?"])[0]


def test_rows_without_item_or_date_stay() -> None:
    found = read(history(), Artikel=["7", "", "7"], Datum=["29/03/2026", "30/03/2026", ""])
    assert [row["unique_id"] for row in found] == ["7", None, "7"]
    assert found[2]["ds"] is None


def test_what_is_no_item_and_no_date_stays_a_row() -> None:
    found = read(history(), Artikel=["7", "7", "Summe"], Datum=["29/03/2026", "soon", "30/03/2026"])
    assert [row["unique_id"] for row in found] == ["7", "7", None]
    assert [row["ds"] and row["ds"].day for row in found] == [29, None, 30]


def test_a_history_of_typed_dates_does_not_say_what_comes_first() -> None:
    days = [datetime.date(2026, 3, day) for day in range(1, 29)]
    sales = pv.read_sales(pa.table({"Datum": days, "Menge": range(28), "Preis": [1.99, 2.49] * 14}))
    with pytest.raises(pv.InputError, match="day and month cannot be told apart"):
        read(sales, Datum=["05/04/2026"])
    found = pv.read_targets(pa.table({"Datum": ["05/04/2026"]}), sales, day_first=True).to_pylist()
    assert found[0]["ds"] == datetime.date(2026, 4, 5)


def test_decimals_may_be_written_otherwise_where_that_is_plain() -> None:
    assert read(history(), Artikel=["7"], Datum=["29/03/2026"], Preis=["1.99"])[0]["Preis"] == 1.99
    assert read(history(), Artikel=["7"], Datum=["29/03/2026"], Preis=["1.999"])[0]["Preis"] == 1999.0


def test_several_columns_may_name_an_item_and_none() -> None:
    sales = pv.read_sales(
        pa.table({"shop": ["a"] * 28, "sku": ["x"] * 28, "date": DAYS, "y": range(28)}), item=["shop", "sku"]
    )
    (found,) = read(sales, shop=["a"], sku=["x"], date=["29/03/2026"])
    assert (found["unique_id"], found["shop"], found["sku"]) == ("a/x", "a", "x")
    alone = pv.read_sales(pa.table({"date": DAYS, "y": range(28)}))
    assert read(alone, date=["29/03/2026"])[0]["unique_id"] == alone.table["unique_id"][0].as_py()


def test_workbooks(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["Artikel", "Datum", "Preis", "Code"], ["7", datetime.datetime(2026, 3, 29), 1.99, 12]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    (found,) = pv.read_targets(tmp_path / "t.xlsx", history()).to_pylist()
    assert found == {"unique_id": "7", "ds": datetime.date(2026, 3, 29), "Preis": 1.99, "Code": "12"}


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (
            {"Artikel": ["7"], "Tag": ["29/03/2026"]},
            "no column 'Datum', which the history has; the columns are Artikel",
        ),
        ({"Artikel": ["7"], "Datum": ["29/03/2026"], "Preis": ["dear"]}, "'dear' in row 0, and numbers in the history"),
    ],
)
def test_what_cannot_be_read_is_named(columns: dict[str, list[object]], told: str) -> None:
    with pytest.raises(pv.InputError, match=told):
        read(history(), **columns)


def test_a_history_of_months_does_not_say_what_comes_first() -> None:
    months = [f"{month:02}/{year}" for year in (2024, 2025) for month in range(1, 13)]
    sales = pv.read_sales(pa.table({"Monat": months, "Menge": range(24)}), date="Monat")
    with pytest.raises(pv.InputError, match="day and month cannot be told apart"):
        read(sales, Monat=["01/02/2026"])
    assert read(sales, Monat=["02/2026"])[0]["ds"] == datetime.date(2026, 2, 1)


@pytest.mark.parametrize("name", ["unique_id", "ds", "y"])
def test_no_other_column_takes_the_place_of_items_and_dates(name: str) -> None:
    with pytest.raises(pv.InputError, match=f"there is a column '{name}', but .* rename one"):
        read(history(), Artikel=["7"], Datum=["29/03/2026"], **{name: ["1"]})


def test_a_history_of_one_item_takes_no_names() -> None:
    sales = pv.read_sales(pa.table({"Datum": DAYS, "Menge": range(28)}))
    with pytest.raises(pv.InputError, match="'unique_id', but the history names no items; take it out"):
        read(sales, Datum=["29/03/2026"], unique_id=["z"])


def test_a_plan_takes_them() -> None:
    promoted = ["yes" if day % 3 == 0 else "no" for day in range(28)]
    sales = pv.read_sales(
        pa.table({"date": DAYS, "demand": [9.0 if one == "yes" else 2.0 for one in promoted], "promotion": promoted})
    )
    targets = pv.read_targets(pa.table({"date": ["29/03/2026", "30/03/2026"], "promotion": ["yes", "no"]}), sales)
    rows = pv.plan(sales.table, targets, cu=9, co=1, support=(0, 20)).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert rows[0]["order"] > rows[1]["order"]


def test_errors_speak_of_targets() -> None:
    for given, message in (
        (pa.table({"Artikel": [], "Datum": []}), "targets: there are no rows"),
        (pa.table([["7"], ["7"]], names=["Artikel", "Artikel "]), "targets: two columns are called 'Artikel'"),
    ):
        with pytest.raises(pv.InputError, match=message):
            pv.read_targets(given, history())
    with pytest.raises(TypeError, match="targets is a int"):
        pv.read_targets(7, history())  # type: ignore[arg-type]
