"""``provend estimate``: what a table of past demand says about dissimilarities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from provend._errors import InputError
from provend.cli import _arguments as given
from provend.cli._render import print_json, print_table, say

if TYPE_CHECKING:
    from provend.dissimilarity import Dissimilarity, DissimilarityCheck
    from provend.tables import Contexts


MOST_ROWS = 20_000  # all pairs of them are 3 GB for every column


def estimate(
    file: Annotated[Path, typer.Argument(help="A .csv or .parquet file with a column of demand and contexts.")],
    context: Annotated[
        list[str] | None, typer.Option(help="A context column, dates included; repeat it. All columns if left out.")
    ] = None,
    demand: Annotated[str, typer.Option(help="The column of demand.")] = "y",
    item: Annotated[str | None, typer.Option(help="The item, where the table has a column unique_id.")] = None,
    confidence: Annotated[float, typer.Option(help="Probability with which each limit is to hold, about.")] = 0.95,
    as_json: given.Json = False,
) -> None:
    """What past demand suggests as dissimilarity per category, standard deviation and day, with approximate limits."""
    from provend.dissimilarity import check_dissimilarity, estimate_scales
    from provend.tables import read_contexts

    X, y = _history(file, context, demand, item)
    past = read_contexts(X)
    names, model = _every_part(past)
    found = estimate_scales(model, past, y, confidence=confidence)
    checks = {
        "estimate": check_dissimilarity(found.model, past, y, confidence=confidence),
        "cautious": check_dissimilarity(found.cautious, past, y, confidence=confidence),
    }
    if as_json:
        limits = zip(names, found.multipliers, found.lower, found.upper, strict=True)
        scales = [{"part": name, "estimate": m, "lower": low, "upper": up} for name, m, low, up in limits]
        results = {name: {"contradicted": one.contradicted, "worst": _worst(one)} for name, one in checks.items()}
        print_json({"scales": scales, "confidence": found.confidence, "pairs": found.pairs, "checks": results})
        return
    rows = zip(
        names, *([f"{value:.4g}" for value in v] for v in (found.multipliers, found.lower, found.upper)), strict=True
    )
    print_table(("dissimilarity", "estimate", "at least", "at most (cautious)"), list(rows))
    say(
        f"from {found.pairs} pairs of groups of past demands; each limit approximate, at {confidence:g}: what the data "
        "suggest, not bounds"
    )
    for name, one in checks.items():
        say(f"{name} scales, {one}")


def _history(file: Path, contexts: list[str] | None, demand: str, item: str | None) -> tuple[Any, Any]:
    """Contexts and demands of one item."""
    import narwhals.stable.v2 as nw

    from provend.tables import read_demand, read_file

    table = nw.from_native(read_file(file), eager_only=True)
    for name in (demand, *(contexts or ())):
        if name not in table.columns:
            raise InputError(f"{file}: there is no column {name!r}; the columns are {', '.join(table.columns)}")
    if item is not None and "unique_id" not in table.columns:
        raise InputError(f"--item {item!r} needs a column unique_id, which {file} lacks; leave it out")
    if "unique_id" in table.columns:
        if table["unique_id"].dtype.is_nested():
            raise InputError(f"{file}: unique_id is of type {table['unique_id'].dtype}; give names or numbers")
        items = sorted(str(one) for one in table["unique_id"].unique().to_list())
        if item is None and len(items) > 1:
            raise InputError(f"{file}: {len(items)} items, such as {items[0]!r}; choose one with --item")
        chosen = items[0] if item is None else item
        if chosen not in items:
            raise InputError(f"--item {chosen!r} is not in {file}; there are {', '.join(items[:5])} and others")
        table = table.filter(nw.col("unique_id").cast(nw.String) == chosen)
    names = contexts or [name for name in table.columns if name not in ("unique_id", demand)]
    if not names:
        raise InputError(f"{file}: no column of contexts besides {demand!r}; a dissimilarity needs at least one")
    for name in names:
        if table[name].is_null().all():
            raise InputError(f"{file}: there is nothing in column {name!r}; choose others with --context")
    if len(table) > MOST_ROWS:
        raise InputError(f"{file}: {len(table)} rows, whose pairs would not fit into memory; give the last {MOST_ROWS}")
    return table.select(names).to_native(), read_demand(table[demand])


def _every_part(past: Contexts) -> tuple[list[str], Dissimilarity]:
    """One part per column, at scale 1, and what it is called."""
    from provend.dissimilarity import Distance, Drift, Mismatch, Sum

    names: list[str] = []
    parts: list[Dissimilarity] = []
    for column in past.columns:
        if column.kind == "category":
            names.append(f"another {column.name}")
            parts.append(Mismatch(column.name, 1.0))
        elif column.kind == "time":
            names.append(f"per {'day' if column.calendar else 'unit'} of {column.name}")
            parts.append(Drift(1.0, column.name))
        else:
            names.append(f"per standard deviation of {column.name}")
            parts.append(Distance(1.0, (column.name,)))
    return names, Sum(tuple(parts))


def _worst(one: DissimilarityCheck) -> dict[str, Any] | None:
    w = one.worst
    if w is None:
        return None
    names = "column", "first", "second", "observed", "assumed", "at_least"
    return {name: getattr(w, name) for name in names}
