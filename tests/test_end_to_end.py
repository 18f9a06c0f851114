"""Promises of the whole program, judged by what its orders cost; ``make soundness`` is the long form of this."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.dissimilarity import _certified
from provend.estimators import _choices
from soundness.campaign import FAMILIES, Tally, family, reproducer, run, run_case, world_of
from soundness.draw import a_cautious_world, a_certified_world, a_packed_world
from soundness.judge import judge, tail
from soundness.worlds import ANCHOR, Recipe, Term, World

# All but those that take long, and some of rare kinds; `make soundness` runs thousands.
LONG = (1, 2, 15, 18, 27, 36, 40, 50, 55, 71)
RARE = {"packs": (74, 102), "cautious": (93, 96, 231), "stock-outs": (173,), "certified": (177,)}
CASES = sorted({*range(72), *(case for cases in RARE.values() for case in cases)} - {*LONG})
BLOCKS = 3


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_promises_are_kept(block: int) -> None:
    """Worlds of all kinds; a failure comes with a small program that shows it."""
    tally = Tally()
    for case, verdict in run(0, CASES[block::BLOCKS]):
        tally.add(case, verdict)
        if verdict.finding is not None:
            pytest.fail(reproducer(0, case, verdict.finding))
    assert tally.exact > 500
    assert tally.closest > 0.99  # the laws are bad enough for this to mean something
    assert sum(tally.refused.values()) < 4, tally.refused


def test_the_cases_are_of_every_kind_but_one() -> None:
    kinds = {case: family(0, case) for case in CASES}
    assert set(FAMILIES) - set(kinds.values()) == {"many targets"}  # whose brackets have tests of their own
    assert all(kinds[case] == kind for kind, cases in RARE.items() for case in cases)


def world(policy: str, n: int, *, d: float = 0.0, costs: tuple[str, str] = ("1", "1"), **more: object) -> World:
    past, term = {"shop": ("a",) * n}, Term("number", d)
    return World(past, {"shop": ("a",)}, (term,), Recipe(policy), costs, (0, 1), (0.0, 1.0), **more)  # type: ignore[arg-type]


ONCE_BROKEN = {
    "nearest of many ties": world("pv.KNN(5)", 100),
    "some of few ties": world("pv.KNN(2)", 5),
    "the optimal policy on more ties than it uses": world("'minimax'", 300, d=0.1),
    "a tree on tied contexts": world("'tree'", 4, costs=("1", "3")),
    "a forest on tied contexts": world("'forest'", 4, costs=("1", "3")),
    "a mixture whose weights depend on the target": World(
        {"id": (0, 1, 2)},
        {"id": (3, 4)},
        (Term("function", table=((0.0, 0.0, 0.0),) * 3 + ((0.0, 0.3, 0.6), (0.6, 0.05, 0.0))),),
        Recipe("pv.Mixture([pv.Kernel('triangular', 0.5), pv.Optimal()], ['1/2', '1/2'])"),
        ("3", "1"),
        (0, 1),
        (0.0, 1.0),
    ),
    "one observation that counts ten times": world("'erm'", 3, sample_weight=(10, 10, 10)),
    "weights that are not whole": world("'minimax'", 3, sample_weight=(0.5, 0.25, 0.0)),
    "whole orders within a support that is not": World(
        {"shop": ("a", "a")},
        {"shop": ("a",)},
        (Term("number", 0.1),),
        Recipe("pv.OrderStatistic(3)"),
        ("9", "1"),
        (0.4, 7.6),
        (1.0, 4.0, 7.0),
        integer=True,
    ),
    "whole orders at costs that are text": world("'erm'", 2, costs=("'9/10'", "'1/10'"), integer=True),
}


@pytest.mark.parametrize("name", ONCE_BROKEN)
def test_what_was_once_broken(name: str) -> None:
    verdict = judge(ONCE_BROKEN[name], 0)
    assert verdict.finding is None, verdict.finding.text
    assert verdict.refused is None
    assert verdict.exact + verdict.drawn > 0


DECEITS = {
    "demands sorted before ties are broken": ("def fit(y): return y", "def fit(y): return np.sort(y)"),
    "one observation taken for many": ("def fit(y): return y", "def fit(y): return np.repeat(y[-1:], y.size)"),
    "a guarantee 1 % too low": (".upper for row", ".upper * 0.99 for row"),
    "a guarantee that knows the demands": (".upper for row", ".upper + 0.01 * y.sum() for row"),
    "an order just above the support": ("q=problem) for", "q=problem) + 1e-9 * (min(y) == max(y)) for"),
}


@cache
def library_worlds() -> list[tuple[int, World]]:
    """Worlds in which policies are called directly, so that nothing but the deceit is new."""
    cases = [case for case in range(1000) if family(1, case) == "two values" and world_of(1, case).library]
    return [(case, world_of(1, case)) for case in cases[:24]]


@pytest.mark.parametrize("deceit", DECEITS)
def test_the_judge_is_not_deceived(deceit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, script = World.script.fget, DECEITS[deceit]  # type: ignore[attr-defined]
    monkeypatch.setattr(World, "script", property(lambda world: honest(world).replace(*script)))
    assert any(judge(world, [1, case, 2]).finding is not None for case, world in library_worlds())


def test_certified_promises_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept as they are; in shops where all histories can be tried, a hundredth less would be found out."""
    worlds = {seed: a_certified_world(np.random.default_rng(seed)) for seed in (0, 2, 3, 4, 7, 8, 9, 11)}
    verdicts = {seed: judge(world, seed) for seed, world in worlds.items()}
    assert all(verdict.finding is None for verdict in verdicts.values())
    assert sum(verdict.drawn > 0 for verdict in verdicts.values()) == 4
    exact = [seed for seed, verdict in verdicts.items() if verdict.exact]
    assert min(verdicts[seed].closest for seed in exact) > 0.99
    honest = World.script.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(World, "script", property(lambda world: honest(world).replace(".upper", ".upper * 0.99")))
    assert all(judge(worlds[seed], seed).finding is not None for seed in exact)


