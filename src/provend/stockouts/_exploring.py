"""What it would be worth to have more on the shelf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from provend._display import Shown
from provend._validation import as_critical_ratio, as_dissimilarities, as_stock, as_support, as_unit
from provend.certificate import Bracket
from provend.newsvendor import Ratio
from provend.stockouts._plan import plan


@dataclass(frozen=True, eq=False, repr=False)
class ValueOfStock(Shown):
    """What further days would be worth.

    Attributes
    ----------
    now, then : Bracket
        The guarantee of :func:`order_with_stockouts` on the existing days, and with the new ones added.
    """

    now: Bracket[float]
    then: Bracket[float]

    @property
    def reduction(self) -> float:
        """By how much the guarantee falls."""
        return self.now.upper - self.then.upper

    def _facts(self) -> dict[str, object]:
        return {"now": self.now.upper, "then": self.then.upper, "reduction": self.reduction}


def value_of_stock(
    stock: ArrayLike,
    d: ArrayLike,
    /,
    *,
    q: Ratio,
    new_stock: ArrayLike,
    new_d: ArrayLike,
    support: tuple[float, float] = (0, 1),
) -> ValueOfStock:
    """How much the guarantee falls when days with ``new_stock`` at dissimilarities ``new_d`` are added.

    It depends on what could be seen, not on what was sold, so the answer is known before the new days have come.

    Parameters
    ----------
    stock, d, q, support
        As in :func:`order_with_stockouts`.
    new_stock, new_d : array
        The stock of the days to come, and how dissimilar they will be when they are used.

    Examples
    --------
    >>> import provend as pv
    >>> problem = pv.Newsvendor(cu=3, co=1, support=(0, 100))
    >>> worth = pv.value_of_stock([40, 40, 60, 60], [0.05] * 4, q=problem, new_stock=[100], new_d=[0.05])
    >>> print(f"{worth.now.upper:.1f} -> {worth.then.upper:.1f}")
    43.3 -> 27.9
    """
    ratio, bounds = as_critical_ratio(q), as_support(support, q)
    have, more = as_dissimilarities(d), as_dissimilarities(new_d)
    levels = as_stock(stock, have.size)
    raised = np.concatenate([levels, as_stock(new_stock, more.size, name="new_stock")])
    now = plan(levels, have, ratio, bounds, None).guarantee
    then = plan(raised, np.concatenate([have, more]), ratio, bounds, None).guarantee
    return ValueOfStock(now.scaled(as_unit(q)), then.scaled(as_unit(q)))
