"""Packs, stock, lead times and stock-outs in a plan: against the library by hand, and what is refused or told."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import provend as pv
from commands import run
from provend.estimators import ContextualNewsvendor
from provend.planning import Names, Supply, Terms, read_request

START, DAYS = date(2024, 1, 1), 42
NEXT = START + timedelta(days=DAYS)
QUICK: dict[str, Any] = {"cu": 3, "co": 1, "support": (0, 60), "policy": "erm", "dissimilarity": 0.05}
Rows = list[dict[str, Any]]


def sales(items: int = 2, days: int = DAYS) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    dates = [START + timedelta(days=i) for i in range(days)]
    one = [
        pl.DataFrame({"unique_id": f"item {i}", "ds": dates, "y": rng.poisson(10 + 9 * i, days) * 1.0})
        for i in range(items)
    ]
    return pl.concat(one)


def ahead(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"unique_id": ["item 0", "item 1"], "ds": [NEXT, NEXT], **columns})


def rows(table: Any) -> Rows:
    return pl.DataFrame(table).to_dicts()


def demands(item: int) -> list[float]:
    return sales().filter(pl.col("unique_id") == f"item {item}")["y"].to_list()


def quantile(y: list[float]) -> float:
    """ERM at q = 3/4."""
    return sorted(y)[-(-3 * len(y) // 4) - 1]


def test_packs_are_those_of_the_estimator_with_the_items_own_chances() -> None:
    options = QUICK | {"policy": "minimax"}
    found = pv.plan(sales(), horizon=3, pack=6, minimum=12, **options)
    dates = pl.DataFrame({"ds": [NEXT + timedelta(days=i) for i in range(3)]}).cast(pl.Datetime("us"))
    for item in (0, 1):
        start = Terms(3, 1, supply=Supply(pack=6)).of_item(f"item {item}").seed
        model = ContextualNewsvendor(
            3, 1, dissimilarity=0.05, support=(0, 60), orders=pv.Orders(6, minimum=12), random_state=start
        )
        mine = sales().filter(pl.col("unique_id") == f"item {item}")
        model.fit(mine.select(pl.col("ds").cast(pl.Datetime("us"))), mine["y"].to_numpy())
        plan = found.filter(pl.col("unique_id") == f"item {item}")
        assert plan["order"].to_list() == model.predict(dates).tolist()
        assert plan["guarantee"].to_list() == model.guarantee(dates).upper.tolist()
        assert "order_up_to" not in plan.columns
        order = plan["order"][0]
        assert plan["reason"][0].startswith(f"{order:g} in {order / 6:g} packs of 6: ")


def test_items_that_differ_in_nothing_but_their_name_have_chances_of_their_own() -> None:
    dates = [START + timedelta(days=i) for i in range(3)]
    twins = pl.concat(pl.DataFrame({"unique_id": name, "ds": dates, "y": [10.0, 13.0, 17.0]}) for name in "ab")
    found = pv.plan(twins, horizon=12, pack=6, **QUICK)
    first, second = (found.filter(pl.col("unique_id") == name) for name in "ab")
    assert first["order"].to_list() != second["order"].to_list()
    assert first["guarantee"].to_list() == second["guarantee"].to_list()


@pytest.mark.parametrize(
    ("given", "has"),
    [
        ({"stock": 4, "on_order": "3"}, {}),
        ({"stock": "here", "on_order": "coming"}, {"here": [4, 4], "coming": [3.0, 3.0]}),
    ],
    ids=["numbers", "columns"],
)
def test_what_to_buy_is_the_level_less_what_is_there(given: dict[str, Any], has: dict[str, list[Any]]) -> None:
    whole = 60 - 7
    for item, row in enumerate(rows(pv.plan(sales(), ahead(**has), **given, **QUICK))):
        level = quantile(demands(item))
        assert (row["order"], row["order_up_to"]) == (level - 7, level)
        enough = sum(y <= level for y in demands(item))
        why = f"{enough} of 42 comparable days needed at most {level:.4g}"
        assert row["reason"] == f"{level - 7:.4g} on top of 7 in stock or on order: {why}"
        bound = pv.worst_case_regret(pv.ERM(), pv.constant(0.05, DAYS), q="3/4").upper * 4 * whole
        assert row["guarantee"] == pytest.approx(bound, rel=2e-3)


def test_enough_in_stock() -> None:
    row = rows(pv.plan(sales(), stock=70, pack=12, **QUICK))[0]
    assert (row["order"], row["order_up_to"], row["guarantee"], row["percent_of_no_data"]) == (0, 70, 0, 0)
    assert row["reason"] == "0 as 70 are in stock or on order: 42 of 42 comparable days needed at most 70"


def test_a_column_of_the_history_counts_by_its_latest_value() -> None:
    history = sales().with_columns(left=pl.int_range(pl.len()).over("unique_id") % 42 * 0.1, box=pl.lit(5))
    found = rows(pv.plan(history, stock="left", pack="box", **QUICK))
    assert [row["order_up_to"] - row["order"] for row in found] == pytest.approx([4.1, 4.1])
    assert all(row["order"] % 5 == 0 for row in found)


def test_stock_that_is_not_known_is_a_row_that_failed() -> None:
    later = NEXT + timedelta(days=1)
    targets = pl.DataFrame(
        {
            "unique_id": ["item 0", "item 0", "item 1", "nobody"],
            "ds": [NEXT, later, NEXT, NEXT],
            "here": [1.0, None, -2.0, None],
        }
    )
    history = sales().with_columns(here=pl.lit(5.0))
    found = {(row["unique_id"], row["ds"]): row for row in rows(pv.plan(history, targets, stock="here", **QUICK))}
    assert found["item 0", NEXT]["status"] == "ok"
    assert "first order finds" in found["item 0", later]["message"]
    assert found["item 1", NEXT]["message"] == "stock = -2 is negative; correct it"
    assert found["nobody", NEXT]["message"].startswith("there is no stock for this target")


def test_stock_that_stands_at_several_dates_is_doubted_by_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A stock list joined to the dates of a week: units can be used once only, so nobody is to order as if not."""
    days = [NEXT + timedelta(days=i) for i in range(4)]
    targets = pl.DataFrame(
        {"unique_id": ["item 0"] * 4 + ["item 1"] * 3, "ds": [*days, *days[:3]], "here": [8.0, 8, 5, 5, 0, 0, 8]}
    )
    found = rows(pv.plan(sales(), targets, stock="here", **QUICK))
    again = [row["status"] == "stock counted again" for row in found]
    assert again == [False, True, False, True, False, False, False]
    assert found[1]["message"].startswith(f"stock = 8 already counts for {days[0]}, and units can be used only once")
    assert [row["order_up_to"] - row["order"] for row in found] == pytest.approx([8.0, 8, 5, 5, 0, 0, 8])
    sales().write_csv(tmp_path / "sales.csv")
    targets.write_csv(tmp_path / "targets.csv")
    quick = ("--cu", "3", "--co", "1", "--support", "0", "60", "--policy", "erm", "--dissimilarity", "0.05")
    files = ("plan", str(tmp_path / "sales.csv"), "--targets", str(tmp_path / "targets.csv"))
    code, said, error = run(capsys, *files, *quick, "--stock", "here", "--strict")
    assert (code, "2 of 7 rows are not ok" in error) == (2, True)
    assert "7 targets, 7 orders: 5 ok, 2 stock counted again" in said
    assert "2 targets repeat the stock of the one before of their item, which can be used only once" in said


