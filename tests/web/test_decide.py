"""Decide: the plan of the library, ranked; each order taken apart; what another quantity would guarantee."""

from __future__ import annotations

import csv
import io

import numpy as np
import openpyxl
import pytest

import provend as pv
from provend.newsvendor import Newsvendor
from provend.planning import Weighed
from provend.web._what_if import as_shift, at_its_share, regret_of_quantity

DAYS = 36
RNG = np.random.default_rng(5)
DATES = np.arange("2026-01-01", "2026-12-31", dtype="datetime64[D]")[:DAYS]
TABLE = "item,date,demand\n" + "".join(
    f"{item},{date},{RNG.poisson(mean)}\n" for item, mean in (("=bread", 30), ("cake", 5)) for date in DATES
) + "new,2026-02-05,3\n"  # fmt: skip
ASKED = {"cu": 9, "co": 1, "support": [0, 100], "horizon": 2}


@pytest.fixture(scope="module")
def job(server):
    file = server.send("sales.csv", TABLE.encode()).json["file"]
    started = server.post("/api/decide", {"file": file, **ASKED})
    assert started.status == 202
    return started.json["job"]


@pytest.fixture(scope="module")
def found(server, job):
    return server.result(job)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    file = tmp_path_factory.mktemp("sales") / "sales.csv"
    file.write_text(TABLE)
    return pv.plan(pv.read_sales(file).table, cu=9, co=1, support=(0, 100), horizon=2).to_pylist()


def test_orders_are_those_of_the_library(found, library):
    assert found["totals"]["orders"] == len(library) == 6
    for told in found["orders"]:
        row = library[told["row"]]
        assert (told["item"], told["date"]) == (row["unique_id"], str(row["ds"]))
        for name in ("order", "guarantee", "percent_of_no_data", "reason", "basis", "status", "message"):
            assert told[name] == row[name]


def test_the_most_at_risk_comes_first(found):
    risks = [told["guarantee"] for told in found["orders"]]
    assert risks == sorted(risks, reverse=True)
    assert found["totals"]["guarantee"] == pytest.approx(sum(risks))
    assert found["totals"]["no_data"] == pytest.approx(6 * 90)


def test_badges_say_what_a_guarantee_rests_on(found):
    badges = {told["item"]: told["badge"] for told in found["orders"]}
    assert badges == {"=bread": "estimated", "cake": "estimated", "new": "no data"}


def test_items_with_a_long_past_are_told_from_those_decided_together(server):
    """Eleven items, one of them with a hundred days, and one that was sold on three days only."""
    days = np.arange("2026-01-01", "2026-12-31", dtype="datetime64[D]")[:100]
    many = {"long": 100, "short": 3} | {f"item {i}": 40 for i in range(10)}
    lines = [f"{item},{day},{RNG.poisson(20)}" for item, rows in many.items() for day in days[-rows:]]
    file = server.send("sales.csv", "\n".join(["item,date,demand", *lines]).encode()).json["file"]
    job = server.post("/api/decide", {"file": file, **ASKED, "horizon": 1}).json["job"]
    found = server.result(job)
    said = "items with 100 rows or more (1 of 12) on their own rows, one model for the others, learned from 12 items"
    assert any(said in line for line in found["what"])
    badges = {told["item"]: told["badge"] for told in found["orders"]}
    assert badges == {item: "estimated" if item == "long" else "pooled" for item in many}
    for told in found["orders"]:
        past = server.post(f"/api/decide/{job}/row", {"row": told["row"]}).json["past"]
        assert 1 / sum(day["weight"] ** 2 for day in past) == pytest.approx(told["effective_n"])


def test_the_days_that_count(server, job, found):
    told = next(one for one in found["orders"] if one["item"] == "cake")
    row = server.post(f"/api/decide/{job}/row", {"row": told["row"]}).json
    assert row["order"] == told["order"]
    assert row["support"] == [0, 100]
    past = row["past"]
    assert [day["date"] for day in past] == [str(date) for date in DATES]
    assert sum(day["weight"] for day in past) == pytest.approx(1)
    below = sum(day["weight"] for day in past if day["brought"] <= told["order"] * (1 + 1e-9))
    assert below >= 0.8  # about the critical ratio
    alone = next(one for one in found["orders"] if one["item"] == "new")
    assert server.post(f"/api/decide/{job}/row", {"row": alone["row"]}).json["past"] == []


