"""Figures in a real browser: drawn, and without asking the network for anything."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import provend as pv
from provend import plots

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: `make system` installs it")


@pytest.fixture(scope="module")
def draw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[object], tuple[str, list[str]]]]:
    """Open a figure as a page; its text, and every request that was not for the page itself."""
    playwright = pytest.importorskip("playwright.sync_api")
    offline = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=[*offline, "--no-first-run"])

        def open_page(figure: object) -> tuple[str, list[str]]:
            page_file: Path = tmp_path_factory.mktemp("figure") / "figure.html"
            figure.write_html(page_file, include_plotlyjs=True)  # type: ignore[attr-defined]
            page = browser.new_page()
            requests: list[str] = []
            page.on("request", lambda request: requests.append(request.url))
            page.goto(page_file.as_uri())
            page.wait_for_selector("svg.main-svg .trace, svg.main-svg .hm", state="attached", timeout=60_000)
            text = " ".join(page.locator("svg.main-svg").all_text_contents())
            page.close()
            return text, [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]

        yield open_page
        browser.close()


FIGURES = {
    "expected regret": lambda: plots.worst_case({"five nearest": pv.KNN(5)}, pv.drift(0.01, 10), q=0.9),
    "best at n = 16": lambda: plots.learning_curve({"ERM": pv.learning_curve(pv.ERM(), pv.constant(0.1, 30), q=0.9)}),
    "certified": lambda: plots.tuning(pv.tune(pv.KNN, pv.drift(0.01, 10), q=0.9)),
    "scale of the dissimilarities": lambda: plots.sensitivity(
        pv.sensitivity({"all": pv.ERM()}, pv.drift(0.01, 10), q=0.9, scales=(1, 2))
    ),
    "corrected": lambda: plots.concentration(pv.constant(0.1, 10), q=0.9),
}


@pytest.mark.parametrize("words", FIGURES)
def test_figure_is_drawn_offline(words: str, draw: Callable[[object], tuple[str, list[str]]]) -> None:
    text, requests = draw(FIGURES[words]())
    assert words in text
    assert requests == []
