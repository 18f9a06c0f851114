"""A forecast of demand learned from sales, some of which were cut off by the stock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.levels._forecast import Forecast
from provend.levels._learning import learn_forecast
from provend.tables import Contexts

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROUNDS = 2  # a third round moves the levels of the restaurant and the bakery by less than 1 %


def learn_from_sales(contexts: Contexts, sales: Floats, sold_out: Flags, q: float) -> Forecast:
    """The forecast of demand; a day that sold out counts with what might have been sold, had there been enough.

    Buckley and James (1979): its error is replaced with the mean of the errors beyond it, under the product-limit
    estimate of their law, and the forecast is learned again. Sales alone would understate demand on days that sell out.
    """
    found = learn_forecast(contexts, sales, q)
    for _ in range(ROUNDS if sold_out.any() else 0):
        found = learn_forecast(contexts, _completed(found, sales, sold_out), q)
    return found


def _completed(found: Forecast, sales: Floats, sold_out: Flags) -> Floats:
    """The likely demand on days that sold out, and the observed demand on the others."""
    errors = (found.power.of(sales) - found.past) / found.past_widths
    likely = found.power.back(found.past + found.past_widths * beyond(errors, sold_out))
    return np.where(sold_out, np.maximum(likely, sales), sales)


def beyond(values: Floats, cut_off: Flags) -> Floats:
    """The mean of what lies beyond each value that was cut off, by the product-limit estimate; other values unchanged.

    The largest value counts as seen: nothing is known to lie beyond it.
    """
    order = np.lexsort((cut_off, values))  # at the same value, what was seen comes first
    ascending, seen = values[order], ~cut_off[order]
    seen[-1] = True
    more = np.cumprod(1 - seen / np.arange(values.size, 0, -1))  # the share beyond each value
    share = -np.diff(more, prepend=1.0)
    total = np.cumsum((share * ascending)[::-1])[::-1]
    mean = np.divide(total, more, out=ascending.copy(), where=~seen)
    found = values.copy()
    found[order] = np.where(seen, ascending, mean)
    return found
