"""One server for all tests, a browser for each file of them; every page is watched while it is open."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from urllib.request import urlopen

import pytest

from two_items import CSV, send

sync_api = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).parents[3]
AXE = ROOT / ".npm" / "node_modules" / "axe-core" / "axe.min.js"
ARTEFACTS = ROOT / "artefacts"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # no name leads anywhere
SERVE = "from provend.cli import main; main()"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-c", SERVE, "serve", "--port", port, "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        try:
            _wait(f"http://127.0.0.1:{port}/decide", running)
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.communicate(timeout=30)


def _wait(address: str, running: subprocess.Popen[bytes]) -> None:
    end = monotonic() + 120
    while monotonic() < end and running.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            sleep(0.1)
    raise RuntimeError(f"the server at {address} did not come up")


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    """For one file of tests: while it is open no other test of the process can have an event loop."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: make system")
    with sync_api.sync_playwright() as p:
        opened = p.chromium.launch(executable_path=chromium, args=["--no-sandbox", ALONE, *QUIET])
        yield opened
        opened.close()


class Watched:
    """A page of the server; what it should not do is noted, and asserted to be nothing when the test is over."""

    def __init__(self, page: sync_api.Page, server: str) -> None:
        self.page, self.server = page, server
        self.complaints: list[str] = []
        self.forgiven: list[str] = []
        page.on("console", lambda said: self._note(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._note(f"uncaught: {error}"))
        page.on("request", lambda request: self._check(request.url))
        page.set_default_timeout(120_000)

    def _note(self, text: str) -> None:
        self.complaints.append(text)

    def _check(self, url: str) -> None:
        """Nothing but this server is asked for anything; ``data:`` and ``blob:`` stay in the page."""
        if not url.startswith((f"{self.server}/", "data:", "blob:")):
            self._note(f"asked elsewhere: {url}")

    def open(self, path: str) -> sync_api.Page:
        self.page.goto(f"{self.server}{path}")
        return self.page

    def forgive(self, pattern: str) -> None:
        """A complaint that belongs to the test, such as the browser's note on an answer that is an error."""
        self.forgiven.append(pattern)

    def judged(self) -> list[str]:
        return [text for text in self.complaints if not any(re.search(one, text) for one in self.forgiven)]

    def fits(self) -> bool:
        """Nothing sticks out to the right."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    def keep(self, name: str) -> None:
        """A state: pictures as artefacts, light, dark and as wide as a phone, where nothing may stick out; and axe."""
        ARTEFACTS.mkdir(exist_ok=True)
        for kind, scheme, size in (("light", "light", DESK), ("dark", "dark", DESK), ("phone", "light", PHONE)):
            self.page.emulate_media(color_scheme=scheme)
            self.page.set_viewport_size(size)
            self.page.evaluate("scrollTo(0, 0)")
            self.page.wait_for_timeout(150)  # figures are drawn again
            self.page.screenshot(path=ARTEFACTS / f"{name}-{kind}.png", full_page=True)
            assert self.fits(), f"{name} is wider than a screen, {kind}"
        self.page.set_viewport_size(DESK)
        self.page.emulate_media(color_scheme="light")
        if AXE.exists():
            assert self.violations() == [], name

    def unfold(self) -> None:
        """Open whatever can be opened."""
        self.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")

    def violations(self) -> list[str]:
        """What axe finds; of the dark colours, whether they can be told apart."""
        if not AXE.exists():
            pytest.skip("axe-core is not installed: make system")
        found = []
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        for scheme, rules in (("light", ""), ("dark", ", runOnly: ['color-contrast']")):
            self.page.emulate_media(color_scheme=scheme)
            result = self.page.evaluate(f"axe.run({{resultTypes: ['violations']{rules}}})")
            found += [
                f"{scheme}: {one['id']}: {node['target']} {node['failureSummary']}"
                for one in result["violations"]
                for node in one["nodes"]
            ]
        self.page.emulate_media(color_scheme="light")
        return found


@pytest.fixture(scope="module")
def context(browser: sync_api.Browser) -> sync_api.BrowserContext:
    """Shared, for what it keeps: the drawing library is large."""
    return browser.new_context(viewport=DESK, accept_downloads=True, color_scheme="light", reduced_motion="reduce")


@pytest.fixture
def watched(context: sync_api.BrowserContext, server: str) -> Iterator[Watched]:
    opened = Watched(context.new_page(), server)
    yield opened
    opened.page.close()
    assert opened.judged() == []


@pytest.fixture(scope="module")
def decided(context, server):
    """The address of two items' orders for two days, worked out once through the page."""
    page = context.new_page()
    page.goto(f"{server}/decide")
    send(page, CSV)
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    page.locator("#horizon").fill("2")
    page.locator("#go").click()
    page.wait_for_selector("table.orders", timeout=120_000)
    address = page.url.removeprefix(server)
    page.close()
    return address
