"""Plans for spreadsheets: as their owner's opens them, nothing in them runs, and they can be read."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from awkward_sales import QUICK, expected
from commands import run


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal"),
    [
        ("{i};{day:%d.%m.%Y};{y},5", ";", ","),
        ("{i};{day:%d.%m.%Y};{y}", ";", ","),  # nothing tells; semicolons stand where commas are for decimals
        ("{i};{day:%d.%m.%Y};{y}.5", ";", "."),
        ("{i},{day:%d.%m.%Y},{y}.5", ",", "."),
        ("{i}\t{day:%d.%m.%Y}\t{y},5", ",", "."),  # a spreadsheet opens tabs in one column
    ],
)
def test_a_csv_is_written_for_the_spreadsheet_that_wrote_the_history(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, delimiter: str, decimal: str
) -> None:
    between = next(sign for sign in ";\t," if sign in text)
    lines = [text.format(i=i, day=date(2024, 1, 1) + timedelta(days=n), y=n % 7) for i in "ab" for n in range(20)]
    file = tmp_path / "sales.csv"
    file.write_text("\n".join([between.join(("Artikel", "Datum", "Menge")), *lines]), encoding="utf-8")
    said = run(capsys, "plan", file, *QUICK, "--out", tmp_path / "plan.csv")[1]
    run(capsys, "plan", file, *QUICK, "--out", tmp_path / "plan.parquet")
    kind = {",": "commas", ".": "points"}[decimal]
    told = f"semicolons between fields and decimal {kind}, " if delimiter == ";" else ""
    assert f"plan.csv ({told}dates such as 31.12.2026, as in the history), with" in said
    raw = (tmp_path / "plan.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    with (tmp_path / "plan.csv").open(encoding="utf-8-sig", newline="") as stream:
        found = list(csv.DictReader(stream, delimiter=delimiter))
    for row, exact in zip(found, pl.read_parquet(tmp_path / "plan.parquet").to_dicts(), strict=True):
        for name in ("order", "guarantee", "percent_of_no_data", "effective_n"):
            assert row[name].count(decimal) == 1
            assert float(row[name].replace(decimal, ".")) == exact[name]
        assert (row["Artikel"], row["Datum"]) == (exact["Artikel"], f"{exact['Datum']:%d.%m.%Y}")
        assert row["reason"] == exact["reason"].replace(".", decimal)  # of numbers only: there are no other points


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{day:%m/%d/%Y}", "01/21/2024"),
        ("{day:%d-%m-%Y}", "21-01-2024"),
        ("{day:%Y/%m/%d}", "2024/01/21"),
        ("{day:%d.%m.%y}", "21.01.2024"),
        ("{day:%Y-%m-%d}", "2024-01-21"),
        ("{day:%d %b %Y}", "2024-01-21"),  # names of months differ between languages
        ("{day:%Y%m%d}", "2024-01-21"),
        ("{day:%d.%m.%Y} 06:00", "21.01.2024 06:00:00"),
    ],
)
def test_dates_are_written_as_the_history_writes_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, written: str, expected: str
) -> None:
    """The plan is then read again as targets of the same history, and gives the same orders."""
    days = [date(2024, 1, 1) + timedelta(days=n) for n in range(20)]
    lines = [f"a,{written.format(day=day)},{day.day % 7}" for day in days]
    (tmp_path / "sales.csv").write_text("\n".join(["item,date,sold", *lines]), encoding="utf-8")
    plans = tmp_path / "plan.csv", tmp_path / "again.csv"
    assert run(capsys, "plan", tmp_path / "sales.csv", *QUICK, "--out", plans[0])[0] == 0
    code, _, error = run(capsys, "plan", tmp_path / "sales.csv", *QUICK, "--targets", plans[0], "--out", plans[1])
    assert (code, error) == (0, "")
    first, again = (pl.read_csv(file, infer_schema=False) for file in plans)
    assert first["date"].to_list() == [expected]
    assert first.equals(again)


def test_csv_for_a_spreadsheet(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    assert run(capsys, "plan", history, *QUICK, "--out", tmp_path / "plan.csv")[0] == 0
    assert (tmp_path / "plan.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    with (tmp_path / "plan.csv").open(encoding="utf-8-sig", newline="") as stream:
        found = list(csv.DictReader(stream))
    assert [row["unique_id"] for row in found] == ["'-x", "7", "'=2+3", "Brötchen", 'Köln; "Süd"']
    assert [float(row["guarantee"]) for row in found] == [row["guarantee"] for row in expected()]


def test_names_that_spreadsheets_would_run_are_changed_aloud(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    said = run(capsys, "plan", history, *QUICK, "--out", tmp_path / "plan.csv")[1]
    assert "2 texts that a spreadsheet would run as formulas have an apostrophe in front there" in said
    for kind in ("parquet", "xlsx"):
        assert "apostrophe" not in run(capsys, "plan", history, *QUICK, "--out", tmp_path / f"plan.{kind}")[1]


def test_what_guarantees_rest_on_is_told_once(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    """A word in each row, last of all columns; the texts of the library beside the plan, or on a second sheet."""
    for kind in ("csv", "xlsx"):
        assert run(capsys, "plan", history, *QUICK, "--horizon", 3, "--out", tmp_path / f"plan.{kind}")[0] == 0
    sheets = [list(sheet.values) for sheet in openpyxl.load_workbook(tmp_path / "plan.xlsx")]
    texts = [pl.read_csv(tmp_path / name, infer_schema=False) for name in ("plan.csv", "plan.csv.basis.csv")]
    for plan, notes in (sheets, [[tuple(table.columns), *table.rows()] for table in texts]):
        assert (plan[0][-1], notes[0]) == ("basis", ("basis", "note"))
        known, exact = dict(notes[1:]), expected(horizon=3)
        assert [known[row[-1]] for row in plan[1:]] == [row["basis"] for row in exact]
        assert len(known) == len({row["basis"] for row in exact}) == 4
        assert all(len(word) < 20 and word.startswith("stated: note ") for word in known)


def test_short_texts_about_guarantees_are_no_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without data there is little to say; without an order, nothing."""
    (tmp_path / "s.csv").write_text("item,date,sold\na,2024-01-01,3\nb,2024-01-01,4\nb,2024-01-02,5\n")
    (tmp_path / "t.csv").write_text("item,date\na,2024-01-03\nb,2024-01-03\nc,2024-01-03\n")
    command = ("plan", tmp_path / "s.csv", "--targets", tmp_path / "t.csv", *QUICK, "--out", tmp_path / "plan.csv")
    assert run(capsys, *command)[0] == 0
    found = pl.read_csv(tmp_path / "plan.csv", infer_schema=False)["basis"].to_list()
    nothing = "Nothing is guaranteed: there is no support."
    assert found == [nothing, "stated: note 1", nothing]


