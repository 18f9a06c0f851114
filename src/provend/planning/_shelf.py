"""What was on the shelf on past days, as far as it is known."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._errors import InputError
from provend.planning._schema import DEMAND, SHELF, SOLD_OUT, day

Floats = NDArray[np.float64]


def shelf_of(history: pa.Table) -> Floats:
    """The stock on the shelf on every day; on days only known to have sold out, it is what was sold."""
    sales: Floats = history[DEMAND].to_numpy()
    shelf: Floats = history[SHELF].to_numpy().astype(np.float64)
    dates = history[0].to_pylist()
    if SOLD_OUT in history.column_names:
        out = np.array([flag is True for flag in history[SOLD_OUT].to_pylist()])
        shelf = np.where(out & np.isnan(shelf), sales, shelf)
        for at in np.flatnonzero(out & (sales < shelf))[:1]:
            raise InputError(f"{day(dates[at])} sold out, yet {sales[at]:g} of {shelf[at]:g} were sold; correct either")
    for at in np.flatnonzero(np.isnan(shelf))[:1]:
        raise InputError(
            f"no stock_seen on {day(dates[at])}; give what was there on every day, inf where nothing limited sales"
        )
    for at in np.flatnonzero(sales > shelf)[:1]:
        raise InputError(f"{day(dates[at])}: {sales[at]:g} were sold of {shelf[at]:g} in stock; correct either")
    return shelf


def refuse_outside(history: pa.Table, support: tuple[float, float]) -> None:
    """Refuse impossible sales: once days are moved to another day's level and cut off there, these no longer show."""
    sales: Floats = history[DEMAND].to_numpy()
    for at in np.flatnonzero((sales < support[0]) | (sales > support[1]))[:1]:
        raise InputError(
            f"{sales[at]:g} sold on {day(history[0][at].as_py())} lies outside the support "
            f"[{support[0]:g}, {support[1]:g}]; widen it or correct the sales"
        )
