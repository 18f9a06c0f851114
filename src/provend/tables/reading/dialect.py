"""How a text file is written: its encoding and its delimiter, found in the bytes, never in the demands."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice

from provend._errors import InputError

DELIMITERS = (",", ";", "\t", "|")
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the same bytes as the next one
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
TABS = {"\\t": "\t", "tab": "\t"}  # as given on a command line
HEAD = 1 << 18  # characters within which the row of column names must end
LOOK = 200  # records that decide on the delimiter
MOST = 0.5  # share of the records that must have as many fields as there are names
WINDOWS_LACKS = (0x81, 0x8D, 0x8F, 0x90, 0x9D)


@dataclass(frozen=True)
class Dialect:
    """The encoding, the delimiter and the number of lines above the column names, as found or given.

    ``titles`` are those of these lines that are not blank.
    """

    encoding: str
    delimiter: str
    skipped: int = 0
    titles: tuple[str, ...] = ()


def decode(data: bytes, said: str | None, file: str) -> tuple[str, str]:
    """The text and its encoding: the one given, the one its byte order mark shows, or the first that fits all of it."""
    if said is not None:
        try:
            return data.decode(said).removeprefix("\ufeff"), said
        except (LookupError, UnicodeError) as error:
            raise InputError(f"{file}: encoding {said!r} does not fit, {str(error)[:120]}; name another") from None
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding, file), encoding
    if b"\0" in data:
        wide = _without_mark(data)
        if wide is None:
            raise InputError(f"{file}: holds bytes that are not text; is it a csv file?")
        return _decoded(data, wide, file), wide
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1" if any(byte in data for byte in WINDOWS_LACKS) else "cp1252"
        return data.decode(encoding), encoding


def _decoded(data: bytes, encoding: str, file: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise InputError(f"{file}: looks like {encoding} but is cut off or damaged; is it a csv file?") from None


def _without_mark(data: bytes) -> str | None:
    """UTF-16 if nearly every other byte is zero, and no byte in between."""
    if len(data) % 2:
        return None
    even, odd = data[0::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    if max(even, odd) < 0.8 * half or min(even, odd) > 0:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def read_dialect(text: str, encoding: str, said: str | None) -> Dialect:
    """The delimiter as given, as in a first line ``sep=;``, or as splits most records like the column names."""
    skipped, text = 0, text[:HEAD]
    for line in text.splitlines(keepends=True):
        sep = line.strip().casefold()
        if sep and not (sep.startswith("sep=") and len(sep) == 5):
            break
        said, skipped, text = said or sep[4:] or None, skipped + 1, text[len(line) :]
    if said is not None:
        said = TABS.get(said.casefold(), said)
        if len(said) != 1 or said in '\r\n"':
            raise InputError(f"delimiter = {said!r} is not one character; give one such as ';'")
    records = {one: _records(text, one) for one in ([said] if said else DELIMITERS)}
    best = max(records, key=lambda one: _fits(records[one]))
    if _fits(records[best])[0] < MOST:  # the first record does not hold the names
        best = max(records, key=lambda one: _fits(records[one][lines_above(records[one]) :]))
    above = records[best][: lines_above(records[best])]
    titles = tuple(" ".join(filter(None, map(str.strip, one))) for one in above)
    return Dialect(encoding, best, skipped + len(above), tuple(filter(None, titles)))


def _records(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(islice(csv.reader(StringIO(text, newline=""), delimiter=delimiter), LOOK))
    except csv.Error:  # a field longer than csv allows
        return [line.split(delimiter) for line in text.splitlines()[:LOOK]]


def lines_above(records: Sequence[Sequence[str]]) -> int:
    """How many records precede the column names: those with at most half the usual number of filled fields.

    Column names are rarely left out; titles and printing dates rarely fill more than two fields.
    """
    filled = [sum(bool(field.strip()) for field in one) for one in records]
    usual = Counter(one for one in filled if one).most_common(1)
    if not usual or usual[0][0] < 2:
        return 0
    return next((at for at, one in enumerate(filled) if one > usual[0][0] // 2), 0)


def _fits(records: Sequence[Sequence[str]]) -> tuple[float, int]:
    """The share of records with as many fields as there are names, and how many names there are; zeros if it is one."""
    below = [one for one in records if one]
    if not below or len(below[0]) < 2:
        return 0.0, 0
    return sum(len(one) == len(below[0]) for one in below) / len(below), len(below[0])
