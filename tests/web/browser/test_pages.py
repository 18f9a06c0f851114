"""What all pages share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import provend.web

STATIC = Path(provend.web.__file__).parent / "static"
PAGES = ("decide", "explore", "backtest", "paper")


def header(page: str) -> str:
    text = (STATIC / f"{page}.html").read_text(encoding="utf-8")
    return re.search(r"<header.*?</header>", text, re.DOTALL).group().replace(' aria-current="page"', "")


def test_the_bar_is_the_same_everywhere():
    assert {header(page) for page in PAGES} == {header("decide")}
    for page in PAGES:
        assert f'href="/{page}" aria-current="page"' in (STATIC / f"{page}.html").read_text(encoding="utf-8")


def test_nothing_is_asked_of_other_machines_and_no_script_or_style_stands_in_a_page():
    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), file.name
    for page in PAGES:
        text = (STATIC / f"{page}.html").read_text(encoding="utf-8")
        assert re.findall(r"<script(?![^>]*src=)|<style| style=| on\w+=", text) == []


def test_files_are_small():
    for file in STATIC.iterdir():
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 300, file.name


@pytest.mark.slow
def test_colours_follow_the_system_and_the_switch(watched):
    page = watched.open("/decide")
    theme = "document.documentElement.dataset.theme"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => {theme} === 'dark'")
    switch = page.locator("#theme")
    switch.click()
    assert page.evaluate(theme) == "light"
    page.reload()
    assert page.evaluate(theme) == "light"
    switch.click()
    switch.click()
    assert switch.inner_text() == "auto"
    assert page.evaluate(theme) == "dark"
