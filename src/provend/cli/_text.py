"""Text from files and users, made safe to show: no terminal commands, no markup, no second line."""

from __future__ import annotations

from unicodedata import category

UNSEEN = {"Cc", "Cf", "Cs"}  # control and formatting characters (including writing direction), lone surrogates


def plain(text: str) -> str:
    """One line that looks like what it is: any white space becomes a space, invisible characters are left out."""
    spaced = " ".join(part for part in text.splitlines() if part)
    return "".join(" " if c.isspace() else c for c in spaced if c.isspace() or category(c) not in UNSEEN)


def shortened(text: str, most: int = 500) -> str:
    """The text, or just its beginning and its end, where messages have their remedy."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"
