"""Files are tried first, written whole or not at all, kept elsewhere if need be, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import errno
import os
from datetime import date, timedelta
from pathlib import Path

import narwhals.stable.v2 as nw
import polars as pl
import pytest

from disks import full_disk
from histories import SIMPLE, random_table
from provend import paper
from provend._errors import InputError
from provend._files import OutputError, defused, prepare, write_all
from provend.backtesting import backtest
from provend.paper import Result, Row
from provend.planning import Style

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "-x"]
HARMLESS = ["steak", "-5", "+1.5e3", "1-2", "", "a=b", "'quoted"]


def test_formulas_are_defused_and_numbers_are_not() -> None:
    assert [defused(text) for text in FORMULAS] == [f"'{text}" for text in FORMULAS]
    assert [defused(text) for text in HARMLESS] == HARMLESS


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_no_formula_from_a_table_gets_into_a_file(tmp_path: Path, kind: str) -> None:
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(10)]
    table = pl.concat(
        [pl.DataFrame({"unique_id": name, "ds": days, "y": [1.0] * 10, "=k": ["@x"] * 10}) for name in ("=1+1", "b")]
    )
    made = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[kind]
    result = backtest(made, cu=1, co=1, policies={"=evil()": "static", "-3": "rolling"})
    cells = []
    for file in result.to_csv(tmp_path):
        with file.open(encoding="utf-8", newline="") as stream:
            cells += [cell for row in csv.reader(stream) for cell in row]
    assert {"'=1+1", "'=evil()", "b", "-3"} <= set(cells)
    assert not any(cell.startswith(("=", "@", "+")) for cell in cells)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_files_in_the_manner_of_a_history(tmp_path: Path, kind: str) -> None:
    """Every number and day is the one in the table, however it is written, whatever kind of table it is."""
    table = random_table().with_columns(pl.col("unique_id") + "ö")
    made = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[kind]
    result = backtest(made, cu=9, co=1, policies=SIMPLE)
    for style in (Style(";", ",", "%d.%m.%Y"), Style()):
        file = result.to_csv(tmp_path, style=style)[2]
        assert file.read_bytes().startswith(b"\xef\xbb\xbf")
        with file.open(encoding="utf-8-sig", newline="") as stream:
            found = list(csv.DictReader(stream, delimiter=style.delimiter))
        exact = list(nw.from_native(result.orders, eager_only=True).iter_rows(named=True))
        assert [row["unique_id"] for row in found] == [row["unique_id"] for row in exact]
        assert [row["ds"] for row in found] == [row["ds"].strftime(style.date) for row in exact]
        assert [float(row["cost"].replace(style.decimal, ".")) for row in found] == [row["cost"] for row in exact]


def test_no_formula_gets_into_the_files_of_the_paper(tmp_path: Path) -> None:
    result = Result((Row("=what", -1.5, "-2.5", "differs", "-because"),))
    paper.write("item", result, tmp_path)
    with (tmp_path / "item.csv").open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream))[1] == ["item", "'=what", "-1.5", "-2.5", "differs", "'-because"]


def test_a_folder_is_tried_before_the_work(tmp_path: Path) -> None:
    prepare(tmp_path / "new" / "folder", ["a.csv"])
    assert list((tmp_path / "new" / "folder").iterdir()) == []
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "a.csv").mkdir(parents=True)
    for folder in ("file", "file/below", "taken", "x" * 300, "nul\0l"):
        with pytest.raises(InputError, match=r"name a folder that can be written|name another folder"):
            prepare(tmp_path / folder, ["a.csv"])
    with pytest.raises(InputError, match=r"/dev/full: .*; name a folder that can be written"):
        prepare(Path("/dev/full"), ["a.csv"])


def test_a_full_disk_is_noticed_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full_disk(monkeypatch, tmp_path)
    with pytest.raises(InputError, match="No space left on device; name a folder that can be written"):
        prepare(tmp_path, ["a.csv"])


def test_half_a_file_is_never_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")
    (tmp_path / "link.csv").symlink_to(target)

    def unplugged(descriptor: int) -> None:
        raise OSError(errno.EIO, "unplugged")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", unplugged)
        patch.setattr("tempfile.tempdir", str(tmp_path))
        with pytest.raises(OutputError, match="unplugged; nor could the results be kept elsewhere: unplugged"):
            write_all(tmp_path, {"a.csv": "new"})
    assert target.read_text() == "old"
    assert {file.name for file in tmp_path.iterdir()} == {"a.csv", "link.csv"}
    write_all(tmp_path, {"link.csv": "new é\ud800"})
    assert (tmp_path / "link.csv").is_symlink()
    assert target.read_text(encoding="utf-8") == "new é?"


def test_results_are_kept_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    full_disk(monkeypatch, tmp_path / "out")
    with pytest.raises(OutputError, match=r"No space left on device; the results are in .* instead") as failed:
        write_all(tmp_path / "out", {"a.csv": "1", "b.csv": "2"})
    (elsewhere,) = (folder for folder in tmp_path.iterdir() if folder.name.startswith("provend-"))
    assert str(elsewhere) in str(failed.value)
    assert [(elsewhere / name).read_text() for name in ("a.csv", "b.csv")] == ["1", "2"]
