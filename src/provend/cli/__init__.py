"""The command line: ``provend COMMAND``. Only this package prints."""

from provend.cli._app import main

__all__ = ["main"]
