"""The table as it was given, for the user's own functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend.tables.values import Array, Table


@dataclass(frozen=True, eq=False)
class Native:
    """Some rows of a dataframe or array, taken when they are asked for.

    Attributes
    ----------
    given : dataframe or array
        The whole table.
    rows : array, optional
        Which rows; ``None`` for all of them.
    moved : pair of int, optional
        A column, and the row whose value it takes in every row.
    """

    given: Table
    rows: NDArray[np.intp] | None = None
    moved: tuple[int, int] | None = None

    @classmethod
    def of(cls, X: Table) -> Native:
        """A table that stays as it is, whatever the caller does to the original."""
        if isinstance(X, np.ndarray):
            return cls(X.copy())
        frame = nw.from_native(X, eager_only=True)
        return cls((frame.clone() if frame.implementation.is_pandas_like() else frame).to_native())

    def take(self, rows: Array) -> Native:
        """Some of the rows."""
        return replace(self, rows=(np.arange(len(self.given)) if self.rows is None else self.rows)[rows])

    @cached_property
    def table(self) -> Table:
        """The rows, in the caller's kind of table."""
        if self.rows is None:
            return self.given
        if isinstance(self.given, np.ndarray):
            some = self.given[self.rows]
            if self.moved is not None:
                some[:, self.moved[0]] = self.given[self.moved[1], self.moved[0]]
            return some
        whole = nw.from_native(self.given, eager_only=True)
        rows = whole[self.rows.tolist()]
        if self.moved is not None:
            column, row = self.moved
            name = whole.columns[column]
            rows = rows.with_columns(whole[name][[row] * len(rows)])
        return rows.to_native()
