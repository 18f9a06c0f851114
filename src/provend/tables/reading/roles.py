"""Which columns hold the items, the date and the demand: as the user says, by usual names, or else asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from provend._errors import InputError
from provend.tables.dates import THREE, read_iso
from provend.tables.reading.months import read_month
from provend.tables.reading.numbers import read_number

USUAL = {
    "unique_id": (
        "unique_id id item items item_id item_no item_number sku sku_id article article_id article_no artikel "
        "artikelnr artikelnummer product product_id produkt material materialnummer store store_id shop filiale "
        "series series_id"
    ),
    "ds": (
        "ds date dates datum timestamp datetime order_date sales_date verkaufsdatum bestelldatum "
        "buchungsdatum fecha data jour"
    ),
    "y": (
        "y demand sales sold qty quantity menge absatz absatzmenge verkauf verkaeufe verkäufe units units_sold "
        "sales_qty qty_sold quantity_sold verkaufsmenge bedarf nachfrage ventas ventes"
    ),
}
SPANS = "day tag week woche kw month monat mois mes mese semaine"  # of dates, if no column is called a date
LONG = "make it a long table, one row per item and date (in a spreadsheet: unpivot)"
ASKED = {"unique_id": "item (--id)", "ds": "date (--date)", "y": "demand (--demand)"}
SHOWN = 12  # columns listed
WHAT = {"unique_id": "the items", "ds": "the dates", "y": "the demand"}


@dataclass(frozen=True)
class Roles:
    """The columns by role; no ``ids`` if all rows belong to one item, no ``date`` if there are no dates."""

    ids: tuple[str, ...]
    date: str | None
    demand: str
    contexts: tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """The columns the user names; if no contexts are named, all other columns are contexts."""

    item: str | Sequence[str] | None = None
    date: str | None = None
    demand: str | None = None
    contexts: Sequence[str] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The columns of items, each once."""
        return tuple(dict.fromkeys([self.item] if isinstance(self.item, str) else self.item or ()))


def find_roles(names: Sequence[str], said: Said, *, dated: bool = True) -> Roles:
    """For each role the column the user names, or else the one with a usual name; a date is required if ``dated``."""
    if isinstance(said.contexts, str):
        raise InputError(f"contexts = {said.contexts!r} is a string; give a list such as [{said.contexts!r}]")
    ids, date, demand, contexts = said.ids, said.date, said.demand, tuple(dict.fromkeys(said.contexts or ()))
    for name in (*ids, *(one for one in (date, demand) if one is not None), *contexts):
        if name not in names:
            raise InputError(f"there is no column {name!r}; the columns are {', '.join(names)}")
    taken = {*ids, date, demand}
    demand = demand or _usual("y", names, taken)
    if demand is None:
        raise InputError(
            f"no column is called y, demand or sales; name the column of demand with {ASKED['y']} among "
            f"{_listed(names)}{_shape(names)}"
        )
    date = date or _usual("ds", names, taken)
    if date is None and dated:
        raise InputError(
            f"no column is called ds or date; name the column of dates with {ASKED['ds']} among {_listed(names)}"
        )
    if not ids:
        found = _usual("unique_id", names, taken | {*contexts})
        ids = () if found is None else (found,)
    rest = tuple(name for name in (names if said.contexts is None else contexts) if name not in {*ids, date, demand})
    if len({*ids, date, demand}) < len(ids) + 2:
        raise InputError(
            f"item, date and demand must be different columns, not {', '.join(map(str, (*ids, date, demand)))}"
        )
    return Roles(ids, date, demand, rest)


def _usual(role: str, names: Sequence[str], taken: set[str | None]) -> str | None:
    """The column with the name of the role, or the only one with a usual name."""
    if role in names and role not in taken:
        return role
    usual = {_folded(name) for name in USUAL[role].split()}
    spans = {_folded(name) for name in SPANS.split()} if role == "ds" else set()
    free = [name for name in names if name not in taken]
    for wanted in ({_folded(role)}, usual, spans):
        found = [name for name in free if _folded(name) in wanted]
        if len(found) > 1:
            raise InputError(
                f"columns {', '.join(map(repr, found))} may each be {WHAT[role]}; say which with {ASKED[role]}"
                + (", several of them if it takes several to name an item" if role == "unique_id" else "")
            )
        if found:
            return found[0]
    return None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")


def _shape(names: Sequence[str]) -> str:
    """What to do about a table that is not in long format, or whose first row does not hold the names."""
    dates = sum(bool(read_iso([name]) is not None or THREE.fullmatch(name) or read_month(name)) for name in names)
    if dates > 1:
        return f"; as there is a column for each date, {LONG}"
    if any(read_number(name, ".") is not None for name in names):
        return "; or put the names of the columns into the first row"
    return f"; if there is a column for each item, {LONG}"


def _folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter not in " _-.")
