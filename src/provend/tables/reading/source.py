"""A table as it was given, each row with its number: the first form that every kind of file is brought into."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend.tables.reading.dialect import Dialect
from provend.tables.reading.remarks import Remarks


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it was given.

    Attributes
    ----------
    table : pyarrow.Table
        Its columns are text if the file is text.
    numbers : array
        The number of each row: in files counted as in a spreadsheet, with the names in row 1; in dataframes from 0.
    dialect : Dialect, optional
        How the text was written.
    aside : Remarks
        Rows that could not even be split into fields.
    unnamed : int
        The number of columns left out because they have no name.
    titles : tuple of str
        The lines above the column names.
    """

    table: pa.Table
    numbers: NDArray[np.int64]
    dialect: Dialect | None = None
    aside: Remarks = field(default_factory=Remarks)
    unnamed: int = 0
    titles: tuple[str, ...] = ()
