"""Categories among the targets that the history does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from warnings import catch_warnings, simplefilter

import duckdb
import pyarrow as pa

from provend.planning._doubt import Doubt, counted
from provend.planning._rows import Layout
from provend.planning._schema import PROBLEM, UNSEEN
from provend.planning._source import quoted
from provend.tables import ColumnWarning, read_contexts

SHOWN = 5  # categories that a message has
TEXT = ("VARCHAR", "BOOLEAN", "ENUM")


@dataclass(frozen=True)
class Unseen:
    """Categories of one context that the history lacks, those it has, and how many targets have such a category."""

    name: str
    values: tuple[str | None, ...]
    seen: tuple[str, ...]
    targets: int

    def said(self, values: tuple[str | None, ...]) -> str:
        """That some of the categories were never seen, in words."""
        told = ", ".join("an empty cell" if one is None else repr(one) for one in values[:SHOWN])
        more = f" and {len(values) - SHOWN:,} more" if len(values) > SHOWN else ""
        seen = ", ".join(self.seen[:SHOWN]) + (", ..." if len(self.seen) > SHOWN else "")
        return (
            f"{self.name}: {told}{more} {'was' if len(values) == 1 else 'were'} never seen; seen: {seen or 'nothing'}"
        )


def unseen(
    connection: duckdb.DuckDBPyConnection, layout: Layout, types: Mapping[str, str], said: Mapping[str, str]
) -> Iterator[Doubt]:
    """Categories that no usable past row has, context by context."""
    for at, one in enumerate(_categories(connection, layout, types, said)):
        values = pa.array(one.values, pa.string())
        told = pa.array([one.said((value,)) for value in one.values], pa.string())
        connection.register(f"unseen {at}", pa.table({"value": values, "note": told}))
        yield Doubt(
            f"{one.said(one.values)} ({counted(one.targets, 'target')})",
            f'LEFT JOIN "unseen {at}" AS unseen{at} ON ahead.{quoted(one.name)}::VARCHAR '
            f"IS NOT DISTINCT FROM unseen{at}.value",
            f"unseen{at}.note",
            status=UNSEEN,
        )


def _categories(
    connection: duckdb.DuckDBPyConnection, layout: Layout, types: Mapping[str, str], said: Mapping[str, str]
) -> Iterator[Unseen]:
    for name in layout.contexts:
        if types[name].split("(")[0] not in TEXT and said.get(name) != "category":
            continue
        value = f"{quoted(name)}::VARCHAR AS value"
        sound = f"({layout.past}) WHERE {quoted(PROBLEM)} IS NULL"
        past = connection.sql(f"SELECT DISTINCT {value} FROM {sound} ORDER BY 1 NULLS LAST").to_arrow_table()
        if said.get(name, _looks(past)) != "category":
            continue
        counts = connection.execute(
            f"SELECT {value}, count(*) FROM ({layout.ahead}) GROUP BY 1 ORDER BY 1 NULLS LAST"
        ).fetchall()
        seen = past["value"].to_pylist()
        new = {one: int(count) for one, count in counts if one not in {*seen}}
        if new:
            yield Unseen(name, tuple(new), tuple(one for one in seen if one is not None), sum(new.values()))


def _looks(values: pa.Table) -> str:
    """What a column of such texts is taken for."""
    with catch_warnings():
        simplefilter("ignore", ColumnWarning)
        return read_contexts(values).kinds["value"] if values.num_rows else "category"
