"""The campaign: cases by number, each a world that follows from (seed, case) alone; and the reproducer of a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from re import sub
from time import monotonic

import numpy as np

from soundness.bounds import judge_bounds
from soundness.draw import (
    a_cautious_world,
    a_certified_world,
    a_levelled_world,
    a_packed_world,
    a_tied_world,
    a_wide_world,
    a_world,
)
from soundness.judge import Finding, Verdict, judge
from soundness.supply import judge_levelled_stock_outs, judge_periods, judge_stock_outs
from soundness.worlds import World

FAMILIES = {"two values": 0.52, "several values": 0.18, "many rows": 0.10, "many ties": 0.03, "many targets": 0.01,
            "certified": 0.01, "levels": 0.06, "bounds": 0.03, "packs": 0.03, "cautious": 0.01, "stock-outs": 0.01,
            "levelled stock-outs": 0.005, "periods": 0.005}  # fmt: skip
OTHERS = {"bounds": judge_bounds, "stock-outs": judge_stock_outs, "levelled stock-outs": judge_levelled_stock_outs,
          "periods": judge_periods}  # no worlds: judged in their own way  # fmt: skip
PATIENCE = 60.0  # seconds for the search of a smaller failure


def family(seed: int, case: int) -> str:
    """What kind of case this is."""
    rng = np.random.default_rng([seed, case])
    return str(rng.choice(list(FAMILIES), p=list(FAMILIES.values())))


def world_of(seed: int, case: int) -> World:
    """The world of a case."""
    rng = np.random.default_rng([seed, case, 1])
    match family(seed, case):
        case "two values":
            return a_world(rng, int(rng.integers(1, 7)), int(rng.integers(1, 6)), 2)
        case "several values":
            return a_world(rng, int(rng.integers(1, 5)), int(rng.integers(1, 6)), int(rng.integers(3, 6)))
        case "many rows":
            return a_world(rng, int(rng.integers(8, 31)), int(rng.integers(1, 8)), int(rng.integers(2, 7)))
        case "many ties":
            return a_tied_world(rng)
        case "many targets":
            return a_wide_world(rng)
        case "levels":
            return a_levelled_world(rng, "column" if rng.random() < 0.5 else "regressor")
        case "cautious":
            return a_cautious_world(rng)
        case "packs":
            return a_packed_world(rng)
    return a_certified_world(rng)


def run_case(seed: int, case: int) -> Verdict:
    """The verdict on a case."""
    kind = family(seed, case)
    if kind in OTHERS:
        return OTHERS[kind]([seed, case, 1])
    return judge(world_of(seed, case), [seed, case, 2])


def run(seed: int, cases: Iterable[int], processes: int = 1) -> Iterator[tuple[int, Verdict]]:
    """Verdicts as they come, in the order of the cases."""
    if processes == 1:
        yield from ((case, run_case(seed, case)) for case in cases)
        return
    numbers = list(cases)
    with ProcessPoolExecutor(processes) as pool:
        try:
            yield from zip(numbers, pool.map(run_case, repeat(seed), numbers, chunksize=4), strict=False)
        finally:  # who has seen enough does not wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass
class Tally:
    """What a campaign has checked so far."""

    exact: int = 0
    drawn: int = 0
    bounds: int = 0
    fits: int = 0
    closest: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    failed: dict[int, Finding] = field(default_factory=dict)

    def add(self, case: int, verdict: Verdict) -> None:
        """One more case."""
        self.exact += verdict.exact
        self.drawn += verdict.drawn
        self.bounds += verdict.bounds
        self.fits += verdict.fits
        if verdict.finding is not None:
            self.failed[case] = verdict.finding
        else:
            self.closest = max(self.closest, verdict.closest)
        if verdict.refused is not None:
            self.refused[sub("0x[0-9a-f]+", "", verdict.refused)[:100]] += 1

    @property
    def quadruples(self) -> int:
        """Worlds, policies, laws and targets that were checked together, once each."""
        return self.exact + self.drawn


def reproducer(seed: int, case: int, finding: Finding) -> str:
    """The smallest failure of the same kind that is found in a while, as a program."""
    if family(seed, case) in OTHERS:
        return finding.text
    world, found = shrunk(world_of(seed, case), finding, [seed, case, 2])
    head = f"# seed {seed}, case {case}: {found.kind}: {found.text}\n"
    return head + world.script + _ending(world, found)


def shrunk(world: World, finding: Finding, seed: list[int]) -> tuple[World, Finding]:
    """Take away whatever leaves the failure in place."""
    until = monotonic() + PATIENCE
    again = True
    while again:
        again = False
        for smaller in world.simpler():
            if monotonic() > until:
                return world, finding
            found = judge(smaller, seed).finding if smaller.valid else None
            if found is not None and found.kind == finding.kind:
                world, finding, again = smaller, found, True
                break
    return world, finding


def _ending(world: World, finding: Finding) -> str:
    """Show the failure: on the demands at fault, or in expectation under the law at fault."""
    if finding.law is None:
        return f"model = fit(np.array({None if finding.y is None else finding.y.tolist()}))\n" + (
            "print(orders(model), uppers(model), weights(model), sep='\\n')\n"
        )
    law, (cu, co) = finding.law, world.cu_co
    outcomes, chance = "product(range(len(atoms)), repeat=len(past))", "np.prod([p[k] for p, k in zip(past, outcome)])"
    if len(world.atoms) ** world.size[0] > 20_000:
        outcomes, chance = "[[rng.choice(len(atoms), p=p) for p in past] for _ in range(200)]", "1 / 200"
    return f"""atoms, t = np.array({list(world.atoms)}), {law.target}
future = np.diff({law.future.tolist()}, prepend=0)  # probabilities of the atoms, for target t
past = np.diff({law.past.tolist()}, prepend=0)  # and for each past row
cost = lambda a: future @ np.where(atoms > a, {cu} * (atoms - a), {co} * (a - atoms))
regret = guaranteed = 0.0
rng = np.random.default_rng(0)
for outcome in {outcomes}:
    chance = {chance}
    if chance > 0:
        model = fit(atoms[list(outcome)])
        regret += chance * (cost(orders(model)[t]) - min(map(cost, atoms)))
        guaranteed += chance * uppers(model)[t]
print(f"expected regret {{regret:.6g}}, guaranteed {{guaranteed:.6g}}")
"""
