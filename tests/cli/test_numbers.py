"""Numbers for people: few digits, on the safe side, one table for one answer."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from commands import run
from provend.cli._numbers import at_least, at_most, bracket, percent

EQUAL = ("--q", "0.9", "--constant", "0.1", "-n", "16")


def read(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def test_few_digits_on_the_safe_side() -> None:
    rng = np.random.default_rng(5)
    for value in (np.exp(rng.uniform(-20, 30, 300)) * rng.choice([-1, 1], 300)).tolist():
        exact, forgiven = Fraction(value), abs(Fraction(value)) / 10**8
        low, high = read(at_least(value)), read(at_most(value))
        assert low - forgiven <= exact <= high + forgiven
        assert high - low <= abs(exact) / 500
        strictly = [read(end) for end in bracket(value, value).split(" to ")]
        assert strictly[0] <= exact <= strictly[1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.05000000006, "0.05"),
        (0.0500001, "0.05001"),
        (0.05154, "0.05154"),
        (0.051541, "0.05155"),
        (123_456.7, "123,500"),
        (0.0, "0"),
    ],
)
def test_as_one_would_write_them(value: float, shown: str) -> None:
    assert at_most(value) == shown


def test_extremes() -> None:
    assert at_most(float("inf")) == "inf"
    assert at_most(1.00001e-300) == "1.001e-300"
    assert percent(57.21) == "57.3 %"
    assert [percent(value) for value in (0.0, 1.09e-7, 0.00123)] == ["0 %", "0.001 %", "0.00123 %"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("regret", *EQUAL),
        ("minimax", *EQUAL, "--new", "0"),
        ("mixture", *EQUAL, "--effective"),
        ("tune", *EQUAL),
        ("curve", *EQUAL),
        ("bound", *EQUAL),
        ("samples", *EQUAL, "--target", "70%"),
        ("service", "--drift", "0.001", "-n", "30", "--policy", "order:30"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_one_table_with_few_digits(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert out.count("┏") == 1
    assert not re.search(r"\d\.0*[1-9]\d{9,}", out)


@pytest.mark.parametrize("width", [40, 80])
def test_nothing_is_lost_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """No line is too long, no word is cut, and a chart keeps both of its ends."""
    monkeypatch.setenv("COLUMNS", str(width))
    for arguments in (("bound", *EQUAL), ("curve", *EQUAL[:-1], "100")):
        lines = run(capsys, *arguments)[1].splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in "".join(lines)
    assert lines[-1].split() == ["1", "100"]


def test_the_share_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("regret", "minimax", "mixture", "tune"):
        out = run(capsys, command, *EQUAL)[1]
        assert "share of the no-data regret" in out.splitlines()[3]
    for command in ("curve", "bound"):
        head = run(capsys, command, *EQUAL)[1].splitlines()[1]
        assert head.index("share of no data") < max(head.find("guarantee"), head.find("regret"))
