"""Names of months, in the languages of most planners' files, and columns that hold months."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from provend.tables.columns import Column
from provend.tables.labels import MISSING

Floats = NDArray[np.float64]

NAMES = (
    "january januar janvier enero gennaio januari janeiro janner jan ene gen",
    "february februar fevrier febrero febbraio februari fevereiro feber feb fev fevr",
    "march marz mars marzo maart marco mar mrz maerz mrt",
    "april avril abril aprile apr avr abr",
    "may mai mayo maggio mei maio mag",
    "june juni juin junio giugno junho jun giu",
    "july juli juillet julio luglio julho jul lug juil",
    "august aout agosto augustus aug ago",
    "september septembre septiembre settembre setembro sep sept set",
    "october oktober octobre octubre ottobre outubro oct okt ott out",
    "november novembre noviembre novembro nov",
    "december dezember decembre diciembre dicembre dezembro dec dez dic",
)
NUMBER = {name: number for number, names in enumerate(NAMES, start=1) for name in names.split()}
MONTH = {"month", "monat", "mois", "mes", "mese", "maand"}  # in the name of a column of numbers


@lru_cache(4096)
def month_named(word: str) -> int | None:
    """The number of the month with this name, from 1; ``None`` if there is none."""
    return NUMBER.get(_letters(word.rstrip(".")))


def holds_months(column: Column) -> bool:
    """Whether a column holds the month of each row.

    Names of months speak for themselves; numbers from 1 to 12 may be anything, unless their column says "month".
    """
    if column.kind == "category":
        names = set(column.coded[0]) - {MISSING}
        return bool(names) and all(month_named(name) is not None for name in names)
    if column.kind != "number" or not _says_month(column.name):
        return False
    known = column.values[~np.isnan(column.values)]
    return bool(_are_months(known).all())


def months_of(column: Column) -> Floats:
    """The months in such a column, from 1; nan where there is none."""
    if column.kind != "category":
        return np.where(_are_months(column.values), column.values, np.nan)
    names, code = column.coded
    numbers: Floats = np.array([month_named(name) or np.nan for name in names], np.float64)[code]
    return numbers


@lru_cache(4096)
def _says_month(name: str) -> bool:
    """Whether a word in the name of a column is that for a month."""
    return not MONTH.isdisjoint(re.split(r"[\W\d_]+", _letters(name)))


def _are_months(numbers: Floats) -> NDArray[np.bool_]:
    """Whether each is a whole number from 1 to 12."""
    found: NDArray[np.bool_] = (numbers >= 1) & (numbers <= 12) & (numbers == np.rint(numbers))
    return found


def _letters(word: str) -> str:
    """The word in lower case without accents."""
    parted = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in parted if not unicodedata.combining(letter))
