"""Lines above the column names, and weeks for dates."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from provend import InputError
from provend.tables import read_sales

TITLES = {
    "a line and a gap": "Umsatzbericht Filiale Mitte\n\n",
    "padded": "Umsatzbericht;;;\n;;;\n",
    "names and values": "Filiale;Mitte\nStand;16.11.2026\n\n",
}


@pytest.mark.parametrize("above", TITLES)
def test_titles_above_the_names_are_left_out_and_said(read: Any, above: str) -> None:
    rows = "Artikel;Datum;Menge;Preis\nBrot;14.11.2026;1,5;2\nBrot;15.11.2026;7;2\nBrot;16.11.2026;;2\n"
    sales, plain = read(TITLES[above] + rows), read(rows)
    assert sales.table.equals(plain.table)
    (said,) = (line for line in sales.report.lines() if "above the column names" in line)
    assert TITLES[above].split(";")[0].split("\n")[0] in said
    (row,) = sales.report.set_aside["row"].to_pylist()  # as a spreadsheet counts
    assert row == TITLES[above].count("\n") + 4


def test_names_are_not_mistaken_for_titles(read: Any) -> None:
    assert read(",ds,y\n1,2026-11-14,3\n2,2026-11-15,4\n").table["y"].to_pylist() == [3.0, 4.0]
    assert read("ds,y\n2026-11-14,3\n2026-11-15,4\n").table["y"].to_pylist() == [3.0, 4.0]
    with pytest.raises(InputError, match="row 2 has 4 fields but there are 3 names"):
        read("ds,y,x\n1,2026-11-14,3,4\n2,2026-11-15,4,4\n")


def test_titles_above_the_names_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (
        ["Report"],
        [],
        ["item", "date", "qty"],
        ["a", datetime(2026, 11, 14), 3],
        ["a", datetime(2026, 11, 15), 4],
    ):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    sales = read_sales(tmp_path / "a.xlsx")
    assert sales.table["y"].to_pylist() == [3, 4]
    assert "1 line above the column names left out, beginning with 'Report'" in sales.report.lines()


def test_months_are_their_first_days(read: Any) -> None:
    for texts in (("11.2026", "12.2026"), ("11/2026", "12/2026"), ("Nov 2026", "Dez. 2026"), ("2026-11", "2026-12")):
        sales = read("Monat,y\n" + "".join(f"{text},1\n" for text in texts))
        assert sales.table["ds"].to_pylist() == [date(2026, 11, 1), date(2026, 12, 1)]
    assert "`Monat` read as ISO dates" in sales.report.lines()[1]


def test_a_month_beside_a_date_is_a_context(read: Any) -> None:
    sales = read("date,month,y\n2026-11-14,11,1\n2026-12-14,12,2\n")
    assert (sales.report.names["ds"], sales.contexts) == ("date", ("month",))


def test_weeks_are_their_mondays(read: Any) -> None:
    for texts in (
        ("2026-W53", "2027-W01"),
        ("2026W53", "2027W01"),
        ("KW 53/2026", "KW 1/2027"),
        ("2026 KW53", "2027 KW1"),
    ):
        sales = read("date,y\n" + "".join(f"{text},1\n" for text in texts))
        assert sales.table["ds"].to_pylist() == [date(2026, 12, 28), date(2027, 1, 4)]
    assert "read as ISO weeks, each as its Monday" in sales.report.lines()[1]
    late = read("date,y\n" + "".join(f"2026-W{week},1\n" for week in range(40, 55)))
    assert late.report.set_aside["row"].to_pylist() == [16]  # there is no week 54
