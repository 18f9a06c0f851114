"""Promises of the whole program, judged by what its orders cost; ``make soundness`` is the long form of this."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import provend as pv
from soundness.campaign import Tally, family, reproducer, run, run_case, world_of
from soundness.draw import a_cautious_world, a_learned_world
from soundness.judge import judge, tail
from soundness.worlds import ANCHOR, Recipe, Term, World

CASES = 36  # of each block


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_promises_are_kept(block: int) -> None:
    """Worlds of all kinds; a failure comes with a small program that shows it."""
    tally = Tally()
    for case, verdict in run(0, range(block * CASES, (block + 1) * CASES)):
        tally.add(case, verdict)
        if verdict.finding is not None:
            pytest.fail(reproducer(0, case, verdict.finding))
    assert tally.exact > 25 * CASES
    assert tally.closest > 0.99  # the laws are bad enough for this to mean something
    assert sum(tally.refused.values()) < CASES / 6, tally.refused


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


def library_worlds() -> list[tuple[int, World]]:
    """Worlds in which policies are called directly, so that nothing but the deceit is new."""
    cases = [case for case in range(1000) if family(1, case) == "two values" and world_of(1, case).library]
    return [(case, world_of(1, case)) for case in cases][:60]


@pytest.mark.parametrize("deceit", DECEITS)
def test_the_judge_is_not_deceived(deceit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, script = World.script.fget, DECEITS[deceit]  # type: ignore[attr-defined]
    monkeypatch.setattr(World, "script", property(lambda world: honest(world).replace(*script)))
    assert any(judge(world, [1, case, 2]).finding is not None for case, world in library_worlds())


def test_certified_promises_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept as they are; half of them would be found out."""
    worlds = [a_learned_world(np.random.default_rng(seed), "certified") for seed in range(12)]
    verdicts = [judge(world, seed) for seed, world in enumerate(worlds)]
    assert all(verdict.finding is None and verdict.drawn for verdict in verdicts)
    honest = World.script.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(World, "script", property(lambda world: honest(world).replace(".upper", ".upper * 0.5")))
    assert any(judge(world, seed).finding is not None for seed, world in enumerate(worlds))


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
    assert tail(float(regrets.mean()) / 0.5, float(found["guarantee"].max()) / 0.5, items) > 1e-9
