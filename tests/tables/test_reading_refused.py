"""Files that are not what they claim, and names that could mean two things: one line that says what to do."""

from __future__ import annotations

import gzip
import io
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provend import InputError
from provend.tables import read_sales

DAYS = [date(2026, 11, day) for day in (14, 15, 16)]


def test_names_of_columns(read: Any) -> None:
    rows = "2026-11-14,1,2\n"
    for head, options, message in (
        (
            "date,demand,sales\n",
            {},
            r"columns 'demand', 'sales' may each be the demand; say which with demand \(--demand\)",
        ),
        ("date,Datum,y\n", {}, r"columns 'date', 'Datum' may each be the dates; say which with date \(--date\)"),
        (
            "when,y,x\n",
            {},
            r"no column is called ds or date; name the column of dates with date \(--date\) among when, y, x",
        ),
        ("ds,amount,x\n", {}, r"no column is called y, demand or sales; name .* with demand \(--demand\)"),
        ("ds,y,x\n", {"demand": "qty"}, "there is no column 'qty'; the columns are ds, y, x"),
        ("ds,y,y\n", {}, "two columns are called 'y'; rename one"),
        (
            "ds,y,x\n",
            {"demand": "x"},
            "there is a column 'y', but 'x' is to be used as y; rename one",
        ),
        ("ds,y,x\n", {"demand": "ds", "date": "ds"}, "item, date and demand must be different columns"),
    ):
        with pytest.raises(InputError, match=message):
            read(head + rows, **options)
    indexed = read(",ds,y\n0,2026-11-14,5\n1,2026-11-15,6\n")  # as pandas writes its index
    assert (indexed.table.column_names, indexed.table["y"].to_pylist()) == (["unique_id", "ds", "y"], [5.0, 6.0])
    assert "1 column without a name left out" in str(indexed.report)


def test_what_is_not_what_it_claims(read: Any, tmp_path: Path) -> None:
    table = pa.table({"ds": DAYS, "y": [1.0, 2.0, 3.0]})
    pq.write_table(table, tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for content, name, message in (
        (whole[: len(whole) // 2], "cut.parquet", "is it a parquet file?"),
        (b"", "empty.parquet", "is it a parquet file?"),
        (b"", "empty.csv", "the file is empty; is it a csv file?"),
        (b"\n \n", "blank.csv", "the file is empty; is it a csv file?"),
        (b"ds,y\n", "names.csv", "there are no rows below the column names"),
        (bytes(range(256)) * 9, "binary.csv", "holds bytes that are not text; is it a csv file?"),
        (gzip.compress(b"ds,y\n2026-11-14,1\n" * 99)[:-12], "cut.csv.gz", "is it a complete gz file?"),
        (b"not packed", "plain.csv.gz", "is it a complete gz file?"),
        (b"ds,y\n2026-11-14,1\n", "book.xlsx", "is it a xlsx file?"),
        (b"ds,y\n2026-11-14,1\n", "sales.doc", "unknown kind of file; give a .csv"),
        (b"ds,y\n2026-11-14,1\n", "sales.xls", "unknown kind of file; save it as .xlsx or .csv"),
        (b"PK\x03\x04\0\0", "book.csv", "is a workbook or a zip file, not text; call it .xlsx"),
        (b"\xd0\xcf\x11\xe0\0", "old.csv", "is a workbook of the old kind, not text; save it as .xlsx or .csv"),
        (whole, "table.csv", "is a parquet file, not text; call it .parquet"),
        (gzip.compress(b"ds,y\n"), "packed.csv", "is packed, not text; call it .csv.gz"),
        (b"sku,01.11.2026,02.11.2026\na,1,2\n", "wide.csv", "there is a column for each date, make it a long table"),
        (b"ds,Brot,Torte\n2026-11-14,1,2\n", "wider.csv", "if there is a column for each item, make it a long table"),
        (b"a,2026-11-14,7\nb,2026-11-14,7\n", "bare.csv", "put the names of the columns into the first row"),
        (b"ds,y\n2026-11-14,3,5\n", "comma.csv", "row 2 has 3 fields but there are 2 names; quote fields that hold"),
        (b"ds,y\n2026-11-14\n2026-11-15,1\n", "short.csv", "row 2 has 1 fields but there are 2 names"),
        (b"ds,y\n2026-11-14,many\n2026-11-15,few\n", "words.csv", "'y': not a number in 2 of 2 rows, as in row 2"),
        (b"ds,y\n2026-11-14,\n", "none.csv", "no row has a demand that can be used; is it in column 'y'?"),
        (b"ds,y\nsoon,1\nlater,2\n", "soon.csv", "column 'ds' holds 'soon' and the like, which are not dates"),
        (b"sku,ds,y\n,2026-11-14,1\na,2026-11-15,2\n", "ids.csv", "'sku': no item in 1 of 2 rows, as in row 2"),
        (b"ds,y\n2026-11-14,1e300\n", "huge.csv", "'y' holds 1e[+]300, beyond 1e[+]100"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read(content, name)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)
    (tmp_path / "folder.csv").mkdir()
    for missing in ("folder.csv", "nowhere.csv", "nul\0l.csv", "x" * 5000 + ".csv"):
        with pytest.raises(InputError, match=r"no such file|is a folder|name too long|null|is it a csv"):
            read_sales(str(tmp_path / missing))
    with pytest.raises(TypeError, match="history is a int; give a pandas, polars or pyarrow table, or the path"):
        read_sales(3)


@pytest.mark.parametrize("damage", [b"<", b"\x00", b""])
def test_a_damaged_workbook_is_refused(tmp_path: Path, damage: bytes) -> None:
    book = openpyxl.Workbook()
    for row in (["date", "demand"], [DAYS[0], 3]):
        book.active.append(row)
    whole, file = io.BytesIO(), tmp_path / "sales.xlsx"
    book.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, damage if name.endswith("sheet1.xml") else old.read(name))
    with pytest.raises(InputError, match=r"sales\.xlsx: .*; (save it|is it|give)"):
        read_sales(file)


def test_units_in_the_cells_are_to_be_taken_out(read: Any) -> None:
    for cell in ("38 Stk", "1.200 kg", "7 pcs.", "12%"):
        with pytest.raises(
            InputError, match=r"not a number in 3 of 3 rows, as in row 2 .*; take the unit out of the cells"
        ):
            read("ds;y\n" + "".join(f"{day};{cell}\n" for day in DAYS))
    with pytest.raises(InputError, match=r"\('closed'\); correct it or name another"):
        read("ds;y\n" + "".join(f"{day};closed\n" for day in DAYS))


def test_the_end_of_a_day_may_be_the_next_one(read: Any) -> None:
    for form in ("%Y-%m-%d 24:00", "%Y-%m-%dT24:00:00", "%d.%m.%Y 24:00"):
        with pytest.raises(InputError, match=r"24:00 ends a day: leave the time out .* or write 00:00 of the next day"):
            read("ds;y\n" + "".join(f"{day.strftime(form)};1\n" for day in DAYS))


def test_a_column_for_each_month_is_a_wide_table(read: Any) -> None:
    with pytest.raises(InputError, match="as there is a column for each date, make it a long table"):
        read("item;Jan 2024;Feb 2024\nA;1;2\n")
