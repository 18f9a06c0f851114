"""The application: its commands, and how errors leave it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
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

app = typer.Typer(
    name="provend",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("regret")(_regret.regret)
app.command("curve")(_curves.curve)
app.command("samples")(_curves.samples)
app.command("tune")(_tune.tune)
app.command("mixture")(_mixture.mixture)
app.command("minimax")(_minimax.minimax)
app.command("bound")(_mixture.bound)
app.command("service")(_service.service)
app.command("estimate")(_estimate.estimate)
app.command("plan")(_plan.plan)
app.command("backtest")(_backtest.backtest)
app.command("paper")(_paper.paper)
app.command("serve")(_serve.serve)
app.command("demo")(_demo.demo)


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
        interrupted = app(given or ["--help"], standalone_mode=False)  # commands return nothing, an interrupt its code
        sys.stdout.flush()  # a full disk is noticed here at the latest
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get(DEBUG):
            raise
        sys.exit(explain(error, given))
    if interrupted:
        sys.exit(explain(KeyboardInterrupt(), given))
