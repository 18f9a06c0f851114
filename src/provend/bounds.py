"""What no policy can promise: lower bounds on the worst-case regret of every policy."""

from __future__ import annotations

from numpy.typing import ArrayLike

from provend._validation import as_critical_ratio, as_dissimilarity, as_unit
from provend.minimax import minimax
from provend.newsvendor import Ratio


def lower_bound(d: ArrayLike, /, *, q: Ratio) -> float:
    """A number that no policy whatsoever can push its worst-case regret below, rounding errors included.

    It is the lower side of :func:`minimax`: what the best prior found for Nature costs every policy. For up to 200
    equal dissimilarities it is the exact value to about 1e-9, otherwise usually within 0.1 % of it.

    Examples
    --------
    >>> import provend as pv
    >>> print(f"{pv.lower_bound(pv.constant(0.1, n=15), q=0.9):.6f}")
    0.050000
    >>> print(f"{pv.lower_bound(pv.drift(0.005, n=100), q=0.9):.5f}")
    0.02233
    """
    return minimax(d, q=q).lower_bound


def limiting_lower_bound(zeta: float, /, *, q: Ratio) -> float:
    r"""The best worst-case regret any policy can have with infinitely many samples at dissimilarity zeta.

    With :math:`m = \min(q, 1 - q)` it is :math:`\zeta / 2` for :math:`\zeta \le m` (the paper's Remark 3, which
    states that condition), :math:`m (2 \zeta - m) / (2 \zeta)` from there to :math:`\zeta = 1/2`, and the
    no-data regret :math:`q (1 - q)` beyond.

    Examples
    --------
    >>> import provend as pv
    >>> pv.limiting_lower_bound(0.1, q=0.9), round(pv.limiting_lower_bound(0.2, q=0.9), 6)
    (0.05, 0.075)
    """
    distance, ratio = as_dissimilarity(zeta, "zeta"), as_critical_ratio(q)
    m = float(min(ratio, 1 - ratio))
    if distance <= m:
        value = distance / 2
    elif distance <= 0.5:
        value = m * (2 * distance - m) / (2 * distance)
    else:
        value = float(ratio * (1 - ratio))
    return value * as_unit(q)
