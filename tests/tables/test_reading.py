"""Planners' files as they are: every ugly file is written here, and read back to the numbers it means."""

from __future__ import annotations

import gzip
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provend import InputError
from provend.tables import Sales, read_sales

DAYS = [date(2026, 11, day) for day in (14, 15, 16)]


def cells(sales: Sales, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(sales.table[name].to_pylist() for name in names), strict=True))


def aside(sales: Sales) -> list[tuple[int, str]]:
    return [(one["row"], one["reason"]) for one in sales.report.set_aside.to_pylist()]


GERMAN = "Artikel;Datum;Menge\nBrot;14.11.2026;1.234,5\nBrot;15.11.2026;7\nBröt;15.11.2026;0,25\n"
WANTED = [("Brot", DAYS[0], 1234.5), ("Brot", DAYS[1], 7.0), ("Bröt", DAYS[1], 0.25)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_semicolons_decimal_commas_and_encodings(read: Any, encoding: str) -> None:
    sales = read(GERMAN.encode(encoding))
    assert cells(sales, "unique_id", "ds", "y") == WANTED
    assert sales.report.names == {"unique_id": "Artikel", "ds": "Datum", "y": "Menge"}
    assert sales.report.lines()[1].startswith(
        "items in `Artikel`, `Datum` read as day.month.year, demand in `Menge`, decimals after a comma, "
    )


def test_signs_that_only_one_encoding_has(read: Any) -> None:
    for encoding, sign in (("cp1252", "€"), ("latin-1", "\x81")):  # a byte that cp1252 lacks
        sales = read(f"unique_id,ds,y\nü{sign}ü,2026-11-14,1\n".encode(encoding))
        assert (sales.report.written["encoding"], sales.table["unique_id"][0].as_py()) == (encoding, f"ü{sign}ü")


def test_an_encoding_that_is_said(read: Any) -> None:
    assert cells(read(GERMAN.encode("cp850"), encoding="cp850"), "unique_id", "ds", "y") == WANTED
    with pytest.raises(InputError, match="encoding 'ascii' does not fit"):
        read(GERMAN, encoding="ascii")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("unique_id\tds\ty\na\t2026-11-14\t3\nb\t2026-11-15\t4\n", {}),
        ("unique_id\tds\ty\ra\t2026-11-14\t3\rb\t2026-11-15\t4\r", {"delimiter": "tab"}),
        ("unique_id|ds|y\na|2026-11-14|3\nb|2026-11-15|4\n", {}),
        ("sep=;\r\nunique_id;ds;y\r\na;2026-11-14;3\r\nb;2026-11-15;4\r\n", {}),
        ("unique_id:ds:y\na:2026-11-14:3\nb:2026-11-15:4\n", {"delimiter": ":"}),
        ('"unique_id", ds ,"y"\n"a", 2026-11-14 ,"3"\nb,2026-11-15,4', {}),
        (" SKU , Sales Date ,Units Sold\na,2026-11-14,3\nb,2026-11-15,4\n", {}),
        ("UNIQUE_ID,DS,Y\na,20261114,3\nb,20261115,4\n\n\n  \n,,\n", {}),
        ("\n  \nunique_id,ds,y\na,2026-11-14,3\nb,2026-11-15,4\n", {}),
    ],
)
def test_delimiters_and_headers(read: Any, text: str, options: dict[str, str]) -> None:
    sales = read(text, **options)
    assert cells(sales, "unique_id", "ds", "y") == [("a", DAYS[0], 3.0), ("b", DAYS[1], 4.0)]
    assert sales.report.set_aside.num_rows == 0


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["1,234", "12.5"], [1234, 12.5]),
        (["1.234", "12,5"], [1234, 12.5]),
        (["1.234.567", "3"], [1234567, 3]),
        (["1,234,567.5", "3"], [1234567.5, 3]),
        (["1 234,5", "1\u202f234"], [1234.5, 1234]),
        (["1'234.5", "0.125"], [1234.5, 0.125]),
        (["0.125", "0.250"], [0.125, 0.25]),  # no thousands begin with 0
        (["5e2", "+3"], [500, 3]),
    ],
    ids=str,
)
def test_numbers_by_all_of_them_together(texts: list[str], wanted: list[float]) -> None:
    table = pa.table({"ds": ["2026-11-14", "2026-11-15"], "y": texts})
    assert read_sales(table).table["y"].to_pylist() == wanted


