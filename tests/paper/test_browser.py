"""The report in a real browser: figures drawn, nothing asked of the network, nothing wider than a phone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from provend import paper

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: `make system` installs it")

SMALL: dict[str, dict[str, Any]] = {
    "figure1": {"n": 20},
    "figure2": {"n": 3},
    "table2": {"zetas": (0.05, 0.1)},
    "figure3b": {"n": 20},
    "effective_sample_sizes": {"zetas": (0.1, 0.2)},
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a browser sees of a report on a phone."""
    playwright = pytest.importorskip("playwright.sync_api")
    results = {name: paper.run(name, **options) for name, options in SMALL.items()}
    file: Path = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(paper.report(results), encoding="utf-8")
    offline = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=[*offline, "--no-first-run"])
        page = browser.new_page(viewport={"width": 390, "height": 844})
        requests: list[str] = []
        errors: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(file.as_uri())
        page.wait_for_function("document.querySelectorAll('.js-plotly-plot .main-svg').length >= 8", timeout=60_000)
        seen = {
            "drawn": page.eval_on_selector_all(".js-plotly-plot", "plots => plots.map(p => p.id)"),
            "empty": page.eval_on_selector_all(
                ".js-plotly-plot", "plots => plots.filter(p => !p.querySelector('.main-svg .trace')).map(p => p.id)"
            ),
            "width": page.evaluate("document.documentElement.scrollWidth"),
            "badges": page.locator(".badge.differs").count(),
            "unnamed": page.locator("[role=img]:not([aria-label])").count(),
            "text": page.locator("body").inner_text(),
        }
        browser.close()
    outside = [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]
    return seen | {"outside": outside, "errors": errors}


def test_all_figures_are_drawn(opened: dict[str, Any]) -> None:
    assert opened["drawn"] == [f"drawn-{name}" for name in ("figure1", "figure2", "figure3b", "effective_sample_sizes")]
    assert opened["empty"] == []


def test_nothing_leaves_the_machine_and_nothing_fails(opened: dict[str, Any]) -> None:
    assert opened["outside"] == []
    assert opened["errors"] == []


def test_it_fits_a_phone_and_can_be_read_aloud(opened: dict[str, Any]) -> None:
    assert opened["width"] == 390
    assert opened["unnamed"] == 0


def test_differences_are_shown_with_their_reason(opened: dict[str, Any]) -> None:
    assert opened["badges"] == 1  # zeta = 0.05
    assert "follows from no definition found" in opened["text"]
