"""One model for all items: the same as by hand, whatever the batch, and who borrows says so."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_limits

import provend as pv
from provend.estimators import PanelNewsvendor, SupportWarning
from provend.planning import (
    ByLength,
    Choice,
    Explainer,
    Files,
    Job,
    OwnRows,
    PlanWarning,
    Pooled,
    _choice,
    _embedded,
    decide,
    read_request,
    run,
)
from provend.planning._by_length import LONG
from provend.planning._one_by_one import starts
from provend.planning._plan import ORDERED
from provend.planning._request import open_tables
from provend.planning._source import connect

START, DAYS = date(2024, 1, 1), 40
NEXT = START + timedelta(days=DAYS)
LATER = timedelta(weeks=11)  # short histories begin later, or nobody would plan these items any longer
SUPPORT = (0, 400)


def sales(items: int = 32, days: int = DAYS) -> pl.DataFrame:
    """Items of many sizes, Saturdays twice as high; the last one has one row, the one before eleven."""
    rng = np.random.default_rng(1)
    dates = [START + timedelta(days=i) for i in range(days)]
    week = np.array([2.0 if day.weekday() == 5 else 1.0 for day in dates])
    one = [
        pl.DataFrame({"unique_id": f"item {i:02}", "ds": dates, "y": rng.poisson(week * (5 + 3 * i)).astype(float)})
        for i in range(items)
    ]
    return pl.concat([*one[:-2], one[-2].tail(11), one[-1].tail(1)])


def long_and_short() -> pl.DataFrame:
    short = sales(4, 20).with_columns(pl.col("unique_id") + " x", pl.col("ds") + LATER)
    return pl.concat([sales(32, LONG), short])


def ahead(*names: str) -> pl.DataFrame:
    return pl.DataFrame({"unique_id": names, "ds": [NEXT] * len(names)})


def rows(table: Any) -> list[dict[str, Any]]:
    return pl.DataFrame(table).to_dicts()


@pytest.fixture(scope="module")
def by_hand() -> PanelNewsvendor:
    history = sales()
    with threadpool_limits(1):
        return PanelNewsvendor(9, 1, support=SUPPORT).fit(history.drop("y"), history["y"].to_numpy())


@pytest.fixture(scope="module")
def job_and_rows() -> Iterator[tuple[Job, pa.Table]]:
    with connect() as connection:
        uneven = sales().with_columns(pl.col("y") * 1.1)  # their sums depend on the order in which they are added
        opened = open_tables(connection, read_request((9, 1), choice=Choice("pooled")), uneven, None)
        table = connection.sql(f"SELECT * FROM ({opened.layout.sql}) ORDER BY {ORDERED}").to_arrow_table()
        yield opened.job, table


def test_a_pooled_plan_is_the_panel_by_hand(by_hand: PanelNewsvendor) -> None:
    """Known items, one with a single row, and one never seen: to the last bit."""
    asked = ahead("item 00", "item 17", "item 30", "item 31", "new")
    found = pv.plan(sales(), asked, cu=9, co=1, support=SUPPORT, model="pooled")
    promised = by_hand.guarantee(asked)
    assert found["order"].to_list() == by_hand.predict(asked).tolist()
    assert found["guarantee"].to_list() == promised.upper.tolist()
    assert found["percent_of_no_data"].to_list() == promised.percent_of_no_data.tolist()
    few, none = "pooled: few rows of its own", "pooled: no history of its own"
    assert found["status"].to_list() == ["ok", "ok", few, few, none]
    own = "decided on {} past {} of its own and {} of other items"
    said = [None, None, own.format(11, "demands", 60), own.format(1, "demand", 60), own.format(0, "demands", 32)]
    assert found["message"].to_list() == said
    assert set(found["basis"].to_list()) == {by_hand.basis_}


def test_what_the_reason_counts_is_recounted(by_hand: PanelNewsvendor) -> None:
    """Demands brought to the target one by one, with the weights of the rule that decides."""
    row = rows(pv.plan(sales(), ahead("item 17"), cu=9, co=1, support=SUPPORT, model="pooled"))[0]
    ((case, _),) = by_hand._targets(ahead("item 17")).cases(by_hand.pool_, by_hand.histories_)
    shares = by_hand._rule(case, Fraction(9, 10)).shares(case.own)
    level, size = by_hand._targets(ahead("item 17")).level[0], by_hand.histories_.sizes[17]
    errors = by_hand.histories_.errors[17][::-1]
    brought = [float(by_hand.pool_.forecast.power.back(level + errors[i])) * size for i in range(case.own)]
    counted = [y for y, share in zip(brought, shares, strict=True) if share > 0]
    enough, order = sum(y <= row["order"] for y in counted), row["order"]
    said = f"{enough} of {len(counted)} demands, brought to this day, are at most {order:.4g}"
    assert row["reason"] == f"{order:.4g}: {said}"
    assert row["effective_n"] == pytest.approx(1 / sum(share**2 for share in shares))
    assert 0 < enough < len(counted) <= case.own


def test_no_decision_depends_on_the_batch(job_and_rows: tuple[Job, pa.Table]) -> None:
    """All items at once, or each alone in another process: the same bits."""
    job, table = job_and_rows
    whole = decide(table, job)
    assert whole.num_rows == 32
    again = pickle.loads(pickle.dumps(job))
    begins = starts(table)
    for some in ([*range(32)], [0, 5, 6, 20, 31]):
        edges = [*(begins[i] for i in some), table.num_rows]
        pieces = [decide(table.slice(a, b - a), again) for a, b in pairwise(edges)]
        assert pa.concat_tables(pieces).equals(whole)


def test_one_item_outside_its_support_fails_alone() -> None:
    history = sales().with_columns(y=pl.when(pl.int_range(pl.len()) == 5).then(1000.0).otherwise("y"))
    found = rows(pv.plan(history, cu=9, co=1, support=SUPPORT, model="pooled"))
    assert [row["unique_id"] for row in found if row["status"] == "failed"] == ["item 00"]
    day = str(history["ds"][5])
    said = f"demand 1000 on {day} is outside the support 0 to 400; widen the support, or correct it"
    assert found[0]["message"] == said
    assert all(row["order"] is not None for row in found[1:])


def test_terms_of_each_target(by_hand: PanelNewsvendor) -> None:
    """Learned by the median of the costs, decided by its own; rows set aside are told."""
    history = sales().with_columns(price=pl.when(pl.col("unique_id") == "item 03").then(1.0).otherwise(9.0))
    history = history.with_columns(y=pl.when(pl.int_range(pl.len()) != 200).then("y"))
    found = rows(
        pv.plan(history, ahead("item 02", "item 03", "item 05"), cu="price", co=1, support=SUPPORT, model="pooled")
    )
    assert found[2]["status"] == "ok"
    assert found[2]["message"].startswith("1 past row set aside: no demand on ")
    assert found[1]["order"] < by_hand.predict(ahead("item 03"))[0]
    without = history.drop_nulls()
    with threadpool_limits(1):
        model = PanelNewsvendor(9, 1).fit(without.drop("y", "price"), without["y"].to_numpy())
    for row, cu in zip(found, (9, 1, 9), strict=True):
        alone = model.set_params(cu=cu, support=SUPPORT).with_items(without.drop("y", "price"), without["y"].to_numpy())
        assert row["order"] == alone.predict(ahead(row["unique_id"]))[0]


@pytest.mark.parametrize(
    ("history", "choice", "who"),
    [
        (sales(32), Choice(), "pooled"),  # many items
        (sales(14), Choice(), "pooled"),  # twelve to borrow from, two that have to
        (sales(14).head(12 * DAYS), Choice(), "own"),  # few, and none has to
        (sales(9), Choice(), "own"),  # seven are not enough to borrow from
        (sales(9), Choice("pooled"), "pooled"),
        (sales(32), Choice("own"), "own"),
        (sales(32), Choice("auto", OwnRows("erm")), "own"),  # asked for what the pooled model does not offer
        (sales(32, LONG), Choice(), "own and pooled"),  # two have less
        (sales(14, LONG), Choice(), "own and pooled"),
        (sales(32, LONG - 1), Choice(), "pooled"),
        (sales(32, LONG).head(30 * LONG), Choice(), "own"),  # many items, all of them long
        (sales(32, LONG), Choice("pooled"), "pooled"),
    ],
)
def test_who_decides(history: pl.DataFrame, choice: Choice, who: str) -> None:
    with connect() as connection:
        opened = open_tables(connection, read_request((9, 1), choice=choice), history, None)
    assert opened.chosen.words.split(":")[0] == who
    assert ("learned" in opened.chosen.facts()) == ("pooled" in who)


@pytest.mark.parametrize("long", [30, 32])
def test_too_many_long_items_are_pooled_and_told(long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_choice, "MOST_OWN", 29)
    with connect() as connection:
        opened = open_tables(connection, read_request((9, 1)), sales(32, LONG + 11).head(long * (LONG + 11)), None)
    assert isinstance(opened.job.decider, Pooled)
    assert opened.chosen.words.endswith(
        "; 30 have 100 rows or more: the model own would take longer, and its orders cost less"
    )


def test_long_items_are_decided_on_their_own_rows_and_others_by_one_model() -> None:
    """As each of the two models decides them, in the order asked for, whatever the batch, and so taken apart."""
    history = long_and_short()
    ids = history["unique_id"].unique(maintain_order=True).to_list()
    asked = pl.DataFrame({"unique_id": [*ids[::-1], "new"], "ds": [START + timedelta(days=LONG)] * (len(ids) + 1)})
    found = {model: rows(pv.plan(history, asked, cu=9, co=1, model=model)) for model in ("auto", "own", "pooled")}
    long = {name for name, many in history["unique_id"].value_counts().rows() if many >= LONG}
    assert len(long) == 30
    assert [row["unique_id"] for row in found["auto"]] == [row["unique_id"] for row in found["own"]]
    for mixed, own, pooled in zip(*found.values(), strict=True):
        assert mixed == (own if mixed["unique_id"] in long else pooled)
        assert own["order"] != pooled["order"]
    with connect() as connection:
        opened = open_tables(connection, read_request((9, 1)), history, asked)
        table = connection.sql(f"SELECT * FROM ({opened.layout.sql}) ORDER BY {ORDERED}").to_arrow_table()
    assert isinstance(opened.job.decider, ByLength)
    whole, begins = decide(table, opened.job), starts(table)
    pieces = [decide(table.slice(a, b - a), opened.job) for a, b in pairwise([*begins, table.num_rows])]
    assert pa.concat_tables(pieces).equals(whole)
    explainer = Explainer(read_request((9, 1)), history, asked)
    for row in found["auto"]:
        if row["unique_id"] in ("item 03", "item 31", "item 00 x"):
            shares = explainer.weighed((row["unique_id"],), row["ds"]).shares
            assert 1 / (shares**2).sum() == pytest.approx(row["effective_n"])


@pytest.mark.parametrize("days", [LONG, LONG - 10])
@pytest.mark.parametrize("kind", ["text", "number"])
def test_what_an_item_has_never_seen_others_have(kind: str, days: int) -> None:
    """The first promotion of an item is decided by one model, also where all items are long, and so taken apart."""
    rng, size = np.random.default_rng(2), LONG + 20
    tables = []
    for i in range(30):
        promoted = (rng.random(size) < 0.2) & (i > 0)
        shown = np.where(promoted, "J", "N") if kind == "text" else promoted.astype(float)
        dates = [START + timedelta(days=k) for k in range(size)]
        y = rng.poisson(20 * (1 + promoted)).astype(float)
        table = pl.DataFrame({"unique_id": f"i{i:02}", "ds": dates, "promo": shown, "y": y})
        tables.append(table.tail(size if i < 4 else days))
    history, yes, no = pl.concat(tables), *(("J", "N") if kind == "text" else (1.0, 0.0))
    when = [START + timedelta(days=size), START + timedelta(days=size + 1)] * 2
    asked = pl.DataFrame({"unique_id": ["i00", "i00", "i01", "i01"], "ds": when, "promo": [yes, no] * 2})
    found = {m: rows(pv.plan(history, asked, cu=9, co=1, support=(0, 100), model=m)) for m in ("auto", "own", "pooled")}
    first, *others = found["auto"]
    assert first == found["pooled"][0]
    assert others == found["own"][1:]
    assert first["order"] > 1.5 * others[0]["order"]
    statuses = [row["status"] for row in found["own"]]
    assert statuses == (["context never seen"] if kind == "text" else ["ok"]) + ["ok"] * 3
    explainer = Explainer(read_request((9, 1), support=(0, 100)), history, asked)
    assert 1 / (explainer.weighed(("i00",), first["ds"]).shares ** 2).sum() == pytest.approx(first["effective_n"])


def test_what_nobody_has_seen_changes_nothing_about_who_decides() -> None:
    """A new year that is a column, or a word misspelt: long items are decided on their own rows as before."""
    history = sales(32, LONG).with_columns(year=pl.lit(2024), promo=pl.lit("N"))
    asked = pl.DataFrame({"unique_id": "item 00", "ds": [START + timedelta(days=LONG)], "year": 2025, "promo": "no"})
    with pytest.warns(PlanWarning, match="promo: 'no' was never seen"):
        auto, own = (rows(pv.plan(history, asked, cu=9, co=1, support=SUPPORT, model=how)) for how in ("auto", "own"))
    assert auto == own
    assert auto[0]["status"] == "context never seen"


def test_an_item_that_fails_costs_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long items are fitted once, however many of the pooled ones cannot be decided."""
    history = long_and_short()
    bad = pl.col("unique_id").is_in(["item 00 x", "item 01 x"]) & (pl.col("ds") == START + LATER)
    broken, fits, fitted = history.with_columns(y=pl.when(bad).then(999.0).otherwise(pl.col("y"))), [], OwnRows.decide

    def counted(self: OwnRows, *given: Any) -> pa.Table:
        fits.append(given)
        return fitted(self, *given)

    monkeypatch.setattr(OwnRows, "decide", counted)
    found = rows(pv.plan(broken, cu=9, co=1, support=SUPPORT))
    assert len(fits) == 30
    assert [row["unique_id"] for row in found if row["status"] == "failed"] == ["item 00 x", "item 01 x"]


