"""A plan in a few numbers, computed where the decisions are, however many there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend.planning._by_length import ByLength
from provend.planning._explain import weighed
from provend.planning._own_rows import OwnRows
from provend.planning._pooled import Pooled
from provend.planning._position import with_position
from provend.planning._request import Opened
from provend.planning._rows import readable
from provend.planning._schema import ITEM, LEVEL, ROW, TARGET, WHEN, Row
from provend.planning._sound import by_terms, sound
from provend.planning._source import literal, quoted
from provend.planning._split import all_rows
from provend.planning._state import State
from provend.planning._weighed import Weighed

LISTED = 300  # orders that are listed: about ten printed pages
EXPOSED = 15  # items that are listed
FLAWED = 10  # rows listed that are not ok
BIN = 2.5  # percent
ORDER = quoted("order")
WITHOUT_DATA = "sum(100 * guarantee / nullif(percent_of_no_data, 0))"  # the regrets that the percentages refer to
POINTS = 1000  # past demands plotted: all that count, and the latest of the others


@dataclass(frozen=True, eq=False)
class Explained:
    """One decision: past demands, as they were and brought to its day, and how much each counts, in percent.

    Those lent by other items have the ``lenders``' names and only the values they were brought to.
    """

    item: str
    when: object
    order: float
    reason: str
    basis: str
    dates: list[object]
    lenders: list[str]
    demands: NDArray[np.float64]
    brought: NDArray[np.float64]
    shares: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Digest:
    """What a report shows.

    ``totals`` holds the numbers of targets, orders, items with an order and units ordered, and the sums of guarantees
    and of regrets without data; ``orders`` the first :data:`LISTED` rows with an order, by guarantee; ``shares`` counts
    targets by guarantee, in bins of :data:`BIN` percent of the no-data regret, the last open.
    """

    totals: dict[str, float]
    counts: dict[str, int]
    orders: list[Row]
    exposed: list[Row]
    flawed: list[Row]
    shares: dict[float, int]
    explained: Explained | None


def digest(opened: Opened, state: State, counts: dict[str, int]) -> Digest:
    """Summarize the view ``decisions`` and the rows on disk."""
    exposed = _asked(
        opened,
        f"SELECT {quoted(ITEM)} AS item, count(*) AS targets, sum({ORDER}) AS units, sum(guarantee) AS exposure, "
        f"100 * sum(guarantee) / nullif({WITHOUT_DATA}, 0) AS share FROM decisions WHERE guarantee IS NOT NULL "
        f"GROUP BY 1 ORDER BY exposure DESC, item LIMIT {EXPOSED}",
    )
    flawed = _asked(
        opened,
        f"SELECT {quoted(ITEM)} AS item, {quoted(WHEN)} AS date, status, message FROM decisions WHERE status <> 'ok' "
        f"ORDER BY status, item, date LIMIT {FLAWED}",
    )
    explained = _explained(opened, state, exposed)
    return Digest(_totals(opened), counts, _orders(opened), exposed, flawed, _shares(opened), explained)


def _asked(opened: Opened, sql: str) -> list[Row]:
    found: list[Row] = opened.connection.sql(sql).to_arrow_table().to_pylist()
    return found


def _orders(opened: Opened) -> list[Row]:
    """Orders by what they can cost, the largest first; those that nothing is guaranteed of come last."""
    level = quoted(LEVEL) if opened.job.terms.supply.on_top else "NULL"
    return _asked(
        opened,
        f"SELECT {quoted(ITEM)} AS item, {quoted(WHEN)} AS date, {ORDER}, {level} AS order_up_to, guarantee, "
        f"percent_of_no_data AS share, reason, message FROM decisions WHERE {ORDER} IS NOT NULL "
        f"ORDER BY guarantee DESC NULLS LAST, item, date, {quoted(ROW)} LIMIT {LISTED}",
    )


def _totals(opened: Opened) -> dict[str, float]:
    (found,) = _asked(
        opened,
        f"SELECT count(*) AS targets, count({ORDER}) AS orders, count(DISTINCT {quoted(ITEM)}) "
        f"FILTER ({ORDER} IS NOT NULL) AS items, "
        f"coalesce(sum({ORDER}), 0) AS units, coalesce(sum(guarantee), 0) AS exposure, "
        f"coalesce({WITHOUT_DATA}, 0) AS without_data FROM decisions",
    )
    return {name: float(value) for name, value in found.items()}


def _shares(opened: Opened) -> dict[float, int]:
    rows = _asked(
        opened,
        f"SELECT {BIN} * floor(least(percent_of_no_data, 100) / {BIN}) AS lowest, count(*) AS targets FROM decisions "
        "WHERE percent_of_no_data IS NOT NULL GROUP BY 1 ORDER BY 1",
    )
    return {float(row["lowest"]): int(row["targets"]) for row in rows}


def _explained(opened: Opened, state: State, exposed: list[Row]) -> Explained | None:
    """The target with the largest guarantee among those of the most exposed items that were decided from data."""
    if not exposed or not isinstance(opened.job.decider, OwnRows | Pooled | ByLength):
        return None
    names = ", ".join(literal(row["item"]) for row in exposed)
    first = _asked(
        opened,
        f"SELECT {quoted(ITEM)} AS item, {quoted(WHEN)} AS moment, {quoted(ROW)} AS place, {ORDER}, reason, basis "
        f"FROM decisions WHERE {quoted(ITEM)} IN ({names}) AND guarantee IS NOT NULL AND policy <> 'no-data' "
        "ORDER BY guarantee DESC, item, moment, place LIMIT 1",
    )
    return _weighed(first[0], opened, state) if first else None


def _weighed(target: Row, opened: Opened, state: State) -> Explained | None:
    rows = opened.connection.sql(
        f"SELECT * EXCLUDE (part) FROM {all_rows(state)} WHERE {quoted(ITEM)} = {literal(target['item'])} "
        f"ORDER BY {', '.join(map(quoted, (TARGET, WHEN, ROW)))}"
    ).to_arrow_table()
    past, _ = sound(rows.filter(pc.invert(rows[TARGET])))
    targets = with_position(past, rows.filter(rows[TARGET]), opened.job.terms.supply)
    places = list(zip(targets[WHEN].to_pylist(), targets[ROW].to_pylist(), strict=True))
    place = places.index((target["moment"], target["place"]))
    ((terms, _),) = by_terms(past, targets.slice(place, 1), opened.job.terms)
    if isinstance(terms, str):
        return None
    return _drawn(target, weighed(opened.job, past, targets.slice(place, 1), terms))


def _drawn(target: Row, found: Weighed) -> Explained:
    """As many points as fit on a page."""
    shares, own = found.shares, np.array([item == readable(target["item"]) for item in found.items], bool)
    latest = np.arange(shares.size) >= shares.size - POINTS
    kept = np.flatnonzero((shares > 0) | latest)[-2 * POINTS :]
    return Explained(
        item=readable(target["item"]),
        when=target["moment"],
        order=target["order"],
        reason=target["reason"],
        basis=target["basis"],
        dates=[found.dates[at] for at in kept],
        lenders=["" if own[at] else found.items[at] for at in kept],
        demands=found.demands[kept],
        brought=found.brought[kept],
        shares=100 * shares[kept],
    )