def test_items_without_a_past_order_what_is_possible() -> None:
    targets = pl.DataFrame({"unique_id": ["new"], "ds": [NEXT]})
    (row,) = rows(pv.plan(sales(), targets, stock=6, pack=9, new_items=True, **QUICK))
    assert row["status"] == "no data"
    assert row["order"] in (36, 45)  # 3/4 of the 54 that are left is 40.5
    assert row["guarantee"] == pytest.approx(54 * 4 * 3 / 16)


# --- lead times ------------------------------------------------------------------------------------------------------


def test_lead_times_are_protection_periods() -> None:
    """ERM on each class of windows, the levels averaged."""
    given = QUICK | {"support": (0, 400)}
    found = rows(pv.plan(sales(), lead_time=2, review=5, stock=30, **given))
    period, problem = pv.ProtectionPeriod(2, 5), pv.Newsvendor(3, 1, (0, 400))
    left = pv.Newsvendor(3, 1, (0, 370))
    for item, row in enumerate(found):
        windows = period.windows(demands(item))
        d = np.full(windows.size, 0.05)
        expected = period.order_up_to(demands(item), d, policy=pv.ERM(), q=problem)
        assert row["order_up_to"] == pytest.approx(expected.level)
        assert row["order"] == pytest.approx(expected.quantity(on_hand=30))
        promised = np.mean([pv.worst_case_regret(pv.ERM(), d[c::7], q=left).upper for c in range(7)])
        assert row["guarantee"] == pytest.approx(promised, rel=2e-3)
        enough = (windows <= expected.level).sum()
        assert f"{enough} of 36 comparable periods of 7 days needed at most" in row["reason"]
        assert "in 7 classes" in row["basis"]


