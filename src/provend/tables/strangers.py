"""Items to decide that the history does not have: new ones, or known ones written in another way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from provend._errors import InputError

SHOWN = 3  # names that a message has
APART = re.compile(r"[\s._-]+")
POINT_ZERO = re.compile(r"\.0+(?=$|[\x1f/])")  # a spreadsheet's 1002.0
ZEROS = re.compile(r"(?<![^\x1f/])0+(?=\w)")  # at the beginning of a name, or of one of several joined
REMEDY = "write items as the history does or, if they are new, say so with new_items = True (--new-items)"


@dataclass(frozen=True)
class Strangers:
    """Items that the history does not have.

    Attributes
    ----------
    known : int
        How many items it does have.
    new : tuple of str
        Those that look like none of its items.
    alike : dict
        Those that look like one of its items, which has another name.
    """

    known: int
    new: tuple[str, ...]
    alike: dict[str, str]

    def refuse_mistaken(self) -> None:
        """Refuse if no item is in the history, or more of them only seem to be: hardly anybody plans like that."""
        if self.known and len(self.alike) <= self.known:
            return
        every = self.known + len(self.new) + len(self.alike)
        if not every:
            return
        whole = f"none of the {every:,} items to decide is" if every > 1 else "the item to decide is not"
        many = f"only {self.known:,} of the {every:,} items to decide {'is' if self.known == 1 else 'are'}"
        told = f"{many if self.known else whole} in the history"
        if self.alike:
            one, other = next(iter(self.alike.items()))
            told += f", but {written(one)} looks like {written(other)}, which is"
            told += ": leading zeros, blanks, or upper and lower case may have been changed"
        else:
            told += f", such as {written(self.new[0])}"
        raise InputError(f"{told}; {REMEDY}")


def find_strangers(asked: Iterable[str], known: Iterable[str]) -> Strangers:
    """Compare the names of items to decide with those of the history, each of them given once."""
    names = set(known)
    asked = list(asked)
    unknown = [name for name in asked if name not in names]
    looks = {folded(name): name for name in sorted(names, reverse=True)} if unknown else {}
    alike = {name: looks[folded(name)] for name in unknown if folded(name) in looks}
    new = tuple(name for name in unknown if name not in alike)
    return Strangers(len(asked) - len(unknown), new, alike)


def folded(name: str) -> str:
    """What is left of a name without upper case, blanks, signs between its parts, and leading zeros."""
    text = POINT_ZERO.sub("", normalize("NFKC", name).casefold())
    return ZEROS.sub("", APART.sub("", text))


def written(name: str) -> str:
    """A name in quotes; several joined into one as people write them."""
    return repr(name.replace("\x1f", " / "))


def listed(names: Sequence[str]) -> str:
    """The first few names."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(map(written, names[:SHOWN])) + more
