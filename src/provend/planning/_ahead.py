"""Future rows of a history: exports often contain tomorrow's rows, with an empty demand."""

from __future__ import annotations

import duckdb
import numpy as np

from provend._errors import InputError
from provend.planning._calendar import Dates
from provend.planning._dates import Moments
from provend.planning._source import quoted
from provend.planning._wish import Wish

PAST = "past"  # the rows of a history that are not in the future
LAST = "last sale"


def dates_of(
    connection: duckdb.DuckDBPyConnection, demand: str, moment: Moments, *, is_number: bool
) -> tuple[Dates, Dates]:
    """The dates of the history up to the last one on which any item has a demand, and those after it."""
    table = connection.sql(
        f"SELECT {moment.sql} AS seen, bool_or(NOT {_empty(demand, is_number)}) AS sold FROM history {moment.join} "
        f"WHERE {moment.sql} IS NOT NULL GROUP BY 1 ORDER BY 1"
    ).to_arrow_table()
    dates: Dates = table["seen"].to_numpy()
    sold = np.flatnonzero(table["sold"].to_numpy())
    if not sold.size:  # there is nothing to learn from, which is reported elsewhere
        return dates, dates[:0]
    connection.register(LAST, table.slice(sold[-1], 1).select(["seen"]))
    return dates[: sold[-1] + 1], dates[sold[-1] + 1 :]


def split_off(
    connection: duckdb.DuckDBPyConnection, wish: Wish, moment: Moments, history: dict[str, str]
) -> dict[str, str]:
    """Make future rows the view ``targets``, the others :data:`PAST`; returns the columns filled in by the former."""
    later = f"coalesce({moment.sql} > (SELECT seen FROM {quoted(LAST)}), false)"
    connection.execute(f"CREATE VIEW {PAST} AS SELECT history.* FROM history {moment.join} WHERE NOT {later}")
    connection.execute(f"CREATE VIEW targets AS SELECT history.* FROM history {moment.join} WHERE {later}")
    counts = ", ".join(f"count({quoted(name)})" for name in history)
    (filled,) = connection.execute(f"SELECT {counts} FROM targets").fetchall()
    keys = {*wish.names.ids, wish.names.date}
    return {name: kind for (name, kind), n in zip(history.items(), filled, strict=True) if n or name in keys}


def told(still: Dates, horizon: int) -> str:
    """Which dates these are, in words."""
    dates = f"{still.size} {'date' if still.size == 1 else 'dates'}"
    first = str(still[0]).removesuffix("T00:00:00.000000")
    if horizon > 1:
        raise InputError(
            f"horizon = {horizon}: the history has rows without a demand for {dates} from {first} on, and these are "
            "decided; leave the horizon out, or take the rows out"
        )
    return f"{dates} from {first} on, for which the history has rows without a demand"


def _empty(demand: str, is_number: bool) -> str:
    given = quoted(demand)
    if is_number:  # text takes several times as long
        return f"({given} IS NULL OR isnan({given}::DOUBLE))"
    return f"({given} IS NULL OR trim({given}::VARCHAR) IN ('', 'NaN', 'nan'))"
