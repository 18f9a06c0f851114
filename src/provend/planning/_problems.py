"""Why a row cannot be used, in SQL: what is missing, and text that is no number."""

from __future__ import annotations

from collections.abc import Sequence

from provend.planning._dates import Moments
from provend.planning._source import literal, quoted
from provend.planning._wish import Wish

TEXT = "VARCHAR"  # the type of a column that may hold anything


def problem(item: str, moment: Moments, further: Sequence[tuple[str, str]]) -> str:
    """Why a row cannot be used, in words; NULL if it can."""
    cases = [
        (f"({item}) IS NULL", "'a row names no item'"),
        (f"{moment.given} IS NULL", "'a row has no date that can be read'"),
        (f"{moment.sql} IS NULL", f"'''' || {moment.given} || ''' is no date'"),
        *further,
    ]
    return f"CASE {' '.join(f'WHEN {test} THEN {text}' for test, text in cases)} ELSE NULL::VARCHAR END"


def no_demand(demand: str, number: str, moment: Moments) -> list[tuple[str, str]]:
    """What may be wrong with a past demand."""
    day = f" || ' on ' || replace({moment.sql}::VARCHAR, ' 00:00:00', '')"
    return [
        (f"{demand} IS NULL OR {demand}::VARCHAR = ''", f"'no demand'{day}"),
        (f"{number} IS NULL", f"'demand ''' || {demand}::VARCHAR || ''''{day} || ' is no number'"),
        (f"NOT isfinite({number})", f"'no finite demand'{day}"),
        (f"{number} < 0", f"'demand ' || {demand}::VARCHAR{day} || ' is below 0'"),
    ]


def no_numbers(wish: Wish, columns: dict[str, str]) -> list[tuple[str, str]]:
    """What may be wrong with a target's own costs and the like, where its table has them as text."""
    return [
        (
            _no_number(name),
            f"{literal(f'{option} = ')} || '''' || {quoted(name)} || ''' is no number, such as 9.5; correct it'",
        )
        for option, name in wish.terms.items()
        if columns.get(name) == TEXT
    ]


def _no_number(name: str) -> str:
    """Whether a text is there, and no number."""
    return f"trim({quoted(name)}) <> '' AND try_cast({quoted(name)} AS DOUBLE) IS NULL"


def unread_texts(table: str, wish: Wish, item: str, moment: Moments, columns: dict[str, str]) -> dict[str, str]:
    """For costs and the like, the items whose latest value in the past is a text that is no number, and that text."""
    demand = quoted(wish.names.demand)
    unusable = problem(item, moment, no_demand(demand, f"try_cast({demand} AS DOUBLE)", moment))
    return {
        option: f"SELECT {item} AS item, max_by({quoted(name)}, {moment.sql}) AS text FROM {table} {moment.join} "
        f"WHERE trim({quoted(name)}) <> '' AND ({unusable}) IS NULL GROUP BY 1 HAVING try_cast(text AS DOUBLE) IS NULL"
        for option, name in wish.terms.items()
        if columns.get(name) == TEXT
    }
