"""What workers run, called as functions: tables of every shape, and the limits."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from provend import InputError
from provend.web import _backtest, _decide
from provend.web._backtest import backtest, orders_of
from provend.web._decide import decide
from provend.web._detail import detail
from provend.web._download import as_file
from provend.web._paper import contents
from provend.web._wanted import BacktestWanted, Options, Override, Upload, Wanted
from provend.web._what_if import what_if

DATES = np.arange("2026-01-05", "2026-12-31", dtype="datetime64[D]")[:30]


def silent(share, words):
    """No progress is shown here."""


@pytest.fixture
def upload(tmp_path):
    """Two columns name the item, and one more is a context."""
    lines = [f"{s};{k};{d};{i % 7 + 2};{d.astype(int) % 2}" for s in "ab" for k in "xy" for i, d in enumerate(DATES)]
    file = tmp_path / "random.csv"
    file.write_text("\n".join(["store;sku;day;sold;promotion", *lines, ""]))
    return Upload(file, "sales.csv", Options(item=("store", "sku"), date="day", demand="sold"))


def test_items_with_several_names(upload, tmp_path):
    wanted = Wanted(upload, 9, 1, (0, 10), 2, dissimilarity=0.05)
    found = decide(wanted, tmp_path, silent)
    assert {row["item"] for row in found["orders"]} == {"a / x", "a / y", "b / x", "b / y"}
    assert {row["badge"] for row in found["orders"]} == {"given"}
    assert any("promotion" in line for line in found["what"])
    assert "each item is decided on its own days" in found["what"]
    assert "random" not in str(found)
    said = "--id store --id sku --date day --demand sold --cu 9 --co 1 --horizon 2 --support 0 10 --dissimilarity 0.05"
    assert found["as_command"] == f"provend plan sales.csv {said} --out plan.csv"
    row = detail(wanted, tmp_path, 3, silent)
    assert len(row["past"]) == 30
    assert {day["item"] for day in row["past"]} == {"a / y"}
    assert what_if(wanted, tmp_path, 3, 5.0, silent)["rule"]["days"] == 30
    assert {what_if(wanted, tmp_path, row, 6.1, silent)["up_to"] for row in range(8)} == {6.1}  # nothing is in stock
    with pytest.raises(InputError, match="not in the plan"):
        detail(wanted, tmp_path, 8, silent)
    rows = rows_of(as_file(wanted, tmp_path, "csv", (Override(0, 1, "so"),), silent), ";")
    assert (rows[0]["store"], rows[0]["sku"], rows[0]["override"]) == ("a", "x", "1,0")
    with pytest.raises(InputError, match="not in the plan"):
        as_file(wanted, tmp_path, "csv", (Override(8, 1, "so"),), silent)


def test_of_many_orders_the_first_have_their_usual_cost_and_the_others_once_they_are_opened(
    upload, tmp_path, monkeypatch
):
    monkeypatch.setattr(_decide, "ESTIMATED", 3)
    wanted = Wanted(upload, 9, 1, (0, 10), 2, dissimilarity=0.05)
    found = decide(wanted, tmp_path, silent)
    known = [order["usual"] for order in found["orders"]]
    assert [cost is None for cost in known] == [False] * 3 + [True] * 5
    assert (found["totals"]["usual_of"], found["totals"]["usual"]) == (3, pytest.approx(sum(known[:3])))
    assert not found["totals"]["usual_all"]
    assert detail(wanted, tmp_path, found["orders"][-1]["row"], silent)["usual"] > 0


def rows_of(content, delimiter):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig")), delimiter=delimiter))


@pytest.mark.parametrize(("delimiter", "decimal"), [(";", ","), (";", "."), (",", ".")])
def test_a_csv_is_written_as_the_table_was(tmp_path, delimiter, decimal):
    """Its owner's spreadsheet opens it with the same settings; numbers are those of the plan."""
    file = tmp_path / "random.csv"
    demands = [f"{i % 7}.5".replace(".", decimal) for i in range(30)]
    lines = [delimiter.join((str(day), demand)) for day, demand in zip(DATES, demands, strict=True)]
    file.write_text("\n".join([f"date{delimiter}demand", *lines, ""]))
    wanted = Wanted(Upload(file, "s.csv"), 9, 1, dissimilarity=0.05)
    (told,) = decide(wanted, tmp_path, silent)["orders"]
    (row,) = rows_of(as_file(wanted, tmp_path, "csv", (), silent), delimiter)
    assert row["order"] == str(told["order"]).replace(".", decimal)
    assert row["guarantee"] == str(told["guarantee"]).replace(".", decimal)


