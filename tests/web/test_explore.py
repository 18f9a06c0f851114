"""Explore: the numbers of the library, the most important first."""

from __future__ import annotations

import contextlib
import io
import shlex

import numpy as np
import pytest

import provend as pv
from commands import run
from provend.web import _explore
from provend.web._explore import Exploration, explore, spread
from provend.web._problem import read_problem


def silent(share, words):
    """No progress is shown here."""


def complete(**query):
    return explore({name: str(value) for name, value in query.items()}, 60.0, silent)


def test_numbers_are_those_of_the_library():
    found = complete(q="0.9", kind="drift", value=0.004, n=30, policies="erm,knn:9,minimax")
    d = pv.drift(0.004, n=30)
    erm, knn, best = found["policies"]
    for policy, told in ((pv.ERM(), erm), (pv.KNN(9), knn)):
        curve = pv.learning_curve(policy, d, q="0.9")
        assert told["curve"]["n"] == list(range(1, 31))
        np.testing.assert_array_equal(told["curve"]["upper"], curve.upper)
        assert told["best"] == {"n": curve.best, "upper": curve.upper.min(), "of_all": True}
        alone = pv.worst_case_regret(policy, d, q="0.9")
        assert told["guarantee"]["upper"] == pytest.approx(alone.upper, rel=2e-6)
        assert told["worst_case"]["side"] == alone.worst_case.side
        assert told["service"]["worst"] == pv.service_level(policy, d, q="0.9").worst.lower
    optimal = pv.minimax(d, q="0.9")
    assert best["guarantee"]["upper"] == found["optimal"]["guarantee"]["upper"] == optimal.guarantee.upper
    assert found["optimal"]["lower_bound"] == optimal.lower_bound
    assert found["no_data"] == {"regret": pytest.approx(0.09), "order": 0.9}


def test_nobody_beats_the_bound():
    found = complete(q="0.7", kind="constant", value=0.03, n=40, policies="erm,exp:0.9,kernel:gaussian:0.1,order:20")
    bound = dict(zip(found["optimal"]["curve"]["n"], found["optimal"]["curve"]["lower"], strict=True))
    for told in found["policies"]:
        for n, upper in zip(told["curve"]["n"], told["curve"]["upper"], strict=True):
            assert n not in bound or upper >= bound[n] * (1 - 1e-9)


def test_one_more_observation_is_worth_what_the_library_says():
    d = [0.05, 0.02, 0.08]
    worth = pv.value_of_data(d, q="0.9", new=[0.02])  # like the nearest
    told = complete(q="0.9", d="0.05, 0.02; 0.08", policies="erm")["one_more"]
    assert told == {
        "d": 0.02,
        "now": worth.now.guarantee.upper,
        "then": worth.then.guarantee.upper,
        "reduction": worth.reduction,
        "least": worth.least_reduction,
        "most": worth.most_reduction,
    }
    assert complete(kind="drift", value=0.01, n=9)["one_more"]["d"] == pytest.approx(0.1)  # one day older


def test_costs_are_money():
    shares = complete(q="0.9", kind="drift", value=0.004, n=20, policies="erm")
    money = complete(cu=9, co=1, support="0,100", kind="drift", value=0.004, n=20, policies="erm")
    assert money["problem"]["money"]
    assert not shares["problem"]["money"]
    ratio = money["policies"][0]["guarantee"]["upper"] / shares["policies"][0]["guarantee"]["upper"]
    assert ratio == pytest.approx(1000)
    assert money["no_data"] == {"regret": pytest.approx(90), "order": 90.0}


def test_real_weights_are_those_of_the_rule_that_is_executed():
    d = pv.drift(0.01, n=12)
    rule = pv.Exponential(0.8).rounded(d, cells=100)
    told = complete(q="0.8", kind="drift", value=0.01, n=12, policies="exp:0.8")["policies"][0]
    exact = pv.worst_case_regret(rule, d, q="0.8")
    assert told["guarantee"]["lower"] <= exact.upper
    assert told["guarantee"]["upper"] == pytest.approx(exact.upper, rel=1e-5)


def test_a_kernel_that_reaches_nobody_decides_without_data():
    told = complete(q="0.9", d="0.5,0.6", policies="kernel:uniform:0.001")["policies"][0]
    assert told["guarantee"]["percent_of_no_data"] == pytest.approx(100)


