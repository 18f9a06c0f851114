"""The application: its commands, and how errors leave it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from provend.cli import _backtest, _curves, _demo, _estimate, _minimax, _mixture, _paper, _regret, _tune

app = typer.Typer(
    name="provend",
    help="What to order from past demand seen in other contexts, and how bad that decision can be, exactly.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("regret")(_regret.regret)
app.command("curve")(_curves.curve)
app.command("samples")(_curves.samples)
app.command("tune")(_tune.tune)
app.command("mixture")(_mixture.mixture)
app.command("minimax")(_minimax.minimax)
app.command("bound")(_mixture.bound)
app.command("estimate")(_estimate.estimate)
app.command("backtest")(_backtest.backtest)
app.command("paper")(_paper.paper)
app.command("demo")(_demo.demo)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with 0 when done, 2 on bad input with one line on stderr, 1 on anything else."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(given or ["--help"], standalone_mode=False)
    except typer.Abort:
        print("provend: stopped", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        # Wrong usage knows its own message, and the type of it depends on the version of typer.
        message = getattr(error, "format_message", error.__str__)()
        if not (isinstance(error, ValueError) or hasattr(error, "format_message")):
            raise
        print("provend:", " ".join(message.split()), file=sys.stderr)
        sys.exit(2)
