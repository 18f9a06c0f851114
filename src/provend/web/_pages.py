"""The four pages: what is particular to each, in a common frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent / "pages"
SHARED = ("costs", "ends")  # parts that several pages have, under $ and their name


@dataclass(frozen=True)
class Page:
    """A page's title, what it is about in a sentence, and its style sheets besides those of all pages."""

    title: str
    about: str
    styles: tuple[str, ...]


PAGES = {
    "decide": Page(
        "Decide",
        "What to order of each item on the days to come, and how far from the best that can be.",
        ("files", "decide"),
    ),
    "explore": Page(
        "Explore", "How well can an order from past demand in other contexts be guaranteed to do?", ("explore",)
    ),
    "backtest": Page("Backtest", "What orders would have cost on your own past demand.", ("files", "backtest")),
    "paper": Page("Paper", "Every table, figure and claim of the paper, recomputed.", ("paper",)),
}

PLANNERS, RESEARCHERS = ("decide", "backtest"), ("explore", "paper")  # in the order of the tabs
APART = '\n<span class="apart" aria-hidden="true"></span>\n'


@cache
def html(name: str) -> str:
    """A page as a browser gets it; it contains nothing that was ever sent here."""
    page = PAGES[name]
    return Template(_text("frame")).substitute(
        name=name,
        title=page.title,
        about=page.about,
        styles="\n".join(
            f'<link rel="stylesheet" href="/static/{one}.css">' for one in ("base", "parts", *page.styles)
        ),
        links=APART.join("\n".join(_link(one, here=one == name) for one in some) for some in (PLANNERS, RESEARCHERS)),
        body=Template(_text(name)).substitute({part: _text(part) for part in SHARED}),
    )


def _link(name: str, *, here: bool) -> str:
    current = ' aria-current="page"' if here else ""
    return f'<a href="/{name}"{current}>{PAGES[name].title}</a>'


def _text(name: str) -> str:
    return (FOLDER / f"{name}.html").read_text(encoding="utf-8").strip()