def test_another_quantity(server, job, found):
    told = next(one for one in found["orders"] if one["item"] == "=bread")

    def ask(quantity):
        return server.post(f"/api/decide/{job}/what-if", {"row": told["row"], "quantity": quantity}).json

    here, little, much = ask(told["order"]), ask(told["order"] / 2), ask(99.0)
    assert here["rule"]["guarantee"] >= told["guarantee"] * (1 - 1e-3)  # the plan's own rule is the best there is
    assert here["rule"]["guarantee"] < little["rule"]["guarantee"]
    assert little["rule"]["share"] <= here["rule"]["share"] <= much["rule"]["share"] == 1
    assert much["whatever"] == pytest.approx(max(9 * 1, 99))
    alone = next(one for one in found["orders"] if one["item"] == "new")
    without = server.post(f"/api/decide/{job}/what-if", {"row": alone["row"], "quantity": 90}).json
    assert without["rule"] is None
    assert without["whatever"] == pytest.approx(90)


def test_the_usual_cost_is_the_mean_over_the_days_that_count(server, job, found):
    """By hand from the days of the panel: nine for each unit short, one for each left over."""
    for told in found["orders"]:
        row = server.post(f"/api/decide/{job}/row", {"row": told["row"]}).json
        if told["item"] == "new":
            assert told["usual"] is row["usual"] is None
            continue
        short = [(day["weight"], day["brought"] - told["order"]) for day in row["past"]]
        by_hand = sum(weight * (9 * gap if gap > 0 else -gap) for weight, gap in short)
        assert told["usual"] == row["usual"] == pytest.approx(by_hand)
    known = [told["usual"] for told in found["orders"] if told["usual"] is not None]
    assert (found["totals"]["usual"], found["totals"]["usual_of"]) == (pytest.approx(sum(known)), 4)


def test_stock_that_goes_stale_is_seen_in_the_usual_cost(server):
    table = "date,demand\n" + "".join(f"{date},{3 + i % 3}\n" for i, date in enumerate(DATES))
    file = server.send("cakes.csv", table.encode()).json["file"]
    asked = {"file": file, "cu": 2, "co": 1, "support": [0, 25], "stock": 20, "dissimilarity": 0}
    (told,) = server.result(server.post("/api/decide", asked).json["job"])["orders"]
    assert told["order"] == 0
    assert told["usual"] == pytest.approx(16, abs=0.3)  # four a day, twenty there


def test_the_order_worked_out_keeps_its_guarantee_and_others_are_judged_by_how_far_they_are_from_it(server, job, found):
    told = next(one for one in found["orders"] if one["item"] == "=bread")

    def ask(quantity):
        return server.post(f"/api/decide/{job}/what-if", {"row": told["row"], "quantity": quantity}).json

    same, more, less = ask(told["order"]), ask(told["order"] + 2), ask(told["order"] - 1)
    assert same["same"]
    assert same["guide"] == same["whatever"] == told["guarantee"]
    assert same["percent_of_no_data"] == told["percent_of_no_data"]
    assert same["usual"] == same["usual_order"] == told["usual"]
    assert not more["same"]
    assert told["guarantee"] < more["guide"] <= told["guarantee"] + 2 * (1 + 1e-9) < more["whatever"]
    assert told["guarantee"] < less["guide"] <= told["guarantee"] + 9 * (1 + 1e-9) < less["whatever"]
    asked = {"overrides": [{"row": told["row"], "quantity": told["order"], "reason": "as it is"}]}
    text = server.post(f"/api/decide/{job}/download", {"format": "csv", **asked}).body.decode("utf-8-sig")
    assert float(list(csv.DictReader(io.StringIO(text)))[told["row"]]["final_guarantee"]) == told["guarantee"]


def test_a_shift_costs_no_more_than_is_said():
    """On laws and orders of all kinds: what an order and so much more costs, beyond what the order costs."""
    problem, rng = Newsvendor(3, 1, (0, 10)), np.random.default_rng(2)
    for _ in range(200):
        law, order, more = rng.dirichlet(np.full(11, 0.2)), rng.uniform(0, 10), rng.uniform(-4, 4)
        cost, shifted = (law @ problem.cost(np.full(11, x), np.arange(11)) for x in (order, order + more))
        assert shifted <= as_shift(problem, cost, more) * (1 + 1e-12)
    point = np.full(1, 9.0)
    assert as_shift(problem, 1.0, -2.0) == pytest.approx(1 + problem.cost(np.zeros(1), point + 2)[0] - 27)