def test_only_periods_that_count_are_counted() -> None:
    """Five of each class, of which there are three."""
    options = {"cu": 3, "co": 1, "support": (0, 200), "policy": "knn:5", "dissimilarity": "auto"}
    (row,) = rows(pv.plan(sales(1), lead_time=1, review=2, **options))
    assert re.search(r": \d+ of 15 comparable periods of 3 days needed at most", row["reason"])


def test_a_policy_that_needs_more_windows_is_told_so() -> None:
    (row, _) = rows(pv.plan(sales(), lead_time=6, **QUICK | {"support": (0, 500), "policy": "knn:6"}))
    assert "windows of 7 days that share no day is decided alone, the smallest with 5 windows: k = 6" in row["message"]


def test_days_that_are_missing_are_in_no_window() -> None:
    history = sales(1).filter(pl.col("ds") != START + timedelta(days=20))
    (row,) = rows(pv.plan(history, review=3, **QUICK | {"support": (0, 200)}))
    y = dict(zip(history["ds"], history["y"], strict=True))
    classes: dict[int, list[float]] = {}
    for i in range(DAYS - 2):
        window = [START + timedelta(days=i + j) for j in range(3)]
        if all(day in y for day in window):
            classes.setdefault(i % 3, []).append(sum(y[day] for day in window))
    assert sum(map(len, classes.values())) == DAYS - 2 - 3
    assert row["order"] == pytest.approx(np.mean([quantile(sums) for sums in classes.values()]))
    assert " of 37 comparable periods of 3 days " in row["reason"]


def test_no_days_in_a_row() -> None:
    history = sales(1).filter(pl.col("ds").dt.weekday() != 7)
    (row,) = rows(pv.plan(history, lead_time=6, **QUICK | {"support": (0, 200)}))
    assert (row["status"], "give 0 for days without demand" in row["message"]) == ("failed", True)


def test_windows_have_the_contexts_of_their_first_day() -> None:
    """A promotion is announced on the day it begins and doubles demand for three days."""
    rng, size = np.random.default_rng(4), 180
    begins = (np.arange(size) % 8 == 0) & (rng.random(size) < 0.5)
    lasts = begins | np.roll(begins, 1) | np.roll(begins, 2)
    dates = [START + timedelta(days=i) for i in range(size)]
    history = pl.DataFrame({"unique_id": "a", "ds": dates, "promo": begins, "y": rng.poisson(10 * (1 + lasts)) * 1.0})
    target = pl.DataFrame({"unique_id": ["a"], "ds": [START + timedelta(days=size)]})
    given: dict[str, Any] = {"cu": 3, "co": 1, "support": (0, 150), "lead_time": 2}
    plain, promoted = (
        rows(pv.plan(history, target.with_columns(promo=promo), **given))[0]["order"] for promo in (False, True)
    )
    assert promoted > 1.25 * plain


def test_what_only_some_classes_learn_is_said() -> None:
    rng, size = np.random.default_rng(7), 120
    promo = rng.integers(0, 2, size) * 1.0
    dates = [START + timedelta(days=i) for i in range(size)]
    history = pl.DataFrame({"unique_id": "a", "ds": dates, "promo": promo, "y": rng.poisson(10, size) + 3 * promo})
    target = pl.DataFrame({"unique_id": ["a"], "ds": [START + timedelta(days=size)], "promo": [1.0]})
    (row,) = rows(pv.plan(history, target, cu=9, co=1, support=(0, 200), lead_time=2))
    assert "2 of the classes: No forecast would clearly have paid" in row["basis"]
    assert "1 of the classes: Dissimilarities learned from the very demands" in row["basis"]
    assert row["reason"].endswith(", once brought to its level in some of the classes")


def test_less_past_than_one_period_is_no_data() -> None:
    for days, said, last in ((5, "no", None), (6, "no", None), (7, "one", 7), (9, "one", 9)):
        history = sales(items=1, days=days)
        (row,) = rows(pv.plan(history, cu=3, co=1, lead_time=2, review=5))
        assert (row["status"], row["guarantee"]) == ("no data", None)
        assert row["message"].startswith(f"{said} past period of 7 days and no support")
        assert row["order"] == (None if last is None else history["y"][-7:].sum())
        (known,) = rows(pv.plan(history, cu=3, co=1, lead_time=2, review=5, support=(0, 200)))
        assert (known["order"], known["message"]) == (150, f"{said} past period of 7 days: ordered without data")


