"""What an order costs on ordinary days: an estimate from the past days that count, beside what is guaranteed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from provend._errors import InputError
from provend.planning import Explainer, Weighed, WeighedSales

Asked = tuple[tuple[str, ...], str, float]  # the values that name an item, a day, and what is there with the order


def usual_cost(found: Weighed | WeighedSales | None, level: float) -> float | None:
    """The mean cost of having so much, over the past demands that count, each brought to the day and with its share.

    An estimate, and no bound. ``None`` without such demands, and where stock has cut sales off: what was wanted then
    is not known.
    """
    if not isinstance(found, Weighed):
        return None
    counted = found.shares > 0
    demands, shares = found.brought[counted], found.shares[counted]
    costs = found.problem.cost(np.full(demands.size, level), demands)
    return float(shares @ costs / shares.sum())


def usual_costs(explainer: Explainer, asked: Iterable[Asked]) -> list[float | None]:
    """The same for several orders of a plan."""
    return [_of_order(explainer, *one) for one in asked]


def _of_order(explainer: Explainer, ids: tuple[str, ...], day: str, level: float) -> float | None:
    try:
        return usual_cost(explainer.weighed(ids, day), level)
    except InputError:  # what cannot be taken apart has no estimate, but an order all the same
        return None
