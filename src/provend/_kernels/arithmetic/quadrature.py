"""Integrals over instances: demands with known cdfs, which may jump and bend."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.points import Floats
from provend._kernels.arithmetic.rounding import UNIT, recurrence_error

PANELS = 8  # the support is cut into at least this many
MOST_KINKS = 128  # to cut at; if there are more, those that matter are found by halving
NODES = 10  # of the Lobatto rule on each panel
HALVINGS = 52  # a panel of width 1 is then as narrow as a rounding error
MOST_NODES = 2**18
CAUTION = 4  # how much larger an error may be than what a finer computation changes
SHARP = 1e-13  # a panel is done when halving it changes its integral by less, per unit of width integrated over

Function = Callable[[Floats], Floats]


def integrate(f: Function, edges: Floats, sharp: float = SHARP) -> tuple[Floats, Floats]:
    """Integrals of f between consecutive edges, and estimates of their errors.

    ``f`` maps m points to an array of m rows, one column per function; the results have the same columns, and one row
    per gap between edges. All panels whose integral still changes are halved in one round, with one call of ``f``:
    jumps and kinks at unknown places are closed in on by bisection. The error is ``CAUTION`` times what the last
    halving changed: far too much for smooth functions, about right for a jump inside the panel.
    """
    left, right = edges[:-1], edges[1:]
    tolerance = sharp * float(edges[-1] - edges[0])
    owner = np.arange(left.size)
    whole = _panels(f, left, right)
    values, errors = np.zeros_like(whole), np.zeros_like(whole)
    used = NODES * left.size
    for halving in range(HALVINGS):
        middle = (left + right) / 2
        halves = _panels(f, np.concatenate([left, middle]), np.concatenate([middle, right]))
        used += 2 * NODES * left.size
        first, second = halves[: left.size], halves[left.size :]
        change = np.abs(first + second - whole)
        enough = halving == HALVINGS - 1 or used > MOST_NODES
        done = np.ones(left.size, bool) if enough else (change <= tolerance).all(axis=1)
        np.add.at(values, owner[done], (first + second)[done])
        np.add.at(errors, owner[done], CAUTION * change[done])
        if done.all():
            break
        more = ~done
        left, right = np.concatenate([left[more], middle[more]]), np.concatenate([middle[more], right[more]])
        whole, owner = np.concatenate([first[more], second[more]]), np.tile(owner[more], 2)
    return values, errors


def _panels(f: Function, left: Floats, right: Floats) -> Floats:
    """The Lobatto rule on each panel: it uses both ends, or a jump between an end and the first node would go unseen.

    A cdf is continuous from the right, so f is evaluated just before the right end.
    """
    x, weight = _lobatto()
    width = right - left
    at = left[:, None] + width[:, None] * x
    at[:, -1] = np.nextafter(right, left)
    values = f(at.ravel()).reshape(left.size, NODES, -1)
    panels: Floats = np.einsum("pnc,n->pc", values, weight) * width[:, None]
    return panels


@cache
def _lobatto() -> tuple[Floats, Floats]:
    """Nodes and weights on [0, 1]: the ends, and where the Legendre polynomial of degree NODES - 1 is stationary."""
    legendre = np.polynomial.Legendre.basis(NODES - 1)
    x = np.concatenate([[-1.0], np.sort(legendre.deriv().roots().real), [1.0]])
    return (x + 1) / 2, 1 / (NODES * (NODES - 1) * legendre(x) ** 2)


@dataclass(frozen=True, eq=False)
class Cdf:
    """A distribution on [low, high] with cdf min(base + by, 1): mass ``by`` is moved from the top to the bottom.

    ``base`` takes arrays; ``jumps`` and ``kinks`` say where it is known to jump and bend; ``inverse``, if there is one,
    gives its quantiles.
    """

    base: Function
    low: float
    high: float
    jumps: Floats
    kinks: Floats
    inverse: Function | None = None
    by: float = 0.0

    def at(self, y: Floats) -> Floats:
        """The cdf at each y."""
        return np.minimum(self.base(y) + self.by, 1.0)

    def quantile(self, levels: Floats) -> Floats:
        """The smallest y with cdf(y) >= level, for each level."""
        return np.where(levels <= self.by, self.low, self._base_quantile(np.maximum(levels - self.by, 0.0)))

    def _base_quantile(self, levels: Floats) -> Floats:
        """Quantiles of ``base``, by bisection to the last bits where it has no inverse."""
        if self.inverse is not None:
            return np.clip(self.inverse(levels), self.low, self.high)
        below, above = np.full(levels.size, self.low), np.full(levels.size, self.high)
        at_bottom = self.base(below) >= levels
        for _ in range(HALVINGS):
            middle = (below + above) / 2
            reached = self.base(middle) >= levels
            above, below = np.where(reached, middle, above), np.where(reached, below, middle)
        return np.where(at_bottom, self.low, above)

    def shifted(self, by: float) -> "Cdf":
        """The same distribution with a further mass ``by`` moved."""
        moved = min(self.by + by, 1.0)
        saturates = self._base_quantile(np.array([1.0 - moved]))
        return replace(self, kinks=np.append(self.kinks, saturates), by=moved)


@dataclass(frozen=True, eq=False)
class Instance:
    """Past and future demands on the same [low, high] at critical ratio q, with cu + co = 1."""

    past: tuple[Cdf, ...]
    future: Cdf
    q: float

    @cached_property
    def optimal_order(self) -> float:
        """The smallest q-quantile of the future; a cdf that is flat at q may come out a rounding error below it."""
        flat, order = self.future.quantile(self.q * np.array([1 - 4 * UNIT, 1.0]))
        return float(flat if order - flat > 1e-9 * (self.future.high - self.future.low) else order)

    @cached_property
    def _bases(self) -> tuple[list[Function], list[int], Floats]:
        """The distinct functions among the past, which of them each past cdf is shifted from, and by how much."""
        place = {base: i for i, base in enumerate(dict.fromkeys(cdf.base for cdf in self.past))}
        return list(place), [place[cdf.base] for cdf in self.past], np.array([cdf.by for cdf in self.past])

    def past_at(self, y: Floats) -> tuple[Floats, NDArray[np.intp]]:
        """The distinct rows (F_1(y), ..., F_n(y)), and which of them belongs to each y."""
        bases, columns, by = self._bases
        rows, where = np.unique(np.stack([base(y) for base in bases], axis=1), axis=0, return_inverse=True)
        return np.ascontiguousarray(np.minimum(rows[:, columns] + by, 1.0)), where.ravel()

    def expectations(self, at_most: Function, orders: list[float], sharp: float = SHARP) -> tuple[Floats, Floats]:
        """Expected regret for each column of P = at_most(y), then the cost of the best order; and their errors.

        Lemma 2: regret is the integral of P (q - F_0) + max(F_0 - q, 0). ``orders`` lists further points
        at which P jumps.
        """
        q = self.q

        def integrand(y: Floats) -> Floats:
            future, P = self.future.at(y)[:, None], at_most(y)
            regret = np.where(future > q, (1 - P) * (future - q), P * (q - future))
            return np.hstack([regret, np.minimum((1 - q) * future, q * (1 - future))])

        most_kinks = MOST_KINKS if sharp <= SHARP else PANELS
        values, errors = integrate(integrand, self._cuts([self.optimal_order, *orders], most_kinks), sharp)
        rounding = recurrence_error(len(self.past)) * (self.future.high - self.future.low)
        return values.sum(axis=0), errors.sum(axis=0) + rounding

    def _cuts(self, at: list[float], most_kinks: int) -> Floats:
        low, high = self.future.low, self.future.high
        cdfs = dict.fromkeys([self.future, *self.past])
        kinks = np.unique(np.concatenate([cdf.kinks for cdf in cdfs]))
        if kinks.size > most_kinks:
            kinks = kinks[np.linspace(0, kinks.size - 1, most_kinks).astype(int)]
        cuts = np.concatenate([np.linspace(low, high, PANELS + 1), at, kinks, *(cdf.jumps for cdf in cdfs)])
        return np.unique(cuts[(cuts >= low) & (cuts <= high)])

    def regrets(self, orders: Floats) -> Floats:
        """The regret of each order: the integral of F_0 - q from the best order to it."""
        cuts = np.unique(np.concatenate([self._cuts([self.optimal_order], MOST_KINKS), orders.ravel()]))
        pieces = integrate(lambda y: (self.future.at(y) - self.q)[:, None], cuts)[0][:, 0]
        excess = np.concatenate([[0.0], np.cumsum(pieces)])
        excess -= excess[np.searchsorted(cuts, self.optimal_order)]
        return excess[np.searchsorted(cuts, orders)]