def test_packs_over_a_lead_time_are_whole() -> None:
    history = sales().with_columns(wait=pl.when(pl.col("unique_id") == "item 0").then(1).otherwise(3))
    found = rows(pv.plan(history, lead_time="wait", pack=8, **QUICK | {"support": None}))
    assert [row["order"] % 8 for row in found] == [0, 0]
    assert "periods of 2 days" in found[0]["reason"]
    assert "periods of 4 days" in found[1]["reason"]
    assert "is the range of past periods" in found[0]["basis"]


# --- stock-outs ------------------------------------------------------------------------------------------------------


def cut_off() -> pl.DataFrame:
    shelf = pl.when(pl.int_range(pl.len()) % 3 == 0).then(30.0).otherwise(18.0)
    return sales().with_columns(shelf=shelf).with_columns(y=pl.min_horizontal("y", "shelf"))


def test_stock_outs_are_decided_between_stock_levels() -> None:
    problem, d = pv.Newsvendor(3, 1, (0, 60)), [0.05] * DAYS
    found = rows(pv.plan(cut_off(), cu=3, co=1, support=(0, 60), stock_seen="shelf", dissimilarity=0.05))
    for item, row in enumerate(found):
        mine = cut_off().filter(pl.col("unique_id") == f"item {item}")
        expected = pv.order_with_stockouts(mine["y"], mine["shelf"], d, q=problem)
        assert row["order"] == expected.order
        assert row["guarantee"] == pytest.approx(expected.upper)
        assert "chosen without knowledge of the demands" in row["basis"]
        assert f"{(mine['y'] == mine['shelf']).sum()} of 42 days sold out" in row["reason"]
    assert "never having had more than 30" in found[1]["message"]


def test_a_day_that_sold_out_had_what_it_sold() -> None:
    whole = cut_off()
    out = pl.col("y") == pl.col("shelf")
    flagged = whole.with_columns(out=out, shelf=pl.when(~out).then("shelf"))
    given: dict[str, Any] = {"cu": 3, "co": 1, "support": (0, 60), "stock_seen": "shelf", "dissimilarity": 0.05}
    expected = pv.plan(whole, **given)
    assert pv.plan(flagged, sold_out="out", **given)["order"].to_list() == expected["order"].to_list()
    assert "no stock_seen on 2024" in pv.plan(flagged.drop("out"), **given)["message"][1]
    for yes, no in (("ja", "nein"), ("Yes", " no "), ("x", ""), ("1", "0")):
        words = flagged.with_columns(out=pl.when("out").then(pl.lit(yes)).otherwise(pl.lit(no)))
        assert pv.plan(words, sold_out="out", **given)["order"].to_list() == expected["order"].to_list()
    wrong = whole.with_columns(out=pl.lit(True))
    assert "sold out, yet" in pv.plan(wrong, sold_out="out", **given)["message"][1]


@pytest.mark.parametrize("dissimilarity", ["auto", "split", 0.05])
def test_sales_outside_the_support_are_no_plan(dissimilarity: str | float) -> None:
    found = rows(pv.plan(cut_off(), cu=3, co=1, support=(0, 15), stock_seen="shelf", dissimilarity=dissimilarity))
    assert [row["status"] for row in found] == ["failed"] * 2
    assert all("outside the support [0, 15]; widen it" in row["message"] for row in found)


def test_packs_after_stock_outs_are_rounded_at_a_price() -> None:
    given: dict[str, Any] = {"cu": 3, "co": 1, "support": (0, 60), "stock_seen": "shelf", "dissimilarity": 0.05}
    plain, packed = (rows(pv.plan(cut_off(), **given, **more)) for more in ({}, {"pack": 6, "stock": 2}))
    for before, after in zip(plain, packed, strict=True):
        wanted = max(before["order"] - 2, 0)
        assert after["order"] == pv.Orders(6).rounded(wanted, q="3/4", support=(0, 60))
        assert after["guarantee"] == pytest.approx(before["guarantee"] + 6 * 4 * 3 / 16)


# --- what is refused, and what is written down -----------------------------------------------------------------------

