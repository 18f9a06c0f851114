"""The command line: ``provend COMMAND``. Only this package prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with 0 when done, 2 on bad input, 130 when interrupted, 1 on anything else."""
    try:
        from provend.cli._app import main as run
    except KeyboardInterrupt:  # while the commands are loaded, which takes a moment
        print("provend: stopped", file=sys.stderr)
        sys.exit(130)
    run(arguments)
