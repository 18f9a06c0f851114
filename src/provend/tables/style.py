"""How results are written: in the manner of the history, so that the same spreadsheet opens both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

import pyarrow as pa
import pyarrow.compute as pc

from provend.tables.reading import Sales

ISO = "%Y-%m-%d"
ORDERS = re.compile(r"(?:(?:day|month|year)\b[./-]?){3}")  # day.month.year, but not dates with names of months
PARTS = {"day": "%d", "month": "%m", "year": "%Y"}
EXAMPLE = date(2026, 12, 31)


@dataclass(frozen=True)
class Style:
    """How a .csv file is written: what stands between fields, the sign before decimals, and dates.

    Dates are also shown in this manner in a workbook.
    """

    delimiter: str = ","
    decimal: str = "."
    date: str = ISO

    @classmethod
    def like(cls, sales: Sales) -> Style:
        """As a spreadsheet that wrote this history expects it: with semicolons, numbers have decimal commas.

        Decimal points beside semicolons stay if the history has them. A spreadsheet opens no other delimiter by itself.
        """
        written = sales.report.written
        dates = _pattern(written.get("dates", ""))
        if written.get("delimiter") != ";":
            return cls(date=dates)
        pointed = written["decimals"] == "." and not _all_whole(sales.table)
        return cls(";", "." if pointed else ",", dates)

    @property
    def words(self) -> str:
        """The style in words; empty for the usual one."""
        said = []
        if self.delimiter != ",":
            said.append(f"semicolons between fields and decimal {'commas' if self.decimal == ',' else 'points'}")
        if self.date != ISO:
            said.append(f"dates such as {EXAMPLE.strftime(self.date)}")
        return f"{', '.join(said)}, as in the history" if said else ""

    def told(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of a plan, with the numbers of reasons as others are: 1.061 is a thousand to those who write commas."""
        at = batch.schema.get_field_index("reason")
        if self.decimal == "." or at < 0:
            return batch
        said = pc.replace_substring_regex(batch.column(at), r"(\d)\.(\d)", rf"\1{self.decimal}\2")
        return batch.set_column(at, "reason", said)

    def cell(self, value: object) -> object:
        """A value as it is written."""
        if isinstance(value, float):
            return str(value).replace(".", self.decimal)
        if isinstance(value, date) and self.date != ISO:
            day = value.strftime(self.date)
            return f"{day} {value.time()}" if isinstance(value, datetime) else day
        return value


USUAL = Style()


def _pattern(words: str) -> str:
    """How to write dates that a history writes in this order; ISO where that is no order of three numbers."""
    return re.sub(r"day|month|year", lambda part: PARTS[part[0]], words) if ORDERS.fullmatch(words) else ISO


def _all_whole(table: pa.Table) -> bool:
    numbers = [column.drop_null() for column in table.columns if pa.types.is_floating(column.type)]
    return all(pc.all(pc.equal(column, pc.floor(column))).as_py() is not False for column in numbers)