def test_numbers_that_would_be_a_guess() -> None:
    days = ["2026-11-14", "2026-11-15"]
    with pytest.raises(InputError, match=r"column 'y' holds '1,234' and the like.*say which .* with decimal"):
        read_sales(pa.table({"ds": days, "y": ["1,234", "999"]}))
    for sign, wanted in ((",", [1.234, 999]), (".", [1234, 999])):
        sales = read_sales(pa.table({"ds": days, "y": ["1,234", "999"]}), decimal=sign)
        assert sales.table["y"].to_pylist() == wanted
    priced = pa.table({"ds": days, "y": ["1,234", "999"], "price": ["3,99", "4"]})  # one file, one sign
    sales = read_sales(priced)
    assert (sales.table["y"].to_pylist(), sales.table["price"].to_pylist()) == ([1.234, 999], [3.99, 4])
    with pytest.raises(InputError, match=r"'12.5' and '12,5', numbers with a point and with a comma"):
        read_sales(pa.table({"ds": days, "y": ["12.5", "12,5"]}))


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["14.11.2026", "15.11.2026", "16.11.2026"], "day.month.year"),
        (["14/11/2026", "15/11/2026", "16/11/2026"], "day/month/year"),
        (["11/14/2026", "11/15/2026", "11/16/2026"], "month/day/year"),
        (["2026/11/14", "2026/11/15", "2026/11/16"], "year/month/day"),
        (["14 Nov 2026", "November 15, 2026", "16-Nov-26"], "dates with names of months"),
        (["Sa, 14. November 2026", "So, 15. Nov. 2026", "Mo, 16. NOV 2026"], "dates with names of months"),
        (["Sa 14.11.2026", "So 15.11.2026", "Mo 16.11.2026"], "day.month.year"),
        (["20261114", "20261115", "20261116"], "yearmonthday, as in 20261116"),
        ([20261114, 20261115, 20261116], "yearmonthday, as in 20261116"),
        (["2026-11-14T00:00:00+05:00", "2026-11-15T00:00:00+05:00", "2026-11-16T00:00:00Z"], "ISO dates"),
        (DAYS, "dates"),
        ([datetime(2026, 11, 14), datetime(2026, 11, 15), datetime(2026, 11, 16)], "dates"),
    ],
    ids=str,
)
def test_dates(texts: list[Any], form: str) -> None:
    sales = read_sales(pl.DataFrame({"ds": texts, "y": [1, 2, 3]}))
    assert sales.table["ds"].to_pylist() == DAYS
    assert sales.report.written["dates"] == form


def test_dates_with_times_of_day_and_numbers_stay_what_they_are() -> None:
    moments = [datetime(2026, 11, 14, 6), datetime(2026, 11, 14, 18)]
    for given in (["14.11.2026 06:00", "14.11.2026 18:00"], ["2026-11-14 06:00+01:00", "2026-11-14T18:00:00+01:00"]):
        assert read_sales(pa.table({"ds": given, "y": [1, 2]})).table["ds"].to_pylist() == moments
    berlin = pd.DataFrame({"ds": pd.to_datetime(moments).tz_localize("Europe/Berlin"), "y": [1, 2]})
    assert read_sales(berlin).table["ds"].to_pylist() == moments  # by the clock of the place
    assert read_sales(pa.table({"ds": [1, 2], "y": [1, 2]})).table["ds"].to_pylist() == [1, 2]


def test_days_and_months_that_cannot_be_told_apart(read: Any) -> None:
    text = "ds,y\n05/06/2026,1\n06/06/2026,2\n"
    with pytest.raises(InputError, match=r"sales.csv: column 'ds' holds '05/06/2026'.*--day-first or --month-first"):
        read(text)
    assert read(text, day_first=True).table["ds"].to_pylist() == [date(2026, 6, 5), date(2026, 6, 6)]
    assert read(text, day_first=False).table["ds"].to_pylist() == [date(2026, 5, 6), date(2026, 6, 6)]
    assert read("ds,y\n05-06-26,1\n", day_first=True).table["ds"].to_pylist() == [date(2026, 6, 5)]
    with pytest.raises(InputError, match=r"'2026-11-14' and '15.11.2026', dates in different formats"):
        read("ds,y\n2026-11-14,1\n15.11.2026,2\n")


