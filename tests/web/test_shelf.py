"""Stock-outs in Decide: columns that say what was there, the plan of the library, and its parts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import provend as pv

DATES = np.arange("2026-01-05", "2026-12-31", dtype="datetime64[D]")[:60]
RNG = np.random.default_rng(5)
SHELF = RNG.choice([20, 30, 45], 60)
SOLD = np.minimum(RNG.poisson(28, 60), SHELF)
OUT = SOLD == SHELF
TABLE = "item;date;demand;shelf;out;sunny\n" + "".join(
    f"bread;{date};{sold};{'' if out and i % 2 else shelf};{'ja' if out else 'nein'};{i % 2}\n"
    for i, (date, sold, shelf, out) in enumerate(zip(DATES, SOLD, SHELF, OUT, strict=True))
)
SEEN = {"stock_seen": "shelf", "sold_out": "out"}
COSTS = {"cu": 3, "co": 1, "support": [0, 90]}


@pytest.fixture(scope="module")
def sent(server):
    return server.send("sales.csv", TABLE.encode()).json["file"]


def decided(server, file, options=SEEN, **terms):
    job = server.post("/api/decide", {"file": file, **COSTS, "options": options, **terms}).json["job"]
    return job, server.wait(job)


def test_nothing_is_guessed_and_what_is_said_is_shown(server, sent):
    def roles(options):
        found = server.post(f"/api/files/{sent}/read", {"options": options}).json
        return found, {one["name"]: one["taken_for"] for one in found["columns"]}

    found, before = roles({})
    assert not {"stock_seen", "sold_out"} & {*before.values()}
    assert {"stock_seen", "sold_out"} <= {*found["columns"][0]["choices"]}
    found, after = roles(SEEN)
    assert {name: role for name, role in after.items() if before[name] != role} == {
        "shelf": "stock_seen",
        "out": "sold_out",
    }
    assert "past stock in `shelf`, days that sold out in `out`" in found["understood"]
    for options, told in (
        ({"stock_seen": "nowhere"}, "is not there"),
        ({"stock_seen": "demand"}, "is the column of demand"),
        ({**SEEN, "left_out": ["shelf"]}, "is the column of past stock and cannot be left out"),
    ):
        answer = server.post(f"/api/files/{sent}/read", {"options": options})
        assert (answer.status, told in answer.json["error"]) == (400, True), answer.json


def test_the_plan_is_that_of_the_library_and_its_words_do_the_same(server, sent, tmp_path, said_does):
    (tmp_path / "sales.csv").write_text(TABLE)
    _, state = decided(server, sent, horizon=2)
    found = state["result"]
    table = pv.read_sales("sales.csv").table
    rows = pv.plan(table, cu=3, co=1, support=(0, 90), horizon=2, contexts=[], **SEEN).to_pylist()
    for told in found["orders"]:
        for name in ("order", "guarantee", "reason", "message", "basis"):
            assert told[name] == rows[told["row"]][name]
        assert told["badge"] == "assumed"
    assert "--stock-seen shelf --sold-out out" in found["as_command"]
    said_does(found, rows)


def test_an_order_consists_of_slices_between_stock_levels(server, sent):
    job, state = decided(server, sent, dissimilarity=0.05)
    (told,) = state["result"]["orders"]
    assert told["badge"] == "given"
    row = server.post(f"/api/decide/{job}/row", {"row": 0}).json
    by_hand = pv.order_with_stockouts(SOLD, SHELF, [0.05] * 60, q=pv.Newsvendor(3, 1, (0, 90)))
    shelf = row["shelf"]
    for said, segment in zip(shelf["segments"], by_hand.segments, strict=True):
        assert said == {name: getattr(segment, name) for name in ("bottom", "top", "rows", "order", "part")}
    assert told["order"] == pytest.approx(sum(one["order"] for one in shelf["segments"]))
    assert shelf["unseen"] == by_hand.segments[-1].part
    assert f"{100 * shelf['unseen'] / told['guarantee']:.0f} % of the guarantee is due to never" in told["message"]
    assert (shelf["days"], shelf["sold_out"]) == (60, OUT.sum())
    assert [one["sold_out"] for one in row["past"]] == OUT.tolist()
    assert [one["stock"] for one in row["past"]] == SHELF.tolist()
    assert {one["weight"] for one in row["past"]} == {None}
    asked = server.post(f"/api/decide/{job}/what-if", {"row": 0, "quantity": 60}).json
    assert asked["rule"] is None
    assert asked["whatever"] == pytest.approx(max(3 * 30, 60))


def test_packs_are_not_drawn_where_stock_cut_sales_off(server, sent):
    job, _ = decided(server, sent, pack=6)
    row = server.post(f"/api/decide/{job}/row", {"row": 0}).json
    assert (row["drawn"], row["pack"], row["order"] % 6) == (False, 6, 0)


def test_past_stock_is_no_context(server, sent):
    server.post(f"/api/files/{sent}/read", {"options": SEEN})
    empty = server.get(f"/api/files/{sent}/ahead?days=1").body.decode("utf-8-sig")
    assert empty.splitlines()[0] == "item;date;sunny"
    ahead = f"item;date;shelf;sunny\nbread;{DATES[-1] + 1};30;1\n"
    answer = server.ask("POST", f"/api/files/{sent}/ahead", ahead.encode(), {"x-file-name": "a.csv"}).json
    assert (answer["contexts"], answer["lacking"]) == (["sunny"], [])
    _, state = decided(server, sent, targets=answer["file"])
    assert "contexts that count beside the date: sunny" in state["result"]["what"]
    asked = {"file": sent, "options": SEEN, "cu": 3, "co": 1, "policies": ["rolling"], "test": 0.2}
    tried = server.result(server.post("/api/backtest", asked).json["job"])
    assert "--context sunny" in tried["as_command"]
    assert "shelf" not in json.dumps(tried["columns"])


def test_what_cannot_be_decided_is_refused_in_a_sentence(server, sent):
    for options, terms, told in (
        ({"sold_out": "out"}, {}, "alone says too little"),
        (SEEN, {"support": None}, "sales that were cut off do not show how high demand can be"),
        (SEEN, {"lead_time": 2}, "sums of sales that were cut off are not decided"),
        (SEEN, {"model": "pooled"}, "does not know stock_seen"),
        ({"stock_seen": "out"}, {}, "which is not a number"),
    ):
        _, state = decided(server, sent, options, **terms)
        assert (state["state"], told in state["error"]) == ("failed", True), state
