"""Tables on the command line: what columns are taken for, whose rows they are, how dates are written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import commands

DAYS = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 4, 29), eager=True)  # 120 of them


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The command, without what was understood of the file, which goes to stderr beside JSON."""
    code, out, err = commands.run(capsys, *arguments)
    if code == 0 and "--json" in arguments:
        lines = err.splitlines(keepends=True)
        told = [line for line in lines if " rows: " in line or "demand in `" in line or "set aside" in line]
        assert len(told) >= 2
        return code, out, "".join(line for line in lines if line not in told)
    return code, out, err


def sales(items: int = 1, form: str = "%Y-%m-%d") -> pl.DataFrame:
    rng = np.random.default_rng(0)
    frames = [
        pl.DataFrame(
            {
                "dish": f"dish {i}",
                "date": DAYS.cast(pl.Datetime).dt.strftime(form),
                "weekday": DAYS.dt.weekday(),
                "sold": rng.poisson(30 + 40 * i + 5 * (DAYS.dt.weekday().to_numpy() > 5)),
            }
        )
        for i in range(items)
    ]
    return pl.concat(frames)


def written(tmp_path: Path, table: pl.DataFrame) -> str:
    table.write_csv(tmp_path / "sales.csv")
    return str(tmp_path / "sales.csv")


def test_items_are_not_pooled_without_a_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path, sales(items=12))
    for options in ((), ("--context", "weekday")):
        code, out, error = run(capsys, "estimate", file, "--demand", "sold", *options)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert "dates in 'date' repeat, once for each 'dish'" in error
        assert "--id dish --item 'dish 0'" in error
    code, _, error = run(capsys, "estimate", file, "--demand", "sold", "--id", "dish")
    assert (code, "12 items, such as 'dish 0'; choose one with --item" in error) == (2, True)
    code, out, error = run(capsys, "estimate", file, "--demand", "sold", "--id", "dish", "--item", "dish 3", "--json")
    assert (code, error) == (0, "")
    assert json.loads(out)["columns"] == {"date": "time", "weekday": "number"}
    code, out, _ = run(capsys, "estimate", file, "--demand", "sold", "--context", "dish")  # who says so knows
    assert (code, "another dish" in out) == (0, True)
    assert "no column 'item'" in run(capsys, "estimate", file, "--id", "item", "--demand", "sold")[2]


