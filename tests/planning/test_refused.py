"""Files and options that cannot be planned are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from awkward_sales import QUICK, sales
from commands import run
from provend.planning._state import State


def bad_files(folder: Path) -> dict[str, Path]:
    sales().write_parquet(folder / "whole.parquet")
    (folder / "cut.parquet").write_bytes((folder / "whole.parquet").read_bytes()[:-100])
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_text("unique_id,ds,y\n", encoding="utf-8")
    (folder / "wrong.csv").write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    (folder / "noise.csv").write_bytes(bytes(range(256)) * 40)
    (folder / "table.doc").write_text("x", encoding="utf-8")
    (folder / "folder.csv").mkdir()
    return {
        "cut.parquet": folder / "cut.parquet",
        "the file is empty": folder / "empty.csv",
        "there are no rows": folder / "header.csv",
        "no column is called y, demand or sales": folder / "wrong.csv",
        "noise.csv": folder / "noise.csv",
        "unknown kind of file": folder / "table.doc",
        "folder.csv: is a folder": folder / "folder.csv",
        "no such file": folder / "nothing.csv",
    }


def test_files_that_are_not_what_they_claim(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for said, file in bad_files(tmp_path).items():
        out = tmp_path / "plan.csv"
        code, _, error = run(capsys, "plan", file, *QUICK, "--out", out)
        assert (code, error.count("\n"), said in error) == (2, 1, True), error
        assert not out.exists()
        assert not State.beside(out).folder.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "plan.doc"), "name a file that ends in .csv, .parquet, .xlsx"),
        (("--targets", "t.csv", "--horizon", "2"), "give one of them"),
        (("--resume",), "name it with --out"),
        (("--report", "page.pdf"), "a report is a page; name a file that ends in .html"),
        (("--engine", "abacus"), "choose embedded or spark"),
        (("--model", "best"), "model = 'best' is unknown; choose auto, own, pooled"),
        (("--model", "pooled"), "has its own policy and dissimilarity; leave these out, or choose 'own'"),
        (("--master", "local[2]"), "--master is for --engine spark"),
        (("--context", "rain"), "is not a context of the history"),
    ],
)
def test_wrong_options(capsys: pytest.CaptureFixture[str], history: Path, options: tuple[str, ...], said: str) -> None:
    code, _, error = run(capsys, "plan", history, *QUICK, *options)
    assert (code, error.count("\n"), said in error) == (2, 1, True), error


def test_items_that_no_column_names_are_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    days = [f"2026-01-{day:02}" for day in range(1, 21)]
    file.write_text("Sorte,ds,y\n" + "".join(f"{kind},{day},9\n" for kind in ("Brot", "Eis", "Torte") for day in days))
    code, _, error = run(capsys, "plan", str(file), "--cu", "9", "--co", "1")
    assert (code, error.count("\n")) == (2, 1)
    assert "60 rows have 20 dates; name the column of items with item (--id) among Sorte" in error
    code, out, _ = run(capsys, "plan", str(file), "--cu", "9", "--co", "1", "--id", "Sorte")
    assert (code, "3 targets" in out) == (0, True)


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_folder_that_is_not_there_is_refused(
    capsys: pytest.CaptureFixture[str], history: Path, tmp_path: Path, option: str
) -> None:
    """It was made, whatever the slip of the pen."""
    file = tmp_path / "dwon" / "loads" / ("plan.csv" if option == "--out" else "plan.html")
    code, _, error = run(capsys, "plan", history, *QUICK, option, file)
    assert (code, error) == (2, f"provend: {file}: there is no folder {file.parent}; make it, or name another file\n")
    assert not (tmp_path / "dwon").exists()
