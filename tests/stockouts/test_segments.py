"""Segments between stock levels: which levels, which days, which rules; and hundreds or thousands of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv
from provend.stockouts import _levels, _plan
from provend.stockouts._segments import SeenSegment


def test_hundreds_of_levels_become_few_segments_at_a_small_price(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    stock, d = rng.uniform(10, 90, 100), rng.uniform(0, 0.05, 100)
    few = _plan.plan(stock, d, Fraction(3, 4), (0.0, 100.0), None)
    assert len(few.segments) == _levels.MOST_SEGMENTS + 1
    tops = [one.top for one in few.segments]
    assert set(tops[:-1]) <= set(stock.tolist())
    assert tops == sorted(tops)
    monkeypatch.setattr(_levels, "MOST_SEGMENTS", 1000)
    every = _plan.plan(stock, d, Fraction(3, 4), (0.0, 100.0), None)
    assert len(every.segments) == 101
    assert every.guarantee.upper < few.guarantee.upper < 1.01 * every.guarantee.upper


def test_very_many_days_have_half_as_many_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    stock, d = rng.uniform(10, 90, 100), np.full(100, 0.02)
    usual = _plan.plan(stock, d, Fraction(3, 4), (0.0, 100.0), None)
    monkeypatch.setattr(_levels, "MANY", 99)
    fewer = _plan.plan(stock, d, Fraction(3, 4), (0.0, 100.0), None)
    assert len(fewer.segments) == _levels.FEW_SEGMENTS + 1
    assert usual.guarantee.upper < fewer.guarantee.upper < 1.03 * usual.guarantee.upper


def test_a_day_counts_only_where_it_had_enough_for_the_whole_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_levels, "MOST_SEGMENTS", 2)
    stock = np.array([10.0, 20, 30, 40])
    made = _plan.plan(stock, np.zeros(4), Fraction(3, 4), (0.0, 50.0), None)
    assert len(made.segments) == 3
    for one in made.segments:
        assert one.rows == np.count_nonzero(stock >= one.top)
        if isinstance(one, SeenSegment):
            assert np.all(stock[one.rule.rows[~one.rule.idle]] >= one.top)


def test_rules_are_shared_where_only_idle_days_leave_and_are_still_the_best() -> None:
    near, far = [0.01] * 5, [0.4, 0.45, 0.48]
    d, stock = np.array(near + far), np.array([9.0] * 5 + [3, 5, 7])
    made = _plan.plan(stock, d, Fraction(9, 10), (0.0, 9.0), None)
    rules = [one.rule for one in made.segments]
    assert len(rules) == 4
    assert len(set(map(id, rules))) == 1
    for one in made.segments:
        alone = pv.minimax(d[stock >= one.top], q=0.9)
        assert float(one.upper) == pytest.approx(alone.guarantee.upper, rel=2e-3)