def test_a_workbook_is_made_for_reading(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Names of columns stay in sight; few digits are shown, all are there."""
    lines = [f"{i};{date(2024, 1, 1) + timedelta(days=n):%d.%m.%Y};{n % 7},5" for i in "ab" for n in range(20)]
    (tmp_path / "s.csv").write_text("\n".join(["Artikel;Datum;Menge", *lines]))
    for kind in ("xlsx", "parquet"):
        assert run(capsys, "plan", tmp_path / "s.csv", *QUICK, "--pack", 1, "--out", tmp_path / f"plan.{kind}")[0] == 0
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx")["plan"]
    heads, first = sheet[1], {cell.value: below for cell, below in zip(sheet[1], sheet[2], strict=True)}
    assert sheet.freeze_panes == "A2"
    assert all(cell.font.bold for cell in heads)
    assert not first["order"].font.bold
    exact = pl.read_parquet(tmp_path / "plan.parquet").row(0, named=True)
    assert (first["order"].value, first["guarantee"].value) == (exact["order"], exact["guarantee"])
    shown = {name: first[name].number_format for name in ("Datum", "order", "guarantee", "percent_of_no_data")}
    assert shown == {"Datum": "dd.mm.yyyy", "order": "#,##0", "guarantee": "#,##0.00", "percent_of_no_data": "0.0"}
    wide = {cell.value: sheet.column_dimensions[cell.column_letter].width for cell in heads}
    assert wide["reason"] == len(exact["reason"]) + 2 > wide["percent_of_no_data"] == 20 > wide["order"] == 10


def test_xlsx(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    assert run(capsys, "plan", history, *QUICK, "--out", tmp_path / "plan.xlsx")[0] == 0
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx")["plan"]
    cells = list(sheet.iter_rows(values_only=True))
    assert [row[0] for row in cells] == ["unique_id", "-x", "7", "=2+3", "Brötchen", 'Köln; "Süd"']
    assert [row[2] for row in cells[1:]] == [row["order"] for row in expected()]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}  # no formula
