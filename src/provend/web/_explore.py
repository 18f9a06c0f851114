"""Explore: what policies guarantee at imagined dissimilarities, computed in steps, the most important first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend import Minimax, ServiceLevel, learning_curve, minimax, service_level, worst_case_regret
from provend.certificate import Guarantee
from provend.newsvendor import Newsvendor
from provend.policies import ERM, KNN, Exponential, Kernel, NoData, OrderStatistic, Policy
from provend.web._child import Progress
from provend.web._plain import plain
from provend.web._problem import CELLS, Problem, read_policy, read_problem
from provend.web._said import explored

ALL = 200  # samples up to which the curve of a rank has every point
POINTS = 25  # points on curves that take longer
RTOL = 1e-6
KEPT = 64  # problems that a worker remembers
OPTIMA = 2000  # best policies that a worker remembers, about thirty per problem
BEST = "minimax"
RANKS = (ERM, KNN, OrderStatistic, NoData)  # their regrets take well under a millisecond

Answer = dict[str, Any]
Points = dict[int, tuple[float, float]]  # n: (lower, upper)
Step = Callable[[], None]


def explore(query: Mapping[str, str], seconds: float, progress: Progress) -> Answer:
    """What is known of an address's problem after ``seconds`` of further work; ``complete`` if nothing is left."""
    found = _exploration(read_problem(query))
    found.advance(seconds)
    return found.answer()


class Exploration:
    """What is known so far of one problem, and the steps that are left."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.d = np.array(problem.d)
        self.guarantees: dict[str, Guarantee] = {}
        self.services: dict[str, ServiceLevel] = {}
        self.curves: dict[str, Points] = {name: {} for name in (*problem.policies, BEST)}
        self.best: dict[int, Minimax] = {}
        self.one_more: Minimax | None = None
        self._steps = deque(self._planned())

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to do."""
        return not self._steps

    def advance(self, seconds: float) -> None:
        """Take more steps: up to the best policy in any case, then those likely to finish in time."""
        end = monotonic() + seconds
        while self._steps:
            began = monotonic()
            self._steps.popleft()()
            now = monotonic()
            if BEST in self.guarantees and now + (now - began) > end:  # the next step takes about as long as this one
                return

    def _planned(self) -> Iterator[Step]:
        """What takes a moment, the best policy (to compare all with), what takes longer, and then its curves."""
        others = [name for name in self.problem.policies if name != BEST]
        quick = [name for name in others if isinstance(read_policy(name), RANKS)]
        slow = [name for name in others if name not in quick]
        n, sizes = self.d.size, spread(self.d.size)
        yield from (partial(self._regret, name, n) for name in quick)
        yield from (partial(self._regret, name, size) for size in sizes for name in quick)
        yield from (partial(self._service, name) for name in quick)
        yield partial(self._optimal, n)
        yield from (partial(self._regret, name, n) for name in slow)
        yield from (partial(self._curve, name) for name in quick if n <= ALL)
        yield self._another
        yield from (partial(self._optimal, size) for size in sizes)
        yield from (partial(self._regret, name, size) for size in sizes for name in slow)
        yield from (partial(self._service, name) for name in (BEST, *slow))

    def _optimal(self, n: int) -> None:
        found = self.best[n] = optimum(self.problem.ratio, self.problem.d[:n])
        self.curves[BEST][n] = found.lower_bound, found.guarantee.upper
        if n == self.d.size:
            self.guarantees[BEST] = found.guarantee

    def _another(self) -> None:
        self.one_more = optimum(self.problem.ratio, (*self.problem.d, self.problem.next))

    def _regret(self, name: str, n: int) -> None:
        found = worst_case_regret(executed(name, self.d[:n]), self.d[:n], q=self.problem.ratio, rtol=RTOL)
        self.curves[name][n] = found.lower, found.upper
        if n == self.d.size:
            self.guarantees[name] = found

    def _curve(self, name: str) -> None:
        found = learning_curve(read_policy(name), self.d, q=self.problem.ratio)
        self.curves[name] = dict(zip(found.n.tolist(), zip(found.lower, found.upper, strict=True), strict=True))

    def _service(self, name: str) -> None:
        policy = self.best[self.d.size].policy if name == BEST else executed(name, self.d)
        self.services[name] = service_level(policy, self.d, q=self.problem.ratio)

    def answer(self) -> Answer:
        """All that is known, in the form of JSON."""
        best = self.best[self.d.size]
        no_data = {"regret": best.guarantee.no_data_regret, "order": self.problem.no_data_order}
        optimal = {"lower_bound": best.lower_bound, "gap": best.gap, "weights": best.weights, "unused": best.unused}
        found = {
            "problem": self.problem.facts(),
            "complete": self.complete,
            "no_data": no_data,
            "policies": [self._of(name) for name in self.problem.policies if name in self.guarantees],
            "optimal": self._of(BEST) | optimal,
            "one_more": self._worth(best),
            **explored(self.problem),
        }
        answer: Answer = plain(found)
        return answer

    def _of(self, name: str) -> Answer:
        guarantee, points = self.guarantees[name], sorted(self.curves[name].items())
        bracket = {part: getattr(guarantee, part) for part in ("lower", "upper", "percent_of_no_data", "note")}
        upper = [high for _, (_, high) in points]
        least = int(np.argmin(upper))
        level = self.services.get(name)
        return {
            "name": name,
            "guarantee": bracket,
            "worst_case": vars(guarantee.worst_case),
            "service": None if level is None else {"worst": level.worst.lower, "best": level.best.upper},
            "curve": {"n": [n for n, _ in points], "lower": [low for _, (low, _) in points], "upper": upper},
            "best": {"n": points[least][0], "upper": upper[least], "of_all": len(points) == self.d.size},
        }

    def _worth(self, now: Minimax) -> Answer | None:
        """The worth of one more observation: by how much the best guarantee falls, at least and at most."""
        then = self.one_more
        if then is None:
            return None
        return {
            "d": self.problem.next,
            "now": now.guarantee.upper,
            "then": then.guarantee.upper,
            "reduction": now.guarantee.upper - then.guarantee.upper,
            "least": max(now.lower_bound - then.guarantee.upper, 0.0),
            "most": max(now.guarantee.upper - then.lower_bound, 0.0),
        }


