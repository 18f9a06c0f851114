"""Every complaint names the argument, the value and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import provend as pv

D = [0.1, 0.2]
Y = [0.3, 0.4]


def regret(policy: object = None, d: object = D, **options: object) -> object:
    return pv.worst_case_regret(pv.ERM() if policy is None else policy, d, **{"q": 0.9, **options})


def order(y: object = Y, d: object = D, policy: pv.Policy | None = None, **options: object) -> object:
    return (policy or pv.ERM()).order(y, d, **{"q": 0.9, **options})


# What is called, then the fragments of the message: argument, value, remedy.
COMPLAINTS: dict[str, tuple[Callable[[], object], type[Exception], list[str]]] = {
    "q text": (
        lambda: regret(q="many"),
        ValueError,
        ["q = 'many'", "not a number", "give a critical ratio such as 0.9"],
    ),
    "q none": (lambda: regret(q=None), ValueError, ["q = None", "give a critical ratio"]),
    "q list": (lambda: regret(q=[0.9]), ValueError, ["q = [0.9]", "give a critical ratio"]),
    "q nan": (lambda: regret(q=float("nan")), ValueError, ["q = nan", "give a critical ratio"]),
    "q by zero": (lambda: regret(q="1/0"), ValueError, ["q = '1/0'", "give a critical ratio"]),
    "q infinite": (lambda: regret(q=Decimal("Infinity")), ValueError, ["q = Decimal('Infinity')"]),
    "q 1": (lambda: regret(q=1), ValueError, ["q = 1", "strictly between 0 and 1", "cu / (cu + co)"]),
    "q 0": (lambda: order(q=0.0), ValueError, ["q = 0.0", "strictly between 0 and 1"]),
    "q percent": (lambda: regret(q=90), ValueError, ["q = 90", "strictly between 0 and 1"]),
    "d empty": (lambda: regret(d=[]), ValueError, ["d is empty", "give at least one", "NoData()"]),
    "d negative": (lambda: regret(d=[0.1, -0.5]), ValueError, ["d[1] = -0.5", "at least 0", "drop the row"]),
    "d nan": (lambda: regret(d=[np.nan]), ValueError, ["d[0] = nan", "finite", "set it to 1"]),
    "d infinite": (lambda: order(d=[0.1, np.inf]), ValueError, ["d[1] = inf", "finite"]),
    "d text": (lambda: regret(d=["near", "far"]), ValueError, ["d holds something", "not a number", "give a one-dim"]),
    "d matrix": (lambda: regret(d=[[0.1]]), ValueError, ["d has 2 dimensions", "give a one-dimensional array"]),
    "d scalar": (lambda: regret(d=0.1), ValueError, ["d has 0 dimensions", "give a one-dimensional array"]),
    "y length": (
        lambda: order(y=[0.1]),
        ValueError,
        ["y has 1 demands", "d has 2", "give one demand per past context"],
    ),
    "y outside": (lambda: order(y=[0.1, 7]), ValueError, ["y[1] = 7.0", "support [0, 1]", "widen the support"]),
    "y nan": (lambda: order(y=[np.nan, 0.1]), ValueError, ["y[0] = nan", "correct the demand"]),
    "y text": (lambda: order(y=["a", "b"]), ValueError, ["y holds something", "give a one-dimensional array"]),
    "support twice": (
        lambda: order(q=pv.Newsvendor(1, 1, (0, 9)), support=(0, 5)),
        ValueError,
        ["support = (0, 5)", "contradicts", "(0.0, 9.0)", "leave"],
    ),
    "support text": (
        lambda: order(support="ab"),
        ValueError,
        ["support = 'ab'", "not a pair", "give (lowest, highest)"],
    ),
    "support triple": (lambda: order(support=(0, 1, 2)), ValueError, ["support = (0, 1, 2)", "not a pair of numbers"]),
    "support none": (lambda: order(support=None), ValueError, ["support = None", "not a pair of numbers"]),
    "support none, newsvendor": (lambda: order(q=pv.Newsvendor(1, 1), support=None), ValueError, ["support = None"]),
    "support unbounded": (
        lambda: order(support=(0, np.inf)),
        ValueError,
        ["support = (0, inf)", "unbounded", "worst case is infinite", "highest demand you consider possible"],
    ),
    "support empty": (lambda: order(support=(3, 3)), ValueError, ["support = (3, 3)", "empty", "must be below"]),
    "rtol 0": (lambda: regret(rtol=0), ValueError, ["rtol = 0", "between 0 and 1", "such as 1e-9"]),
    "rtol text": (lambda: regret(rtol="tight"), ValueError, ["rtol = 'tight'", "such as 1e-9"]),
    "rtol 2": (lambda: regret(rtol=2.0), ValueError, ["rtol = 2.0", "between 0 and 1"]),
    "policy": (lambda: regret("erm"), TypeError, ["policy = 'erm'", "not a policy", "give one such as ERM()"]),
    "policy class": (lambda: regret(pv.ERM), TypeError, ["policy = <class", "not a policy"]),
    "k 0": (lambda: pv.KNN(0), ValueError, ["k = 0", "integer of at least 1"]),
    "k bool": (lambda: pv.KNN(True), ValueError, ["k = True", "integer"]),
    "k float": (lambda: pv.KNN(2.0), ValueError, ["k = 2.0", "integer"]),
    "k large": (lambda: regret(pv.KNN(3)), ValueError, ["k = 3", "exceeds the 2 past contexts", "between 1 and 2"]),
    "k large, order": (lambda: order(policy=pv.OrderStatistic(1, k=5)), ValueError, ["k = 5", "between 1 and 2"]),
    "rank": (lambda: pv.OrderStatistic(-1), ValueError, ["rank = -1", "integer of at least 0"]),
    "rank's k": (lambda: pv.OrderStatistic(1, k=-2), ValueError, ["k = -2", "at least 1"]),
    "k and subset": (
        lambda: pv.OrderStatistic(1, k=1, subset=[0]),
        ValueError,
        ["k = 1", "subset", "give one of them"],
    ),
    "subset twice": (lambda: pv.OrderStatistic(1, subset=[0, 0]), ValueError, ["subset = (0, 0)", "repeats", "once"]),
    "subset entry": (lambda: pv.OrderStatistic(1, subset=[-1]), ValueError, ["subset entry = -1", "at least 0"]),
    "subset beyond": (lambda: regret(pv.OrderStatistic(1, subset=[2])), ValueError, ["subset holds 2", "from 0 to 1"]),
    "gamma 0": (lambda: pv.Exponential(0), ValueError, ["gamma = 0", "(0, 1]"]),
    "gamma 2": (lambda: pv.Exponential(2), ValueError, ["gamma = 2", "(0, 1]"]),
    "gamma text": (
        lambda: pv.Exponential("slow"),
        ValueError,
        ["gamma = 'slow'", "not a finite number", "give an int"],
    ),
    "shape": (lambda: pv.Kernel("box", 1), ValueError, ["shape = 'box'", "choose one of", "epanechnikov"]),
    "bandwidth": (lambda: pv.Kernel("gaussian", 0), ValueError, ["bandwidth = 0", "must be positive"]),
    "bandwidth nan": (lambda: pv.Kernel("gaussian", np.nan), ValueError, ["bandwidth = nan", "not a finite number"]),
    "weights negative": (lambda: pv.WeightedERM([1, -2]), ValueError, ["weights[1] = -2", "negative", "at least 0"]),
    "weights zero": (lambda: pv.WeightedERM([0, 0]), ValueError, ["weights are all zero", "NoData()"]),
    "weights empty": (lambda: pv.WeightedERM([]), ValueError, ["weights are all zero"]),
    "weights text": (lambda: pv.WeightedERM(["x"]), ValueError, ["weights[0] = 'x'", "not a finite number"]),
    "weights infinite": (
        lambda: pv.WeightedQuantile([np.inf], 1),
        ValueError,
        ["weights[0] = ", "inf", "not a finite"],
    ),
    "weights length": (
        lambda: regret(pv.WeightedERM([1, 2, 3])),
        ValueError,
        ["weights has 3 entries", "d has 2", "give one weight per past context"],
    ),
    "quantile length": (lambda: order(policy=pv.WeightedQuantile([1], 1)), ValueError, ["weights has 1", "d has 2"]),
    "threshold": (lambda: pv.WeightedQuantile([1], None), ValueError, ["threshold = None", "not a finite number"]),
    "tie_break": (lambda: pv.WeightedERM([1], tie_break=1.5), ValueError, ["tie_break = 1.5", "between 0 and 1"]),
    "tie_break text": (
        lambda: pv.WeightedERM([1], tie_break="x"),
        ValueError,
        ["tie_break = 'x'", "not a finite number"],
    ),
    "no policies": (lambda: pv.Mixture([], []), ValueError, ["policies is empty", "give at least one"]),
    "not a policy": (lambda: pv.Mixture(["erm"], [1]), TypeError, ["policies[0] = 'erm'", "give one such as ERM()"]),
    "probabilities": (
        lambda: pv.Mixture([pv.ERM()], [0.5, 0.5]),
        ValueError,
        ["probabilities has 2 entries", "1 policies", "give one each"],
    ),
    "sum": (lambda: pv.Mixture([pv.ERM()] * 2, [0.5, 0.4]), ValueError, ["probabilities sum to 0.9", "must sum to 1"]),
    "negative share": (
        lambda: pv.Mixture([pv.ERM()] * 2, [-1, 2]),
        ValueError,
        ["probabilities[0] = -1", "between 0 and 1"],
    ),
    "separable member": (
        lambda: order(policy=pv.Mixture([pv.ERM(), pv.Separable(np.min)], [0.5, 0.5])),
        TypeError,
        ["Separable", "no order"],
    ),
    "counting long": (
        lambda: regret(pv.Counting(min), [0.1] * 21),
        ValueError,
        ["d has 21 entries", "at most 20 samples"],
    ),
    "counting value": (lambda: regret(pv.Counting(lambda b: 0.5)), ValueError, ["kappa(0, 0) = 0.5", "returns 0 or 1"]),
    "counting falls": (
        lambda: regret(pv.Counting(lambda b: int(b != (1, 1)))),
        ValueError,
        ["not monotone", "kappa(0, 1) = 1 but 0 when entry 0 becomes 1", "must still do so"],
    ),
    "separable value": (
        lambda: regret(pv.Separable(lambda h: 1.5)),
        ValueError,
        ["cdf returned 1.5 at [", "in [0, 1]"],
    ),
    "separable nan": (lambda: regret(pv.Separable(lambda h: np.nan)), ValueError, ["cdf returned nan", "in [0, 1]"]),
    "means": (lambda: pv.regret_profile(pv.ERM(), D, [1.5], q=0.9), ValueError, ["means", "between 0 and 1"]),
    "means matrix": (lambda: pv.regret_profile(pv.ERM(), D, [[0.5]], q=0.9), ValueError, ["means", "one-dimensional"]),
    "means text": (lambda: pv.regret_profile(pv.ERM(), D, ["a"], q=0.9), ValueError, ["means"]),
    "profile of what": (lambda: pv.regret_profile("erm", D, [0.5], q=0.9), TypeError, ["policy = 'erm'"]),
    "zeta": (lambda: pv.constant(-0.1, 3), ValueError, ["zeta = -0.1", "at least 0"]),
    "zeta text": (lambda: pv.constant("x", 3), ValueError, ["zeta = 'x'", "not a number", "give a dissimilarity"]),
    "n": (lambda: pv.constant(0.1, 0), ValueError, ["n = 0", "integer of at least 1"]),
    "delta": (lambda: pv.drift(np.inf, 3), ValueError, ["delta = inf", "finite"]),
    "drift n": (lambda: pv.drift(0.1, 2.5), ValueError, ["n = 2.5", "integer"]),
    "cu": (lambda: pv.Newsvendor(0, 1), ValueError, ["cu = 0", "must be positive", "cost of one unit"]),
    "co": (lambda: pv.Newsvendor(1, -2), ValueError, ["co = -2", "must be positive"]),
    "cu text": (lambda: pv.Newsvendor("much", 1), ValueError, ["cu = 'much'", "not a finite number", "cost per unit"]),
    "co none": (lambda: pv.Newsvendor(1, None), ValueError, ["co = None", "not a finite number"]),
    "cu infinite": (lambda: pv.Newsvendor(np.inf, 1), ValueError, ["cu = inf", "not a finite number"]),
    "cu infinite decimal": (lambda: pv.Newsvendor(Decimal("Infinity"), 1), ValueError, ["cu = Decimal('Infinity')"]),
    "q endless": (lambda: regret(q="1e-999999999"), ValueError, ["q = '1e-999999999'", "too small", "at most 4,300"]),
    "q endless decimal": (lambda: regret(q=Decimal("1e-999999999")), ValueError, ["q = Decimal('1E-999999999')"]),
    "q nested": (lambda: regret(q=([0.9],)), ValueError, ["q = ([0.9],)", "give a critical ratio"]),
    "cu endless": (lambda: pv.Newsvendor("1e999999999", 1), ValueError, ["cu = '1e999999999'", "too large"]),
    "price endless": (lambda: pv.Newsvendor.from_prices("1e99999999", 1), ValueError, ["price = '1e99999999'"]),
    "weights endless": (lambda: pv.WeightedERM([1, "2E+99999999"]), ValueError, ["weights[1] = '2E+99999999'"]),
    "threshold endless": (lambda: pv.WeightedQuantile([1], "1e99999999"), ValueError, ["threshold = '1e99999999'"]),
    "gamma endless": (lambda: pv.Exponential(Decimal("1e-99999999")), ValueError, ["gamma = Decimal"]),
    "bandwidth endless": (lambda: pv.Kernel("uniform", "1e-99999999"), ValueError, ["bandwidth = '1e-99999999'"]),
    "bandwidth beyond": (lambda: pv.Kernel("uniform", 10**400), ValueError, ["bandwidth = 1000", "beyond", "1e308"]),
    "target beyond": (
        lambda: pv.samples_needed(pv.ERM(), D, q=0.9, target="1e400"),
        ValueError,
        ["target = '1e400'", "beyond what a float can hold"],
    ),
    "cu huge": (
        lambda: pv.Newsvendor(1e308, 1e308),
        ValueError,
        ["cu = 1e+308, co = 1e+308", "between 1e-250 and 1e+300", "choose other units"],
    ),
    "money huge": (lambda: pv.Newsvendor(1e200, 1, (0, 1e200)), ValueError, ["cu = 1e+200", "choose other units"]),
    "money tiny": (lambda: pv.Newsvendor(1e-200, 1e-200, (0, 1e-200)), ValueError, ["1e-200", "choose other units"]),
    "support wide": (lambda: pv.Newsvendor(1, 1, (-1e308, 1e308)), ValueError, ["support = (-1e+308", "wider than"]),
    "support beyond": (lambda: pv.Newsvendor(1, 1, (0, 10**400)), ValueError, ["support = (0, 1000", "beyond"]),
    "support narrow": (lambda: order(Y, support=(0, 5e-324)), ValueError, ["5e-324", "choose other units"]),
    "prices": (
        lambda: pv.Newsvendor.from_prices(5, 6),
        ValueError,
        ["price = 5", "cost = 6", "salvage = 0", "need salvage < cost < price"],
    ),
    "price text": (lambda: pv.Newsvendor.from_prices("high", 6), ValueError, ["price = 'high'"]),
    "weights scalar": (lambda: pv.WeightedERM(5), (TypeError, ValueError), ["weights = 5"]),
    "in_money": (
        lambda: regret().in_money(pv.Newsvendor(1, 1)),
        ValueError,
        ["critical ratio 1/2", "computed for 9/10", "pass the newsvendor as q"],
    ),
}


@pytest.mark.parametrize("name", COMPLAINTS)
def test_message_names_argument_value_and_remedy(name: str) -> None:
    call, kind, fragments = COMPLAINTS[name]
    with pytest.raises(kind, match=re.escape(fragments[0])) as caught:
        call()
    for fragment in fragments[1:]:
        assert fragment in str(caught.value)


def test_separable_has_no_order() -> None:
    assert not hasattr(pv.Separable(np.min), "order")


def test_probabilities_may_be_off_by_rounding() -> None:
    mixture = pv.Mixture([pv.ERM()] * 3, [0.1, 0.2, 0.7 + 1e-12])
    assert sum(mixture.probabilities) == 1
    assert all(isinstance(p, Fraction) for p in mixture.probabilities)


def test_designs() -> None:
    assert pv.constant(0.1, n=3).tolist() == [0.1, 0.1, 0.1]
    assert pv.drift(0.25, n=4).tolist() == [0.25, 0.5, 0.75, 1.0]
    assert pv.drift(0.001, 100)[-1] == 0.1
    assert pv.constant("0.5", np.int64(2)).dtype == np.float64
