"""Text from files and users as it may be shown: no commands to the terminal, no markup, no second line."""

from __future__ import annotations

from unicodedata import category

UNSEEN = {"Cc", "Cf", "Cs"}  # control and formatting characters (the direction of writing among them), half characters


def plain(text: str) -> str:
    """One line that looks like what it is: any white space is a space, what has no shape is left out."""
    spaced = " ".join(part for part in text.splitlines() if part)
    return "".join(" " if c.isspace() else c for c in spaced if c.isspace() or category(c) not in UNSEEN)


def shortened(text: str, most: int = 500) -> str:
    """The same, or its beginning and its end, where messages have their remedy."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"
