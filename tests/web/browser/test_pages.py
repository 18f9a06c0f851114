"""What all pages share."""

from __future__ import annotations

import re

import pytest

from provend.web._app import STATIC
from provend.web._pages import FOLDER, PAGES, html


def test_the_bar_is_the_same_everywhere_and_shows_where_one_is():
    texts = {page: html(page) for page in PAGES}
    bars = {re.search(r"<header.*?</header>", text, re.DOTALL).group() for text in texts.values()}
    assert len({bar.replace(' aria-current="page"', "") for bar in bars}) == 1
    for page, text in texts.items():
        assert re.findall(r'href="/(\w+)" aria-current="page"', text) == [page]
        assert text.count("<h1") == text.count("<main") == text.count("<footer") == 1
        assert "$" not in text


def test_nothing_is_asked_of_other_machines_and_no_script_or_style_stands_in_a_page():
    for file in [*STATIC.iterdir(), *FOLDER.iterdir()]:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), file.name
    for page in PAGES:
        assert re.findall(r"<script(?![^>]*src=)|<style| style=| on\w+=", html(page)) == []


def test_files_are_small():
    for file in [*STATIC.iterdir(), *FOLDER.iterdir()]:
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
