"""Sales that stock has cut off, at their own level and brought to another, and windows of days: promises judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import factorial, prod
from typing import Any

import numpy as np
import pyarrow as pa

import provend as pv
from provend.levels import learn_from_sales
from provend.planning import ByPeriod, CutOff, OwnRows, Supply, Terms
from provend.planning._schema import DEMAND, SHELF
from provend.stockouts._plan import plan
from provend.tables import read_contexts
from samplers import a_design, a_ratio
from soundness.judge import ALARM, ROUNDING, Finding, Verdict, tail
from soundness.worlds import Floats

Rng = np.random.Generator

LAWS, DRAWS = 24, 40


def regret(atoms: Floats, law: Floats, orders: Floats, q: float) -> Floats:
    """Expected cost beyond that of the best order, cu + co being 1."""

    def cost(a: Floats) -> Floats:
        over = a[:, None] - atoms
        return np.asarray(np.maximum(-q * over, (1 - q) * over) @ law)

    return cost(orders) - float(cost(atoms).min())


def some_laws(rng: Rng, d: Floats, size: int, q: float) -> Iterator[tuple[Floats, Floats]]:
    """Futures, many of them near the ratio, and pasts within reach: all to one side, or each row to its own."""
    for i in range(LAWS):
        future = np.append(np.sort(rng.random(size - 1)), 1.0)
        if i % 2:
            future[:-1] = np.clip(np.sort(q + rng.normal(0, 0.25, size - 1)), 0, 1)
        way = [np.ones(d.size), -np.ones(d.size), rng.choice([-1.0, 1.0], d.size), rng.uniform(-1, 1, d.size)][i % 4]
        past = np.clip(future[:-1] + (way * d)[:, None], 0, 1)
        yield np.diff(future, prepend=0), np.diff(past, axis=1, prepend=0, append=1)


# --- stock-outs ------------------------------------------------------------------------------------------------------


def judge_stock_outs(seed: Any) -> Verdict:
    """Days in groups of one stock and one dissimilarity: only how many of a group had which demand matters."""
    rng, verdict = np.random.default_rng(seed), Verdict()
    sizes, stock, d, atoms, q = _told_apart(*_a_shop(rng))
    counts = [list(_splits(size, atoms.size)) for size in sizes]
    group = np.repeat(np.arange(len(sizes)), sizes)
    orders, uppers = list[float](), set[float]()
    for history in product(*counts):
        demand = np.concatenate([rng.permutation(np.repeat(atoms, split)) for split in history])
        sales = np.minimum(demand, stock[group])
        found = pv.order_with_stockouts(sales, stock[group], d[group], q=q, support=(0, 1))
        orders.append(found.order)
        uppers.add(found.upper)
        verdict.fits += 1
    (upper,) = uppers  # known before any sales are
    for future, past in some_laws(rng, np.minimum(d, 1.0), atoms.size, float(q)):
        of_group = [[_chance(split, law) for split in each] for each, law in zip(counts, past, strict=True)]
        chances = np.array([prod(each) for each in product(*of_group)])
        expected = float(chances @ regret(atoms, future, np.array(orders), float(q)))
        verdict.exact += 1
        verdict.closest = max(verdict.closest, expected / upper if upper > ROUNDING else 0.0)
        if expected > upper + ROUNDING:
            setting = f"sizes, stock, d, atoms, q = {sizes}, {stock}, {d}, {atoms}, {q!r}; {future}, {past}"
            verdict.finding = Finding("stock-outs", f"{setting}: regret {expected}, guaranteed {upper}")
    return verdict


def _a_shop(rng: Rng) -> tuple[list[int], Floats, Floats, Floats, Any]:
    """Groups of days; stock that is tied, empty, endless, more than enough; demand at stock levels and between."""
    groups = int(rng.integers(1, 4))
    most = {1: 24, 2: 9, 3: 4}[groups]
    sizes = rng.integers(1, most + 1, groups).tolist()
    stock = rng.choice([0.0, 0.25, 0.5, 0.5, 0.75, 0.9, 1.0, 1.5, np.inf], groups)
    d = a_design(rng, groups) * rng.choice([0.1, 0.5, 1.0])
    places = np.unique(np.clip([*stock, 0.1, 0.25, 0.3, 0.6, 1.0], 0, 1))
    size = 2 if max(sizes) > 8 or rng.random() < 0.5 else 3
    return sizes, stock, d, np.sort(rng.choice(places, size, replace=False)), a_ratio(rng, int(sum(sizes)))


def _told_apart(
    sizes: list[int], stock: Floats, d: Floats, atoms: Floats, q: Any
) -> tuple[list[int], Floats, Floats, Floats, Any]:
    """Groups split by who is a witness of what: of days that count alike only their number matters."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    signs = [group]
    for one in plan(stock[group], d[group], q, (0.0, 1.0), None).segments:
        named = [np.zeros(0, int) if one.rule.witness is None else one.rule.witness.rows]
        signs += [1 - np.isin(np.arange(group.size), rows) for rows in named]  # of equal days the first are taken
    kinds, members = np.unique(np.array(signs), axis=1, return_counts=True)
    return members.tolist(), stock[kinds[0]], d[kinds[0]], atoms, q


