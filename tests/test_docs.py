"""What README and docs show is there: commands that are understood, pictures that are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands import understand

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.rst"))]
PAGES = [page for page in PAGES if not {"_build", "gallery"} & set(page.parts)]
COMMANDS = sorted(
    {found for page in PAGES for found in re.findall(r"^ *\$ (provend [a-z].*)$", page.read_text(), re.M)}
)
LARGEST = 60_000  # bytes of a picture


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_are_shown_are_understood(command: str) -> None:
    understand(command)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("plot_*.py")), ids=lambda file: file.stem)
def test_examples_have_a_small_thumbnail_and_are_short(example: Path) -> None:
    text = example.read_text()
    thumbnail = ROOT / "docs" / "_static" / "thumbnails" / f"{example.stem.removeprefix('plot_')}.png"
    assert thumbnail.is_file(), "draw it with `make pictures`"
    assert thumbnail.stat().st_size < LARGEST
    assert "assert " in text
    assert len(text.splitlines()) <= 80


def test_pictures_are_small_and_shown_somewhere() -> None:
    shown = "".join(page.read_text() for page in PAGES)
    for picture in (ROOT / "docs" / "_static" / "figures").glob("*.svg"):
        assert picture.stat().st_size < LARGEST, picture.name
        assert f"_static/figures/{picture.name}" in shown
        assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", picture.read_text())
    for named in re.findall(r"_static/figures/\w+\.svg", shown):
        assert (ROOT / "docs" / named).is_file(), named


def test_numbers_in_pictures_keep_their_digits() -> None:
    """Coordinates are shortened, labels are not."""
    text = (ROOT / "docs" / "_static" / "figures" / "wrong.svg").read_text()
    assert ">0.0005<" in text
    assert not re.search(r" d=\"[^\"]*\d\.\d{3}", text)


def test_every_guide_has_a_figure_and_is_on_the_page_of_guides() -> None:
    """The page of guides has a card with a picture for each guide of its contents."""
    text = (ROOT / "docs" / "guides.rst").read_text()
    contents = re.findall(r"^   (\w+)$", text.partition(".. toctree::")[2], re.M)
    assert len(contents) > 10
    assert contents == re.findall(r"^      :doc:`(\w+)`$", text, re.M)
    assert len(re.findall(r"\.\. image:: _static/thumbnails/", text)) == len(contents)
