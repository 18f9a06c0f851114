"""The command line in this process."""

from __future__ import annotations

import shlex

import pytest
import typer

from provend.cli import main
from provend.cli._app import app


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        main([str(one) for one in arguments])
        code = 0
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def understand(text: str) -> None:
    """Read a command line as the program would, and run nothing; an option that does not exist is an error."""
    program, name, *arguments = shlex.split(text, comments=True)
    assert program == "provend"
    group = typer.main.get_command(app)
    command = group.get_command(group.make_context("provend", [name, "--help"], resilient_parsing=True), name)  # type: ignore[attr-defined]
    assert command is not None, text
    command.make_context(name, arguments)