def weighed(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    shares = rng.integers(1, 5, n) / 1.0
    return Weighed(
        problem=Newsvendor(3, 1, (0, 10)),
        dates=[None] * n,
        items=["a"] * n,
        demands=np.zeros(n),
        brought=rng.integers(0, 11, n).astype(float),
        shares=shares / shares.sum(),
        d=np.round(rng.uniform(0, 0.3, n), 2),
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_share_and_its_worst_case_by_enumeration(seed):
    """All histories of Bernoulli demands, weighed by hand, over a grid of means: never above, and nearly attained."""
    one, quantity = weighed(seed), float(np.random.default_rng(seed).integers(0, 11))
    told = at_its_share(one, quantity)
    assert told["share"] == pytest.approx(one.shares[one.brought <= quantity].sum(), abs=0.01)
    weights = np.rint(200 * one.shares / one.shares.max())
    needed = weights[one.brought <= quantity].sum()
    histories = np.array(np.meshgrid(*[[0, 1]] * one.d.size)).reshape(one.d.size, -1).T  # 1: demand at the top
    low = (1 - histories) @ weights >= needed  # then the order is the bottom
    worst = 0.0
    for mean in np.linspace(0, 1, 401):
        for sign in (1, -1):
            means = np.clip(mean + sign * one.d, 0, 1)
            chance = np.prod(np.where(histories, means, 1 - means), axis=1)
            at_bottom = chance[low].sum()
            cost = at_bottom * 3 * mean + (1 - at_bottom) * (1 - mean)
            worst = max(worst, 10 * (cost - min(3 * mean, 1 - mean)))
    worst += quantity - max(one.brought[one.brought <= quantity], default=0.0)  # ordered on top, 1 a unit left over
    assert worst <= told["guarantee"] * (1 + 1e-9)
    assert told["guarantee"] <= worst * 1.002 + 0.05


def test_a_quantity_beyond_all_past_demands_costs_what_lies_between():
    one = weighed(0)
    high = one.brought.max()
    at, beyond = (at_its_share(one, quantity)["guarantee"] for quantity in (high, high + 200))
    assert beyond == pytest.approx(at + 200)


def test_a_fixed_quantity_by_enumeration():
    problem = Newsvendor(3, 1, (2, 12))
    values = np.linspace(2, 12, 21)
    rng = np.random.default_rng(1)
    laws = [*np.eye(21), *rng.dirichlet(np.full(21, 0.1), 60)]
    for quantity in (0.0, 2.0, 5.5, 9.5, 12.0, 20.0):
        costs = np.array([problem.cost(quantity, value) for value in values])
        best = [min(law @ problem.cost(np.full(21, order), values) for order in values) for law in laws]
        worst = max(law @ costs - least for law, least in zip(laws, best, strict=True))
        assert regret_of_quantity(problem, quantity) == pytest.approx(worst)


def test_downloads_have_overrides_and_run_nothing(server, job, found):
    told = next(one for one in found["orders"] if one["item"] == "=bread")
    asked = {"overrides": [{"row": told["row"], "quantity": 55, "reason": "=HYPERLINK(1)"}]}
    text = server.post(f"/api/decide/{job}/download", {"format": "csv", **asked})
    assert text.headers["content-disposition"] == 'attachment; filename="plan.csv"'
    rows = list(csv.DictReader(io.StringIO(text.body.decode("utf-8-sig"))))
    assert len(rows) == 6
    mine = rows[told["row"]]
    assert (mine["item"], mine["override"], mine["override_reason"]) == ("'=bread", "55.0", "'=HYPERLINK(1)")
    assert float(mine["order"]) == told["order"]
    assert [row["override"] for row in rows].count("") == 5
    sheet = server.post(f"/api/decide/{job}/download", {"format": "xlsx", **asked})
    cells = list(openpyxl.load_workbook(io.BytesIO(sheet.body)).active.iter_rows())
    assert [cell.value for cell in cells[1 + told["row"]][3:5]] == [55, "=HYPERLINK(1)"]
    assert not any(cell.data_type == "f" for row in cells for cell in row)
    plain = server.post(f"/api/decide/{job}/download", {"format": "csv"})
    assert b"override" not in plain.body


def test_what_is_said_to_copy_does_the_same(found, library, tmp_path, said_does):
    (tmp_path / "sales.csv").write_text(TABLE)
    said_does(found, library)


def test_costs_may_be_columns_and_dissimilarities_numbers(server):
    table = "date,demand,short,over\n" + "".join(f"{date},{i % 7},4,1\n" for i, date in enumerate(DATES))
    file = server.send("one.csv", table.encode()).json["file"]
    asked = {"file": file, "cu": "short", "co": "over", "support": [0, 10], "dissimilarity": 0}
    found = server.result(server.post("/api/decide", asked).json["job"])
    (told,) = found["orders"]
    assert told["badge"] == "given"
    assert told["no_data"] == pytest.approx(5 * 10 * 0.16)
    assert "--dissimilarity 0.0" in found["as_command"]


def test_a_job_can_be_cancelled(server):
    file = server.ask("POST", "/api/files/restaurant").json["file"]
    job = server.post("/api/decide", {"file": file, "cu": 9, "co": 1, "horizon": 7}).json["job"]
    assert server.ask("DELETE", f"/api/jobs/{job}").json["state"] == "cancelled"
    assert server.get(f"/api/jobs/{job}").json["state"] == "cancelled"
    assert server.post(f"/api/decide/{job}/row", {"row": 0}).status == 404
    assert server.get(f"/api/files/{file}").body.startswith(b"item,date,demand,weekday\n")
