"""Plans against plain loops over items, and what one item's row may not do to another's."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import provend as pv
from provend.planning import DECISION, Job, OneByOne, OwnRows, PlanWarning, Terms, decide
from provend.planning._decide import complete_items
from provend.planning._reason import rounded
from provend.planning._spark import PART, _batches

START = date(2024, 1, 1)  # a Monday
DAYS = 40
QUICK: dict[str, Any] = {"policy": "erm", "dissimilarity": 0.05}


def sales(items: int = 3, days: int = DAYS) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    dates = [START + timedelta(days=i) for i in range(days)]
    one = [
        pl.DataFrame({"unique_id": f"item {i}", "ds": dates, "y": rng.poisson(10 + 5 * i, days).astype(float)})
        for i in range(items)
    ]
    return pl.concat(one)


def rows(table: Any) -> list[dict[str, Any]]:
    return pl.DataFrame(table).to_dicts()


def test_a_plan_is_a_loop_over_items() -> None:
    """The default model by hand, on pandas: same orders, same guarantees, to the last bit."""
    history = sales(items=2)
    ahead = pd.DataFrame({"ds": pd.to_datetime([START + timedelta(days=DAYS + i) for i in range(3)]).astype("<M8[us]")})
    found = pv.plan(history, cu=9, co=1, horizon=3, support=(0, 60))
    for name in ("item 0", "item 1"):
        mine = history.filter(pl.col("unique_id") == name)
        model = pv.ContextualNewsvendor(9, 1, support=(0, 60))
        model.fit(pd.DataFrame({"ds": pd.to_datetime(mine["ds"].to_list()).astype("<M8[us]")}), mine["y"].to_numpy())
        plan = found.filter(pl.col("unique_id") == name)
        assert plan["ds"].to_list() == [START + timedelta(days=DAYS + i) for i in range(3)]
        assert plan["order"].to_list() == model.predict(ahead).tolist()
        promised = model.guarantee(ahead)
        assert plan["guarantee"].to_list() == promised.upper.tolist()
        assert plan["percent_of_no_data"].to_list() == promised.percent_of_no_data.tolist()
        shares = [[Fraction(float(w)) for w in row] for row in model.get_weights(ahead)]
        expected = [float(sum(row) ** 2 / sum(w * w for w in row)) for row in shares]
        assert plan["effective_n"].to_list() == pytest.approx(expected)
        assert set(plan["basis"].to_list()) == {model.basis_}
        assert set(plan["status"].to_list()) == {"ok"}


def test_erm_from_first_principles() -> None:
    """The 9/10 quantile is the 36th of 40; its guarantee that of equal dissimilarities; all days count alike."""
    history = sales()
    found = pv.plan(history, cu=9, co=1, support=(0, 60), **QUICK)
    problem = pv.Newsvendor(9, 1, (0, 60))
    promised = pv.worst_case_regret(pv.ERM(), pv.constant(0.05, DAYS), q=problem).upper
    for row in rows(found):
        y = sorted(history.filter(pl.col("unique_id") == row["unique_id"])["y"].to_list())
        order = y[ceil(Fraction(9, 10) * DAYS) - 1]
        assert row["order"] == order
        assert promised * (1 - 1e-9) <= row["guarantee"] <= promised * 1.001  # similar targets share a bracket
        assert row["effective_n"] == pytest.approx(DAYS)
        enough = sum(one <= order for one in y)
        assert row["reason"] == f"{order:.4g}: {enough} of 40 comparable days needed at most {order:.4g}"


def test_the_reason_names_the_weekday_where_it_decides() -> None:
    """Ten weeks, Saturdays unlike the rest: k nearest by a dissimilarity of weekdays are Saturdays alone."""
    dates = [START + timedelta(days=i) for i in range(70)]
    y = [float(i // 7 + 40 if day.weekday() == 5 else i % 3) for i, day in enumerate(dates)]
    history = pl.DataFrame({"unique_id": "rolls", "ds": dates, "y": y, "day": [str(d.weekday()) for d in dates]})
    targets = pl.DataFrame({"unique_id": ["rolls"], "ds": [date(2024, 3, 16)], "day": ["5"]})
    found = pv.plan(history, targets, cu=9, co=1, support=(0, 100), policy="knn:10")
    assert "9 of 10 comparable Saturdays needed at most 48" in rows(found)[0]["reason"]  # 48 or a trend above it


@pytest.mark.parametrize("kind", [pl.DataFrame, lambda t: t.to_pandas(), lambda t: t.to_arrow()])
def test_any_dataframe_in_the_same_out(kind: Any) -> None:
    given = kind(sales())
    found = pv.plan(given, cu=9, co=1, **QUICK)
    assert type(found) is type(given)
    expected = pv.plan(sales(), cu=9, co=1, **QUICK)
    assert pl.DataFrame(found)["order"].to_list() == expected["order"].to_list()
    assert pl.DataFrame(found).columns == ["unique_id", "ds", *DECISION.names]


def test_one_row_per_target_in_order_of_item_and_date() -> None:
    asked = [("item 2", 41), ("item 0", 45), ("item 2", 40), ("nobody", 40), ("item 0", 45)]
    targets = pl.DataFrame(
        {"unique_id": [name for name, _ in asked], "ds": [START + timedelta(days=day) for _, day in asked]}
    )
    with pytest.warns(PlanWarning, match="^1 item and date is there more than once in the targets, such as 'item 0'"):
        found = pv.plan(sales(), targets, cu=9, co=1, **QUICK)
    assert list(zip(found["unique_id"], found["ds"], strict=True)) == sorted(targets.iter_rows())


def test_the_order_of_rows_and_other_items_do_not_matter() -> None:
    whole = pv.plan(sales(), cu=9, co=1)
    shuffled = pv.plan(sales().sample(fraction=1, shuffle=True, seed=1), cu=9, co=1)
    assert whole.equals(shuffled)
    alone = pv.plan(sales().filter(pl.col("unique_id") == "item 1"), cu=9, co=1)
    assert whole.filter(pl.col("unique_id") == "item 1").equals(alone)


FLAWS = {
    "no demand on 2024-01-04": {"y": None},
    "demand -2.0 on 2024-01-04 is below 0": {"y": -2.0},
    "no finite demand on 2024-01-04": {"y": float("inf")},
    "a row has no date that can be read": {"ds": None},
}


@pytest.mark.parametrize("said", FLAWS)
def test_a_bad_row_is_set_aside_and_said(said: str) -> None:
    """The plan is that of the table without the row; the item says so, the others do not; one of 30 is a mere note."""
    history = sales().to_dicts()
    flawed = [row | FLAWS[said] if i == 3 else row for i, row in enumerate(history)]
    found = rows(pv.plan(pl.DataFrame(flawed, infer_schema_length=None), cu=9, co=1, support=(0, 60), **QUICK))
    without = rows(pv.plan(pl.DataFrame(history[:3] + history[4:]), cu=9, co=1, support=(0, 60), **QUICK))
    assert found[0] == without[0] | {"message": f"1 past row set aside: {said}"}
    assert found[1:] == without[1:]


def test_past_rows_that_name_no_item_are_said() -> None:
    """No row of the plan can say so."""
    history = sales().with_columns(unique_id=pl.when(pl.int_range(pl.len()) != 3).then("unique_id"))
    with pytest.warns(PlanWarning, match="^1 past rows name no item and are set aside$"):
        found = pv.plan(history, cu=9, co=1, support=(0, 60), **QUICK)
    assert found.equals(pv.plan(history.drop_nulls(), cu=9, co=1, support=(0, 60), **QUICK))


def test_text_among_demands_and_dates() -> None:
    history = sales().with_columns(pl.col("y").cast(pl.String), pl.col("ds").dt.strftime("%d.%m.%Y")).to_dicts()
    history[3]["y"], history[5]["ds"] = "n/a", "closed"
    found = rows(pv.plan(pl.DataFrame(history), cu=9, co=1, support=(0, 60), **QUICK))
    clean = sales().to_dicts()
    without = rows(pv.plan(pl.DataFrame([*clean[:3], clean[4], *clean[6:]]), cu=9, co=1, support=(0, 60), **QUICK))
    said = "2 past rows set aside: demand 'n/a' on 2024-01-04 is no number; 'closed' is no date"
    assert found[0] == without[0] | {"message": said}
    assert found[1:] == without[1:]


def test_a_word_among_numbers_of_pandas() -> None:
    """Such a column holds objects of several types."""
    history = sales().to_pandas().astype({"y": object})
    history.loc[3, "y"] = "closed"
    found = rows(pv.plan(history, cu=9, co=1, support=(0, 60), **QUICK))
    assert found[0]["message"] == "1 past row set aside: demand 'closed' on 2024-01-04 is no number"
    assert [row["status"] for row in found] == ["ok"] * 3


def test_columns_named_twice_are_refused() -> None:
    history = sales().to_pandas()
    twice = pd.concat([history, history[["y"]]], axis=1)
    for decided in (lambda: pv.plan(twice, cu=9, co=1), lambda: pv.backtest(twice, cu=9, co=1)):
        with pytest.raises(pv.InputError, match=r"history: columns are named twice: .*'y' 2 times; rename them"):
            decided()
    with pytest.raises(pv.InputError, match="targets: columns are named twice"):
        pv.plan(history, twice, cu=9, co=1)


def test_a_date_that_is_there_twice_counts_as_neither() -> None:
    history = sales().to_dicts()
    found = rows(pv.plan(pl.DataFrame([*history, history[7] | {"y": 1.0}]), cu=9, co=1, support=(0, 60), **QUICK))
    without = rows(pv.plan(pl.DataFrame(history[:7] + history[8:]), cu=9, co=1, support=(0, 60), **QUICK))
    said = "2 past rows set aside: 2024-01-08 is there more than once"
    assert found[0] == without[0] | {"status": "rows set aside", "message": said}
    assert found[1:] == without[1:]


def test_too_little_past_is_named() -> None:
    history = pl.concat([sales(items=1), sales(items=1).head(1).with_columns(unique_id=pl.lit("new"))])
    day = START + timedelta(days=DAYS)
    targets = pl.DataFrame({"unique_id": ["new", "unknown"], "ds": [day, day]})
    known = rows(pv.plan(history, targets, cu=9, co=1, support=(0, 60)))
    problem = pv.Newsvendor(9, 1, (0, 60))
    for row, said in zip(known, ("one past demand", "no past demand"), strict=True):
        assert (row["order"], row["guarantee"]) == (problem.no_data_order, problem.no_data_regret)
        assert (row["percent_of_no_data"], row["policy"], row["status"]) == (100.0, "no-data", "no data")
        assert row["message"] == f"{said}: ordered without data"
    new, unknown = rows(pv.plan(history, targets, cu=9, co=1))
    assert (new["order"], new["guarantee"], new["status"]) == (history["y"][0], None, "no data")
    assert (unknown["order"], unknown["guarantee"], unknown["status"]) == (None, None, "no data")
    assert unknown["message"].endswith("no order, no guarantee; give the support, or more history")


def test_equal_demands_without_a_support_promise_no_miracle() -> None:
    """That demand has never changed does not prove that it cannot: the support is a guess, and the basis says so."""
    found = rows(pv.plan(sales(items=1).with_columns(y=pl.lit(3.0)), cu=9, co=1))[0]
    assert (found["order"], found["status"], found["message"]) == (3.0, "ok", None)
    assert found["guarantee"] > 0
    assert "is a guess, as all demands seen are the same" in found["basis"]


def test_costs_and_support_from_columns() -> None:
    """Of the targets where they have them, else of the latest row that has."""
    history = sales(items=2).with_columns(
        price=pl.when(pl.col("ds") == START + timedelta(days=DAYS - 1)).then(4.0).otherwise(9.0), top=pl.lit(50)
    )
    days = [START + timedelta(days=DAYS + later) for later in (0, 1, 0)]
    targets = pl.DataFrame({"unique_id": ["item 0", "item 0", "item 1"], "ds": days, "price": [9.0, 1.0, None]})
    found = rows(pv.plan(history, targets, cu="price", co=1, support=(0, "top"), **QUICK))
    plain = sales(items=2)
    for row, cu in zip(found, (9, 1, 4), strict=True):
        alone = pv.plan(plain, targets.drop("price"), cu=cu, co=1, support=(0, 50), **QUICK)
        mine = (pl.col("unique_id") == row["unique_id"]) & (pl.col("ds") == row["ds"])
        expected = alone.filter(mine).row(0, named=True)
        assert row["order"] == expected["order"]
        assert row["guarantee"] == expected["guarantee"]


def test_a_missing_cost_is_a_row_with_a_status() -> None:
    history = sales(items=2).with_columns(price=pl.when(pl.col("unique_id") == "item 1").then(9.0))
    first, second = rows(pv.plan(history, cu="price", co=1, **QUICK))
    assert (first["status"], second["status"]) == ("failed", "ok")
    assert first["message"].startswith("there is no cu for this target")


def test_ids_keep_their_type_and_may_be_several() -> None:
    numbered = sales(items=12).with_columns(unique_id=pl.col("unique_id").str.slice(5).cast(pl.Int64))
    assert pv.plan(numbered, cu=9, co=1, **QUICK)["unique_id"].to_list() == list(range(12))
    several = numbered.with_columns(store=pl.lit("Köln"), sku=pl.col("unique_id")).drop("unique_id")
    found = pv.plan(several, cu=9, co=1, item=["store", "sku"], **QUICK)
    assert found.columns[:3] == ["store", "sku", "ds"]
    assert found["sku"].to_list() == list(range(12))
    one = pv.plan(sales(items=1).drop("unique_id"), cu=9, co=1, item=[], **QUICK)
    assert one.columns[:2] == ["ds", "order"]


def test_contexts_the_targets_lack_are_left_out() -> None:
    history = sales().with_columns(rain=pl.col("y") * 2)
    with pytest.warns(PlanWarning, match="^left out, as not known for the days to come: rain; "):
        found = pv.plan(history, cu=9, co=1)
    assert found.equals(pv.plan(sales(), cu=9, co=1))
    with pytest.raises(pv.InputError, match="'rain' is not known for the days to come; give it in a table of targets"):
        pv.plan(history, cu=9, co=1, contexts=["rain"])


def test_contexts_of_the_targets_count() -> None:
    history = sales(items=1, days=80).with_columns(rain=pl.Series([float(i % 2) for i in range(80)]))
    history = history.with_columns(y=pl.col("y") + 30 * pl.col("rain"))
    day = START + timedelta(days=80)
    targets = pl.DataFrame({"unique_id": ["item 0"] * 2, "ds": [day] * 2, "rain": [0.0, 1.0]})
    with pytest.warns(PlanWarning, match="more than once in the targets"):
        dry, wet = rows(pv.plan(history, targets, cu=9, co=1))
    assert wet["order"] > dry["order"] + 20


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"demand": "sold"}, "history: there is no column 'sold'; the columns are unique_id, ds, y"),
        ({"cu": "price"}, "cu = 'price' is neither a number nor a column; the columns are"),
        ({"cu": "9,5"}, "cu = '9,5' is neither a number nor a column; write 9.5"),
        ({"support": (0, "1,200")}, "high = '1,200' is neither a number nor a column; write 1.200, or 1200"),
        ({"cu": -1}, "cu"),
        ({"horizon": 0}, "horizon"),
        ({"contexts": "rain"}, "is a string; give a list"),
        ({"dissimilarity": None}, "dissimilarity = None is neither a name nor a float; give 'auto', or 0.05"),
        ({"dissimilarity": Fraction(1, 10)}, "dissimilarity = Fraction(1, 10) is neither a name nor a float"),
        ({"dissimilarity": True}, "dissimilarity = True is neither a name nor a float"),
        ({"support": np.array(5)}, "support = array(5) is no pair"),
        ({"support": b"09"}, "support = b'09' is no pair"),
        ({"dissimilarity": [1]}, "dissimilarity = [1] is neither a name nor a float"),
        ({"policy": pv.ERM()}, "policy = ERM() is no name; give one, such as 'erm'"),
        ({"support": 5}, "support = 5 is no pair; give the lowest and the highest demand"),
        ({"support": (0,)}, "support = (0,) is no pair"),
        ({"support": "09"}, "support = '09' is no pair"),
        ({"date": "unique_id"}, "holds 'item 0' and the like, which are not dates"),
    ],
)
def test_bad_options_name_the_remedy(options: dict[str, Any], said: str) -> None:
    with pytest.raises(pv.InputError) as error:
        pv.plan(sales(), **{"cu": 9, "co": 1, **options})
    assert said in str(error.value)


@dataclass
class Counting(OneByOne):
    """Decides nothing, and counts how often it is asked; one demand makes it fail."""

    asked: list[int] = field(default_factory=list)

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        self.asked.append(history.num_rows)
        if 13.0 in history["provend_demand"].to_pylist():
            raise ZeroDivisionError("thirteen")
        nothing = {"order": 1.0, "status": "ok"}
        columns = [pa.array([nothing.get(one.name)] * targets.num_rows, one.type) for one in DECISION]
        return pa.table(columns, schema=DECISION)


def shipped(items: dict[str, list[float]]) -> pa.Table:
    """Rows as engines ship them: past demands, and one target each."""
    table: dict[str, list[Any]] = {name: [] for name in ("item", "when", "row", "target", "demand", "problem")}
    for name, demands in items.items():
        for i, y in enumerate([*demands, None]):
            values = (name, datetime(2024, 1, 1 + i), i, y is None, y, None)
            for column, value in zip(table.values(), values, strict=True):
                column.append(value)
    types = (pa.string(), pa.timestamp("us"), pa.int64(), pa.bool_(), pa.float64(), pa.string())
    columns = [pa.array(values, kind) for values, kind in zip(table.values(), types, strict=True)]
    return pa.table(columns, names=[f"provend_{name}" for name in table])


def test_items_that_differ_in_name_alone_are_decided_once() -> None:
    decider = Counting()
    batch = shipped({"a": [1.0, 2.0], "b": [0.0] * 3, "c": [1.0, 2.0], "d": [0.0] * 3, "e": [2.0, 1.0]})
    found = decide(batch, Job(decider, Terms(9, 1), "ds", ()))
    assert decider.asked == [2, 3, 2]
    assert found["provend_item"].to_pylist() == list("abcde")


def test_a_failure_stays_with_its_item() -> None:
    batch = shipped({"a": [1.0], "b": [13.0], "c": [2.0]})
    found = decide(batch, Job(Counting(), Terms(9, 1), "ds", ())).to_pylist()
    assert [row["status"] for row in found] == ["ok", "failed", "ok"]
    assert (found[1]["message"], found[1]["order"]) == ("ZeroDivisionError: thirteen", None)


def test_a_stream_may_break_anywhere() -> None:
    """Whatever the batches that Spark sends, items come out complete and decisions the same."""
    rng = np.random.default_rng(3)
    batch = shipped({f"i{i}": rng.poisson(9, rng.integers(0, 6)).astype(float).tolist() for i in range(12)})
    job = pickle.loads(pickle.dumps(Job(OwnRows("erm", 0.1), Terms(9, 1, (0, 50)), "ds", ())))
    whole = decide(batch, job)
    numbered = whole.append_column(PART, pa.array([5] * whole.num_rows, pa.int32()))

    def with_part(pieces: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (piece.append_column(PART, pa.array([5] * piece.num_rows, pa.int32())) for piece in pieces)

    for size in (1, 3, 7, batch.num_rows):
        pieces = batch.to_batches(max_chunksize=size)
        names = [table["provend_item"].to_pylist() for table in complete_items(pieces)]
        assert [name for table in names for name in table] == batch["provend_item"].to_pylist()
        ends = [{table[0], table[-1]} for table in names]
        assert all(not a & b for a, b in itertools.pairwise(ends))
        assert pa.Table.from_batches(_batches(with_part(pieces), batch.schema, job)).equals(numbered)


def test_a_few_demands_say_that_the_support_is_their_own_range() -> None:
    history = sales().filter(pl.col("unique_id") == sales()["unique_id"][0]).head(5)
    low, high = history["y"].min(), history["y"].max()
    (row,) = rows(pv.plan(history, cu=9, co=1))
    assert row["reason"].endswith(f"; as no support is given, demand is taken to be {low:g} to {high:g}, its own range")
    (known,) = rows(pv.plan(history, cu=9, co=1, support=(0, 100)))
    assert "range" not in known["reason"]


def test_a_demand_outside_the_support_is_named_with_its_day() -> None:
    history = sales().with_columns(y=pl.when(pl.int_range(pl.len()) == 3).then(75.0).otherwise("y"))
    row = next(row for row in rows(pv.plan(history, cu=9, co=1, support=(0, 60), **QUICK)) if row["status"] == "failed")
    day = START + timedelta(days=3)
    assert row["message"] == (f"demand 75 on {day} is outside the support 0 to 60; widen the support, or correct it")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": {"nothing": "number"}}, "columns: 'nothing' is not a column that counts; there are ds"),
        ({"columns": {"ds": "colour"}}, "columns: 'ds' cannot be a 'colour'; choose one of number, category, time"),
        ({"dissimilarity": 2}, "dissimilarity = 2 is no Kolmogorov distance; give a number from 0 to 1"),
        ({"dissimilarity": -0.1}, "dissimilarity = -0.1"),
    ],
)
def test_options_about_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(pv.InputError, match=f"^{said}"):
        pv.plan(sales(), cu=9, co=1, **options)


def test_what_a_column_is_can_only_be_said_of_what_is_known_ahead() -> None:
    with pytest.raises(pv.InputError, match="columns: 'rain' is not known for the days to come"):
        pv.plan(sales().with_columns(rain=pl.lit(1)), cu=9, co=1, columns={"rain": "number"})


@pytest.mark.parametrize(
    ("units", "said"), [(4.24664, "4.247"), (31.0, "31"), (123456.7, "123457"), (9999.7, "10000"), (0.0, "0")]
)
def test_quantities_have_as_many_digits_as_help(units: float, said: str) -> None:
    assert rounded(units) == said
