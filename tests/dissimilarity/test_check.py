from itertools import combinations
from math import e, log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from provend.dissimilarity import Constant, Mismatch, check_dissimilarity


def shops(generator, shift, n=150):
    shop = np.repeat(["a", "b", "c"], n)
    y = generator.normal(size=3 * n) + shift * (shop == "c")
    return pd.DataFrame({"shop": shop, "size": generator.normal(size=3 * n)}), y


def test_each_comparison_by_hand():
    x, y = shops(np.random.default_rng(0), 1.0, n=40)
    found = check_dissimilarity(Mismatch("shop", 0.1), x, y, confidence=0.9)
    edges = np.quantile(x["size"], [0.25, 0.5, 0.75])
    groups = {("shop", s): np.flatnonzero(x["shop"] == s) for s in "abc"}
    groups |= {("size", str(k)): np.flatnonzero(np.searchsorted(edges, x["size"]) == k) for k in range(4)}
    expected = []
    for (one, a), (other, b) in combinations(groups.items(), 2):
        if one[0] != other[0]:
            continue
        distance = max(abs(np.mean(y[a] <= v) - np.mean(y[b] <= v)) for v in y)
        noise = sum(sqrt(log(2 * e * len(groups) / 0.1) / 2 / len(g)) for g in (a, b))
        assumed = np.mean([[0.1 * (x["shop"][i] != x["shop"][j]) for i in a] for j in b])
        expected.append((max(0.0, distance - noise) - assumed, distance))
    expected.sort(reverse=True)
    assert [c.excess for c in found.comparisons] == pytest.approx([excess for excess, _ in expected])
    assert found.worst.observed == pytest.approx(expected[0][1])
    assert found.contradicted == (expected[0][0] > 0)


def test_names_the_worst_contradiction():
    x, y = shops(np.random.default_rng(1), 1.5)
    found = check_dissimilarity(Mismatch("shop", 0.05), x, y)
    assert found.contradicted
    assert found.worst.column == "shop"
    assert "c" in (found.worst.first, found.worst.second)
    assert str(found).startswith("contradicted at confidence 0.95: shop")
    truth = 2 * norm.cdf(0.75) - 1
    assert found.worst.at_least < truth


def test_no_false_alarm_where_the_assumption_holds():
    alarms = 0
    for seed in range(40):
        x, y = shops(np.random.default_rng(seed), 0.5, n=60)
        alarms += check_dissimilarity(Mismatch("shop", 2 * norm.cdf(0.25) - 1), x, y, confidence=0.9).contradicted
    assert alarms <= 4  # at most one in ten, in expectation


def test_nothing_to_compare():
    found = check_dissimilarity(Constant(0.1), [[1.0], [1.0], [1.0]], [1, 2, 3])
    assert (found.contradicted, found.worst, found.comparisons) == (False, None, ())
    assert "nothing to compare" in str(found)


def test_messages():
    with pytest.raises(ValueError, match="y has 2 demands but X has 3 rows"):
        check_dissimilarity(Constant(0.1), [[1.0], [1.0], [1.0]], [1, 2])
    with pytest.raises(ValueError, match="confidence"):
        check_dissimilarity(Constant(0.1), [[1.0], [1.0]], [1, 2], confidence=2)
