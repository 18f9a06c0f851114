"""The guarantees of orders for several targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from provend._display import Shown, Tabular
from provend.certificate import Bracketed, Frozen

Floats = NDArray[np.float64]


class SupportWarning(UserWarning):
    """The guarantee rests on a support that was read off the history."""


@dataclass(frozen=True, repr=False)
class OrderGuarantee(Bracketed, Shown):
    """A bracket of the worst-case expected regret of one order, in money.

    Attributes
    ----------
    lower, upper, no_data_regret, basis
        As in :class:`OrderGuarantees`.
    """

    lower: float
    upper: float
    no_data_regret: float
    basis: str

    def _facts(self) -> dict[str, object]:
        return {"lower": self.lower, "upper": self.upper, "percent_of_no_data": self.percent_of_no_data}


@dataclass(frozen=True, eq=False, repr=False)
class OrderGuarantees(Bracketed, Shown, Tabular, Frozen):
    """Brackets of the worst-case expected regret, one per target, in money.

    It has a length. Indexing with an integer gives one :class:`OrderGuarantee`; with a slice, a mask or an array of
    positions, it gives the guarantees of these targets.

    Attributes
    ----------
    lower, upper : array
        The exact worst case of the order's rule lies between them, given the dissimilarities and the support. Targets
        with similar designs share a computation, which makes their brackets wider but never wrong.
    no_data_regret : float or array
        The worst-case regret of the best order that looks at no data; one per target where supports differ.
    basis : str
        What was given, estimated or calibrated, and what the brackets therefore mean.
    """

    lower: Floats
    upper: Floats
    no_data_regret: float | Floats
    basis: str

    def __len__(self) -> int:
        return self.upper.size

    @overload
    def __getitem__(self, at: int) -> OrderGuarantee: ...
    @overload
    def __getitem__(
        self, at: slice | list[int] | list[bool] | NDArray[np.integer] | NDArray[np.bool_]
    ) -> OrderGuarantees: ...
    def __getitem__(
        self, at: int | slice | list[int] | list[bool] | NDArray[np.integer] | NDArray[np.bool_]
    ) -> OrderGuarantee | OrderGuarantees:
        if isinstance(at, int | np.integer):
            no_data = float(np.broadcast_to(self.no_data_regret, self.upper.shape)[at])
            return OrderGuarantee(float(self.lower[at]), float(self.upper[at]), no_data, self.basis)
        no_data_regret = np.broadcast_to(self.no_data_regret, self.upper.shape)[at]
        return replace(self, lower=self.lower[at], upper=self.upper[at], no_data_regret=no_data_regret)

    def __iter__(self) -> Iterator[OrderGuarantee]:
        return (self[i] for i in range(len(self)))

    def _facts(self) -> dict[str, object]:
        if not len(self):
            return {"targets": 0}
        ends = {"lower": float(self.lower.min()), "upper": float(self.upper.max())}
        return {"targets": len(self), **ends, "percent_of_no_data": float(self.percent_of_no_data.max())}

    def _columns(self) -> dict[str, Floats]:
        return {"lower": self.lower, "upper": self.upper, "percent_of_no_data": self.percent_of_no_data}