def test_cells_that_say_nothing_cost_their_rows_only(read: Any) -> None:
    odd = {17: "", 101: "n/a", 333: "-", 1500: "closed", 5000: "NULL"}
    lines = [f"{i % 4},{date.fromordinal(739_000 + i // 4)},{odd.get(i, i % 50)}" for i in range(5600)]
    sales = read("\n".join(["unique_id,ds,y", *lines]))
    assert (sales.table.num_rows, sales.report.items) == (5595, 4)
    assert aside(sales) == [
        (19, "no demand"),
        (103, "no demand"),
        (335, "no demand"),
        (1502, "not a number"),
        (5002, "no demand"),
    ]
    assert sales.table["y"].to_pylist() == [float(i % 50) for i in range(5600) if i not in odd]
    assert "5 rows set aside: rows 19, 103, 335, 5002: no demand; row 1502: not a number ('closed' in `y`)" in str(
        sales.report
    )
    assert "2 items lack 5 dates in between (steps of 1)" in str(sales.report)
    with pytest.raises(
        InputError, match=r"column 'y' is empty, in row 19; .* 'drop' or 'zero' \(of read_sales; --missing\)"
    ):
        read("\n".join(["unique_id,ds,y", *lines]), missing="refuse")
    zero = read("\n".join(["unique_id,ds,y", *lines]), missing="zero")
    assert (zero.table.num_rows, zero.table["y"][17].as_py()) == (5599, 0.0)
    assert [one["row"] for one in zero.report.changed.to_pylist()] == [19, 103, 335, 5002]


def test_returns_below_zero(read: Any) -> None:
    text = "ds;y\n14.11.2026;5\n15.11.2026;3-\n16.11.2026;(2,5)\n"
    with pytest.raises(InputError, match=r"column 'y' holds '3-', below zero, in row 3; .*--negative"):
        read(text)
    assert read(text, negative="clip").table["y"].to_pylist() == [5.0, 0.0, 0.0]
    assert len(read(text, negative="clip").report.changed) == 2
    dropped = read(text, negative="drop")
    assert (dropped.table["y"].to_pylist(), aside(dropped)) == ([5.0], [(3, "below zero"), (4, "below zero")])
    with pytest.raises(InputError, match="negative = 'keep' is unknown; choose one of refuse, clip, drop"):
        read(text, negative="keep")


def test_several_rows_of_an_item_and_date(read: Any) -> None:
    text = "unique_id,ds,y,price\na,2026-11-14,1.5,7\nb,2026-11-14,2,7\na,2026-11-14,3,8\na,2026-11-15,4,9\n"
    with pytest.raises(InputError, match=r"two rows for 'a' on 2026-11-14, rows 2 and 4; .*--duplicates"):
        read(text)
    rest = [("b", DAYS[0], 2.0, 7.0)], [("a", DAYS[1], 4.0, 9.0)]
    for how, wanted in (("sum", 4.5), ("last", 3.0)):
        sales = read(text, duplicates=how)
        assert cells(sales, "unique_id", "ds", "y", "price") == [*rest[0], ("a", DAYS[0], wanted, 8.0), *rest[1]]
        assert [row for row, _ in aside(sales)] == [2]
        assert sales.rows.tolist() == [3, 4, 5]


def test_rows_that_repeat_for_want_of_a_column_of_items(read: Any) -> None:
    lines = [f"{dish},2026-11-{day:02d},{day}" for day in range(10, 20) for dish in ("soup", "pie")]
    with pytest.raises(InputError, match=r"or name the column of items, such as 'dish', with item \(--id\)"):
        read("\n".join(["dish,ds,y", *lines]))
    assert read("\n".join(["dish,ds,y", *lines]), item="dish").report.items == 2


def test_totals_and_footers_at_the_end(read: Any) -> None:
    head = "sku,date,qty\n" + "".join(f"a,2026-11-{day},{day}\n" for day in range(10, 20))
    for footer, wanted in (
        ("Total,2026-11-19,145\n", (12, "a total, not an item")),
        (" Total: ,,145\n", (12, "a total, not an item")),
        (",Total,145\n", (12, "no item")),
        ("a,Total,145\n", (12, "not a date")),
        ("Total\n", (12, "1 of 3 fields")),
        ("a,2026-11-2", (12, "2 of 3 fields")),
        ("\nExported by the till\n\n", (13, "1 of 3 fields")),
    ):
        sales = read(head + footer)
        assert sales.table["y"].to_pylist() == list(range(10, 20)), footer
        assert aside(sales) == [wanted]
    daily = read(head + "".join(f"Total,2026-11-{day},{day}\n" for day in range(10, 20)))
    assert "item 'Total' may be the sum of others" in str(daily.report)