def executed(name: str, d: NDArray[np.float64]) -> Policy:
    """A policy on these contexts, with real weights in hundredths of the largest, for which the worst case is exact."""
    policy = read_policy(name)
    if isinstance(policy, Exponential | Kernel):
        return policy.rounded(d, cells=CELLS) if policy.weights(d).any() else NoData()
    return policy.on_first(d.size)


@lru_cache(OPTIMA)
def optimum(ratio: str | Newsvendor, d: tuple[float, ...]) -> Minimax:
    """The best policy, remembered: the same problem recurs with every choice of policies, and with one more day."""
    return minimax(np.array(d), q=ratio)


@lru_cache(KEPT)
def _exploration(problem: Problem) -> Exploration:
    return Exploration(problem)


def spread(n: int) -> list[int]:
    """Some sizes up to n, denser where they are small, each far from those listed before it."""
    sizes = np.unique(np.round(np.geomspace(1, n, POINTS)).astype(int)).tolist()
    gaps, order = [(0, len(sizes) - 1)], [sizes[-1], sizes[0]]
    for first, last in gaps:  # halved in turn, in the order found
        middle = (first + last) // 2
        if first < middle < last:
            order.append(sizes[middle])
            gaps += [(first, middle), (middle, last)]
    return list(dict.fromkeys(order))[1:]


def warm_up(progress: Progress) -> None:
    """Load or compile machine code before anybody waits for it."""
    for kind, value in (("constant", "0.05"), ("drift", "0.003")):
        explore({"kind": kind, "value": value, "n": "30", "policies": "erm,knn:9,exp:0.9,minimax"}, 60.0, progress)
