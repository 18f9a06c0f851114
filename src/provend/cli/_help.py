"""Help in the words of whoever types: what stands after an option, and which options belong together."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

TOGETHER = {  # of commands with so many options that one list is no help
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


def _in_words(parameters: list[Any], command: str | None) -> list[Any]:
    panels = {name: panel for panel, names in TOGETHER.get(command or "", {}).items() for name in names}
    for one in parameters:
        one.rich_help_panel = panels.get(one.name) or getattr(one, "rich_help_panel", None)
        if one.metavar is None:
            one.metavar = _value(one)
    return parameters


def _value(parameter: Any) -> str | None:
    """Nothing after a flag, one name after an option to repeat; types of Python only where they are as clear."""
    if getattr(parameter, "is_flag", False):
        return ""
    if getattr(parameter, "multiple", False):
        return "NAME"
    return "LOWEST HIGHEST" if parameter.nargs == 2 else None


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, ``--help`` included."""
        return _in_words(super().get_params(ctx), self.name)


class Commands(TyperGroup):
    """All of them, and the options that come before a command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, those for completion included."""
        return _in_words(super().get_params(ctx), None)