def test_one_item_without_a_column_of_items(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, error = run(capsys, "estimate", written(tmp_path, sales().drop("dish")), "--demand", "sold")
    assert (code, error) == (0, "")
    assert "columns: date time, weekday number" in out


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y %H:%M"])
def test_dates_as_people_write_them(capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str) -> None:
    options = ("--demand", "sold", "--json")
    wanted = json.loads(run(capsys, "estimate", written(tmp_path, sales().drop("dish")), *options)[1])
    code, out, error = run(capsys, "estimate", written(tmp_path, sales(form=form).drop("dish")), *options)
    assert (code, error) == (0, "")
    assert json.loads(out) == wanted


def test_dates_that_would_be_a_guess(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = sales(form="%d/%m/%Y").drop("dish").filter(DAYS.dt.day() < 13)
    code, out, error = run(capsys, "estimate", written(tmp_path, table), "--demand", "sold")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "column 'date' holds '01/01/2024' and the like" in error
    assert "--day-first or --month-first" in error
    long = table.rename({"date": "ds", "sold": "y"}).with_columns(unique_id=pl.lit("a"))
    code, _, error = run(capsys, "backtest", written(tmp_path, long), "--cu", "9", "--co", "1")
    assert (code, "column 'ds' holds '01/01/2024' and the like" in error) == (2, True)


def test_columns_are_taken_for_what_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path, sales().drop("dish"))
    code, out, _ = run(capsys, "estimate", file, "--demand", "sold", "--column", "weekday=category")
    assert code == 0
    assert "another weekday" in out
    assert "columns: date time, weekday category" in out
    for said, message in (
        ("weekday", "--column weekday: give NAME=KIND"),
        ("weekday=text", "'weekday' cannot be a 'text'; choose one of number, category, time"),
        ("month=time", "'month' is not a column"),
    ):
        code, _, error = run(capsys, "estimate", file, "--demand", "sold", "--column", said)
        assert (code, message in error) == (2, True)
    long = sales().rename({"dish": "unique_id", "date": "ds", "sold": "y"})
    options = ("--cu", "9", "--co", "1", "--policy", "static", "--policy", "linear")
    code, out, error = run(capsys, "backtest", written(tmp_path, long), *options)
    assert (code, error) == (0, "")
    assert "columns: ds time, weekday number" in out
    out = run(capsys, "backtest", written(tmp_path, long), *options, "--column", "weekday=category", "--json")[1]
    assert json.loads(out)["columns"] == {"ds": "time", "weekday": "category"}
    assert json.loads(out)["groups"] == ["weekday"]


def test_names_are_doubted_on_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = sales().with_columns(dish=pl.Series([f"customer {i}" for i in range(120)]))
    code, out, error = run(capsys, "estimate", written(tmp_path, table), "--demand", "sold", "--json")
    assert (code, error.count("\n")) == (0, 1)
    assert "provend: column 'dish' holds 120 different texts in 120 rows" in error
    assert json.loads(out)["columns"]["dish"] == "category"
    long = table.rename({"date": "ds", "sold": "y"}).with_columns(unique_id=pl.lit("a"))
    options = ("--cu", "9", "--co", "1", "--policy", "static", "--policy", "minimax", "--refit-every", "40")
    code, _, error = run(capsys, "backtest", written(tmp_path, long), *options, "--json")
    assert (code, error.count("\n")) == (0, 1)
    assert "column 'dish' holds 120 different texts" in error


def test_no_dissimilarity_above_one_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rain = np.repeat([0.0, 1e-3, 2e-3, 1.0], [40, 40, 37, 3])
    table = pl.DataFrame({"rain": np.random.default_rng(0).permutation(rain)})
    table = table.with_columns(y=(pl.col("rain") > 5e-4).cast(pl.Float64) * 50 + pl.int_range(120) % 7)
    file = written(tmp_path, table)
    scale = json.loads(run(capsys, "estimate", file, "--json")[1])["scales"][0]
    assert scale["estimate"] > 1
    out = " ".join(run(capsys, "estimate", file)[1].split())
    assert f"{scale['estimate']:.4g}" not in out
    assert "> 1: a dissimilarity is at most 1" in out


def test_a_file_as_planners_have_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    clean = sales(items=2, form="%d.%m.%Y").with_columns(pl.col("sold").cast(pl.Float64) + 0.5, shop=pl.lit("Süd"))
    lines = clean.select("shop", "dish", "date", "weekday", "sold").write_csv(separator=";", include_header=False)
    ugly = "Shop;Dish;Datum;weekday;Sold\r\n" + lines.replace(".5\n", ",5\r\n")
    ugly += "Süd;dish 1;30.04.2024;2;n/a\r\nSüd;dish 1;01.05.2024;3;-4\r\nTotal;;;;99999\r\n"
    (tmp_path / "ugly.csv").write_bytes(ugly.encode("cp1252"))
    options = ["--cu", "9", "--co", "1", "--policy", "static", "--policy", "same:weekday"]
    options += ["--column", "weekday=category"]
    code, out, error = run(capsys, "backtest", str(tmp_path / "ugly.csv"), *options, "--id", "Shop", "--id", "Dish")
    assert (code, out) == (2, "")
    assert "column 'Sold' holds '-4', below zero, in row 243; correct it, or say negative" in error
    named = ("--id", "Shop", "--id", "Dish", "--negative", "drop")
    code, out, _ = run(capsys, "backtest", str(tmp_path / "ugly.csv"), *options, *named)
    assert code == 0
    assert "240 rows: 120 dates x 2 items, 2024-01-01 to 2024-04-29" in out
    assert "items in `Shop, Dish`, `Datum` read as day.month.year, demand in `Sold`, decimals after a comma" in out
    assert "3 rows set aside: row 242: no demand ('n/a' in `Sold`); row 243: below zero" in out
    found = json.loads(run(capsys, "backtest", str(tmp_path / "ugly.csv"), *options, *named, "--json")[1])
    plain = clean.select(
        pl.col("dish").alias("unique_id"), pl.col("date").alias("ds"), pl.col("sold").alias("y"), "weekday"
    )
    wanted = json.loads(run(capsys, "backtest", written(tmp_path, plain), *options, "--json")[1])
    assert found["summary"] == wanted["summary"]
    assert [row["unique_id"] for row in found["by_item"]][::2] == ["Süd/dish 0", "Süd/dish 1"]
