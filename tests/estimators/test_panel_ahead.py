"""How far ahead a target is of what was seen of its item counts for its guarantee."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from provend import InputError, Orders, PanelNewsvendor
from provend.estimators._pace import AHEAD, Pace
from provend.estimators._panel_designs import drift_at
from provend.estimators._panel_rows import Items, Panel
from provend.newsvendor import Newsvendor
from provend.tables import read_contexts

LAST = pd.Timestamp("2024-06-30")


def shops(*, rows: int = 60, step: int = 1, items: int = 12, ago: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Items of 20 a day, of which the first ended so many days before the others."""
    days = pd.date_range(end=LAST, periods=rows, freq=f"{step}D")
    tables = [
        pd.DataFrame({"unique_id": f"i{k:02d}", "ds": days - pd.Timedelta(days=0 if k else ago)}) for k in range(items)
    ]
    table = pd.concat(tables, ignore_index=True)
    return table, np.random.default_rng(0).poisson(20, len(table)).astype(float)


def ahead(name: str, *days: int) -> pd.DataFrame:
    return pd.DataFrame({"unique_id": name, "ds": [LAST + pd.Timedelta(days=day) for day in days]})


@pytest.mark.parametrize("rows", [60, 8])
def test_the_further_ahead_the_less_is_promised(rows: int) -> None:
    """The same was promised for tomorrow and for three years ahead."""
    model = PanelNewsvendor(9, 1, support=(0, 60)).fit(*shops(rows=rows))
    promised = model.guarantee(ahead("i01", 1, 8, 30, 365, 1000)).upper
    assert (np.diff(promised) > 0).all()
    assert promised[-1] > 1.3 * promised[0]
    strangers = model.guarantee(ahead("nobody", 1, 365)).upper
    assert strangers[1] > strangers[0]


def test_an_item_whose_rows_are_old_is_far_ahead_of_them() -> None:
    model = PanelNewsvendor(9, 1, support=(0, 60)).fit(*shops(ago=1000))
    table = pd.concat([ahead("i00", 1), ahead("i01", 1)])
    old, new = model.guarantee(table).upper
    assert old > 1.3 * new
    nearest = [float(model.past_of(table[k : k + 1]).d[0]) for k in (0, 1)]
    step = drift_at(Newsvendor(9, 1).critical_ratio)
    assert nearest[0] >= 1000 * step
    assert nearest[1] == pytest.approx(step, abs=2e-9)


def test_the_next_row_is_not_ahead_whatever_the_distance_of_rows() -> None:
    for step in (1, 7, 30):
        model = PanelNewsvendor(9, 1, support=(0, 60)).fit(*shops(step=step))
        cases = model._targets(ahead("i01", step, 2 * step)).ahead
        assert [found.tolist() for found in cases] == [[0, 1], [0, 1]]


def test_rows_ahead_are_never_too_few() -> None:
    """Items of different paces, some with a single row, which have the usual one."""
    rng = np.random.default_rng(3)
    times = [np.sort(rng.uniform(0, 300, int(rng.integers(1, 40) ** (k > 2)))) for k in range(30)]
    code = np.repeat(np.arange(30), [each.size for each in times])
    table = pd.DataFrame({"t": np.concatenate(times)})
    contexts = read_contexts(table, kinds={"t": "time"})
    pace = Pace.of(Panel.of(Items(np.array([f"{k:02d}" for k in range(30)]), code), contexts), contexts)
    gaps = [float(np.mean(np.diff(each))) if each.size > 1 else None for each in times]
    usual = float(np.median([gap for gap in gaps if gap is not None]))
    asked = rng.uniform(250, 900, 30)
    found = pace.ahead(np.arange(30), read_contexts(pd.DataFrame({"t": asked}), like=contexts))
    for each, gap, when, rows in zip(times, gaps, asked, found.tolist(), strict=True):
        beyond = (when - each[-1]) / (gap or usual) - 1
        least = min(one for one in AHEAD.tolist() if one >= beyond - 1e-6)
        assert rows == least


def test_rows_may_be_as_near_as_clocks_can_tell() -> None:
    """Two rows of a microsecond apart: the next day is further ahead than any design knows, and the plan goes on."""
    table, y = shops()
    twice = pd.DataFrame({"unique_id": "quick", "ds": [LAST, LAST + pd.Timedelta(microseconds=1)]})
    model = PanelNewsvendor(9, 1, support=(0, 60)).fit(pd.concat([table, twice]), np.append(y, [20.0, 21.0]))
    promised = model.guarantee(pd.concat([ahead("quick", 1), ahead("i01", 1)]))
    assert promised.percent_of_no_data[0] > 1.5 * promised.percent_of_no_data[1]


def test_without_a_time_every_target_is_the_next_row() -> None:
    table, y = shops()
    timeless = table.assign(ds=np.resize(["a", "b", "c"], len(table)))
    model = PanelNewsvendor(9, 1, support=(0, 60)).fit(timeless, y)
    assert [found.tolist() for found in model._targets(timeless[:2]).ahead] == [[0, 0], [0, 0]]


def test_a_fit_that_fails_leaves_nothing_and_the_item_is_that_of_the_fit() -> None:
    table, y = shops()
    broken = PanelNewsvendor(9, 1, random_state=-1, orders=Orders(6))
    with pytest.raises(InputError, match="random_state"):
        broken.fit(table, y)
    assert not [name for name in vars(broken) if name.endswith("_")]
    model = PanelNewsvendor(9, 1, support=(0, 60)).fit(table, y)
    orders = model.predict(ahead("i01", 1))
    assert np.array_equal(model.set_params(item="sku").predict(ahead("i01", 1)), orders)