def test_the_first_answer_has_curves_and_the_best_rule_and_more_work_only_adds():
    problem = read_problem({"q": "0.9", "kind": "constant", "value": "0.02", "n": "60", "policies": "exp:0.9,erm"})
    exploration = Exploration(problem)
    exploration.advance(0.0)
    first = exploration.answer()
    assert not first["complete"]
    assert [told["name"] for told in first["policies"]] == ["erm"]  # real weights take longer
    assert {*first["policies"][0]["curve"]["n"]} == {*spread(60), 60}
    assert first["optimal"]["curve"]["n"] == [60]
    exploration.advance(60.0)
    last = exploration.answer()
    assert last["complete"]
    assert [told["name"] for told in last["policies"]] == ["exp:0.9", "erm"]
    assert first["optimal"]["guarantee"] == last["optimal"]["guarantee"]
    assert first["policies"][0]["guarantee"] == last["policies"][1]["guarantee"]
    assert last["policies"][1]["curve"]["n"] == list(range(1, 61))
    exploration.advance(0.0)
    assert exploration.complete


@pytest.fixture
def solved(monkeypatch):
    """The sizes of all problems that are solved for the best policy, while nothing is remembered from before."""
    sizes = []

    def counted(d, *, q):
        sizes.append(len(d))
        return pv.minimax(d, q=q)

    _explore.optimum.cache_clear()
    _explore._exploration.cache_clear()
    monkeypatch.setattr(_explore, "minimax", counted)
    yield sizes
    _explore.optimum.cache_clear()


ASKED = {"q": "0.9", "kind": "drift", "value": "0.003", "n": "80", "policies": "erm,knn:9"}


def test_the_first_answer_solves_one_problem_and_all_of_it_thirty(solved):
    explore(ASKED, 0.0, silent)
    assert solved == [80]
    explore(ASKED, 60.0, silent)
    assert sorted(set(solved)) == sorted(solved)  # none twice
    assert 10 * 1 <= len(solved) <= 30


def test_what_was_solved_is_not_solved_again_for_other_policies_or_one_day_more(solved):
    explore(ASKED, 60.0, silent)
    before = len(solved)
    explore(ASKED | {"policies": "erm"}, 60.0, silent)
    assert len(solved) == before
    explore(ASKED | {"n": "81"}, 0.0, silent)  # solved as the value of one more observation
    assert len(solved) == before


@pytest.mark.parametrize("n", [1, 2, 3, 10, 200, 1000])
def test_sizes_are_spread(n):
    sizes = spread(n)
    assert len(sizes) == len(set(sizes)) <= 25
    assert {*sizes, n} >= {1, n}
    assert n not in sizes  # it comes first, by itself
    half = sorted(sizes[: len(sizes) // 2])
    assert not half or max(np.diff(np.log([1, *half, n]))) < np.log(n + 1)


def test_long_histories_have_fewer_points():
    told = complete(kind="drift", value=0.001, n=300, policies="erm")["policies"][0]
    assert told["curve"]["n"][-1] == 300
    assert len(told["curve"]["n"]) < 30
    assert not told["best"]["of_all"]


def test_pasted_numbers_are_written_to_a_file_first(capsys, tmp_path, monkeypatch):
    found = complete(q="0.9", d="0.05 0.1,0.02", policies="erm")
    first, *commands = found["as_command"].splitlines()
    assert first == "echo 0.05 0.1 0.02 > d.txt"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.txt").write_text("0.05 0.1 0.02\n")
    assert [run(capsys, *shlex.split(command)[1:])[0] for command in commands] == [0, 0]
    assert "d, q = [0.05, 0.1, 0.02], '0.9'" in found["as_python"]


def test_what_is_said_to_copy_gives_the_same_numbers(capsys):
    found = complete(q="0.9", kind="constant", value=0.05, n=12, policies="erm,exp:0.9")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(found["as_python"], {})
    assert f"{found['optimal']['lower_bound']:.3g}" in said.getvalue()
    for command in found["as_command"].splitlines():
        code, out, _ = run(capsys, *shlex.split(command)[1:])
        assert code == 0
        assert out
