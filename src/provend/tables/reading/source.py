"""A table as it was given, each row with its number: what all kinds of files become first."""

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
        Columns of text where the file is text.
    numbers : array
        The number of each row: in files as a spreadsheet counts, with the names in row 1; in dataframes from 0.
    dialect : Dialect, optional
        How the text was written.
    aside : Remarks
        Rows that could not even be split into fields.
    unnamed : int
        Columns that were left out because they have no name.
    titles : tuple of str
        What stands above the column names.
    """

    table: pa.Table
    numbers: NDArray[np.int64]
    dialect: Dialect | None = None
    aside: Remarks = field(default_factory=Remarks)
    unnamed: int = 0
    titles: tuple[str, ...] = ()
