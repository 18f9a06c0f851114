"""Sales of many items as a shop records them, drawn block by block: any number of rows in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._validation import as_count

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]

BLOCK = 64  # items drawn together; changing it would change what every seed gives
YEAR, WEEK = 365.25, 7


@dataclass(frozen=True)
class World:
    """What the simulated shop is like.

    Attributes
    ----------
    categories : int
        How many; items of a category share their weekly pattern, their season and their usual level.
    drift : float
        Standard deviation of the daily step of the logarithm of an item's level.
    promotions, uplift : float
        Share of days on promotion, and the factor by which demand is then multiplied.
    stockouts : float
        Share of days on which the shelf empties before the day is over, so that less is sold than was asked for.
    new_items : float
        Share of items that join the range only later.
    """

    categories: int = 8
    drift: float = 0.01
    promotions: float = 0.05
    uplift: float = 1.8
    stockouts: float = 0.02
    new_items: float = 0.1

    def __post_init__(self) -> None:
        as_count(self.categories, "categories")
        for name in ("promotions", "stockouts", "new_items"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} = {getattr(self, name)!r} is not a share; give a number from 0 to 1")
        for name in ("drift", "uplift"):
            if not 0 <= getattr(self, name) < np.inf:
                raise InputError(f"{name} = {getattr(self, name)!r} must be finite and at least 0")


@dataclass(frozen=True, eq=False)
class _Block:
    """Some items (rows) over all days (columns); demand is gamma-Poisson of mean ``level`` and ``dispersion``."""

    category: NDArray[np.int64]
    promotion: NDArray[np.bool_]
    level: Floats
    dispersion: Floats
    demand: Floats
    sold: Floats
    listed: NDArray[np.bool_]


def simulate_sales(
    items: int,
    days: int,
    /,
    *,
    seed: int,
    start: date = date(2024, 1, 1),
    world: World | None = None,
    truth: bool = False,
) -> pa.RecordBatchReader:
    """Daily sales of many items, as a stream of batches.

    Demand of an item on a day is a Poisson draw, its mean a gamma draw around the level of that day: the item's own,
    times the weekly pattern and the season of its category, a drift and promotions. What an item sells depends only
    on the seed and on its number, not on how many items there are.

    Parameters
    ----------
    items, days : int
        How many.
    seed : int
        The same seed gives the same sales.
    start : date
        The first day.
    world : World, optional
        How large drift, promotions, stock-outs and the share of new items are.
    truth : bool
        Whether to add what a shop cannot know: ``demand`` (what was asked for), ``mean`` and ``dispersion`` of its
        distribution (negative binomial with variance mean + mean^2 / dispersion), and ``stockout``.

    Returns
    -------
    pyarrow.RecordBatchReader
        Batches of ``unique_id``, ``ds``, ``y`` (units sold), ``category`` and ``promotion``, item by item.

    Examples
    --------
    >>> from provend.datasets import simulate_sales
    >>> sales = simulate_sales(1000, 30, seed=1)
    >>> sum(batch.num_rows for batch in sales) <= 30_000
    True
    """
    import pyarrow as pa

    n, horizon = as_count(items, "items"), as_count(days, "days")
    shop, entropy = world or World(), as_count(seed, "seed", least=0)
    fields = [("unique_id", pa.string()), ("ds", pa.date32()), ("y", pa.float64())]
    fields += [("category", pa.string()), ("promotion", pa.bool_())]
    if truth:
        fields += [(name, pa.float64()) for name in ("demand", "mean", "dispersion")] + [("stockout", pa.bool_())]
    schema = pa.schema(fields)

    def batches() -> Iterator[pa.RecordBatch]:
        for first in range(0, n, BLOCK):
            block = _draw(shop, entropy, first // BLOCK, horizon, start)
            columns = _columns(block, first, min(BLOCK, n - first), start)
            yield pa.record_batch([columns[field.name] for field in schema], schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _draw(world: World, seed: int, number: int, days: int, start: date) -> _Block:
    """One block; the categories are the same in all of them."""
    shared = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    usual = shared.lognormal(3.0, 0.8, world.categories)
    week = shared.dirichlet(np.full(WEEK, 8.0), world.categories) * WEEK
    season, peak = shared.uniform(0.0, 0.4, world.categories), shared.uniform(0.0, YEAR, world.categories)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1, number)))
    category = rng.integers(world.categories, size=BLOCK)
    day = np.arange(days) + start.toordinal()
    of_year = np.cos(2 * np.pi * (day - peak[category, None]) / YEAR)
    own = usual[category] * rng.lognormal(0.0, 0.7, BLOCK)
    dispersion = rng.uniform(3.0, 30.0, BLOCK)
    late = np.where(rng.random(BLOCK) < world.new_items, rng.integers(days, size=BLOCK), 0)
    promotion = rng.random((BLOCK, days)) < world.promotions
    drift = np.exp(np.cumsum(rng.normal(0.0, world.drift, (BLOCK, days)), axis=1))
    level = own[:, None] * week[category][:, day % WEEK] * (1 + season[category, None] * of_year) * drift
    level *= np.where(promotion, world.uplift, 1.0)
    demand = rng.poisson(level * rng.gamma(dispersion[:, None], 1 / dispersion[:, None], level.shape)).astype(float)
    short = rng.random(level.shape) < world.stockouts
    sold = np.where(short, np.floor(demand * rng.random(level.shape)), demand)
    return _Block(category, promotion, level, dispersion, demand, sold, np.arange(days) >= late[:, None])


def _columns(block: _Block, first: int, items: int, start: date) -> dict[str, pa.Array]:
    """The rows of the first ``items`` of a block, without days before an item was in the range."""
    import pyarrow as pa

    item, day = np.nonzero(block.listed[:items])
    columns = {
        "unique_id": pa.array([f"i{first + i:09d}" for i in range(items)]).take(pa.array(item)),
        "ds": np.datetime64(start, "D") + day,
        "y": block.sold[item, day],
        "category": pa.array([f"c{c:02d}" for c in block.category]).take(pa.array(item)),
        "promotion": block.promotion[item, day],
        "demand": block.demand[item, day],
        "mean": block.level[item, day],
        "dispersion": block.dispersion[item],
        "stockout": block.sold[item, day] < block.demand[item, day],
    }
    return {name: pa.array(column) for name, column in columns.items()}
