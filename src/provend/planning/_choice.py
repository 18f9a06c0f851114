"""Who decides: one model per item, or one for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Real

import duckdb
import numpy as np
import pyarrow as pa

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_exact
from provend.estimators import check_names
from provend.planning._by_length import LONG, ByLength
from provend.planning._by_period import ByPeriod
from provend.planning._cut_off import LEVELS, CutOff
from provend.planning._decide import named
from provend.planning._own_rows import OwnRows
from provend.planning._pooled import Pooled
from provend.planning._rows import Layout
from provend.planning._schema import ITEM, PROBLEM, ROW, TARGET, TERM, WHEN, Job, Terms
from provend.planning._sound import sound
from provend.planning._source import quoted
from provend.planning._supply import Supply
from provend.tables import KINDS

MODELS = ("auto", "own", "pooled")
MANY = 30  # items from which they are pooled
MOST_OWN = 1000  # long items up to which these are decided on their own rows, which takes a tenth of a second each
SHORT = 12  # items with fewer rows have to borrow
LENDERS = 10  # with fewer items that are not short, there is nobody to borrow from
SAMPLE_ITEMS, SAMPLE_ROWS = 500, 50_000  # to learn from: whole items, until either number is reached
COUNTED = "items counted"
USUAL = OwnRows()
OWN = "own: each item on its own rows"


@dataclass(frozen=True)
class Choice:
    """Which model is to decide, how single items are decided, and whether items may be new.

    Unless they may, targets are refused that have none of the history's items, or mostly names that look like theirs.
    """

    model: str = "auto"
    own: OwnRows = USUAL
    new_items: bool = False

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError(f"model = {self.model!r} is unknown; choose {', '.join(MODELS)}")
        _refuse_others(self.own.policy, self.own.dissimilarity)
        check_names(self.own.policy, self.own.dissimilarity)
        if not isinstance(self.own.dissimilarity, str) and not 0 <= self.own.dissimilarity <= 1:
            raise InputError(
                f"dissimilarity = {self.own.dissimilarity:g} is no Kolmogorov distance; give a number from 0 to 1"
            )
        for name, kind in (self.own.columns or {}).items():
            if kind not in KINDS:
                raise InputError(f"columns: {name!r} cannot be a {kind!r}; choose one of {', '.join(KINDS)}")
        if self.model == "pooled" and self._particular:
            raise InputError("model = 'pooled' has its own policy and dissimilarity; leave these out, or choose 'own'")

    @property
    def _particular(self) -> bool:
        """Whether the user asked for something that the pooled model does not offer."""
        return (self.own.policy, self.own.dissimilarity) != (USUAL.policy, USUAL.dissimilarity)


def _refuse_others(policy: object, dissimilarity: object) -> None:
    """Refuse what an estimator may take and a plan cannot write down."""
    if not isinstance(policy, str):
        raise InputError(f"policy = {policy!r} is no name; give one, such as 'erm' or 'knn:27'")
    if isinstance(dissimilarity, bool | Fraction) or not isinstance(dissimilarity, str | Real):
        raise InputError(f"dissimilarity = {dissimilarity!r} is neither a name nor a float; give 'auto', or 0.05")


@dataclass(frozen=True)
class Chosen:
    """Who decides, and why, in words."""

    decider: OwnRows | Pooled | ByLength | ByPeriod | CutOff
    words: str

    def facts(self) -> dict[str, str]:
        """Facts for the manifest: parts decided by models that learned different things would not fit together."""
        pooled = self.decider.pooled if isinstance(self.decider, ByLength) else self.decider
        learned = {"learned": pooled.fingerprint} if isinstance(pooled, Pooled) else {}
        return {"decided": self.words, **learned}


def _refuse_unused(choice: Choice, layout: Layout) -> None:
    """Refuse to be told what a column is that does not count."""
    for name in choice.own.columns or {}:
        if name in layout.left_out:
            raise InputError(f"columns: {name!r} is not known for the days to come; give it in a table of targets")
        if name not in (layout.date, *layout.contexts):
            known = ", ".join((layout.date, *layout.contexts))
            raise InputError(f"columns: {name!r} is not a column that counts; there are {known}")


def choose(connection: duckdb.DuckDBPyConnection, choice: Choice, layout: Layout, terms: Terms) -> Chosen:
    """Count the rows of items where the choice depends on it; learn from some items where they are pooled."""
    _refuse_unused(choice, layout)
    if terms.supply.in_periods or terms.supply.cut_off:
        return _particular(choice, terms.supply)
    if choice.model == "own" or choice._particular:
        return Chosen(choice.own, OWN)
    _count(connection, layout)
    numbers = ", ".join(f"count(*) FILTER (n {which})" for which in (f"< {SHORT}", f">= {SHORT}", f">= {LONG}"))
    counted = connection.execute(f"SELECT count(*), {numbers} FROM {quoted(COUNTED)}").fetchall()
    ((items, short, lenders, long),) = counted
    all_own = items == long <= MOST_OWN and not layout.contexts  # of which an item may not have seen what others have
    some_pooled = lenders >= LENDERS and (items >= MANY or short > 0) and not all_own
    if choice.model == "auto" and not some_pooled:
        return Chosen(choice.own, OWN)
    decider = _learned(connection, choice, layout, terms)
    several = f"{decider.model.pool_.lenders.names.size:,}"
    pooled = f"pooled: one model for all items, learned from {several} of them"
    if choice.model == "pooled" or not long:
        return Chosen(decider, pooled)
    if long > MOST_OWN:
        slow = f"{long:,} have {LONG} rows or more: the model own would take longer, and its orders cost less"
        return Chosen(decider, f"{pooled}; {slow}")
    apart = f"items with {LONG} rows or more ({long:,} of {items:,}) on their own rows"
    seen = ", if these have seen what a target has" if layout.contexts else ""
    others = f"one model for the others, learned from {several} items"
    return Chosen(ByLength(choice.own, decider), f"own and pooled: {apart}{seen}, {others}")


def _particular(choice: Choice, supply: Supply) -> Chosen:
    """Lead times and stock-outs are decided on each item's own rows."""
    what = "stock_seen" if supply.cut_off else "lead_time and review"
    if choice.model == "pooled":
        raise InputError(f"model = 'pooled' does not know {what}; choose 'own', or leave them out")
    own = choice.own
    if not supply.cut_off:
        return Chosen(ByPeriod(own), "own: each item on its own rows, in windows of lead time and review")
    if own.policy != USUAL.policy or (isinstance(own.dissimilarity, str) and own.dissimilarity not in LEVELS):
        raise InputError(
            f"stock_seen with policy = {own.policy!r}, dissimilarity = {own.dissimilarity!r}: sales that were cut off "
            "are decided by 'minimax', with 'auto', 'split' or a number as the dissimilarity"
        )
    decider = CutOff(own.dissimilarity, own.columns)
    return Chosen(decider, "own: each item on its own rows, between the stock levels of the past")


