"""How the promised service changes with the number of past contexts, and how many of them a target needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._validation import as_dissimilarities, as_open_share
from provend.certificate import Bracket
from provend.newsvendor import Ratio
from provend.policies import OrderStatistic, Policy
from provend.service._level import service_level

Floats = NDArray[np.float64]

CLOSE = 1e-9  # a service this little below the target meets it: nobody can tell the difference


@dataclass(frozen=True, eq=False, repr=False)
class ServiceCurve(Shown, Tabular):
    """The service of a policy on the first n contexts, n = 1, 2, ...

    Attributes
    ----------
    n : array
        1, 2, ..., number of contexts.
    worst, best : Bracket
        As in :class:`ServiceLevel`, with arrays aligned with ``n``.
    confidence : Fraction or None
        As in :class:`ServiceLevel`.
    note : str
        What the brackets rest on besides the theorem; empty if nothing.
    """

    n: NDArray[np.int64]
    worst: Bracket[Floats]
    best: Bracket[Floats]
    confidence: Fraction | None = None
    note: str = ""

    def _facts(self) -> dict[str, object]:
        at = int(np.argmax(self.worst.lower))
        return {"samples": self.n.size, "most": float(self.worst.lower[at]), "at": int(self.n[at])}

    def _columns(self) -> dict[str, NDArray[Any]]:
        worst = {"n": self.n, "worst_lower": self.worst.lower, "worst_upper": self.worst.upper}
        return worst | {"best_lower": self.best.lower, "best_upper": self.best.upper}


def service_curve(
    policy: Policy,
    d: ArrayLike,
    /,
    *,
    q: Ratio | None = None,
    confidence: object = None,
    progress: Callable[[int, int], None] | None = None,
) -> ServiceCurve:
    """The service of ``policy`` on the first n entries of ``d`` as given, for n = 1..len(d).

    Parameters
    ----------
    policy, q, confidence
        As in :func:`service_level`; on n contexts ``KNN(k)`` uses min(k, n) neighbours.
    d : array
        Dissimilarities in the order in which the contexts become available.
    progress : callable, optional
        Called with (done, total) now and then.

    Examples
    --------
    >>> import provend as pv
    >>> curve = pv.service_curve(pv.Conformal(0.9), pv.constant(0.05, n=40))
    >>> [round(float(curve.worst.lower[n - 1]), 3) for n in (10, 19, 40)]
    [0.859, 0.85, 0.852]
    """
    dissimilarities, levels = as_dissimilarities(d), []
    for n in range(1, dissimilarities.size + 1):
        levels.append(service_level(policy.on_first(n), dissimilarities[:n], q=q, confidence=confidence))
        if progress:
            progress(n, dissimilarities.size)
    worst, best = (
        Bracket(*(np.array([getattr(bracket, end) for bracket in brackets]) for end in ("lower", "upper")))
        for brackets in ([level.worst for level in levels], [level.best for level in levels])
    )
    note = "; ".join(dict.fromkeys(level.note for level in levels if level.note))
    return ServiceCurve(np.arange(1, dissimilarities.size + 1), worst, best, levels[-1].confidence, note)


def samples_for_service(d: ArrayLike, /, *, target: object, confidence: object = None) -> int | None:
    """How many contexts, in the order given, it takes for some past demand to promise a service; None if all fail.

    The largest demand promises the most, and more with every context. So this is the first n at which the largest of n
    demands meets the target, to within 1e-9, in the worst world.

    Parameters
    ----------
    d, target, confidence
        As in :func:`order_for_service`.

    Examples
    --------
    >>> import provend as pv
    >>> [pv.samples_for_service(pv.constant(z, n=200), target=0.95, confidence=0.95) for z in (0, 0.005, 0.01, 0.02)]
    [59, 66, 74, 99]
    """
    dissimilarities, goal = as_dissimilarities(d), float(as_open_share(target, "target")) - CLOSE

    def meets(n: int) -> bool:
        return service_level(OrderStatistic(n), dissimilarities[:n], confidence=confidence).worst.lower >= goal

    return first_of(meets, dissimilarities.size)


def first_of(holds: Callable[[int], bool], most: int) -> int | None:
    """The first of 1..most from which a condition holds, by halving; None if it never does."""
    if not holds(most):
        return None
    fails, succeeds = 0, most
    while succeeds - fails > 1:
        middle = (fails + succeeds) // 2
        fails, succeeds = (fails, middle) if holds(middle) else (middle, succeeds)
    return succeeds