def test_files_tell_who_decided_each_row(tmp_path: Path) -> None:
    long_and_short().write_csv(tmp_path / "sales.csv")
    run(read_request((9, 1), support=SUPPORT), Files(tmp_path / "sales.csv", None, tmp_path / "plan.csv"))
    basis = dict(pl.read_csv(tmp_path / "plan.csv").select("unique_id", "basis").rows())
    notes = dict(pl.read_csv(tmp_path / "plan.csv.basis.csv").rows())
    assert basis["item 00"].startswith("learned: note ")
    assert basis["item 00 x"].startswith("pooled, learned: note ")
    assert notes[basis["item 00 x"]].startswith("One forecast")
    assert not any(text.startswith("One forecast") for word, text in notes.items() if word.startswith("learned"))


def test_models_that_cannot_be() -> None:
    with pytest.raises(pv.InputError, match="model = 'best' is unknown; choose auto, own, pooled"):
        pv.plan(sales(), cu=9, co=1, model="best")
    with pytest.raises(pv.InputError, match="leave these out, or choose 'own'"):
        pv.plan(sales(), cu=9, co=1, model="pooled", policy="erm")


def test_resumed_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after two parts, learned once more, and the same file; the summary and the manifest say who decided."""
    sales().write_parquet(tmp_path / "sales.parquet")
    monkeypatch.setattr(_embedded, "ALONE", 1000)  # in this process
    request = read_request((9, 1), horizon=2, choice=Choice("pooled"))
    files = {name: Files(tmp_path / "sales.parquet", None, tmp_path / name) for name in ("whole.csv", "plan.csv")}
    done = run(request, files["whole.csv"])
    assert done.model == "pooled: one model for all items, learned from 32 of them"
    assert '"learned": "' in done.manifest.read_text(encoding="utf-8")
    decided, real = [], _embedded.decide_part

    def failing(part: int, *rest: Any) -> int:
        if len(decided) == 2:
            raise ZeroDivisionError
        decided.append(part)
        return real(part, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(_embedded, "decide_part", failing)
        with pytest.raises(ZeroDivisionError):
            run(request, files["plan.csv"])
    assert len(list((tmp_path / "plan.csv.parts").glob("decided-*"))) == 2
    run(request, files["plan.csv"], resume=True)
    assert (tmp_path / "plan.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_without_a_support_the_basis_says_where_demand_ends(by_hand: PanelNewsvendor) -> None:
    found = rows(pv.plan(sales(), ahead("item 00", "new"), cu=9, co=1, model="pooled"))
    assert all("ends at the largest demand of its history" in row["basis"] for row in found)
    with pytest.warns(SupportWarning):
        open_ended = PanelNewsvendor(9, 1).fit(sales().drop("y"), sales()["y"].to_numpy()).guarantee(ahead("item 00"))
    assert found[0]["guarantee"] == pytest.approx(open_ended.upper[0])
