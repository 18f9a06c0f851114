"""Packs, stock and lead times in Decide: the plan of the library, taken apart on top of what is there."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv

DATES = np.arange("2026-01-01", "2026-12-31", dtype="datetime64[D]")[:40]
RNG = np.random.default_rng(11)
TABLE = "item,date,demand,there,box\n" + "".join(
    f"{item},{date},{RNG.poisson(mean)},{there},{box}\n"
    for item, mean, there, box in (("bread", 30, 7, 6), ("cake", 8, 2, 4))
    for date in DATES
)
COSTS = {"cu": 9, "co": 1, "support": [0, 200]}
TERMS = {
    "columns": {"pack": "box", "minimum": 8, "stock": "there", "on_order": 1},
    "days": {"pack": 2, "stock": "there", "lead_time": 2, "review": 1},
}


@pytest.fixture(scope="module")
def sent(server):
    return server.send("sales.csv", TABLE.encode()).json["file"]


def decided(server, file, **supply):
    job = server.post("/api/decide", {"file": file, **COSTS, **supply}).json["job"]
    return job, server.result(job)


@pytest.mark.parametrize("terms", TERMS)
def test_the_plan_is_that_of_the_library_and_its_words_do_the_same(server, sent, terms, tmp_path, said_does):
    supply = TERMS[terms]
    _, found = decided(server, sent, **supply)
    (tmp_path / "sales.csv").write_text(TABLE)
    table = pv.read_sales("sales.csv").table
    rows = pv.plan(table, cu=9, co=1, support=(0, 200), contexts=[], **supply).to_pylist()
    for told in found["orders"]:
        for name in ("order", "order_up_to", "guarantee", "reason"):
            assert told[name] == rows[told["row"]][name]
    assert all(row["order"] % (6 if terms == "columns" and row["unique_id"] == "bread" else 2) == 0 for row in rows)
    said_does(found, rows)


def test_another_quantity_comes_on_top_of_what_is_there(server, sent):
    job, found = decided(server, sent, **TERMS["columns"])
    told = next(one for one in found["orders"] if one["item"] == "bread")
    assert told["order_up_to"] == told["order"] + 8  # seven in stock, one on order
    row = server.post(f"/api/decide/{job}/row", {"row": told["row"]}).json
    asked = server.post(f"/api/decide/{job}/what-if", {"row": told["row"], "quantity": 12}).json
    assert asked["up_to"] == 20
    enough = sum(day["weight"] for day in row["past"] if day["brought"] <= 20)
    assert asked["rule"]["share"] == pytest.approx(enough, abs=0.01)
    assert asked["whatever"] == pytest.approx(9 * (200 - 20))
    assert asked["guide"] <= asked["whatever"]
    assert row["drawn"]
    assert row["pack"] == asked["pack"] == 6


@pytest.mark.parametrize(
    ("supply", "pack"),
    [({}, None), ({"minimum": 8}, 1), ({"pack": 2, "lead_time": 1}, 2), ({"pack": "box", "lead_time": 1}, 6)],
)
def test_that_an_order_was_drawn_among_packs_is_told(server, sent, supply, pack):
    job, found = decided(server, sent, **supply)
    row = server.post(f"/api/decide/{job}/row", {"row": found["orders"][0]["row"]}).json
    assert (row["drawn"], row["pack"]) == (bool(supply), pack)


def test_orders_for_several_days_are_taken_apart_by_period(server, sent):
    job, found = decided(server, sent, lead_time=2, review=1, stock="there", policy="erm", dissimilarity=0.05)
    told = next(one for one in found["orders"] if one["item"] == "bread")
    assert found["in_periods"]
    row = server.post(f"/api/decide/{job}/row", {"row": told["row"]}).json
    y = [float(line.split(",")[2]) for line in TABLE.splitlines() if line.startswith("bread")]
    sums = [sum(y[i : i + 3]) for i in range(38)]
    assert [one["demand"] for one in row["past"]] == sums
    assert [one["date"] for one in row["past"]] == [str(date) for date in DATES[:38]]
    classes = [sorted(sums[first::3]) for first in range(3)]
    levels = [one[-(-9 * len(one) // 10) - 1] for one in classes]  # ERM at q = 9/10
    periods = row["periods"]
    assert [(one["periods"], one["level"]) for one in periods["classes"]] == [
        (len(one), level) for one, level in zip(classes, levels, strict=True)
    ]
    assert (periods["days"], periods["stock"]) == (3, 7)
    assert told["order"] == pytest.approx(sum(levels) / 3 - 7)
    assert sum(one["weight"] for one in row["past"]) == pytest.approx(1)
    assert row["past"][0]["weight"] == pytest.approx(1 / (3 * 13))


def test_another_quantity_for_several_days_is_judged_by_the_range_and_how_far_it_is_from_the_order(server, sent):
    job, found = decided(server, sent, **TERMS["days"])
    (told, _) = found["orders"]
    asked = server.post(f"/api/decide/{job}/what-if", {"row": told["row"], "quantity": 30}).json
    more = 30 - told["order"]
    assert asked["rule"] is None
    assert asked["whatever"] == pytest.approx(max(9 * (200 - asked["up_to"]), asked["up_to"]))
    assert asked["guide"] == pytest.approx(min(asked["whatever"], told["guarantee"] + max(more, -9 * more)))


def test_what_cannot_be_is_refused_in_a_sentence(server, sent):
    asked = {"file": sent, **COSTS}
    assert server.post("/api/decide", {**asked, "pack": True}).status == 400
    assert server.post("/api/decide", {**asked, "pack": [1]}).status == 400
    for supply, told in (
        ({"stock": 3, "horizon": 2}, "what later orders find is not known yet"),
        ({"pack": 0}, "pack"),
        ({"stock": "nowhere"}, "neither a number nor a column"),
    ):
        job = server.post("/api/decide", {**asked, **supply}).json["job"]
        failed = server.wait(job)
        assert failed["state"] == "failed"
        assert told in failed["error"]