def test_quotes_newlines_and_rows_as_a_spreadsheet_counts(read: Any) -> None:
    sales = read('unique_id,ds,y,note\n"a\nb",2026-11-14,1,"x, ""y"""\n\n"a\nb",2026-11-15,?,\n"a\nb",2026-11-16,3,z\n')
    assert cells(sales, "unique_id", "y", "note") == [("a\nb", 1.0, 'x, "y"'), ("a\nb", 3.0, "z")]
    assert aside(sales) == [(4, "no demand")]


def test_several_columns_of_items(read: Any) -> None:
    text = "store,sku,date,qty\n1/2,3,2026-11-14,1\n1,2/3,2026-11-14,2\n1,2,2026-11-14,3\n"
    with pytest.raises(InputError, match=r"columns 'store', 'sku' may each be the items; say which with item \(--id\)"):
        read(text)
    sales = read(text, item=["store", "sku"])
    assert cells(sales, "unique_id", "store", "sku", "y") == [
        ("1\\/2/3", "1/2", "3", 1.0),
        ("1/2\\/3", "1", "2/3", 2.0),
        ("1/2", "1", "2", 3.0),
    ]
    assert (sales.ids, sales.contexts) == (("store", "sku"), ())


def test_contexts_have_types_and_codes_stay_text(read: Any) -> None:
    sales = read("ds;y;rain;plz;note;promo\n14.11.2026;1;0,5;01067; x ;1\n15.11.2026;2;;80331;;0\n")
    assert cells(sales, "rain", "plz", "note", "promo") == [(0.5, "01067", "x", 1.0), (None, "80331", None, 0.0)]
    assert sales.contexts == ("rain", "plz", "note", "promo")


def test_packed_columnar_and_workbook(read: Any, tmp_path: Path) -> None:
    packed = read(gzip.compress(GERMAN.encode()), "sales.csv.gz")
    assert cells(packed, "unique_id", "ds", "y") == WANTED
    pq.write_table(pa.table({"unique_id": [7, 7], "ds": DAYS[:2], "y": [1.5, None]}), tmp_path / "a.parquet")
    sales = read_sales(tmp_path / "a.parquet")
    assert cells(sales, "unique_id", "ds", "y") == [(7, DAYS[0], 1.5)]
    assert aside(sales) == [(3, "no demand")]
    book = openpyxl.Workbook()
    moments, blank = [datetime(2026, 11, day) for day in (14, 15)], [None] * 3
    for row in (["SKU", "Date", "Qty"], ["a", moments[0], 3], blank, ["a", moments[1], "n/a"], blank):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    sales = read_sales(str(tmp_path / "a.xlsx"))
    assert (cells(sales, "unique_id", "ds", "y"), aside(sales)) == ([("a", DAYS[0], 3.0)], [(4, "no demand")])


def test_a_workbook_whose_rows_end_with_their_last_cell(tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)  # it says nowhere how wide the sheet is
    sheet = book.create_sheet()
    for row in (("date", "demand", "note"), ("2026-01-01", 3), ("2026-01-02", 4, "late"), ("2026-01-03", 5)):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    sales = read_sales(str(tmp_path / "a.xlsx"))
    assert sales.table["y"].to_pylist() == [3, 4, 5]
    assert sales.table["note"].to_pylist() == [None, "late", None]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_go_through_the_same_cleaning(kind: str) -> None:
    frame = pl.DataFrame({"item": ["a", "a", "a"], "date": DAYS, "qty": [1.5, None, float("nan")]})
    given = {"pandas": frame.to_pandas, "polars": lambda: frame, "pyarrow": frame.to_arrow}[kind]()
    sales = read_sales(given)
    assert cells(sales, "unique_id", "ds", "y") == [("a", DAYS[0], 1.5)]
    assert aside(sales) == [(1, "no demand"), (2, "no demand")]  # positions
    assert sales.rows.tolist() == [0]


def test_infinite_demand_is_no_demand() -> None:
    table = pa.table({"ds": list(range(12)), "y": [*range(11), np.inf]})
    assert aside(read_sales(table)) == [(11, "not a number")]


def test_the_report_is_whole_as_a_dictionary(read: Any) -> None:
    facts = read(GERMAN + "Brot;16.11.2026;n/a\n").report.as_dict()
    assert (facts["rows"], facts["items"], facts["dates"]) == (3, 2, 2)
    assert (facts["first"], facts["last"]) == ("2026-11-14", "2026-11-15")
    assert facts["set_aside"] == [{"row": 5, "column": "Menge", "value": "n/a", "reason": "no demand"}]
    assert facts["written"] == {"decimals": ",", "dates": "day.month.year", "encoding": "utf-8", "delimiter": ";"}
