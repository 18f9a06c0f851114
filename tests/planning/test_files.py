"""The command: files in, a file out that is whole and harmless."""

from __future__ import annotations

import csv
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import provend as pv
from awkward_sales import QUICK, sales
from commands import run


def expected(**options: Any) -> list[dict[str, Any]]:
    return pv.plan(sales(), cu=9, co=1, policy="erm", dissimilarity=0.05, **options).to_dicts()


def test_csv_and_parquet_give_what_the_library_gives(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    sales().write_parquet(tmp_path / "sales.parquet")
    for file in (history, tmp_path / "sales.parquet"):
        code, out, error = run(capsys, "plan", file, *QUICK, "--horizon", 2, "--out", tmp_path / "plan.parquet")
        assert (code, error) == (0, "")
        assert "10 targets: 10 ok" in out
        assert "model own: each item on its own rows" in out
        assert "dates to come: daily" in out
        assert pl.read_parquet(tmp_path / "plan.parquet").to_dicts() == expected(horizon=2)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "plan.parquet",
        "plan.parquet.manifest.json",
        "sales.csv",
        "sales.parquet",
    ]


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


def test_whole_units_are_no_advice_where_nothing_is_ordered(capsys: pytest.CaptureFixture[str], history: Path) -> None:
    assert "--pack 1" in run(capsys, "plan", history, *QUICK)[1]
    assert "--pack 1" not in run(capsys, "plan", history, *QUICK, "--support", 0, 1)[1]


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
    openpyxl = pytest.importorskip("openpyxl")
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
    openpyxl = pytest.importorskip("openpyxl")
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
    openpyxl = pytest.importorskip("openpyxl")
    assert run(capsys, "plan", history, *QUICK, "--out", tmp_path / "plan.xlsx")[0] == 0
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx")["plan"]
    cells = list(sheet.iter_rows(values_only=True))
    assert [row[0] for row in cells] == ["unique_id", "-x", "7", "=2+3", "Brötchen", 'Köln; "Süd"']
    assert [row[2] for row in cells[1:]] == [row["order"] for row in expected()]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}  # no formula


