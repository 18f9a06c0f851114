"""The application: its commands, and how errors leave it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

import provend
from provend.cli import (
    _backtest,
    _curves,
    _demo,
    _estimate,
    _minimax,
    _mixture,
    _paper,
    _plan,
    _regret,
    _serve,
    _service,
    _tune,
)
from provend.cli._errors import DEBUG, explain, ready_streams
from provend.cli._examples import EXAMPLES, FIRST, below_help
from provend.cli._help import Command, Commands

app = typer.Typer(
    name="provend",
    cls=Commands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=below_help(FIRST),
)
PANELS: dict[str, dict[str, Callable[..., None]]] = {
    "From your file of past demand": {
        "plan": _plan.plan,
        "backtest": _backtest.backtest,
        "estimate": _estimate.estimate,
    },
    "From dissimilarities": {
        "regret": _regret.regret,
        "minimax": _minimax.minimax,
        "tune": _tune.tune,
        "curve": _curves.curve,
        "samples": _curves.samples,
        "service": _service.service,
        "mixture": _mixture.mixture,
        "bound": _mixture.bound,
    },
    "To look around": {"serve": _serve.serve, "demo": _demo.demo, "paper": _paper.paper},
}
for panel, commands in PANELS.items():
    for name, command in commands.items():
        app.command(name, cls=Command, rich_help_panel=panel, epilog=below_help(EXAMPLES[name]))(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"provend {provend.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """What to order from past demand seen in other contexts, and how bad that decision can be, exactly."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with 0 when done, 2 on bad input, 130 when interrupted, 1 on anything else."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    ready_streams()
    try:
        # Commands return nothing, an interrupt its code.
        interrupted = app(given or ["--help"], standalone_mode=False, prog_name="provend")
        sys.stdout.flush()  # a full disk is noticed here at the latest
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get(DEBUG):
            raise
        sys.exit(explain(error, given))
    if interrupted:
        sys.exit(explain(KeyboardInterrupt(), given))