@pytest.mark.parametrize("support", [None, (0, 12)])
def test_a_file_has_what_is_ordered_in_the_end_and_what_that_guarantees(tmp_path, support):
    file = tmp_path / "random.csv"
    file.write_text("item,date,demand\n" + "".join(f"{k},{d},{2 + i % 7}\n" for k in "ab" for i, d in enumerate(DATES)))
    wanted = Wanted(Upload(file, "s.csv"), 9, 1, support, 2, dissimilarity=0.05, supply=(("pack", 2),))
    decide(wanted, tmp_path, silent)
    low, high = support or (2, 8)
    kept = {0: (3.0, 9 * (high - 3)), 3: (25.0, 25 - low)}  # at worst demand is always at one end
    content = as_file(wanted, tmp_path, "csv", tuple(Override(row, q, "so") for row, (q, _) in kept.items()), silent)
    rows = rows_of(content, ",")
    if support is None:  # packs widen the range of demand; the page has the same number
        kept = {row: (q, what_if(wanted, tmp_path, row, q, silent)["whatever"]) for row, (q, _) in kept.items()}
    for place, row in enumerate(rows):
        order, guarantee = kept.get(place, (float(row["order"]), float(row["guarantee"])))
        assert float(row["final_order"]) == order
        assert float(row["final_guarantee"]) == pytest.approx(guarantee, rel=1e-9)
    assert float(rows[0]["order"]) != 3
    assert float(rows[0]["guarantee"]) < float(rows[0]["final_guarantee"])


def test_where_nothing_is_known_the_final_guarantee_is_empty(tmp_path):
    file = tmp_path / "random.csv"
    file.write_text("item,date,demand\nnew,2026-02-03,3\n" + "".join(f"old,{d},{i % 5}\n" for i, d in enumerate(DATES)))
    wanted = Wanted(Upload(file, "s.csv"), 9, 1, dissimilarity=0.05)
    found = decide(wanted, tmp_path, silent)
    place = next(one["row"] for one in found["orders"] if one["item"] == "new")
    rows = rows_of(as_file(wanted, tmp_path, "csv", (Override(place, 5, "so"),), silent), ",")
    assert (rows[place]["final_order"], rows[place]["final_guarantee"]) == ("5.0", "")


def test_one_item_alone_and_dates_that_are_numbers(tmp_path):
    file = tmp_path / "random.csv"
    file.write_text("date,demand\n" + "".join(f"{week},{week % 5}\n" for week in range(1, 25)))
    wanted = Wanted(Upload(file, "weeks.csv"), "4", "1", dissimilarity=0.05)
    found = decide(wanted, tmp_path, silent)
    (row,) = found["orders"]
    assert row["date"] == 25
    assert any("no support was given" in line for line in found["what"])
    past = detail(wanted, tmp_path, 0, silent)["past"]
    assert [day["date"] for day in past] == list(range(1, 25))


def test_rows_without_a_guarantee_come_first(tmp_path):
    file = tmp_path / "random.csv"
    file.write_text("item,date,demand\nnew,2026-01-08,3\n" + "".join(f"old,{d},{i % 5}\n" for i, d in enumerate(DATES)))
    wanted = Wanted(Upload(file, "s.csv"), 9, 1, dissimilarity=0.05)
    found = decide(wanted, tmp_path, silent)
    assert [row["item"] for row in found["orders"]] == ["new", "old"]
    assert found["orders"][0]["guarantee"] is None
    assert found["totals"]["without_guarantee"] == 1
    place = found["orders"][0]["row"]
    assert detail(wanted, tmp_path, place, silent)["past"] == []
    assert what_if(wanted, tmp_path, place, 5.0, silent)["whatever"] is None  # nobody knows the support


def test_there_are_limits(upload, tmp_path, monkeypatch):
    monkeypatch.setattr(_decide, "MOST_ORDERS", 3)
    with pytest.raises(InputError, match="command line"):
        decide(Wanted(upload, 9, 1), tmp_path, silent)
    monkeypatch.setattr(_backtest, "MOST_ROWS", 3)
    with pytest.raises(InputError, match="command line"):
        backtest(BacktestWanted(upload, 9, 1), tmp_path, silent)


def test_a_backtest_with_contexts_that_are_said_and_left_out(upload, tmp_path):
    said = Upload(upload.path, upload.name, Options(("store", "sku"), "day", "sold", (), (("promotion", "category"),)))
    told = []
    wanted = BacktestWanted(said, 9, 1, (0, 10), ("static", "same:promotion"), "0.3", 7)
    found = backtest(wanted, tmp_path, lambda share, words: told.append(share))
    assert found["columns"]["promotion"] == "category"
    assert [row["policy"] for row in found["summary"]] == ["static", "same:promotion"]
    assert told[-1] == pytest.approx(1)
    assert "--column promotion=category" in found["as_command"]
    assert "columns={'promotion': 'category'}" in found["as_python"]
    one = orders_of(tmp_path, "a/x", silent)
    assert len(one["dates"]) == 9
    with pytest.raises(InputError, match="no orders"):
        orders_of(tmp_path, "nobody", silent)


def test_contents_of_the_report():
    found = contents(silent)
    assert found["verdicts"].keys() == {"same", "differs", "picture", "beyond"}
    assert found["sections"][2]["items"][0]["name"] == "table1"
