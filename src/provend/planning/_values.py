"""Costs, packs and stock in columns: those that cannot be read, and costs that hardly have the same unit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import duckdb

from provend._validation import as_critical_ratio, as_exact
from provend.newsvendor import Newsvendor
from provend.planning._doubt import AT_ITEM, Doubt, counted
from provend.planning._rows import Layout
from provend.planning._schema import ITEM, PROBLEM, TERM, WHEN, Terms
from provend.planning._source import literal, quoted
from provend.planning._wish import Wish
from provend.tables import written_item

LEAST, MOST = Fraction(1, 100), Fraction(999, 1000)  # critical ratios that costs usually lead to


def unread(connection: duckdb.DuckDBPyConnection, wish: Wish, layout: Layout) -> Iterator[Doubt]:
    """Items whose latest value in a column is text that is no number: no older one stands in for it in silence."""
    for option, sql in layout.texts.items():
        table = f"{option} unread"
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(table)} AS {sql}")
        value = f"ahead.{quoted(TERM[option])}"
        ((count, name, text),) = connection.execute(
            f"SELECT count(DISTINCT item), min(item), min_by(text, item) FROM {quoted(table)} WHERE item IN "
            f"(SELECT {AT_ITEM} FROM ({layout.ahead}) AS ahead WHERE {value} IS NULL)"
        ).fetchall()
        if count:
            name = written_item(name)
            yield Doubt(
                f"{option}: the latest `{wish.terms[option]}` of {counted(count, 'item')} is no number, such as "
                f"{text!r} of {name}: no order without it",
                f"LEFT JOIN {quoted(table)} AS {quoted(table)} ON {AT_ITEM} = {quoted(table)}.item",
                problem=f"CASE WHEN {value} IS NULL THEN {literal(f'{option} = ')} || '''' || {quoted(table)}.text || "
                "''', the latest of the item''s past, is no number, such as 9.5; correct it, or give it in the "
                "targets' END",
            )


def extreme(connection: duckdb.DuckDBPyConnection, wish: Wish, terms: Terms, layout: Layout) -> Iterator[str]:
    """That costs have hardly the same unit: nobody wants to run out nearly always, or once in many years."""
    if {"cu", "co"} & wish.terms.keys():
        yield from _extreme_in_columns(connection, wish, terms, layout)
        return
    q = as_critical_ratio(Newsvendor(terms.cu, terms.co))
    if not LEAST <= q <= MOST:
        yield f"at these costs an order should be enough on {100 * float(q):.4g} % of days: check their units"


def _extreme_in_columns(
    connection: duckdb.DuckDBPyConnection, wish: Wish, terms: Terms, layout: Layout
) -> Iterator[str]:
    """The same where a column has costs, of the target or else of the item's latest row."""
    item, when = quoted(ITEM), quoted(WHEN)
    columns = {name: quoted(TERM[name]) for name in ("cu", "co") if name in wish.terms}
    fixed = {name: repr(float(as_exact(getattr(terms, name), name))) for name in {"cu", "co"} - columns.keys()}
    latest = ", ".join(
        f"max_by({column}, {when}) FILTER ({column} IS NOT NULL) AS {name}" for name, column in columns.items()
    )
    each = fixed | {name: f"coalesce(ahead.{column}, past.{name})" for name, column in columns.items()}
    costs = (
        f"SELECT {item} AS item, {when} AS moment, {each['cu']}::DOUBLE AS cu, {each['co']}::DOUBLE AS co "
        f"FROM ({layout.ahead}) AS ahead LEFT JOIN (SELECT {item} AS item, {latest} FROM ({layout.past}) "
        f"WHERE {quoted(PROBLEM)} IS NULL GROUP BY 1) AS past ON {AT_ITEM} = past.item"
    )
    ratios = f"SELECT item, moment, cu / (cu + co) AS q FROM ({costs}) WHERE least(cu, co) > 0 AND isfinite(cu + co)"
    odd = f"FILTER (q NOT BETWEEN {float(LEAST)} AND {float(MOST)})"
    ((count, every, name, q),) = connection.execute(
        f"SELECT count(*) {odd}, count(*), min(item) {odd}, min_by(q, (item, moment)) {odd} FROM ({ratios})"
    ).fetchall()
    if count:
        yield (
            f"at the costs of {count:,} of {counted(every, 'target')}, such as those of {written_item(name)}, an order "
            f"should be enough on {100 * q:.4g} % of days: check their units"
        )
