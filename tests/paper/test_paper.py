"""The reproduction: complete, moved by its arguments, and right where an independent computation can say so."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import oracle
import provend as pv
from paper_rows import computed, verdicts
from provend import paper
from provend.paper._item import Result, rounds_to, row
from provend.paper._registry import items_of, options_of
from provend.paper._samples import earlier_samples, needed

# Every \label{tab:...} and \label{fig:...} of the paper, and where it is reproduced.
LABELS = {
    "fig:summary": ["figure1"],
    "fig:classes": ["figure2"],
    "tab:detailed": ["table1"],
    "fig:ERM": ["figure3a"],
    "fig:LERM_tilde": ["figure3b"],
    "fig:learning_curves": ["figure3a", "figure3b"],
    "tab:effective_samples": ["table2"],
    "tab:temportal": ["table3"],
    "tab:misspecification": ["table4"],
    "fig:SAA_vs_mix": ["figure4"],
    "fig:mild_instances": ["figure5"],
    "fig:mild_different_scaling": ["figure6"],
    "tab:mild_instance_misspecification": ["table5"],
    "fig:SAA_Wasserstein": ["figure7"],
    "fig:estimate_zeta": ["figure8"],
    "tab:drift-estimates": ["table6"],
}
CLAIMS = (
    "claim_concentration",
    "claim_drift",
    "claim_lower_bound",
    "claim_near_optimal",
    "claim_no_data",
    "claim_orders_of_magnitude",
    "claim_sample_complexity",
    "claim_sensitivity",
    "claim_shape",
    "claim_tie_breaking",
    "corollary1",
    "theorem2",
)


@pytest.mark.parametrize("label", LABELS)
def test_every_labelled_table_and_figure_is_reproduced(label: str) -> None:
    assert [name for name in LABELS[label] if name not in paper.ITEMS] == []


def test_claims_and_extras_are_registered() -> None:
    assert set(CLAIMS) | {"optimal", "effective_sample_sizes"} <= set(paper.ITEMS)


def test_every_item_a_module_defines_is_in_a_section() -> None:
    from importlib import import_module
    from pkgutil import iter_modules

    found = {
        one.name
        for module in iter_modules(paper.__path__)
        for one in items_of(import_module(f"provend.paper.{module.name}"))
    }
    assert found == set(paper.ITEMS)
    assert len(paper.ITEMS) == sum(len(section.items) for section in paper.SECTIONS)


@pytest.mark.parametrize("name", paper.ITEMS)
def test_items_are_described_and_take_keywords(name: str) -> None:
    item = paper.ITEMS[name]
    assert item.title
    assert item.where
    assert (item.compute.__doc__ or "").splitlines()[0].endswith(".")
    assert options_of(item)


def test_unknown_names_and_options_are_refused() -> None:
    with pytest.raises(ValueError, match="'table9' is not an item"):
        paper.run("table9")
    with pytest.raises(ValueError, match=r"claim_no_data has no option 'zeta'; it takes q"):
        paper.run("claim_no_data", zeta=0.1)


# --- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "digits", "same"),
    [
        (0.01350, "0.014", False),
        (0.013501, "0.014", True),
        (0.0151, "0.016", False),
        (7, "14", False),
        (None, "inf", True),
        (27, "inf", False),
        (None, "14", False),
        ("holds", "holds", True),
        ("fails", "holds", False),
        (1.9685, "2", True),
    ],
)
def test_same_means_rounds_to_the_printed_digits(value: float | str | None, digits: str, same: bool) -> None:
    assert rounds_to(value, digits) is same
    assert row("x", value, digits, why="because").verdict == ("same" if same else "differs")


def test_table1_differs_from_print_where_the_curve_is_a_saw() -> None:
    result = paper.run("table1")
    exact = {what for what in verdicts(result, "differs") if "exact" in what}
    assert exact == {
        "zeta = 0, target 25%: N exact, first met",
        "zeta = 0.04, target 25%: N exact, first met",
    }
    values = computed(result)
    assert values["zeta = 0, target 25%: N exact, first met"] == 7
    assert values["zeta = 0.04, target 25%: N exact, first met"] == 27
    needed = pv.samples_needed(pv.ERM(), pv.constant(0, 400), q=0.9, target="25%")
    assert values["zeta = 0, target 25%: N exact, met from there on (up to n = 400)"] == needed.stays_from == 14
    # Equal target minus shift: the same n by any formula of this shape, though not in print.
    assert len({values[f"zeta = {z}, target {t}: N general-purpose, corrected"] for z, t in SAME_CELLS}) == 1


SAME_CELLS = (("0", "10%"), ("0.02", "50%"), ("0.04", "90%"))


@pytest.mark.parametrize(("zeta", "goal"), [(0.0, 0.09), (0.02, 0.081), (0.1, 0.5)])
def test_the_earlier_bound_is_first_met_there(zeta: float, goal: float) -> None:
    n = earlier_samples(zeta, goal, Fraction(9, 10), "corrected")
    assert n is not None
    assert pv.concentration_bound(pv.constant(zeta, n), q="9/10") <= goal
    assert pv.concentration_bound(pv.constant(zeta, n - 1), q="9/10") > goal


@pytest.mark.parametrize("q", ["9/10", "1/2", "1/3"])
@pytest.mark.parametrize("target", ["400%", "100%", "60%", "30%"])
def test_cells_are_those_of_samples_needed(q: str, target: str) -> None:
    found = needed(0.05, target, q, 40)
    asked = pv.samples_needed(pv.ERM(), pv.constant(0.05, 40), q=q, target=target)
    assert (found.first, found.stays) == (asked.first, asked.stays_from)


def test_table2_agrees_with_print_at_one_zeta_only() -> None:
    result = paper.run("table2", zetas=(0.04, 0.05, 0.1))
    assert verdicts(result, "same") == {"zeta = 0.1: effective sample size"}
    assert computed(result)["zeta = 0.05: effective sample size"] == 56
    assert all(one.why for one in result.rows if one.verdict == "differs")


def test_with_589_samples_no_policy_is_as_near_as_claimed() -> None:
    result = paper.run("claim_near_optimal", zetas=(0.01, 0.1))
    assert verdicts(result, "differs") == {"zeta = 0.01, printed k = 589: within 1.001 %"}
    (why,) = (one.why for one in result.rows if one.verdict == "differs")
    assert why.endswith("at least 5.10 %")
    anyone = pv.best_mixture(pv.constant(0.01, 589), q=0.9).lower_bound_any_policy  # by the program over all ranks
    assert anyone is not None
    assert anyone / 0.005 - 1 > 0.05


def test_table4_and_the_sensitivity_claims() -> None:
    table, claims = paper.run("table4"), paper.run("claim_sensitivity")
    assert verdicts(table, "differs") == {
        "drift 0.001, k = 17: worst-case regret",
        "drift 0.001: the k in bold, best of all",
    }
    value = computed(table)["drift 0.005, k = 27: worst-case regret"]
    kappa = oracle.kappa_of(pv.KNN(8), pv.drift(0.005, 8), Fraction(9, 10))
    assert value == pytest.approx(0.0361931, abs=1e-7)
    slow = float(oracle.worst_case(kappa, pv.drift(0.005, 8), Fraction(9, 10)))
    assert computed(table)["drift 0.005, k = 8: worst-case regret"] == pytest.approx(slow, rel=1e-9)
    assert {round(float(one.computed), 1) for one in claims.rows if one.verdict == "differs"} == {5.7, 42.1}  # type: ignore[arg-type]


def test_table3_at_the_largest_drift() -> None:
    result = paper.run("table3", deltas=(0.005,))
    assert verdicts(result, "differs") == {"drift 0.005: EWERM, worst-case regret"}
    assert len(verdicts(result, "same")) == 3


def test_table3_on_few_samples_carries_no_digits_and_keeps_its_order() -> None:
    result = paper.run("table3", deltas=(0.02,), n=12)
    values = computed(result)
    assert {one.published for one in result.rows} == {None}
    bound, best = (
        values["drift 0.02: lower bound for any policy"],
        values["drift 0.02: optimal policy, worst-case regret"],
    )
    rivals = [values[f"drift 0.02: {name}, worst-case regret"] for name in ("EWERM", "k-NN-ERM")]
    assert bound <= best <= min(rivals)  # type: ignore[operator, type-var]


def test_the_optimal_policy_is_what_minimax_finds() -> None:
    values, found = computed(paper.run("optimal", deltas=(0.02,), n=12)), pv.minimax(pv.drift(0.02, 12), q=0.9)
    assert values["drift 0.02: optimal policy"] == pytest.approx(found.guarantee.upper, rel=1e-3)
    assert values["drift 0.02: samples the optimal policy uses"] == np.count_nonzero(found.weights)
    k_nn = pv.tune(pv.KNN, pv.drift(0.02, 12), q=0.9).guarantee.upper
    above = values["drift 0.02: k-NN-ERM above the optimum, percent"]
    assert above == pytest.approx(100 * (k_nn / found.guarantee.upper - 1), abs=0.1)


def test_drift_claims_on_few_samples_are_ours_alone() -> None:
    result = paper.run("claim_drift", deltas=(0.02,), n=12)
    assert {one.verdict for one in result.rows} == {"beyond"}
    assert computed(result)["drift 0.02: k*"] == pv.tune(pv.KNN, pv.drift(0.02, 12), q=0.9).parameter


def test_the_shape_claims() -> None:
    result = paper.run("claim_shape", n=60)
    assert verdicts(result, "differs") == {
        "n at which ERM is best",
        "mixtures as defined (all ranks): still worse with all samples",
    }
    assert computed(result)["n at which ERM is best"] == 16


SMALL = {
    "claim_concentration": {"n": 9},
    "theorem2": {"designs": 2, "instances": 50},
    "figure1": {"n": 12},
    "figure3a": {"n": 12},
    "figure3b": {"n": 12},
    "figure4": {"n": 12},
    "figure7": {"n": 4},
    "claim_shape": {"n": 12},
    "claim_lower_bound": {"n": 12},
    "claim_no_data": {},
    "claim_sample_complexity": {"most": 60},
    "claim_tie_breaking": {"designs": 1},
    "corollary1": {"designs": 1, "n": 2},
    "effective_sample_sizes": {"zetas": (0.1, 0.2)},
    "table1": {"zetas": (0.02,), "targets": ("50%",), "most": 60},
    "table2": {"zetas": (0.1,)},
    "table4": {"n": 30, "deltas": (0.005,)},
}


@pytest.mark.parametrize("name", SMALL)
def test_another_q_changes_the_numbers_and_drops_the_digits(name: str) -> None:
    options = SMALL[name]
    printed, other = paper.run(name, **options), paper.run(name, **options, q="2/3")
    assert [one.computed for one in printed.rows] != [one.computed for one in other.rows]
    theorems = ("theorem2", "corollary1", "claim_tie_breaking")  # hold for every q
    if name not in theorems:
        assert {one.published for one in other.rows} == {None}
    assert not any(one.verdict == "differs" for one in other.rows)


def test_q_is_read_exactly() -> None:
    assert paper.run("claim_no_data", q="9/10").rows[0].published == "0.09"
    assert paper.run("claim_no_data", q=0.9).rows[0].published == "0.09"


def test_the_steps_of_the_earlier_bound() -> None:
    result = paper.run("claim_concentration")
    assert verdicts(result, "differs") == {
        "the closed form equals the integral",
        "the bound falls as n grows, by the formula as printed",
    }
    walks = [sum(signs) for signs in product((-1, 1), repeat=8)]
    by_hand = float(np.mean([max(0.1 * walk, 0.0) for walk in walks]))  # sup over a of 0.1 a S
    assert computed(paper.run("claim_concentration", n=8))["complexity as printed, n = 8"] == pytest.approx(by_hand)


def test_the_report_shows_every_row_and_reason_once_escaped() -> None:
    results = {name: paper.run(name, **SMALL.get(name, {})) for name in ("claim_no_data", "claim_sensitivity")}
    results["claim_no_data"] = Result((row("a < b", 1, "2", why="since c & d"),))
    page = paper.report(results)
    assert "a &lt; b" in page
    assert "since c &amp; d" in page
    assert "a < b" not in page
    assert 'lang="en"' in page
    assert page.count("<article") == 2
    assert "critical ratio 1/3" not in page
    assert "critical ratio 1/3" in paper.report(results, q="1/3")
