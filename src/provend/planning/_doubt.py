"""A doubt about what is to be decided: said of all of it at once, and of each target in its own row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from provend.planning._rows import Layout
from provend.planning._schema import DOUBT, ITEM, NOTE, PROBLEM, WHEN, Status
from provend.planning._source import literal, quoted

AT_ITEM = f"ahead.{quoted(ITEM)}"
AT_WHEN = f"ahead.{quoted(WHEN)}"


@dataclass(frozen=True)
class Doubt:
    """What is doubtful about some targets.

    Attributes
    ----------
    said : str
        What is said of all of them.
    join : str
        What SQL joins to the targets, called ``ahead``, to tell which these are.
    note : str, optional
        SQL for what is said of one of them; NULL where there is no doubt.
    problem : str, optional
        The same where no order can be made.
    status : str, optional
        The status of those that have a note.
    """

    said: str
    join: str
    note: str | None = None
    problem: str | None = None
    status: Status | None = None


def noted(layout: Layout, doubts: Sequence[Doubt]) -> Layout:
    """The same rows, with these doubts; where a target could have several statuses, the first one counts."""
    if not doubts:
        return layout
    problems = [f"ahead.{quoted(PROBLEM)}", *(one.problem for one in doubts if one.problem)]
    notes = [one.note for one in doubts if one.note]
    statuses = [
        f"WHEN ({one.note}) IS NOT NULL THEN {literal(one.status)}" for one in doubts if one.note and one.status
    ]
    status = f"CASE {' '.join(statuses)} END" if statuses else "NULL::VARCHAR"
    note = f"nullif(concat_ws('; ', {', '.join(notes)}), '')" if notes else "NULL::VARCHAR"
    joins = " ".join(dict.fromkeys(one.join for one in doubts))
    ahead = (
        f"SELECT ahead.* REPLACE (coalesce({', '.join(problems)}) AS {quoted(PROBLEM)}), {note} AS {quoted(NOTE)}, "
        f"{status} AS {quoted(DOUBT)} FROM ({layout.ahead}) AS ahead {joins}"
    )
    nothing = f"NULL::VARCHAR AS {quoted(NOTE)}, NULL::VARCHAR AS {quoted(DOUBT)}"
    said = (*layout.doubts, *(one.said for one in doubts))
    return replace(layout, past=f"SELECT *, {nothing} FROM ({layout.past})", ahead=ahead, doubts=said)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with what it counts."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
