"""A forecast of demand learned from sales, some of which were cut off by the stock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.levels._cost import scales
from provend.levels._forecast import Forecast, learn_forecast
from provend.levels._normal import quantile_beyond
from provend.levels._tobit import Tobit
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

GOLDEN = (5**0.5 - 1) / 2  # multiples of it, without their integer parts, fill [0, 1] evenly, however many there are


def learn_from_sales(contexts: Contexts, sales: Floats, sold_out: Flags, q: float) -> Forecast:
    """The forecast of demand; a day that sold out counts with what might have been sold, had there been enough.

    Sales alone would understate demand on days that sell out.
    """
    return learn_forecast(contexts, completed(contexts, sales, sold_out) if sold_out.any() else sales, q)


def completed(contexts: Contexts, sales: Floats, sold_out: Flags) -> Floats:
    """A demand that days which sold out may well have had, and the observed demand on the others.

    A regression that knows what was cut off says how demand is distributed beyond. Means of that would be too much
    alike: the scale, the widths and the forecast itself would be chosen by errors that are too small. So each day gets
    a quantile, and days of similar levels get quantiles that are spread evenly.
    """
    encoding, power = Encoding.of(contexts), scales(sales)[-1]
    z = power.of(sales)
    found = Tobit.of(encoding.without_time(encoding.matrix(contexts), contexts), z, sold_out)
    u = (z - found.past) / found.spread
    share: Floats = np.empty(z.size)
    share[np.lexsort((u, found.past))] = (0.5 + GOLDEN * np.arange(z.size)) % 1
    likely = power.back(found.past + found.spread * quantile_beyond(u, share))
    return np.where(sold_out, np.maximum(likely, sales), sales)
