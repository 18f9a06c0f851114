"""Paper: the reproduction report, item by item, each saved as soon as it is computed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from provend._files import write_all
from provend.paper import ITEMS, SECTIONS, VERDICTS, Item, Layout, Result, Row, laid_out, options_of, run, shown
from provend.web._child import Progress
from provend.web._plain import plain

Answer = dict[str, Any]


def contents(progress: Progress) -> Answer:
    """The sections with their items, and what the verdicts mean."""
    sections = [
        {
            "title": section.title,
            "anchor": "section-" + "".join(c if c.isalnum() else "-" for c in section.title.lower()).strip("-"),
            "lead": section.lead,
            "items": [{"name": one.name, "title": one.title, "where": one.where} for one in section.items],
        }
        for section in SECTIONS
    ]
    return {"sections": sections, "verdicts": {verdict: meaning for verdict, (_, meaning) in VERDICTS.items()}}


def compute(kept: Path, folder: Path, progress: Progress) -> Answer:
    """Compute everything still missing, in the order of the paper, as files in a folder."""
    for place, one in enumerate(ITEMS.values()):
        if (kept / f"{one.name}.json").exists():
            continue
        options = {"track": _told(progress, one, place)} if "track" in options_of(one) else {}
        progress(place / len(ITEMS), f"{one.where}: {one.title}")
        found = as_json(one, run(one.name, **options))
        write_all(kept, {f"{one.name}.json": json.dumps(found, allow_nan=False)})
    return {"items": len(ITEMS)}


def as_json(one: Item, result: Result) -> Answer:
    """One item: rows with verdicts, the figure, and Tables 1 and 2 in the paper's own layout."""
    figure = None if result.figure is None else json.loads(result.figure.to_json())
    layout = laid_out(one.name, result)
    about = {"name": one.name, "title": one.title, "where": one.where, "text": result.text}
    answer: Answer = plain(
        {
            **about,
            "caption": (one.compute.__doc__ or one.title).splitlines()[0],
            "rows": [_row(row) for row in result.rows],
            "figure": figure,
            "layout": None if layout is None else _layout(layout),
        }
    )
    return answer


def _row(row: Row) -> Answer:
    """A row, with its number as people read it."""
    return asdict(row) | {"shown": shown(row.computed)}


def _layout(layout: Layout) -> Answer:
    lines = [{"labels": line.labels, "cells": [_row(cell) for cell in line.cells]} for line in layout.lines]
    return {"over": layout.over, "labels": layout.labels, "columns": layout.columns, "lines": lines}


def _told(progress: Progress, one: Item, place: int) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """Report how far an item has got while its steps are taken."""

    def track(things: Sequence[Any]) -> Iterable[Any]:
        for step, thing in enumerate(things):
            share = (place + step / max(len(things), 1)) / len(ITEMS)
            progress(share, f"{one.where}: step {step + 1} of {len(things)}")
            yield thing

    return track
