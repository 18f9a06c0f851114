"""The command: files in, a file out that is whole and harmless."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

import provend as pv
from awkward_sales import QUICK, expected, sales
from commands import run


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


def test_whole_units_are_no_advice_where_nothing_is_ordered(capsys: pytest.CaptureFixture[str], history: Path) -> None:
    assert "--pack 1" in run(capsys, "plan", history, *QUICK)[1]
    assert "--pack 1" not in run(capsys, "plan", history, *QUICK, "--support", 0, 1)[1]


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


def test_a_row_without_an_order_is_no_order(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Three days are less than one period of six, and no support is given."""
    file = written(tmp_path / "sales.csv", [3, 5, 4])
    code, said, error = run(capsys, "plan", file, "--cu", 9, "--co", 1, "--lead-time", 5)
    assert (code, error) == (2, "provend: no order could be given; the message of each row says why\n")
    assert "1 target, 0 orders: 1 no data\n" in said


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
