"""How errors leave the command line: one line and an exit code, so that a bug is never taken for bad input."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from io import StringIO, TextIOWrapper
from pathlib import Path

import typer

import provend
from provend._errors import InputError
from provend._files import OutputError
from provend.cli._text import plain, shortened

DEBUG = "PROVEND_DEBUG"
BAD_INPUT, FAILED, STOPPED = 2, 1, 130


class StoppedError(Exception):
    """An interrupt that leaves something behind, which the message is about."""


def ready_streams() -> None:
    """Make sure that neither a closed output nor a character it cannot show is a reason to fail."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, StringIO())
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def explain(error: BaseException, given: Sequence[str]) -> int:
    """Say on stderr what went wrong with the arguments given, and return the exit code."""
    if isinstance(error, StoppedError):
        return _say(f"stopped; {error}", STOPPED)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _say("stopped", STOPPED)
    if isinstance(error, InputError):
        return _say(str(error), BAD_INPUT)
    if hasattr(error, "format_message"):  # wrong usage; its type depends on the version of typer
        return _say(error.format_message() + _hint(error), BAD_INPUT)
    if isinstance(error, OutputError):
        return _say(str(error), FAILED)
    if isinstance(error, OSError):
        _give_up_stdout()
        if isinstance(error, BrokenPipeError):  # as in "provend ... | head": the reader has seen enough
            return FAILED
        return _say(f"{error.filename or 'standard output'}: {error.strerror or error}", FAILED)
    if isinstance(error, MemoryError):
        return _say(f"not enough memory, {str(error) or 'none left'}; use fewer past contexts or rows", FAILED)
    return _report(error, given)


def _hint(error: BaseException) -> str:
    """A hint for those who use the paper's letter in place of our word for it."""
    context = getattr(error, "ctx", None)
    known = [name for option in context.command.params for name in option.opts] if context else []
    if getattr(error, "option_name", None) != "--zeta" or "--constant" not in known:
        return ""
    return "; where all dissimilarities are equal to zeta, give --constant, such as --constant 0.1 -n 16"


def _say(message: str, code: int) -> int:
    print("provend:", shortened(plain(message)), file=sys.stderr)
    return code


def _report(error: BaseException, given: Sequence[str]) -> int:
    """Report what whoever fixes the bug needs to know."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
    _say(
        f"a bug in provend, not in your input; please report it with the next two lines ({DEBUG}=1 shows more)", FAILED
    )
    for line in (f"provend {provend.__version__}: {shlex.join(given)}", what):
        print(f"  {shortened(plain(line))}", file=sys.stderr)
    return FAILED


def _give_up_stdout() -> None:
    """Keep the interpreter from trying, and complaining, once more: what is left in the buffer cannot be written."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # not a stream of the operating system
