"""How results look: JSON for machines, tables and a chart for people. All text is shown as is, never as markup."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from math import inf, isfinite
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from provend.cli._numbers import BRACKET_DIGITS, at_most, bracket, percent
from provend.cli._text import plain

if TYPE_CHECKING:
    from provend.certificate import Guarantee
    from provend.curves import Progress as ProgressCallback

WIDTH, HEIGHT = 64, 8
BLOCKS = " ▁▂▃▄▅▆▇█"
NARROW = 60  # characters per line
PLAIN_BLOCKS = " .:-=+*##"  # if the output has no others


def print_json(result: Mapping[str, object]) -> None:
    """Print one object on stdout; numbers that are not finite become null, as JSON has no such numbers."""
    print(json.dumps(_finite(result), allow_nan=False, default=str))


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def say(text: str) -> None:
    """Print a line of text, wrapped between words if it is read in a terminal."""
    console = Console()
    console.print(Text(plain(text)), soft_wrap=not console.is_terminal)


def guarantee_json(guarantee: Guarantee) -> dict[str, object]:
    """A guarantee under the names of its attributes."""
    worst = guarantee.worst_case
    return {
        "lower": guarantee.lower,
        "upper": guarantee.upper,
        "estimate": guarantee.estimate,
        "gap": guarantee.gap,
        "percent_of_no_data": guarantee.percent_of_no_data,
        "evaluations": guarantee.evaluations,
        "note": guarantee.note,
        "q": str(guarantee.q),
        "unit": guarantee.unit,
        "worst_case": {"side": worst.side, "mean": worst.mean, "history": worst.history.tolist()},
    }


def guarantee_facts(guarantee: Guarantee) -> dict[str, str]:
    """What a guarantee says, with the share of the no-data regret first, and what makes it so bad."""
    worst = guarantee.worst_case
    past = sorted({f"{end:.3g}" for end in (worst.history.min(), worst.history.max())}, key=float)
    facts = {
        "share of the no-data regret": percent(guarantee.percent_of_no_data),
        f"worst-case regret{'' if guarantee.unit == 1 else ', in money'}": at_most(guarantee.upper),
        "certified to lie in": bracket(guarantee.lower, guarantee.upper),
        "worst case": f"demand at the top with probability {worst.mean:.3g}, in the past {' to '.join(past)}",
    }
    if guarantee.note:
        facts["note"] = f"{guarantee.note}; estimate {guarantee.estimate:.{BRACKET_DIGITS}g}, not certified"
    return facts


def print_facts(about: str, facts: Mapping[str, str]) -> None:
    """Print one answer as one table: what it is about, then a row for each fact."""
    print_table(("", about), list(facts.items()), right=())


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    highlight: int | None = None,
    title: str | None = None,
    right: Sequence[int] | None = None,
    styles: Sequence[str] = (),
) -> None:
    """A table, one row perhaps the answer; all columns are numbers, flush right, unless ``right`` says which are."""
    table = Table(
        *(Column(_cell(name), overflow="fold") for name in columns),
        show_header=any(columns),
        title=None if title is None else _cell(title),
    )
    for i, column in enumerate(table.columns):
        column.justify = "right" if right is None or i in right else "left"
    for i, row in enumerate(rows):
        style = styles[i] if styles else "bold green" if i == highlight else ""
        table.add_row(*map(_cell, row), style=style)
    Console().print(table)


def is_narrow() -> bool:
    """Whether a table of several columns would be cut off."""
    return Console().width < NARROW


def _cell(text: str) -> Text:
    return Text(plain(text))


def progress_bar(what: str, *, rate: bool = False) -> AbstractContextManager[ProgressCallback]:
    """A bar on stderr, whose code is loaded only now: most commands finish before a bar could be seen."""
    from provend.cli._progress import bar_on_stderr

    return bar_on_stderr(what, rate=rate)


def blocks() -> str:
    """Empty to full in nine steps, in characters that the output has."""
    try:
        BLOCKS.encode(Console().encoding)
    except (UnicodeEncodeError, LookupError):
        return PLAIN_BLOCKS
    return BLOCKS


def print_chart(title: str, x: Sequence[float], y: Sequence[float], *, form: str = ".3f", highest: float = inf) -> None:
    """y against x, drawn with block characters; what exceeds ``highest`` is cut off."""
    console, shades = Console(), blocks()
    x, y = _thinned(x, console.width - 10), _thinned(y, console.width - 10)
    top = min(max(y), highest) or 1.0
    eighths = [min(round(8 * HEIGHT * (value / top)), 8 * HEIGHT) for value in y]
    say("")
    console.print(Text(plain(title)), style="bold")
    for row in range(HEIGHT - 1, -1, -1):
        label = f"{top:9.4g}" if row == HEIGHT - 1 else " " * 9
        drawn = "".join(shades[min(max(level - 8 * row, 0), 8)] for level in eighths)
        console.print(Text(f"{label} {drawn}"), style="cyan", no_wrap=True, overflow="crop")
    left, right = f"{x[0]:{form}}", f"{x[-1]:{form}}"
    axis = " " * 10 + left + " " * max(len(eighths) - len(left) - len(right), 1) + right
    console.print(Text(axis), no_wrap=True, overflow="crop")


def _thinned(points: Sequence[float], most: int) -> Sequence[float]:
    """At most ``most`` of the points, evenly spaced, including the first and the last."""
    if len(points) <= most or most < 2:
        return points
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]
