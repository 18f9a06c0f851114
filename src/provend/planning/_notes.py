"""What guarantees rest on, in files for spreadsheets: a word in each row, and every text once beside the plan."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from provend.estimators import FOR_ALL
from provend.planning._by_length import ByLength
from provend.planning._by_period import ByPeriod
from provend.planning._cut_off import CutOff
from provend.planning._own_rows import OwnRows
from provend.planning._pooled import Pooled
from provend.planning._request import Opened, as_asked
from provend.planning._schema import DECISION, Decider
from provend.planning._source import literal

LONG = 50  # characters from which a text is a note
WORDS = {"auto": "learned", "split": "learned on other rows"}


def notes_beside(out: Path) -> Path | None:
    """The file that holds the notes of a plan in a .csv file."""
    return out.with_name(f"{out.name}.basis.csv") if out.suffix.lower() == ".csv" else None


def with_notes(opened: Opened, decisions: str) -> tuple[duckdb.DuckDBPyRelation, pa.Table]:
    """Decisions under the user's names, with a short basis in the last column, and the notes it refers to."""
    connection, word = opened.connection, _words(opened.job.decider)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE notes AS SELECT basis, row_number() OVER (ORDER BY basis) AS note "
        f"FROM (SELECT DISTINCT basis FROM {decisions} WHERE length(basis) >= {LONG})"
    )
    connection.execute(
        f"CREATE OR REPLACE VIEW noted AS SELECT d.* REPLACE (coalesce({word} || note, d.basis) AS basis) "
        f"FROM {decisions} d LEFT JOIN notes ON d.basis = notes.basis"
    )
    last = [*(name for name in DECISION.names if name != "basis"), "basis"]
    told = f"SELECT {word} || notes.note AS basis, basis AS note FROM notes ORDER BY notes.note"
    return as_asked(opened, "noted", last), connection.sql(told).to_arrow_table()


def _words(decider: Decider) -> str:
    """The word for a basis, as SQL: where several decide, the basis says who did."""
    if not isinstance(decider, ByLength):
        return literal(_word(decider))
    pooled, own = (literal(_word(one)) for one in (decider.pooled, decider.own))
    return f"CASE WHEN starts_with(notes.basis, {literal(FOR_ALL)}) THEN {pooled} ELSE {own} END"


def _word(decider: Decider) -> str:
    """What dissimilarities rest on, in a word or two, before the number of the note that says it in full."""
    if isinstance(decider, ByPeriod):
        return _word(decider.own)
    if isinstance(decider, Pooled):
        return "pooled, learned: note "
    if isinstance(decider, OwnRows | CutOff):
        how = decider.dissimilarity
        return f"{WORDS.get(how, how) if isinstance(how, str) else 'stated'}: note "
    return "note "