def _splits(size: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """How many of each kind."""
    if kinds == 1:
        yield (size,)
        return
    for first in range(size + 1):
        yield from ((first, *rest) for rest in _splits(size - first, kinds - 1))


def _chance(split: tuple[int, ...], law: Floats) -> float:
    ways = factorial(sum(split)) // prod(map(factorial, split))
    return float(ways * np.prod(law ** np.array(split)))


# --- brought to the target's level -----------------------------------------------------------------------------------


def judge_levelled_stock_outs(seed: Any) -> Verdict:
    """A plan that learns levels from older days: the others are drawn so that, brought to the target, they are near.

    What was learned from stays; stock is any, and demands are those that the map takes to the atoms.
    """
    rng, verdict = np.random.default_rng(seed), Verdict()
    history, ahead, shelf = _a_season(rng)
    size, half, q = len(history), len(history) // 2, float(rng.choice([0.75, 0.9]))
    older = np.minimum(rng.poisson(np.where(np.arange(half) % 7 < 5, 30, 60)) * 1.0, shelf[:half])
    past = read_contexts(history)
    level = learn_from_sales(past.take(np.arange(half)), older, older >= shelf[:half], q)
    atoms, d = np.sort(rng.choice([15.0, 30.0, 45.0, 60.0, 80.0], 3, replace=False)), 0.02
    back = _taken_back(level, atoms, past.take(np.arange(half, size)), read_contexts(ahead, like=past))
    terms = Terms(str(q), str(round(1 - q, 2)), (0.0, 200.0))
    if (back <= 0).any() or (back > 200).any():
        return verdict  # the map cannot reach the atoms within the support: nothing is said of such a world
    (future, way), *_ = some_laws(rng, np.full(size - half, d), 3, q)
    orders, uppers = np.empty(DRAWS), np.empty(DRAWS)
    for i in range(DRAWS):
        drawn = (rng.random((size - half, 1)) > np.cumsum(way, axis=1)[:, :-1]).sum(axis=1)
        recent = np.minimum(back[np.arange(size - half), drawn], shelf[half:])
        table = history.append_column(DEMAND, pa.array(np.concatenate([older, recent])))
        (row,) = CutOff("split").decide(table.append_column(SHELF, pa.array(shelf)), ahead, terms).to_pylist()
        orders[i], uppers[i] = row["order"], row["guarantee"]
    verdict.fits, verdict.drawn = DRAWS, 1
    seen, most = regret(atoms, future, orders, q), float(regret(atoms, future, np.array([0.0, 200.0]), q).max())
    if np.ptp(uppers) > ROUNDING * uppers.max():
        verdict.finding = Finding("levelled stock-outs", f"{seed}: guarantees depend on the demands weighed: {uppers}")
    elif most > ROUNDING and tail(float(seen.mean()) / most, float(uppers[0]) / most, DRAWS) < ALARM:
        verdict.finding = Finding("levelled stock-outs", f"{seed}: regret {seen.mean()}, guaranteed {uppers[0]}")
    return verdict


def _a_season(rng: Rng) -> tuple[pa.Table, pa.Table, Floats]:
    """Some weeks with a promotion now and then, the day to come, and what was on the shelf."""
    size = int(rng.choice([28, 40, 56]))
    dates = np.datetime64("2024-01-01", "us") + np.arange(size + 1) * np.timedelta64(1, "D")
    days = pa.table({"ds": dates, "promo": rng.choice(["yes", "no"], size + 1)})
    shelf = rng.choice([20.0, 40.0, 60.0, np.inf], size) * rng.choice([0.5, 1.0, 2.0])
    return days.slice(0, size), days.slice(size), shelf


def _taken_back(level: Any, atoms: Floats, contexts: Any, target: Any) -> Floats:
    """The demand of each day that its map takes to each atom."""
    if not level.learned:
        return np.tile(atoms, (contexts.size, 1))
    apart = (level.power.of(atoms) - level.at(target)) / level.widths(target)
    return np.asarray(level.power.back(level.at(contexts)[:, None] + level.widths(contexts)[:, None] * apart))


# --- windows of days -------------------------------------------------------------------------------------------------


def judge_periods(seed: Any) -> Verdict:
    """Days with and without demand, and contexts that say nothing; windows as far off as their days add up to."""
    rng, verdict = np.random.default_rng(seed), Verdict()
    size, days = int(rng.integers(4, 7)), int(rng.integers(2, 4))
    apart, q = float(rng.choice([0.0, 0.02, 0.1])), float(rng.choice([0.5, 0.75, 0.9]))
    dates = np.datetime64("2024-01-01", "us") + np.arange(size + 1) * np.timedelta64(1, "D")
    table = pa.table({"ds": dates, "promo": rng.choice(["yes", "no"], size + 1)})
    terms = Terms(str(q), str(round(1 - q, 2)), (0.0, float(days)), Supply(lead_time=days - 1))
    decider = ByPeriod(OwnRows(str(rng.choice(["erm", "minimax"])), min(days * apart, 1.0)))
    histories = np.array(list(product((0.0, 1.0), repeat=size)))
    past = table.slice(0, size)
    found = [decider.decide(past.append_column(DEMAND, pa.array(y)), table.slice(size), terms) for y in histories]
    orders, uppers = (np.array([one[name][0].as_py() for one in found]) for name in ("order", "guarantee"))
    verdict.fits, atoms = len(histories), np.arange(days + 1.0)
    for _ in range(LAWS):
        mean = float(rng.random() if rng.random() < 0.5 else np.clip(1 - q ** (1 / days) + rng.normal(0, 0.2), 0, 1))
        means = np.clip(mean + apart * rng.choice([np.ones(size), -np.ones(size), rng.uniform(-1, 1, size)]), 0, 1)
        chances = np.prod(np.where(histories, means, 1 - means), axis=1)
        ways = [factorial(days) // factorial(k) // factorial(days - k) for k in range(days + 1)]
        future = np.array(ways) * mean**atoms * (1 - mean) ** (days - atoms)
        expected, promised = float(chances @ regret(atoms, future, orders, q)), float(chances @ uppers)
        verdict.exact += 1
        verdict.closest = max(verdict.closest, expected / promised)
        if expected > promised * (1 + ROUNDING):
            verdict.finding = Finding("periods", f"{seed}: mean {mean}, {means}: {expected}, guaranteed {promised}")
    return verdict
