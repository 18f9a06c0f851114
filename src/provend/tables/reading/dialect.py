"""How a text file is written: its encoding, and what stands between fields. Seen in the bytes, never in the demands."""

from __future__ import annotations

import codecs
import csv
from dataclasses import dataclass
from io import StringIO
from itertools import islice

from provend._errors import InputError

DELIMITERS = (",", ";", "\t", "|")
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the next one
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
TABS = {"\\t": "\t", "tab": "\t"}  # as given on a command line
HEAD = 1 << 18  # characters within which the row of column names ends
LOOK = 200  # records that decide on the delimiter
WINDOWS_LACKS = (0x81, 0x8D, 0x8F, 0x90, 0x9D)


@dataclass(frozen=True)
class Dialect:
    """What was found, or given: the encoding, the delimiter, and how many lines precede the column names."""

    encoding: str
    delimiter: str
    skipped: int = 0


def decode(data: bytes, said: str | None, file: str) -> tuple[str, str]:
    """The text and its encoding: as given, by the mark at its beginning, or the first that fits all of it."""
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
    """UTF-16 where nearly every other byte, and only those, is zero."""
    if len(data) % 2:
        return None
    even, odd = data[0::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    if max(even, odd) < 0.8 * half or min(even, odd) > 0:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def read_dialect(text: str, encoding: str, said: str | None) -> Dialect:
    """The delimiter as given, as in a first line ``sep=;``, or the one that splits most records like the names."""
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
        return Dialect(encoding, said, skipped)
    best = max(DELIMITERS, key=lambda one: _fits(text, one))
    return Dialect(encoding, best, skipped)


def _fits(text: str, delimiter: str) -> tuple[float, int]:
    """The share of records with as many fields as there are names, and the number of names; zero if it is one."""
    try:
        records = [one for one in islice(csv.reader(StringIO(text, newline=""), delimiter=delimiter), LOOK) if one]
    except csv.Error:  # a field longer than csv allows
        records = [line.split(delimiter) for line in text.splitlines()[:LOOK]]
    if not records or len(records[0]) < 2:
        return 0.0, 0
    return sum(len(one) == len(records[0]) for one in records) / len(records), len(records[0])
