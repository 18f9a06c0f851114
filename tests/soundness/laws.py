"""Demand laws that keep a world's promise: every past distribution within its dissimilarity of the target's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from soundness.worlds import Floats, World

Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class Law:
    """Distribution functions on the atoms: one row per past row, and that of the demand to come at ``target``."""

    target: int
    past: Floats
    future: Floats


def worst(rng: Rng, world: World, target: int, each: int) -> Iterator[Law]:
    """Past laws as far off as they may be, all to one side, for futures on either side of the critical ratio.

    Half of the futures are anywhere on that side, half about as far from the critical ratio as some past row.
    """
    d, n = world.d[target], world.size[0]
    for down in (True, False):
        room = 1 - world.q if down else world.q
        for i in range(each):
            near = float(rng.choice(d)) * rng.uniform(0.5, 1.2) + 0.5 * abs(rng.normal()) / np.sqrt(n)
            away = min(near, room) if i % 2 else room * (i + rng.random()) / each
            future = _around(rng, world.q + away if down else world.q - away, len(world.atoms))
            yield Law(target, _fixed(world, shifted(future, -d if down else d)), future)


def wandering(rng: Rng, world: World, target: int) -> Law:
    """A future of any kind, and past laws anywhere within reach of it."""
    k = len(world.atoms)
    future = np.append(np.sort(rng.random(k - 1)), 1.0)
    noise = rng.uniform(-1, 1, (world.size[0], k))
    moved = np.maximum.accumulate(future + world.d[target][:, None] * noise, axis=1)  # a contraction in the sup norm
    return Law(target, _fixed(world, _closed(moved)), future)


def others(law: Law, world: World) -> Iterator[Law]:
    """The same past, and for each target that fits it the two extreme futures within reach of all of it."""
    yield law
    free = [i for i in range(world.size[0]) if i not in world.anchors]
    for target, d in enumerate(world.d):
        if target != law.target:
            low = (law.past[free] - d[free, None]).max(axis=0)
            high = (law.past[free] + d[free, None]).min(axis=0)
            if (low <= high + 1e-12).all():
                yield from (Law(target, law.past, _closed(future)) for future in (low, high))


def grouped(rng: Rng, world: World) -> Iterator[Law]:
    """Shops with a demand each, near where orders from half of their rows go wrong most often, apart, or both alike."""
    cu, co = world.cu_co
    q = cu / (cu + co)
    near = np.sqrt(q * (1 - q) / (world.size[0] / 4)) * rng.uniform(0.3, 1.2, 2) * rng.choice([-1, 1], 2)
    near *= rng.choice([1, 3])
    means = np.clip(1 - q + near, 0.01, 0.99)
    level = {"a": means[0], "b": means[int(rng.integers(2))]}

    def at(shop: str) -> Floats:
        return np.array([1 - level[shop], 1 - level[shop], 1.0])

    past = np.array([at(shop) for shop in world.past["shop"]])
    yield from (Law(j, past, at(str(shop))) for j, shop in enumerate(world.targets["shop"]))


def shifted(future: Floats, by: Floats) -> Floats:
    """One row per entry of ``by``."""
    return _closed(future + by[:, None])


def _around(rng: Rng, at: float, k: int) -> Floats:
    """A distribution function whose values lie at one level, as Bernoulli demand's do, or around it."""
    spread = float(rng.choice([0.0, 0.05, 1.0])) if k > 2 else 0.0
    return _closed(np.sort(at + spread * rng.uniform(-1, 1, k)))


def _closed(cdf: Floats) -> Floats:
    """Within [0, 1], and 1 at the top."""
    cdf = np.clip(cdf, 0.0, 1.0)
    cdf[..., -1] = 1.0
    return cdf


def _fixed(world: World, past: Floats) -> Floats:
    """Anchor rows have the demand they are known for."""
    for row, atom in world.anchors.items():
        past[row] = np.arange(len(world.atoms)) >= atom
    return past