REFUSED: dict[str, dict[str, Any]] = {
    "give stock_seen": {"sold_out": "shelf"},
    "give stock_seen, what was there on every day (counting days because they did not sell out would favour low demand)"
    " and support (sales that were cut off": {"sold_out": "shelf", "support": None},
    "stock_seen 'shelf' alone says too little; give support (": {"stock_seen": "shelf", "support": None},
    "horizon = 3 with stock": {"stock": 1, "horizon": 3},
    "horizon = 2 with lead_time": {"lead_time": 1, "horizon": 2},
    "pack = 0 must be positive": {"pack": 0},
    "lead_time = 1.5": {"lead_time": 1.5},
    "review = 0": {"review": 0},
    "on_order = -3 is negative": {"on_order": -3},
    "stock = 'nix' is neither a number nor a column": {"stock": "nix"},
    "stock_seen = 'nix' is not a column": {"stock_seen": "nix"},
    "are not decided; give one": {"stock_seen": "shelf", "review": 7},
    "does not know lead_time": {"lead_time": 2, "model": "pooled"},
    "does not know stock_seen": {"stock_seen": "shelf", "model": "pooled"},
    "are decided by 'minimax'": {"stock_seen": "shelf", "policy": "erm"},
    "is not known for the days to come": {"review": 7, "contexts": ["shelf"]},
    "policy = 'foo': unknown; use erm": {"policy": "foo"},
    "dissimilarity = 'foo' is not known": {"dissimilarity": "foo"},
    "dissimilarity = -1 must be finite and at least 0": {"dissimilarity": -1},
    "'auto', 'split' or a number": {"stock_seen": "shelf", "dissimilarity": "cautious"},
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_combined_is_refused_in_a_line(said: str) -> None:
    with pytest.raises(pv.InputError) as error:
        pv.plan(cut_off(), **{"cu": 3, "co": 1, "support": (0, 60)} | REFUSED[said])
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("option", "said"), [("stock_seen", "not a number"), ("sold_out", "neither yes nor no")])
def test_a_shelf_that_cannot_be_read_is_refused(option: str, said: str) -> None:
    odd = cut_off().with_columns(odd=pl.when(pl.col("y") == pl.col("shelf")).then(pl.lit("maybe")))
    given = {"stock_seen": "shelf", "support": (0, 60)} | {option: "odd"}
    with pytest.raises(pv.InputError, match=f"{option} = 'odd' holds 'maybe', which is {said}"):
        pv.plan(odd, cu=3, co=1, **given)


def test_a_pooled_plan_has_packs_and_stock() -> None:
    """Items of one model: no order depends on who else is asked for."""
    rng = np.random.default_rng(1)
    dates = [START + timedelta(days=i) for i in range(20)]
    history = pl.concat(
        pl.DataFrame({"unique_id": f"{i:02}", "ds": dates, "y": rng.poisson(5 + i, 20) * 1.0, "here": float(i)})
        for i in range(12)
    )
    given: dict[str, Any] = {"cu": 3, "co": 1, "model": "pooled", "stock": "here", "pack": 4}
    found = pv.plan(history, support=(0, 80), **given)
    assert (found["order"] % 4 == 0).all()
    assert (found["order_up_to"] - found["order"]).to_list() == list(range(12))
    assert found["reason"][3].split(":")[0].endswith("on top of 3 in stock or on order")
    targets = pl.DataFrame({"unique_id": ["03", "07"], "ds": [dates[-1] + timedelta(days=1)] * 2})
    some = pv.plan(history, targets, support=(0, 80), **given)
    assert some["order"].to_list() == [found["order"][3], found["order"][7]]


def test_a_run_knows_its_options(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """On screen, in the file and in the manifest; a run with other packs is another run."""
    file, out = tmp_path / "sales.csv", tmp_path / "plan.csv"
    sales().with_columns(here=pl.lit(3)).write_csv(file)
    quick = ("--cu", "3", "--co", "1", "--support", "0", "60", "--policy", "erm", "--dissimilarity", "0.05")
    code, said, _ = run(capsys, "plan", str(file), *quick, "--pack", "6", "--stock", "here")
    assert (code, "up to" in said) == (0, True)
    assert run(capsys, "plan", str(file), *quick, "--pack", "6", "--stock", "here", "--out", str(out))[0] == 0
    plan = pl.read_csv(out)
    assert (plan["order"] % 6 == 0).all()
    assert (plan["order_up_to"] == plan["order"] + 3).all()
    options = json.loads((tmp_path / "plan.csv.manifest.json").read_text())["options"]
    assert options["terms"]["supply"]["pack"] == "6"
    assert options["wish"]["terms"] == {"stock": "here"}
    other = read_request((3, 1), Names(), supply=Supply(pack=8)).options()
    assert other != read_request((3, 1), Names(), supply=Supply(pack=6)).options()


def test_the_command_refuses_in_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    sales().with_columns(out=pl.lit(True)).write_csv(file)
    code, _, said = run(capsys, "plan", str(file), "--cu", "3", "--co", "1", "--sold-out", "out")
    assert (code, said.count("\n")) == (2, 1)
    assert "--sold-out 'out' alone says too little; give --stock-seen, what was there" in said
    assert " and --support (" in said