@pytest.mark.parametrize("deceit", ["limits of the rows weighed", "all rows weighed", "no limits"])
def test_certified_limits_are_judged(deceit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    halves, limit, kind = _choices._halves, _certified.distance_limit, "limits depend on demand"
    if deceit == "limits of the rows weighed":
        monkeypatch.setattr(_choices, "_halves", lambda history: (halves(history)[1], *halves(history)[1:]))
    elif deceit == "all rows weighed":
        kind = "learned and weighed"
        monkeypatch.setattr(_choices, "_halves", lambda history: (halves(history)[0], history, "other rows"))
    else:
        kind = "regret"
        monkeypatch.setattr(_certified, "distance_limit", lambda *told: 0.0 * limit(*told))
    finding = judge(a_certified_world(np.random.default_rng(9)), 9).finding
    assert finding is not None
    assert finding.kind == kind


def test_cautious_promises_are_those_of_the_restricted_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept, and nearly reached; those of the unrestricted rule, or an order beyond all demands, would be found out."""
    worlds = {seed: a_cautious_world(np.random.default_rng(seed)) for seed in (0, 3, 6, 7)}
    verdicts = [judge(world, seed) for seed, world in worlds.items()]
    assert all(verdict.finding is None and verdict.exact for verdict in verdicts)
    assert max(verdict.closest for verdict in verdicts) > 0.99
    honest, dear = World.script.fget, worlds[6]  # type: ignore[attr-defined]
    assert (dear.size[0], dear.costs) == (3, ("9", "1"))
    auto = "model.set_params(dissimilarity='auto').fit(X, model.history_.y)"
    for deceit, kind in (
        (lambda script: f"{script}def uppers(model): return {auto}.guarantee(T).upper\n", "regret"),
        (lambda script: script.replace("'cautious'", "'auto'"), "unsupported"),
    ):
        monkeypatch.setattr(World, "script", property(lambda world, deceit=deceit: deceit(honest(world))))
        finding = judge(dear, 6).finding
        assert finding is not None
        assert finding.kind == kind


@pytest.mark.slow
def test_the_judge_does_not_accuse_the_innocent() -> None:
    for case, honest in library_worlds():
        assert judge(honest, [1, case, 2]).finding is None


def test_the_judge_reads_dissimilarities_as_the_package_does() -> None:
    seen = set()
    for case in range(120):
        if family(2, case) not in ("two values", "several values", "many rows"):
            continue
        drawn = world_of(2, case)
        if not drawn.library and drawn.sample_weight is None:
            names: dict[str, object] = {}
            exec(drawn.script.replace(f"policy={drawn.policy.code}", "policy='erm'"), names)
            model = names["fit"](np.resize([drawn.atoms[0], drawn.atoms[-1]], drawn.size[0]))  # type: ignore[operator]
            assert model.dissimilarity_(names["X"], names["T"]) == pytest.approx(drawn.d, abs=1e-12)
            seen |= {term.kind for term in drawn.terms} | set(drawn.past)
    assert seen >= {"number", "Constant", "Mismatch", "Drift", "Distance", "function", "date", "day", ANCHOR}


def test_a_failure_comes_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is small, runs on its own, and shows more regret than guaranteed."""
    honest, deceit = World.script.fget, DECEITS["a guarantee 1 % too low"]  # type: ignore[attr-defined]
    monkeypatch.setattr(World, "script", property(lambda world: honest(world).replace(*deceit)))
    cases = (case for case, _ in library_worlds())
    case, finding = next((c, f) for c in cases if (f := run_case(1, c).finding) is not None and f.law is not None)
    program = reproducer(1, case, finding)
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert float(said[2].rstrip(",")) > float(said[4])


LIKELY = 1e-3  # that so much regret comes from promises that are kept; draws are always the same, so no false alarm


def test_backtests_keep_their_promises() -> None:
    """Many items of one law, each with a day to decide: their mean regret, and the guarantee beside the orders."""
    rng, items, rows, mean = np.random.default_rng(0), 150, 12, 0.75
    history = pd.DataFrame(
        {
            "unique_id": np.repeat(np.arange(items), rows).astype(str),
            "ds": np.tile(pd.date_range("2024-01-01", periods=rows), items),
            "y": (rng.random(items * rows) < mean).astype(float),
        }
    )
    model = pv.ContextualNewsvendor(1, 1, policy=pv.KNN(5), dissimilarity=0.0, support=(0, 1))
    found = pv.backtest(history, cu=1, co=1, policies={"knn": model}, test="1/12", support=(0, 1)).orders
    assert len(found) == items
    regrets = (1 - found["order"]) * (2 * mean - 1)  # ordering the top is best
    assert tail(float(regrets.mean()) / 0.5, float(found["guarantee"].max()) / 0.5, items) > LIKELY


@pytest.mark.slow
def test_packed_promises_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept as they are; a pack less than was drawn would be found out."""
    worlds = [replace(a_packed_world(np.random.default_rng(seed)), policy=Recipe("'erm'")) for seed in range(4)]
    for seed, one in enumerate(worlds):
        verdict = judge(one, seed)
        assert verdict.finding is None, verdict.finding.text
        assert verdict.drawn
    honest = World.script.fget  # type: ignore[attr-defined]

    def less(world: World) -> str:
        asked = f"model.predict(T, stock={world.stock})"
        return str(honest(world)).replace(asked, f"pv.Orders{world.packs}.around(*[{asked} - 1e-9] * 2)[0]")

    monkeypatch.setattr(World, "script", property(less))
    assert any(judge(world, seed).finding is not None for seed, world in enumerate(worlds))


# --- plans: many items of one law, whose mean regret is to be compared with what each was promised --------------------

ITEMS = 300


def planned(days: np.ndarray, **options: object) -> pd.DataFrame:
    """The plan of items with these demands, a row each, at no dissimilarity."""
    items, size = days.shape
    history = pd.DataFrame(
        {
            "unique_id": np.repeat(np.arange(items), size).astype(str),
            "ds": np.tile(pd.date_range("2024-01-01", periods=size), items),
            "y": days.ravel(),
        }
    )
    shelf = options.pop("shelf", None)
    if shelf is not None:
        history["shelf"] = np.tile(shelf, items)
        history["y"] = np.minimum(history["y"], history["shelf"])
        options["stock_seen"] = "shelf"
    found = pv.plan(history, dissimilarity=0.0, **options)
    assert (found["status"] == "ok").all()
    return found


def regrets(
    levels: np.ndarray, law: dict[float, float], costs: tuple[float, float], possible: np.ndarray
) -> np.ndarray:
    """Expected cost beyond that of the best level that is possible."""
    cost = [sum(p * (costs[0] * max(y - a, 0) + costs[1] * max(a - y, 0)) for y, p in law.items()) for a in possible]
    mine = [sum(p * (costs[0] * max(y - a, 0) + costs[1] * max(a - y, 0)) for y, p in law.items()) for a in levels]
    return np.array(mine) - min(cost)


def test_plans_with_lead_times_keep_their_promises() -> None:
    """All demand on every other day: the two windows that hold it are one observation, and the bound is attained."""
    rng, weeks, problem = np.random.default_rng(0), 5, pv.Newsvendor(3, 1, (0, 10))
    mean = pv.worst_case_regret(pv.ERM(), np.zeros(weeks), q=problem).worst_case.mean
    days = np.zeros((ITEMS, 2 * weeks + 1))
    days[:, 1::2] = 10.0 * (rng.random((ITEMS, weeks)) < mean)
    found = planned(days, cu=3, co=1, support=(0, 10), policy="erm", lead_time=1, review=1)
    law, ends = {10.0: mean, 0.0: 1 - mean}, np.array([0.0, 10.0])
    seen, most = regrets(found["order"].to_numpy(), law, (3, 1), ends), regrets(ends, law, (3, 1), ends).max()
    assert tail(seen.mean() / most, found["guarantee"].max() / most, ITEMS) > LIKELY
    overlapping = pv.worst_case_regret(pv.ERM(), np.zeros(2 * weeks), q=problem).upper
    assert tail(seen.mean() / most, overlapping / most, ITEMS) < 1e-6  # as if windows were independent: found out


def test_plans_with_stock_outs_keep_their_promises() -> None:
    """Demand 0 or 3, seen only up to 1, 2 or 3, near where the rules err most."""
    rng, mean = np.random.default_rng(1), 0.4
    days = 3.0 * (rng.random((ITEMS, 5)) < mean)
    found = planned(days, cu=3, co=1, support=(0, 3), shelf=[1.0, 2, 3, 1, 2])
    law, ends = {0.0: 1 - mean, 3.0: mean}, np.array([0.0, 3.0])
    seen, most = regrets(found["order"].to_numpy(), law, (3, 1), ends), regrets(ends, law, (3, 1), ends).max()
    assert tail(seen.mean() / most, found["guarantee"].max() / most, ITEMS) > LIKELY
    assert seen.mean() > 0


def test_plans_with_packs_keep_their_promises() -> None:
    """Demand between packs, more often just below one: orders on top of stock, against the best that is possible."""
    rng, law, possible = np.random.default_rng(2), {2.0: 0.1, 8.0: 0.9}, 1 + np.arange(0.0, 12, 4)
    days = np.where(rng.random((150, 8)) < 0.1, 2.0, 8.0)
    found = planned(days, cu=1, co=1, support=(0, 9), policy="erm", pack=4, stock=1)
    assert set((found["order_up_to"]).tolist()) <= set(possible.tolist())
    seen = regrets(found["order_up_to"].to_numpy(), law, (1, 1), possible)
    most = regrets(possible, law, (1, 1), possible).max()
    assert tail(seen.mean() / most, found["guarantee"].max() / most, 150) > LIKELY
    assert found["guarantee"].max() == pytest.approx(
        pv.worst_case_regret(pv.ERM(), np.zeros(8), q=pv.Newsvendor(1, 1, (0, 8))).upper, rel=2e-3
    )
