"""``provend serve``: the web app on this machine."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to listen.")] = 8000,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")] = True,
) -> None:
    """Decide and explore in a browser: a web app that this machine alone can see."""
    from provend.web import serve as run

    run(port, browser=browser)