def _count(connection: duckdb.DuckDBPyConnection, layout: Layout) -> None:
    """Make a table of all items with the number of their past rows that have no problem."""
    item, usable = quoted(ITEM), f"NOT {quoted(TARGET)} AND {quoted(PROBLEM)} IS NULL"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(COUNTED)} AS SELECT {item} AS item, count(*) FILTER ({usable}) AS n "
        f"FROM ({layout.sql}) WHERE {item} IS NOT NULL GROUP BY {item}"
    )


def _learned(connection: duckdb.DuckDBPyConnection, choice: Choice, layout: Layout, terms: Terms) -> Pooled:
    """Learned from whole items, drawn by a hash of their names: the same ones every time."""
    by_hash = "OVER (ORDER BY md5(item), item ROWS UNBOUNDED PRECEDING)"
    drawn = (
        f"SELECT item FROM (SELECT item, sum(n) {by_hash} - n AS before, row_number() {by_hash} AS place "
        f"FROM {quoted(COUNTED)} WHERE n > 0) WHERE place <= {SAMPLE_ITEMS} AND before < {SAMPLE_ROWS}"
    )
    order = ", ".join(map(quoted, (ITEM, WHEN, ROW)))
    rows = connection.sql(
        f"SELECT * FROM ({layout.sql}) WHERE NOT {quoted(TARGET)} AND {quoted(ITEM)} IN ({drawn}) ORDER BY {order}"
    ).to_arrow_table()
    past, _ = sound(rows)
    if not past.num_rows:
        raise InputError("model = 'pooled' has no sound past demand to learn from; correct the history")
    columns = None if choice.own.columns is None else dict(choice.own.columns)
    history, _ = named(past, past.slice(0, 0), Job(choice.own, terms, layout.date, layout.contexts))
    return Pooled.learned(history, (_cost(past, "cu", terms.cu), _cost(past, "co", terms.co)), columns)


def _cost(past: pa.Table, name: str, given: Number | None) -> float:
    """The cost to learn with: the common one, or the median of the column; each target is decided by its own cost."""
    if given is not None:
        return float(as_exact(given, name))
    known = past[TERM[name]].drop_null().to_numpy()
    return float(np.median(known)) if known.size and np.median(known) > 0 else 1.0
