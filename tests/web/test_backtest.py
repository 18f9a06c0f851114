"""Backtest: the numbers of the library, and the orders of one item."""

from __future__ import annotations

import contextlib
import csv
import io
import shlex

import pytest

import provend as pv
from commands import run
from provend.web._files import restaurant

ASKED = {"cu": 9, "co": 1, "policies": ["static", "same:weekday"], "test": 0.2}


@pytest.fixture(scope="module")
def text():
    lines = restaurant().decode().splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(("item", "steak", "lamb")))


@pytest.fixture(scope="module")
def job(server, text):
    file = server.send("sales.csv", text.encode()).json["file"]
    return server.post("/api/backtest", {"file": file, **ASKED}).json["job"]


def test_numbers_are_those_of_the_library(server, job, text, tmp_path, monkeypatch, capsys):
    found = server.result(job)
    (tmp_path / "sales.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(found["as_python"], names)
    rows = names["result"].summary.to_pylist()
    for told, row in zip(found["summary"], rows, strict=True):
        assert {name: told[name] for name in row} == row
    assert len(found["by_item"]) == 4
    assert found["items"] == ["lamb", "steak"]
    assert run(capsys, *shlex.split(found["as_command"])[1:])[0] == 0
    assert (tmp_path / "backtest" / "summary.csv").exists()


def test_orders_of_one_item(server, job):
    total = {row["policy"]: row["mean_cost"] for row in server.result(job)["summary"]}
    costs = {name: [] for name in total}
    for item in ("steak", "lamb"):
        found = server.get(f"/api/backtest/{job}/orders?item={item}").json
        assert len(found["dates"]) == len(found["demand"]) == 152
        for name, lines in found["policies"].items():
            costs[name] += lines["cost"]
            spent = [pv.Newsvendor(9, 1).cost(a, y) for a, y in zip(lines["order"], found["demand"], strict=True)]
            assert lines["cost"] == pytest.approx(spent)
    assert {name: sum(some) / len(some) for name, some in costs.items()} == pytest.approx(total)
    assert server.get(f"/api/backtest/{job}/orders?item=nobody").status == 400


def test_tables_as_files(server, job):
    found = server.result(job)
    path = f"/api/backtest/{job}/download"
    answer = server.post(path, {"which": "summary"})
    assert answer.headers["content-disposition"] == 'attachment; filename="summary.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert [float(row["mean_cost"]) for row in rows] == [row["mean_cost"] for row in found["summary"]]
    sizes = {name: server.post(path, {"which": name}).body.count(b"\n") for name in ("by_item", "orders")}
    assert sizes == {"by_item": 1 + 4, "orders": 1 + 2 * 2 * 152}
    for which in ("../plan", "orders.parquet", None, ["orders"]):
        assert server.post(path, {"which": which}).status == 400
    assert server.post("/api/backtest/nobody/download", {"which": "orders"}).status == 404


def test_policies_that_are_not_there(server, text):
    file = server.send("sales.csv", text.encode()).json["file"]
    started = server.post("/api/backtest", {"file": file, **ASKED, "policies": ["static", "nonsense"]})
    found = server.wait(started.json["job"])
    assert found["state"] == "failed"
    assert "nonsense" in found["error"]
    assert server.post("/api/backtest", {"file": file, **ASKED, "policies": ["static"] * 13}).status == 400
    assert server.post("/api/backtest", {"file": file, **ASKED, "support": [0, "x"]}).status == 400


@pytest.mark.parametrize(("delimiter", "decimal"), [(";", ","), (";", "."), (",", ".")])
def test_files_are_written_as_the_table_was(server, delimiter, decimal):
    """A German spreadsheet opens what comes back from it without being asked."""
    days = [(f"2026-{1 + i // 28:02}-{1 + i % 28:02}", f"{3 + i % 5}{decimal}5") for i in range(84)]
    lines = [delimiter.join(("Brötchen", *one)) for one in days]
    content = "\n".join([delimiter.join(("item", "date", "demand")), *lines, ""]).encode()
    file = server.send("umsatz.csv", content).json["file"]
    job = server.post("/api/backtest", {"file": file, **ASKED, "policies": ["static"]}).json["job"]
    (told,) = server.result(job)["summary"]
    found = {
        which: server.post(f"/api/backtest/{job}/download", {"which": which}).body.decode("utf-8-sig")
        for which in ("summary", "by_item", "orders")
    }
    rows = {which: list(csv.DictReader(io.StringIO(text), delimiter=delimiter)) for which, text in found.items()}
    assert rows["summary"][0]["mean_cost"] == str(told["mean_cost"]).replace(".", decimal)
    assert rows["by_item"][0]["unique_id"] == "Brötchen"
    assert [row["y"] for row in rows["orders"]] == [demand for _, demand in days[-len(rows["orders"]) :]]
    assert rows["orders"][-1]["ds"] == days[-1][0]
