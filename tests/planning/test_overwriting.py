"""A plan is never written over the files it is made from."""

from __future__ import annotations

import os
from datetime import date, timedelta
from pathlib import Path

import pytest

from provend import InputError
from provend.cli import main
from provend.planning import Files, Names, read_request, run

COSTS = ("--cu", "9", "--co", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a history, targets, and links to both, which the commands are run in."""
    days = [date(2026, 1, 1) + timedelta(days=i) for i in range(20)]
    (tmp_path / "sales.csv").write_text("ds,y\n" + "".join(f"{day},{10 + day.day % 7}\n" for day in days))
    (tmp_path / "t.csv").write_text("ds\n2026-02-01\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to("sales.csv")
    (tmp_path / "page.html").symlink_to("sales.csv")
    (tmp_path / "to-be.html").symlink_to("plan.csv")
    os.link(tmp_path / "sales.csv", tmp_path / "hard.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "sales.csv"), "sales.csv: is read here and would be overwritten; name another file"),
        (("--out", "sub/../sales.csv"), "would be overwritten"),
        (("--out", "link.csv"), "would be overwritten"),
        (("--out", "hard.csv"), "would be overwritten"),
        (("--targets", "t.csv", "--out", "t.csv"), "t.csv: is read here and would be overwritten"),
        (("--targets", "t.csv", "--out", "sales.csv"), "would be overwritten"),
        (("--report", "page.html"), "page.html: is read here"),
        (("--out", "plan.csv", "--report", "to-be.html"), "would be written twice; name two files"),
    ],
)
def test_what_is_read_is_not_written(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...], said: str
) -> None:
    before = {file: file.read_bytes() for file in folder.glob("*.csv")}
    with pytest.raises(SystemExit) as stopped:
        main(["plan", "sales.csv", *COSTS, *options])
    error = capsys.readouterr().err
    assert (stopped.value.code, error.count("\n"), said in error) == (2, 1, True), error
    assert {file: file.read_bytes() for file in folder.glob("*.csv")} == before
    assert not list(folder.glob("*.parts"))


@pytest.mark.parametrize(
    ("history", "options", "said"),
    [
        (
            "plan.csv.parts/s.csv",
            (),
            "plan.csv.parts/s.csv: is in plan.csv.parts, which is emptied on the way; move it",
        ),
        ("in.csv", (), "in.csv: is in plan.csv.parts, which is emptied"),
        ("sales.csv", ("--targets", "plan.csv.parts/decided-t.csv"), "decided-t.csv: is in plan.csv.parts"),
        ("sales.csv", ("--report", "plan.csv.parts/new.html"), "new.html: is in plan.csv.parts"),
        ("sales.csv", (), "plan.csv.parts/decided-t.csv: is no part of a run, whose folder this is; move it, or name"),
    ],
)
def test_a_folder_called_as_that_of_the_parts_is_not_emptied(
    capsys: pytest.CaptureFixture[str], folder: Path, history: str, options: tuple[str, ...], said: str
) -> None:
    """Whatever is read from there, by links, too, or merely is there."""
    parts = folder / "plan.csv.parts"
    parts.mkdir()
    for name, source in {"s.csv": "sales.csv", "decided-t.csv": "t.csv"}.items():
        (parts / name).write_bytes((folder / source).read_bytes())
    (folder / "in.csv").symlink_to("plan.csv.parts/s.csv")
    before = {file: file.read_bytes() for file in folder.rglob("*.csv") if file.is_file()}
    with pytest.raises(SystemExit) as stopped:
        main(["plan", history, *COSTS, "--out", "plan.csv", *options])
    error = capsys.readouterr().err
    assert (stopped.value.code, error.count("\n"), said in error) == (2, 1, True), error
    assert {file: file.read_bytes() for file in folder.rglob("*.csv") if file.is_file()} == before


def test_nor_is_one_that_a_link_leads_to(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "sub" / "kept.txt").write_text("kept")
    (folder / "plan.csv.parts").symlink_to("sub")
    with pytest.raises(SystemExit):
        main(["plan", "sales.csv", *COSTS, "--out", "plan.csv"])
    assert "stands where the parts of the run belong" in capsys.readouterr().err
    assert (folder / "sub" / "kept.txt").read_text() == "kept"


@pytest.mark.parametrize("link", [None, "symbolic", "hard"])
def test_a_backtest_does_not_write_over_its_history(
    capsys: pytest.CaptureFixture[str], folder: Path, link: str | None
) -> None:
    history, there = folder / "sales.csv", folder / "sub" / "orders.csv"
    if link is None:
        history = history.rename(there)
    else:
        there.symlink_to(history) if link == "symbolic" else os.link(history, there)
    before = history.read_bytes()
    with pytest.raises(SystemExit) as stopped:
        main(["backtest", str(history), *COSTS, "--policy", "static", "--out", "sub"])
    error = capsys.readouterr().err
    assert (stopped.value.code, error) == (
        2,
        "provend: sub/orders.csv: is read here and would be overwritten; name another file to write\n",
    )
    assert history.read_bytes() == before


def test_nor_by_the_python_function(folder: Path) -> None:
    request = read_request((9, 1), Names((), "ds", "y"))
    with pytest.raises(InputError, match="would be overwritten"):
        run(request, Files(Path("sales.csv"), None, folder / "link.csv"))
    assert (folder / "sales.csv").read_text().startswith("ds,y\n")


def test_a_plan_may_take_the_place_of_an_older_plan(folder: Path) -> None:
    for _ in range(2):
        main(["plan", "sales.csv", *COSTS, "--out", "plan.csv"])
    assert (folder / "plan.csv").read_bytes().startswith("\ufeffds,order".encode())
