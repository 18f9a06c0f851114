"""How the command line fails: a bug is not bad input, finished work is kept, and text from files stays text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import run
from disks import full_disk
from provend._errors import InputError
from provend.cli import main
from provend.cli._render import print_chart, print_json, print_table, say
from provend.cli._text import plain

REGRET = ("regret", "--q", "0.9", "--constant", "0.1", "-n", "5")


@pytest.fixture
def demand(tmp_path: Path) -> Path:
    """Names of items and columns that are markup, commands to a terminal, and a line of their own."""
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(20)]
    columns = {"ds": days, "y": [float(i % 4) for i in range(20)], "[/red]\x1b[31m": ["[bold]\n", "b"] * 10}
    names = ("[bold]one", "two\x1b[2J\u202e\nlines")
    pl.concat([pl.DataFrame({"unique_id": name, **columns}) for name in names]).write_parquet(tmp_path / "d.parquet")
    return tmp_path / "d.parquet"


@pytest.mark.parametrize("error", [ValueError("boom [red]\nboom"), KeyError("k"), TypeError("t"), RecursionError("r")])
def test_a_bug_is_not_bad_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("provend.regret.worst_case_regret", broken)
    code, out, err = run(capsys, *REGRET)
    assert (code, out) == (1, "")
    first, command, what = err.splitlines()
    assert "a bug in provend, not in your input; please report it" in first
    assert command.endswith("regret --q 0.9 --constant 0.1 -n 5")
    assert what.strip().startswith(f"{type(error).__name__}: {plain(str(error))}")
    assert "test_errors.py, line" in what
    monkeypatch.setenv("PROVEND_DEBUG", "1")
    with pytest.raises(type(error)):
        main(REGRET)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputError("y = 3\x1b is bad; use 4"), 2, "provend: y = 3 is bad; use 4\n"),
        (KeyboardInterrupt(), 130, "provend: stopped\n"),
        (MemoryError("8 TB"), 1, "provend: not enough memory, 8 TB; use fewer past contexts or rows\n"),
        (OSError(28, "No space left on device"), 1, "provend: standard output: No space left on device\n"),
        (BrokenPipeError(32, "Broken pipe"), 1, ""),
    ],
)
def test_other_ends(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("provend.regret.worst_case_regret", broken)
    assert run(capsys, *REGRET) == (code, "", message)


def process(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[bytes]:
    """As most people run it: what is printed waits in a buffer."""
    options = {**settings, "env": {**os.environ, **settings.get("env", {}), "PYTHONUNBUFFERED": ""}}
    command = [sys.executable, "-W", "error", "-c", "from provend.cli import main; main()", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, **options)


def test_output_that_cannot_be_written() -> None:
    with Path("/dev/full").open("wb") as full:
        ended = process(*REGRET, "--json", stdout=full)
    assert (ended.returncode, ended.stderr) == (1, b"provend: standard output: No space left on device\n")


def test_nobody_reads_on() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = process(*REGRET, "--json", stdout=writing)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_output_without_the_characters() -> None:
    environment = {"PYTHONIOENCODING": "ascii", "COLUMNS": "60"}
    ended = process(*REGRET, stdout=subprocess.PIPE, env=environment)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"####" in ended.stdout
    assert b"?" not in ended.stdout


def test_a_bad_place_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, demand: Path
) -> None:
    def work(*_: Any, **__: Any) -> None:
        pytest.fail("there was work before the place was tried")

    monkeypatch.setattr("provend.backtesting.backtest", work)
    monkeypatch.setattr("provend.paper.run", work)
    for place in (demand, "/dev/full", demand / "below"):
        for command in (("backtest", str(demand), "--cu", "1", "--co", "1"), ("paper", "figure1")):
            code, out, err = run(capsys, *command, "--out", str(place))
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert "name a folder that can be written" in err


BACKTEST = ("--cu", "9", "--co", "1", "--policy", "static", "--policy", "same:[/red]\x1b[31m")


@pytest.mark.parametrize("as_json", [False, True])
def test_finished_work_is_not_thrown_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, demand: Path, tmp_path: Path, as_json: bool
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("provend.cli._backtest.prepare", lambda *_: full_disk(monkeypatch, tmp_path / "out"))
    arguments = ("backtest", str(demand), *BACKTEST, "--out", str(tmp_path / "out"), *(["--json"] if as_json else []))
    code, out, err = run(capsys, *arguments)
    understood = 2 if as_json else 0  # lines on how the file was read
    assert (code, err.count("\n")) == (1, 1 + understood)
    assert "No space left on device; the results are in" in err.splitlines()[-1]
    (elsewhere,) = tmp_path.glob("provend-*")
    assert {file.name for file in elsewhere.iterdir()} == {"summary.csv", "by_item.csv", "pooled.csv", "orders.csv"}
    assert "static" in (json.loads(out)["reference"] if as_json else out)


def test_items_of_the_paper_that_are_finished_are_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from provend.paper._registry import ITEMS
    from provend.paper._registry import run as compute

    def one_only(name: str, **options: Any) -> Any:
        if name != next(iter(ITEMS)):
            raise KeyboardInterrupt
        return compute(name, **options)

    monkeypatch.setattr("provend.paper.run", one_only)
    code, _, err = run(capsys, "paper", "all", "--out", str(tmp_path))
    assert (code, err) == (130, "provend: stopped\n")
    assert (tmp_path / f"{next(iter(ITEMS))}.csv").stat().st_size > 0
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("columns", ["200", "10", "1"])
def test_names_from_files_are_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, demand: Path, tmp_path: Path, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = run(capsys, "backtest", str(demand), *BACKTEST, "--out", str(tmp_path / "[/x]"))
    assert (code, err) == (0, "")
    assert not set(out) & set("\x1b\u202e")
    if columns == "200":
        assert "same:[/red][31m" in out
        assert "[/x]: summary.csv, by_item.csv, orders.csv" in out
    code, out, _ = run(capsys, "estimate", str(demand), "--item", "[bold]one")
    assert code == 0
    assert "\x1b" not in out
    code, _, err = run(capsys, "estimate", str(demand), "--item", "three")
    assert (code, err.count("\n"), "\x1b" in err) == (2, 1, False)


def test_json_has_no_other_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    inf, nan = float("inf"), float("nan")
    print_json({"a": inf, "b": [nan, -inf, 1.5], "c": {"d": (nan,)}, "day": date(2024, 1, 2)})
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "a": None,
        "b": [None, None, 1.5],
        "c": {"d": [None]},
        "day": "2024-01-02",
    }


def test_text_is_shown_as_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain("a\tb\r\nc\x1b[0m\u202ed\ud800\u2028e") == "a b c[0md e"
    for columns in ("120", "1"):
        monkeypatch.setenv("COLUMNS", columns)
        print_table(("[/b]", "[red]"), [("[/]", "[bold]x")], title="[/t]", highlight=0)
        print_chart("[/c]", [0.0, 1.0], [0.0, 0.0])
        say("[/s]")
        out = capsys.readouterr().out
        for text in ("[/b]", "[red]", "[/]", "[bold]x", "[/t]", "[/c]", "[/s]"):
            assert text in out or columns == "1"
