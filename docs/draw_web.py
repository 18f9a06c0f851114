"""Draw the pictures of the web app: a server on this machine, Chromium, and a planner's steps (``make pictures``)."""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parent
OUT = DOCS / "_static" / "web"
SALES = DOCS / "_static" / "data" / "sales.csv"
LONG = 600_000  # milliseconds that work may take
WIDTH, HEIGHT = 1120, {"decide": 1500, "explore": 1080, "backtest": 1080}  # pixels


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-c", "from provend.cli import main; main()", "serve", "--no-browser", "--port", port]
    with subprocess.Popen(command) as running:
        try:
            for _ in range(600):
                try:
                    urlopen(f"http://127.0.0.1:{port}/decide").close()
                    break
                except OSError:
                    sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()


def send_sales(page: Page, address: str) -> None:
    """The tutorial's file and its costs, on a page that takes both."""
    page.goto(address)
    page.locator("#file").set_input_files(SALES)
    page.get_by_role("radio", name="dish").check()
    page.get_by_role("button", name="Read it this way").click()
    page.locator("#cu").fill("9")
    page.locator("#co").fill("1")
    page.locator("#go").click()


def decide(page: Page, server: str) -> None:
    """An order of the tutorial's file, opened, with another quantity typed."""
    send_sales(page, f"{server}/decide")
    whole = page.get_by_role("button", name="Order whole units")
    whole.click(timeout=LONG)
    whole.wait_for(state="detached")
    page.locator("button.open").first.click(timeout=LONG)
    page.wait_for_selector(".shares[data-drawn]", timeout=LONG)
    page.locator("#quantity").fill("60")
    page.wait_for_selector(".two-tiles .tile", timeout=LONG)
    page.locator("#step-orders").evaluate("one => scrollTo(0, one.getBoundingClientRect().top + scrollY - 70)")


def explore(page: Page, server: str) -> None:
    """Costs and a drift."""
    page.goto(f"{server}/explore?cu=9&co=1&support=0,100&kind=drift&value=0.002&n=100&policies=erm,knn:27")
    page.wait_for_selector("#answers[aria-busy=false]", timeout=LONG)
    page.wait_for_selector(".figure[data-drawn]")


def backtest(page: Page, server: str) -> None:
    """The tutorial's file, with the usual rules."""
    send_sales(page, f"{server}/backtest")
    page.wait_for_selector("#results .figure[data-drawn]", timeout=LONG)
    page.locator("#step-costs-then").evaluate("one => scrollTo(0, one.getBoundingClientRect().top + scrollY - 70)")


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    with serving() as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for draw in (decide, explore, backtest):
            size = {"width": WIDTH, "height": HEIGHT[draw.__name__]}
            page = browser.new_page(viewport=size, color_scheme="light", reduced_motion="reduce")
            draw(page, server)
            page.wait_for_timeout(1500)  # figures are drawn
            found = Image.open(io.BytesIO(page.screenshot()))
            found.convert("RGB").quantize(128).save(OUT / f"{draw.__name__}.png", optimize=True)
        browser.close()
