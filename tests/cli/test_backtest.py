"""Backtests on the command line."""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from commands import run
from histories import random_table, rows, table
from provend.backtesting import backtest
from provend.cli import _backtest


def command(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(_backtest.backtest)
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_command_line(tmp_path: Path, suffix: str) -> None:
    history = random_table()
    file = tmp_path / f"demand.{suffix}"
    history.write_csv(file) if suffix == "csv" else history.write_parquet(file)
    options = ("--cu", "9", "--co", "1", "--context", "weekday", "--policy", "static", "--policy", "same:weekday")
    options += ("--test", "0.25", "--refit-every", "5")
    said = command(str(file), *options, "--json")
    expected = backtest(
        history, cu=9, co=1, contexts=["weekday"], policies=["static", "same:weekday"], test=0.25, refit_every=5
    )
    assert json.loads(said.stdout)["summary"] == rows(expected.summary)
    assert json.loads(said.stdout)["pooled"] == rows(expected.pooled)
    assert json.loads(said.stdout)["groups"] == ["weekday"]
    shown = command(str(file), *options, "--out", str(tmp_path / "out"))
    assert f"{rows(expected.summary)[1]['relative_cost']:.3f}" in shown.stdout
    assert f"{rows(expected.pooled)[1]['mean_of_items']:.3f}" in shown.stdout
    assert "█" in shown.stdout
    assert "hindsight" in shown.stdout
    doubt = "count as known when ordering"
    unnamed = command(str(file), "--cu", "9", "--co", "1", "--policy", "static", "--refit-every", "50")
    assert (doubt in shown.stdout, doubt in unnamed.stdout) == (False, True)
    assert (tmp_path / "out" / "orders.csv").is_file()


def test_files_are_written_for_the_spreadsheet_that_wrote_the_history(tmp_path: Path) -> None:
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(20)]
    lines = [f"Brötchen;{day:%d.%m.%Y};{day.day % 7},5" for day in days]
    (tmp_path / "verkauf.csv").write_bytes("\n".join(["Artikel;Datum;Menge", *lines]).encode("cp1252"))
    options = ("--cu", "9", "--co", "1", "--policy", "static", "--out", str(tmp_path / "out"))
    shown = command(str(tmp_path / "verkauf.csv"), *options)
    assert "(semicolons between fields and decimal commas, dates such as 31.12.2026, as in the history)" in shown.stdout
    first, row = (tmp_path / "out" / "orders.csv").read_text(encoding="utf-8-sig").splitlines()[:2]
    assert first == "unique_id;ds;policy;order;y;cost;guarantee"
    assert row.startswith("Brötchen;15.01.2024;static;6,5;1,5;5,0;")


def test_command_line_says_what_was_skipped(tmp_path: Path) -> None:
    file = tmp_path / "short.csv"
    pl.concat([table([1.0, 2.0]), table([1.0, 2.0] * 9).with_columns(unique_id=pl.lit("b"))]).write_csv(file)
    shown = command(str(file), "--cu", "9", "--co", "1", "--policy", "static", "--policy", "rolling")
    assert (shown.exit_code, "skipped a: too few rows (static, rolling)" in shown.stdout) == (0, True)


@pytest.mark.parametrize("options", [(), ("--json",), ("--out", "results")])
def test_nothing_decided_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """It was a page of dashes, and a success."""
    monkeypatch.chdir(tmp_path)
    pl.concat([table([1.0, 2.0]).with_columns(unique_id=pl.lit(name)) for name in "abc"]).write_csv("short.csv")
    told = run(capsys, "backtest", "short.csv", "--cu", "9", "--co", "1", "--policy", "static", *options)
    said = (
        "no policy could decide any item: 'a': too few rows, and 2 more items; give more history, or another --policy"
    )
    assert told == (2, "", f"provend: {said}\n")


def test_command_line_says_which_guarantee_was_exceeded(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"policy": "a", "exceeded": True, "regret_at_least": 3.25, "guarantee": 2.5}
    items = [{**row, "unique_id": f"i{i}"} for i in range(7)]
    _backtest._say_exceeded([row, {**row, "policy": "b", "exceeded": False}], items)
    assert capsys.readouterr().out == (
        "guarantee of a exceeded: expected regret at least 3.25 (95% confidence), guaranteed 2.5\n"
        "guarantee of a exceeded for 7 items alone: i0, i1, i2, i3, i4\n"
    )


def test_command_line_refuses_other_files(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("no table")
    for name, message in (
        ("demand.doc", "unknown kind of file; give a .csv, .tsv, .txt, .csv.gz, .parquet or .xlsx file"),
        ("demand.xls", "unknown kind of file; save it as .xlsx or .csv"),
        ("absent.csv", "no such file; name a .csv, .tsv, .txt, .csv.gz, .parquet or .xlsx file"),
        ("broken.parquet", "is it a parquet file?"),
    ):
        failed = command(str(tmp_path / name), "--cu", "1", "--co", "1").exception
        assert isinstance(failed, ValueError)
        assert message in str(failed)


def test_command_line_names_the_extra_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quantile_forest", None)
    file = tmp_path / "demand.csv"
    random_table().write_csv(file)
    failed = command(str(file), "--cu", "1", "--co", "1", "--policy", "forest").exception
    assert isinstance(failed, ValueError)
    assert "pip install provend[forest]" in str(failed)
