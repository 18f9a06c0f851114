"""Orders in whole numbers, and what rounding to them may cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._rational import read_exactly
from provend.certificate import rounded_up
from provend.newsvendor import Newsvendor

Floats = NDArray[np.float64]

WHOLE = " Orders are rounded to whole numbers, which guarantees allow for."  # for the basis of guarantees


@dataclass(frozen=True)
class WholeOrders:
    """Whole numbers inside the support; rounding to the nearest of them costs at most ``allowance``."""

    least: int
    most: int
    allowance: float

    def rounded(self, orders: Floats, *, on_top: bool = False) -> Floats:
        """The nearest whole orders; orders on top of a stock need not lie inside the support."""
        nearest: Floats = np.rint(orders)
        return nearest if on_top else np.clip(nearest, self.least, self.most)


def whole_orders(newsvendor: Newsvendor) -> WholeOrders:
    """An order moves by at most half a unit, or from an end of the support to the first whole number inside."""
    low, high = newsvendor.support
    least, most = ceil(low), floor(high)
    if least > most:
        raise InputError(f"support = ({low:g}, {high:g}) holds no whole number; widen it or leave out integer=True")
    dearer = float(max(read_exactly(newsvendor.cu), read_exactly(newsvendor.co)))
    moved = max(0.5, least - low, high - most)
    return WholeOrders(least, most, rounded_up(dearer * moved))
