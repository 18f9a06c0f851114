"""``provend estimate``: what a table of past demand says about dissimilarities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provend.cli import _arguments as given
from provend.cli._columns import Said, as_kinds, doubts_on_stderr, taken_for
from provend.cli._one_item import one_item
from provend.cli._reading import Reading, on_file, say_understood
from provend.cli._render import print_json, print_table, say

if TYPE_CHECKING:
    from provend.dissimilarity import Dissimilarity, DissimilarityCheck, ScaleEstimate
    from provend.tables import Contexts


@on_file
def estimate(
    reading: Reading,
    file: Annotated[Path, typer.Argument(help="A .csv, .parquet or .xlsx file: demand and contexts.")],
    context: Annotated[
        list[str] | None, typer.Option(help="A context column, dates included; repeat it. All columns if left out.")
    ] = None,
    item: Annotated[str | None, typer.Option(help="The item, where the table has several.")] = None,
    column: Said = None,
    confidence: Annotated[float, typer.Option(help="Probability with which each limit is to hold, about.")] = 0.95,
    as_json: given.Json = False,
) -> None:
    """What past demand suggests as dissimilarity per category, standard deviation and day, with approximate limits."""
    from provend.dissimilarity import check_dissimilarity, estimate_scales
    from provend.tables import read_contexts

    X, y, report = one_item(reading, file, context, item)
    with doubts_on_stderr():
        past = read_contexts(X, kinds=as_kinds(column))
    names, model = _every_part(past)
    found = estimate_scales(model, past, y, confidence=confidence)
    checks = {
        "estimate": check_dissimilarity(found.model, past, y, confidence=confidence),
        "cautious": check_dissimilarity(found.cautious, past, y, confidence=confidence),
    }
    say_understood(report, beside=as_json)
    if as_json:
        limits = zip(names, found.multipliers, found.lower, found.upper, strict=True)
        scales = [{"part": name, "estimate": m, "lower": low, "upper": up} for name, m, low, up in limits]
        results = {name: {"contradicted": one.contradicted, "worst": _worst(one)} for name, one in checks.items()}
        facts = {"columns": past.kinds, "scales": scales, "confidence": found.confidence, "pairs": found.pairs}
        print_json({**facts, "checks": results})
        return
    _print(names, found, past)
    for name, one in checks.items():
        say(f"{name} scales, {one}")


def _print(names: list[str], found: ScaleEstimate, past: Contexts) -> None:
    values = found.multipliers, found.lower, found.upper
    rows = zip(names, *([_capped(value) for value in v] for v in values), strict=True)
    print_table(("dissimilarity", "estimate", "at least", "at most (cautious)"), list(rows))
    say(taken_for(past.kinds))
    if max(map(max, values)) > 1:
        say("> 1: a dissimilarity is at most 1, so even a smaller difference makes two contexts entirely unlike")
    say(
        f"from {found.pairs} pairs of groups of past demands; each limit approximate, at {found.confidence:g}: what "
        "the data suggest, not bounds"
    )


def _capped(value: float) -> str:
    return "> 1" if value > 1 else f"{value:.4g}"


def _every_part(past: Contexts) -> tuple[list[str], Dissimilarity]:
    """One part per column, at scale 1, with the names of the parts."""
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


def _worst(one: DissimilarityCheck) -> dict[str, object] | None:
    w = one.worst
    if w is None:
        return None
    names = "column", "first", "second", "observed", "assumed", "at_least"
    return {name: getattr(w, name) for name in names}
