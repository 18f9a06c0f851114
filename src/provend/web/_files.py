"""Uploaded tables: kept under random names in a private folder, only a few, and forgotten when the server ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_urlsafe
from urllib.parse import unquote

from provend.datasets import load_restaurant
from provend.web._answers import Refused
from provend.web._wanted import Options, Upload

LARGEST = 50 * 2**20  # bytes of a file
MOST = 20  # files; the oldest goes first
KINDS = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".xlsx")
RESTAURANT = "restaurant.csv"


@dataclass
class Files:
    """The tables that were sent, by their ids."""

    folder: Path
    known: dict[str, Upload] = field(default_factory=dict)

    def keep(self, name: str, content: bytes) -> tuple[str, Upload]:
        """Keep a table under a name of this server's own choosing: the browser's name is shown, but never opened."""
        called = plain_name(name)
        kind = Path(called).suffix.lower()
        if kind not in KINDS:
            raise Refused(400, f"{called}: unknown kind of file; send one that ends in {', '.join(KINDS)}")
        if not content:
            raise Refused(400, f"{called}: is empty; send past demand")
        while len(self.known) >= MOST:
            self.known.pop(next(iter(self.known))).path.unlink(missing_ok=True)
        key = token_urlsafe(16)
        path = self.folder / f"{key}{kind}"
        path.write_bytes(content)
        self.known[key] = Upload(path, called)
        return key, self.known[key]

    def find(self, key: object) -> Upload:
        """The table with this id."""
        if not isinstance(key, str) or key not in self.known:
            raise Refused(404, "this file is not here any more; send it again")
        return self.known[key]

    def as_read(self, key: object, options: Options | None) -> Upload:
        """The table, read the way the caller asks: two pages may read one table differently."""
        upload = self.find(key)
        return upload if options is None else replace(upload, options=options)

    def read_as(self, key: str, options: Options) -> None:
        """Read the table in another way from now on."""
        self.known[key] = replace(self.find(key), options=options)


def plain_name(sent: str) -> str:
    """What the owner calls a file: the last part of its name, without invisible characters."""
    last = re.split(r"[/\\]", unquote(sent, errors="replace"))[-1]
    name = "".join(letter for letter in last if letter.isprintable()).strip()[-120:]
    return name or "table"


def restaurant() -> bytes:
    """The data shipped with the package, in a planner's format."""
    days = load_restaurant()
    lines = [
        f"{dish},{date},{demand:g},{weekday}"
        for dish, demands in days.demand.items()
        for date, weekday, demand in zip(days.dates, days.weekdays, demands, strict=True)
    ]
    return "\n".join(["item,date,demand,weekday", *lines, ""]).encode()
