"""Help that is quick and teaches, completion, and what people type by habit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run, understand
from provend.cli._app import PANELS
from provend.cli._examples import EXAMPLES, FIRST
from provend.cli._help import TOGETHER

WITHOUT_FILES = [
    text for name in ("regret", "minimax", "samples", "service") for text in EXAMPLES[name] if ".txt" not in text
]


def test_help_loads_no_numbers_and_equal_dissimilarities_no_compiler() -> None:
    """What takes time from a cold start is what is imported."""
    lines = (
        "import sys",
        "from provend.cli import main",
        "main(['plan', '--help'])",
        "assert not {'numpy', 'scipy', 'pyarrow', 'sklearn', 'rich.progress'} & set(sys.modules)",
        "for one in ('regret', 'curve', 'samples --target 70%', 'mixture', 'tune', 'minimax', 'bound'):",
        "    main([*one.split(), '--q', '0.9', '--constant', '0.1', '-n', '16'])",
        "main(['service', '--constant', '0.1', '-n', '16', '--policy', 'order:16'])",
        "assert not {'numba', 'pyarrow', 'sklearn', 'plotly', 'duckdb'} & set(sys.modules)",
    )
    subprocess.run([sys.executable, "-W", "error", "-c", "\n".join(lines)], check=True, capture_output=True)


def test_every_command_has_examples_and_its_help_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    names = {name for panel in PANELS.values() for name in panel}
    assert names <= set(EXAMPLES)
    for name in ("", "minimax"):
        code, out, _ = run(capsys, *name.split(), "--help")
        shown = " ".join(out.split())
        assert code == 0
        assert all(example in shown for example in (EXAMPLES[name] if name else FIRST))


def test_help_speaks_of_values_not_of_types(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", *EXAMPLES):
        assert not re.search(r"<bool>|list\[|float,float", run(capsys, *name.split(), "--help")[1])


def test_options_that_belong_together_stand_together(capsys: pytest.CaptureFixture[str]) -> None:
    """Every name of a panel is an option of the command, and stands in that panel."""
    for command, panels in TOGETHER.items():
        out = run(capsys, command, "--help")[1]
        for panel, names in panels.items():
            below = out.partition(f" {panel} ")[2].partition("╰")[0]
            assert all(f"--{name.replace('_', '-')} " in below for name in names)


@pytest.mark.parametrize("text", [one for examples in EXAMPLES.values() for one in examples])
def test_examples_are_understood(text: str) -> None:
    """Short enough for one line of a terminal, and no option that a command does not have."""
    assert len(text) <= 78
    understand(text)


@pytest.mark.parametrize("text", WITHOUT_FILES)
def test_examples_run(capsys: pytest.CaptureFixture[str], text: str) -> None:
    code, out, error = run(capsys, *text.split()[1:])
    assert (code, error) == (0, "")
    assert out


def test_the_letter_of_the_paper_leads_to_our_word(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("regret", "--q", "0.9", "--zeta", "0.1", "-n", "16"), ("service", "--zeta=0.1")):
        code, out, error = run(capsys, *arguments)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert "--constant 0.1 -n 16" in error
    assert "--constant" not in run(capsys, "paper", "list", "--zeta", "1")[2]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_completion_can_be_installed_and_completes(tmp_path: Path) -> None:
    script = (
        "provend --install-completion && . ~/.bash_completions/provend.sh && COMP_CWORD=2 && "
        "COMP_WORDS=(provend regret --con) && _provend_completion provend && echo answer ${COMPREPLY[@]}"
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "HOME": str(tmp_path), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["answer --constant"], done.stderr
    assert ".bash_completions/provend.sh" in (tmp_path / ".bashrc").read_text()
