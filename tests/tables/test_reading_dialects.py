"""A table written in a random dialect is read back, or the reader asks: it never reads something else."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provend import InputError
from provend.tables import read_sales
from provend.tables.reading.numbers import read_number

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905
ENGLISH_OR_NOT = {".": (",", " ", "'", ""), ",": (".", "\u202f", "'", "")}


@dataclass(frozen=True)
class Dialect:
    delimiter: str
    decimal: str
    apart: str
    form: str
    encoding: str
    newline: str
    minus: str

    def number(self, value: Decimal) -> str:
        whole, _, rest = f"{abs(value):f}".partition(".")
        groups = [whole[max(0, i - 3) : i] for i in range(len(whole), 0, -3)][::-1]
        body = self.apart.join(groups) + (self.decimal + rest if rest else "")
        return body if value >= 0 else self.minus.format(body)

    def day(self, day: date) -> str:
        return day.strftime(self.form.replace("%b", MONTHS[day.month - 1]))  # whatever the locale

    @property
    def day_first(self) -> bool:
        return self.form.startswith("%d")


dialects = st.sampled_from([".", ","]).flatmap(
    lambda decimal: st.builds(
        Dialect,
        delimiter=st.sampled_from([",", ";", "\t", "|"]),
        decimal=st.just(decimal),
        apart=st.sampled_from(ENGLISH_OR_NOT[decimal]),
        form=st.sampled_from(
            ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y%m%d", "%d %b %Y", "%b %d, %Y", "%d.%m.%y", "%m-%d-%Y"]
        ),
        encoding=st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
        newline=st.sampled_from(["\n", "\r\n"]),
        minus=st.sampled_from(["-{}", "{}-", "({})"]),
    )
)
demands = st.builds(lambda n, k: Decimal(n).scaleb(-k), st.integers(0, 10**8), st.integers(0, 3))
days = st.integers(0, 4000).map(lambda n: date(2020, 1, 1) + timedelta(n))
ids = st.text("aü;,|\t\"'/ 1\n", min_size=1, max_size=4).filter(lambda text: text == text.strip())
rows = st.lists(st.tuples(ids, days, demands), min_size=1, max_size=12, unique_by=lambda row: row[:2])


def written(dialect: Dialect, table: list[tuple[str, date, Decimal]]) -> bytes:
    text = StringIO()
    writer = csv.writer(text, delimiter=dialect.delimiter, lineterminator=dialect.newline)
    writer.writerow(["unique_id", "ds", "y"])
    writer.writerows([name, dialect.day(day), dialect.number(y)] for name, day, y in table)
    return text.getvalue().encode(dialect.encoding)


@settings(max_examples=150, deadline=None)
@given(dialect=dialects, table=rows)
def test_what_is_written_is_read_or_asked_for(dialect: Dialect, table: list[tuple[str, date, Decimal]]) -> None:
    if dialect.encoding == "cp1252" and dialect.apart == "\u202f":
        return  # a space that this encoding lacks
    wanted = [(name, day, float(y)) for name, day, y in table]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "sales.csv"
        file.write_bytes(written(dialect, table))
        try:
            found = read_sales(file).table
        except InputError as error:
            asked = str(error)
            assert (
                "with decimal = '.' or ',' (--decimal)" in asked
                or "with day_first (--day-first or --month-first)" in asked
            )
            found = read_sales(file, decimal=dialect.decimal, day_first=dialect.day_first).table
    assert [tuple(row.values()) for row in found.to_pylist()] == wanted


@given(dialect=dialects, value=st.decimals(-(10**9), 10**9, places=2))
def test_numbers_are_those_that_were_written(dialect: Dialect, value: Decimal) -> None:
    assert read_number(dialect.number(value), dialect.decimal) == float(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("$1,119.50", 1119.5), ("2.20 €", 2.2), ("€ -3", -3.0), ("(4) EUR", -4.0), ("£.5", 0.5), ("7-$", -7.0)],
)
def test_amounts_of_money_are_numbers(text: str, value: float) -> None:
    assert read_number(text, ".") == value


NO_NUMBERS = (
    "$",
    "€ €",
    "5 Stk",
    "$$5",
    "EUR",
    "USD 5",
    "",
    "-",
    "1,2,3",
    "1,23,456",
    "1 2",
    "12,34",
    ",",
    "e5",
    "1e",
    "--5",
    "0x10",
    "1_000",
    "٣",
    "inf",
    "nan",
)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_texts_that_are_no_numbers(text: str) -> None:
    assert read_number(text, ".") is None
