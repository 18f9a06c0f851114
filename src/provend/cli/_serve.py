"""``provend serve``: the web app on this machine."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from provend.cli._render import say


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to listen.")] = 8000,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")] = True,
) -> None:
    """Decide and explore in a browser: a web app that this machine alone can see, until Ctrl+C."""
    from provend.web import serve as run

    def ready(address: str) -> None:
        say(f"provend is at {address}, for this machine alone; Ctrl+C ends it")
        if browser:
            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # the usual way to end
        run(port, ready=ready)