def test_on_screen_and_as_json(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    code, out, _ = run(capsys, "plan", history, *QUICK)
    assert code == 0
    assert "Brötchen" in out
    code, out, error = run(capsys, "plan", history, *QUICK, "--json")
    assert (code, "items in `unique_id`, `ds` read as ISO dates, demand in `y`" in error) == (0, True)
    found = json.loads(out)
    assert found["counts"] == {"ok": 5}
    assert [row["order"] for row in found["plan"]] == [row["order"] for row in expected()]
    assert list(tmp_path.iterdir()) == [history]


def test_whole_demands_lead_to_whole_orders(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    hint, halves = "--pack 1 orders whole units, too", tmp_path / "halves.csv"
    assert hint in run(capsys, "plan", history, *QUICK)[1]
    assert hint not in run(capsys, "plan", history, *QUICK, "--pack", 1)[1]
    sales().with_columns(pl.col("y") / 2).write_csv(halves)
    assert hint not in run(capsys, "plan", halves, *QUICK)[1]


def test_a_narrow_terminal_cuts_no_number_off(
    capsys: pytest.CaptureFixture[str], history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = run(capsys, "plan", history, *QUICK)
    for row in expected():
        assert f"{row['unique_id']} {row['ds']}: order {row['order']:.4g}, guarantee " in out
    assert "…" not in out


def test_two_items_that_no_column_names_are_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    sales(["a", "b"]).rename({"unique_id": "Sorte"}).write_csv(file)
    code, _, error = run(capsys, "plan", file, *QUICK)
    assert (code, "60 rows have 30 dates; name the column of items with item (--id) among Sorte" in error) == (2, True)


def test_targets_of_a_typed_history_are_read_like_any_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    price = [2.5 if i % 2 else 3.5 for i in range(150)]
    sales().with_columns(price=pl.Series(price)).write_parquet(tmp_path / "sales.parquet")
    (tmp_path / "t.csv").write_text("unique_id;ds;price\n7;31.01.2024;2,5\n7;bald;2,5\n", encoding="utf-8")
    files = (tmp_path / "sales.parquet", "--targets", tmp_path / "t.csv", "--out", tmp_path / "plan.parquet")
    assert run(capsys, "plan", *files, *QUICK)[0] == 0
    found = pl.read_parquet(tmp_path / "plan.parquet").to_dicts()
    assert [(row["ds"], row["status"]) for row in found] == [(date(2024, 1, 31), "ok"), (None, "failed")]


def test_texts_in_a_parquet_file_are_read_like_any_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written = sales().with_columns(y=pl.col("y").cast(pl.Int64).cast(pl.String) + ",0")
    written.write_parquet(tmp_path / "sales.parquet")
    out = tmp_path / "plan.parquet"
    assert run(capsys, "plan", tmp_path / "sales.parquet", *QUICK, "--out", out)[0] == 0
    assert pl.read_parquet(out)["order"].to_list() == [row["order"] for row in expected()]


def test_names_of_columns_and_dates_with_dots(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = sales().rename({"unique_id": "Filiale", "ds": "Tag", "y": "Menge"})
    table.with_columns(pl.col("Tag").dt.strftime("%d.%m.%Y"), Preis=pl.lit(3.5)).write_csv(tmp_path / "s.csv")
    keys = ("--id", "Filiale", "--date", "Tag", "--demand", "Menge")
    out = tmp_path / "plan.parquet"
    code, said, _ = run(capsys, "plan", tmp_path / "s.csv", *keys, *QUICK, "--out", out)
    assert code == 0
    assert "left out, as not known for the days to come: Preis (--targets can give them)" in said
    found = pl.read_parquet(out)
    assert found.columns[:2] == ["Filiale", "Tag"]
    assert found["order"].to_list() == [row["order"] for row in expected()]


def test_support_from_numbers_and_columns(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    sales().with_columns(shelf=pl.lit(40)).write_csv(history)
    for given in (("0", "40"), ("0", "shelf")):
        out = tmp_path / "plan.parquet"
        assert run(capsys, "plan", history, *QUICK, "--support", *given, "--out", out)[0] == 0
        found = pl.read_parquet(out).drop("basis").to_dicts()
        assert found == [{k: v for k, v in row.items() if k != "basis"} for row in expected(support=(0, 40))]
    code, _, error = run(capsys, "plan", history, *QUICK, "--support", "5", "2")
    assert (code, "support" in error) == (2, True)


def test_a_planners_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Semicolons, decimal commas, latin-1, German dates, usual names, returns, a closed day: understood and said."""
    lines = [
        f"{row['unique_id']};{row['ds']:%d.%m.%Y};{str(row['y'] + 0.5).replace('.', ',')}"
        for row in sales(["Brötchen", "Käse"]).to_dicts()
    ]
    lines[3], lines[7] = "Brötchen;04.01.2024;-2,0", "Brötchen;08.01.2024;geschlossen"
    text = "\n".join(["Artikel;Datum;Menge", *lines]) + "\n"
    (tmp_path / "verkauf.csv").write_bytes(text.encode("latin-1"))
    out = tmp_path / "plan.parquet"
    code, said, error = run(capsys, "plan", tmp_path / "verkauf.csv", *QUICK, "--support", "0", "60", "--out", out)
    assert (code, error) == (0, "")
    assert "items in `Artikel`, `Datum` read as day.month.year, demand in `Menge`, decimals after a comma" in said
    clean = sales(["Brötchen", "Käse"]).with_columns(pl.col("y") + 0.5).to_dicts()
    kept = pl.DataFrame([row for i, row in enumerate(clean) if i not in (3, 7)])
    whole = pv.plan(kept, cu=9, co=1, support=(0, 60), policy="erm", dissimilarity=0.05)
    found = pl.read_parquet(out)
    assert found.columns[:2] == ["Artikel", "Datum"]
    assert found["order"].to_list() == whole["order"].to_list()
    assert found["guarantee"].to_list() == whole["guarantee"].to_list()


def test_large_text_is_a_stream_with_the_same_plan(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provend.cli._plan.STREAMED", 10)
    assert run(capsys, "plan", history, *QUICK, "--out", tmp_path / "plan.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "plan.parquet").to_dicts() == expected()


def test_targets(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    targets = pl.DataFrame({"unique_id": ["Brötchen", "7", None], "ds": ["2024-02-03", "2024-02-05", "2024-02-03"]})
    targets.write_csv(tmp_path / "t.csv")
    out = tmp_path / "plan.parquet"
    code, said, _ = run(capsys, "plan", history, "--targets", tmp_path / "t.csv", *QUICK, "--out", out)
    assert (code, "3 targets, 2 orders: 1 failed, without an order, 2 ok" in said) == (0, True)
    found = pl.read_parquet(out)
    assert found["unique_id"].to_list() == ["7", "Brötchen", None]
    assert found["message"].to_list() == [None, None, "a row names no item"]
    page = tmp_path / "page.html"
    (tmp_path / "t.csv").write_text("unique_id,ds\n,2024-02-03\n7,soon\n7,2024-02-05\n")
    said = run(capsys, "plan", history, "--targets", tmp_path / "t.csv", *QUICK, "--report", page)[1]
    assert "None" not in said + page.read_text(encoding="utf-8").split("Rows that need a look")[1]  # a name like others


def test_names_of_files_may_look_like_patterns(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "plans [2024]"
    folder.mkdir()
    sales().write_parquet(folder / "sales [a-z].parquet")
    for file in (history, folder / "sales [a-z].parquet"):
        made = folder / "[p].parquet", "--report", folder / "page?.html"
        assert run(capsys, "plan", file, *QUICK, "--out", *made)[0] == 0
        assert pl.read_parquet(folder / "[p].parquet", glob=False).to_dicts() == expected()


def test_strict(capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.csv"
    assert run(capsys, "plan", history, *QUICK, "--out", out, "--strict")[0] == 0
    sales().with_columns(y=pl.when(pl.int_range(pl.len()) != 4).then("y")).write_csv(history)
    assert run(capsys, "plan", history, *QUICK, "--out", out)[0] == 0
    before = out.read_bytes()
    code, _, error = run(capsys, "plan", history, *QUICK, "--out", out, "--strict")
    assert (code, error) == (
        2,
        "provend: --strict: 0 of 5 rows are not ok, 1 past rows are set aside; see their messages\n",
    )
    assert out.read_bytes() == before  # written all the same


def test_past_rows_that_name_no_item_are_counted(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    flawed = sales().with_columns(unique_id=pl.when(pl.int_range(pl.len()) != 4).then("unique_id"))
    flawed.write_csv(history)
    flawed.write_parquet(tmp_path / "sales.parquet")
    for file, said in ((history, "row 6: no item"), (tmp_path / "sales.parquet", "1 past rows name no item")):
        code, out, error = run(capsys, "plan", file, *QUICK, "--out", tmp_path / "plan.csv", "--strict")
        assert said in out
        assert (code, "0 of 5 rows are not ok, 1 past rows are set aside" in error) == (2, True)


def test_the_manifest_records_inputs_options_versions_and_counts(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path
) -> None:
    from hashlib import sha256

    run(capsys, "plan", history, *QUICK, "--out", tmp_path / "plan.csv")
    found = json.loads((tmp_path / "plan.csv.manifest.json").read_text(encoding="utf-8"))
    content = history.read_bytes()
    assert found["inputs"] == [{"file": "sales.csv", "bytes": len(content), "sha256": sha256(content).hexdigest()}]
    assert found["options"]["terms"].items() >= {"cu": "9", "co": "1", "support": None}.items()
    assert found["versions"].keys() >= {"provend", "python", "duckdb", "pyarrow"}
    assert (found["counts"], found["rows"], found["spacing"]) == ({"ok": 5}, 5, "daily")


def written(file: Path, demands: list[object], **columns: list[object]) -> Path:
    """One item, day by day."""
    days = [str(date(2026, 1, 1) + timedelta(days=i)) for i in range(len(demands))]
    file.write_text(pl.DataFrame({"ds": days, "y": demands} | columns, strict=False).write_csv())
    return file


def test_a_plan_without_orders_is_no_success(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One slip of the pen makes too many whole units possible; the summary names it."""
    file = written(tmp_path / "sales.csv", [*range(10, 40), 1_000_000_000])
    code, said, error = run(capsys, "plan", file, *QUICK, "--pack", 1, "--out", tmp_path / "plan.csv")
    assert (code, error) == (2, "provend: no order could be given; the message of each row says why\n")
    outlier = "the largest demand, 1e+09 (2026-01-31), is 25,641,026 times the second largest"
    assert f"{outlier}: correct it, or give --support" in said
    assert "leave it out and round what is ordered" in (tmp_path / "plan.csv").read_text()
    code, said, _ = run(capsys, "plan", file, *QUICK, "--support", 0, 1_000_000_000)
    assert (code, "second largest" in said) == (0, False)
    usual = written(tmp_path / "usual.csv", [*range(10, 40), 3900])  # a hundred times the second, not more
    assert "second largest" not in run(capsys, "plan", usual, *QUICK)[1]


def test_rows_set_aside_are_said_once_and_hide_no_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = written(tmp_path / "sales.csv", [*range(10, 25), None, *range(25, 40)])
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[5], lines[5]]))  # the same row three times
    monkeypatch.setenv("COLUMNS", "400")
    code, said, _ = run(capsys, "plan", file, *QUICK, "--explain")
    twice = "4 past rows set aside: 2026-01-05 is there more than once (3 rows); no demand on 2026-01-16"
    assert (code, f"({twice})" in said) == (0, True)
    assert "of 29 comparable days needed at most" in said
    top = (
        "4 past rows of 1 item could not be used, and are left out; the messages of the orders say which. In 3 of them"
    )
    assert f"{top} the item has the date more than once, and none of these rows counts: say duplicates = " in said
    assert "1 target, 1 order: 1 made without some past rows" in said
    short = run(capsys, "plan", file, *QUICK)[1]
    assert "of 29 days (rows set aside)" in short
    assert "comparable" not in short


def test_contexts_that_count_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "sales.csv", [*range(10, 40)], rain=[i % 3 for i in range(30)], sun=[1, 2, 3] * 10)
    (tmp_path / "t.csv").write_text("ds,rain\n2026-02-01,2\n")
    said = run(capsys, "plan", file, *QUICK, "--targets", tmp_path / "t.csv")[1]
    assert "contexts that count besides the date: rain\n" in said
    assert "contexts that count" not in run(capsys, "plan", file, *QUICK)[1]
