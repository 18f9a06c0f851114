"""Tables that were sent: what is understood, what is asked for, and what is not unpacked."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provend import InputError
from provend.web import _reading
from provend.web._files import restaurant
from provend.web._reading import describe, read
from provend.web._wanted import Options, Upload

PLAIN = "item,date,demand,price\na,2026-11-14,3,1.5\na,2026-11-15,4,1.5\nb,2026-11-14,5,2\n"


def silent(share, words):
    """No progress is shown here."""


@pytest.fixture
def sent(tmp_path):
    def keep(text: str | bytes, kind: str = ".csv", **options) -> Upload:
        file = tmp_path / f"random{kind}"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return Upload(file, f"sales{kind}", Options(**options))

    return keep


def test_what_is_understood(sent):
    found = describe(sent(PLAIN), silent)
    assert (found["rows"], found["items"], found["first"], found["last"]) == (3, 2, "2026-11-14", "2026-11-15")
    assert {one["name"]: one["taken_for"] for one in found["columns"]} == {
        "item": "item", "date": "date", "demand": "demand", "price": "number",
    }  # fmt: skip
    assert found["columns"][3]["sample"] == ["1.5", "1.5", "2"]
    assert found["needs"] == []
    assert "random" not in str(found)


def test_columns_are_what_their_owner_says(sent):
    found = describe(sent(PLAIN, columns=(("price", "category"),)), silent)
    assert found["columns"][3]["taken_for"] == "category"
    found = describe(sent(PLAIN, left_out=("price",)), silent)
    assert found["columns"][3]["taken_for"] == "left out"
    assert read(sent(PLAIN, left_out=("price",))).contexts == ()
    found = describe(sent(PLAIN, demand="price", left_out=("demand",)), silent)
    assert [one["taken_for"] for one in found["columns"]] == ["item", "date", "left out", "demand"]


ASKED = {
    "demand": ("item,date,a,b\nx,2026-11-14,1,2\n", "b"),
    "date": ("item,a,demand\nx,2026-11-14,1\n", "a"),
    "item": ("sku,store,date,demand\nx,s,2026-11-14,1\nx,t,2026-11-14,1\n", ("sku", "store")),
    "day_first": ("date,demand\n05/06/2026,1\n06/06/2026,1\n", True),
    "decimal": ('date,demand\n2026-11-14,"1,234"\n2026-11-15,"1,235"\n', ","),
    "negative": ("date,demand\n2026-11-14,1\n2026-11-15,-1\n", "clip"),
    "duplicates": ("date,demand\n2026-11-14,1\n2026-11-14,1\n", "sum"),
}


@pytest.mark.parametrize("option", ASKED)
def test_what_can_be_read_in_two_ways_is_asked_for_and_the_answer_settles_it(sent, option):
    text, answer = ASKED[option]
    found = describe(sent(text), silent)
    (need,) = found["needs"]
    assert need["option"] == option
    assert need["question"].endswith("?")
    assert need["why"]
    assert found["rows"] is None
    assert found["columns"]
    values = [choice["value"] for choice in need["choices"]]
    assert {*answer} <= {*values} if need["several"] else answer in values
    settled = describe(sent(text, **{option: answer}), silent)
    assert settled["needs"] == []
    assert settled["rows"]


def test_the_delimiter_is_asked_for(sent):
    (need,) = describe(sent("date,demand\n2026-11-14,1\n2026-11-15,1,2,3\n2026-11-16,1\n"), silent)["needs"]
    assert need["option"] == "delimiter"


def test_a_column_that_cannot_be_used_is_left_out_and_says_why(sent):
    table = pa.table({"date": ["2026-11-14", "2026-11-15"], "demand": [1, 2], "odd": [float("inf"), 1.0]})
    file = sent(b"", ".parquet")
    pq.write_table(table, file.path)
    odd = describe(file, silent)["columns"][2]
    assert odd["taken_for"] == "left out"
    assert "infinity" in odd["doubt"]


def test_errors_name_the_file_as_its_owner_does(sent):
    with pytest.raises(InputError, match=r"^sales\.csv: ") as refused:
        describe(sent("date,demand\n"), silent)
    assert "random" not in str(refused.value)
    with pytest.raises(InputError, match=r"sales\.csv") as refused:
        read(sent("date,demand\n2026-11-14,-1\n"))
    assert "random" not in str(refused.value)


def test_the_restaurant_is_read_without_a_question(sent):
    found = describe(sent(restaurant()), silent)
    assert (found["rows"], found["items"], found["needs"]) == (7 * 760, 7, [])
    assert found["understood"][-1].endswith("such as 'calamari' after 2013-12-24")


def test_floods_are_not_let_in(sent, monkeypatch, tmp_path):
    monkeypatch.setattr(_reading, "UNPACKED", 10_000)
    flood = b"date,demand\n" + b"2026-11-14,1\n" * 2000
    with pytest.raises(InputError, match="unpacks"):
        describe(sent(gzip.compress(flood), ".gz"), silent)
    with zipfile.ZipFile(tmp_path / "random.xlsx", "w") as archive:
        archive.writestr("a", flood)
    with pytest.raises(InputError, match="unpacks"):
        describe(Upload(tmp_path / "random.xlsx", "a.xlsx"), silent)
    pq.write_table(pa.table({"date": ["2026-11-14"] * 5000, "demand": range(5000)}), tmp_path / "random.parquet")
    with pytest.raises(InputError, match="unpacks"):
        describe(Upload(Path(tmp_path / "random.parquet"), "a.parquet"), silent)


def test_too_many_rows_are_for_the_command_line(sent, monkeypatch):
    monkeypatch.setattr(_reading, "MOST_ROWS", 2)
    with pytest.raises(InputError, match="command line"):
        describe(sent(PLAIN), silent)


def test_rows_of_one_date_are_items_if_a_column_tells_them_apart(server):
    text = "date,dish,sold\n" + "".join(f"2026-01-{day:02},{dish},{day}\n" for day in range(1, 20) for dish in "ab")
    asked = server.send("sales.csv", text.encode()).json
    (question,) = asked["needs"]
    assert question["option"] == "item"
    assert [choice["value"] for choice in question["choices"]] == ["dish", "sum"]
    assert question["choices"][1]["option"] == "duplicates"
    path = f"/api/files/{asked['file']}/read"
    assert server.post(path, {"options": {"item": "dish"}}).json["items"] == 2
    assert server.post(path, {"options": {"duplicates": "sum"}}).json["rows"] == 19


def test_a_column_that_looks_like_stock_is_pointed_out(server):
    """Not guessed: sales that reached the stock are less than demand, and only their owner knows what a column is."""
    rng = np.random.default_rng(3)
    demand, stock, price = rng.poisson(20, 90).clip(0, 20), rng.integers(15, 30, 90), rng.integers(1, 4, 90)
    days = np.arange("2026-01-01", "2026-04-01", dtype="datetime64[D]")
    rows = zip(days, np.minimum(demand, stock), stock, price, strict=True)
    text = "date,sold,there,price,seats\n" + "".join(f"{d},{y},{s},{p},20\n" for d, y, s, p in rows)
    told = server.send("s.csv", text.encode()).json
    said = [line for line in told["understood"] if "looks like stock" in line]
    assert [line.split("`")[1] for line in said] == ["there"]
    assert f"{np.mean(demand >= stock):.0%} of the rows" in said[0]
    again = server.post(f"/api/files/{told['file']}/read", {"options": {"stock_seen": "there"}}).json
    assert not any("looks like stock" in line for line in again["understood"])
