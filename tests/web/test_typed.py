"""Numbers as people type them, by the pages' own function: one number is read, what could be two is asked about."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

READ = {
    "9": 9,
    "4,5": 4.5,
    " 0.125 ": 0.125,
    "0,80 €": 0.8,
    "€1.5": 1.5,
    "12 EUR": 12,
    "1.200,50": 1200.5,
    "1,200.50": 1200.5,
    "1 200": 1200,
    "1\u202f200,5": 1200.5,
    "1’200.5": 1200.5,
    "1.200.300": 1200300,
    "-1.200,5": -1200.5,
    "12345.678": 12345.678,
    "1.0000": 1,
    ".5": 0.5,
    "7.": 7,
    "1e3": 1000,
}
REFUSED = ("", " ", "price", "1,2,3", "1.200.50", "1,20,0", "12 34", "1..2", "0x10", "Infinity", "--1", "€")
UNCLEAR = {
    "1.000": ("1000", "1"),
    "1,000": ("1000", "1"),
    "1.200": ("1200", "1.2"),
    "12.345": ("12345", "12.3450"),
    "1,250 €": ("1250", "1,25"),
    "100.000": ("100000", "100"),
}

ASK = """
import { typed, unclear, asTyped } from "./typed.mjs";
const given = JSON.parse(process.argv[2]);
console.log(JSON.stringify(given.map((text) => [typed(text), unclear(text)])));
"""
BACK = """
import { typed, unclear, asTyped } from "./typed.mjs";
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((x) => typed(asTyped(x)))));
"""


@pytest.fixture
def node(tmp_path):
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    source = files("provend.web").joinpath("static", "typed.js").read_text(encoding="utf-8")
    (tmp_path / "typed.mjs").write_text(source, encoding="utf-8")

    def ask(script, given):
        (tmp_path / "ask.mjs").write_text(script, encoding="utf-8")
        done = subprocess.run([found, "ask.mjs", json.dumps(given)], cwd=tmp_path, capture_output=True, check=True)
        return json.loads(done.stdout)

    return ask


def test_what_is_one_number_is_read(node):
    found = node(ASK, list(READ))
    assert {text: value for text, (value, _) in zip(READ, found, strict=True)} == READ
    assert all(said == "" for _, said in found)


def test_what_is_none_is_refused(node):
    assert node(ASK, list(REFUSED)) == [[None, ""]] * len(REFUSED)


def test_what_could_be_two_is_asked_about_and_both_answers_are_read(node):
    for text, (value, said) in zip(UNCLEAR, node(ASK, list(UNCLEAR)), strict=True):
        large, small = UNCLEAR[text]
        assert value is None
        assert f"please write {large} for the large number, or {small} for the small one." in said
    answers = [one for pair in UNCLEAR.values() for one in pair]
    assert [value for value, _ in node(ASK, answers)] == [float(one.replace(",", ".")) for one in answers]


def test_a_number_that_is_kept_is_read_again_as_it_was(node):
    numbers = [1.125, 1.2, 1000, 294.37, 0.001, 1e21, 12.345]
    assert node(BACK, numbers) == numbers
