"""Help in the user's own words: what follows an option, and which options belong together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from typer.core import TyperCommand, TyperGroup

TOGETHER = {  # for commands with so many options that a single list is no help
    "plan": {
        "How orders are decided": ("support", "context", "column", "model", "policy", "dissimilarity"),
        "Deliveries and stock": (
            "pack",
            "minimum",
            "stock",
            "on_order",
            "lead_time",
            "review",
            "stock_seen",
            "sold_out",
        ),
        "How the plan is made": ("resume", "strict", "engine", "master"),
    }
}


class Parameter(Protocol):
    """What all versions of typer know about an option or an argument."""

    name: str | None
    nargs: int
    metavar: str | None
    rich_help_panel: str | None


def _in_words(parameters: Iterable[Parameter], command: str | None) -> None:
    panels = {name: panel for panel, names in TOGETHER.get(command or "", {}).items() for name in names}
    for one in parameters:
        one.rich_help_panel = panels.get(one.name or "") or getattr(one, "rich_help_panel", None)
        if one.metavar is None:
            one.metavar = _value(one)


def _value(parameter: Parameter) -> str | None:
    """Nothing after a flag, one name after a repeatable option; Python types only where they are just as clear."""
    if getattr(parameter, "is_flag", False):
        return ""
    if getattr(parameter, "multiple", False):
        return "NAME"
    return "LOWEST HIGHEST" if parameter.nargs == 2 else None


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, ``--help`` included."""
        parameters: list[Any] = super().get_params(ctx)
        _in_words(parameters, self.name)
        return parameters


class Commands(TyperGroup):
    """All of them, and the options that come before a command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, those for completion included."""
        parameters: list[Any] = super().get_params(ctx)
        _in_words(parameters, None)
        return parameters
