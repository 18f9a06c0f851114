"""The judge: run what the user would run, history by history, and compare expected regret with what was promised.

Where there are few histories all of them are tried, and the expected regret is a finite sum. Elsewhere histories are
drawn, and a promise counts as broken when so much regret had a probability below ``ALARM`` if it were kept: for
independent numbers in [0, 1] of mean p, P(average >= x) <= exp(-N kl(x, p)) (Hoeffding). A campaign looks at its draws
less than a million times, so that the probability of any false alarm is below 1e-6.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend import InputError
from provend.estimators import RepeatedRowsWarning, SupportWarning
from soundness.laws import Law, grouped, others, wandering, worst
from soundness.worlds import Floats, World

EXACT = 128  # histories up to which all are tried
LOOKS = (48, 192, 768)  # histories drawn in all; the next look follows where the last one raised suspicion
SUSPICION, ALARM = 1e-2, 1e-12
ROUNDING = 1e-9
JUDGED = 40  # targets, of many


@dataclass(frozen=True)
class Finding:
    """A broken promise."""

    kind: str
    text: str
    law: Law | None = field(default=None, repr=False)
    y: Floats | None = field(default=None, repr=False)


@dataclass
class Verdict:
    """What was checked, and what was found."""

    exact: int = 0
    drawn: int = 0
    bounds: int = 0
    fits: int = 0
    closest: float = 0.0  # largest ratio of expected regret to guarantee, over the exact checks
    finding: Finding | None = None
    refused: str | None = None


class BrokenError(Exception):
    """Carries a finding to where verdicts are made."""

    def __init__(self, kind: str, text: str, law: Law | None = None, y: Floats | None = None) -> None:
        super().__init__(text)
        self.finding = Finding(kind, text, law, y)


def judge(world: World, seed: Any) -> Verdict:
    """Everything there is to say about a world; the first broken promise ends it."""
    verdict, rng = Verdict(), np.random.default_rng(seed)
    free = world.size[0] - len(world.anchors) if not world.certified else -(-world.size[0] // 2)
    try:
        with warnings.catch_warnings():
            for expected in (RepeatedRowsWarning, SupportWarning):
                warnings.simplefilter("ignore", expected)
            few = (not (world.learned or world.packs) or world.alike) and len(world.atoms) ** free <= EXACT
            run = Run(world, verdict)
            (_exactly if few else _by_draws)(run, rng)
            if run.unfixed is not None:
                raise run.unfixed
    except BrokenError as broken:
        verdict.finding = broken.finding
    except RefusedError as refused:
        verdict.refused = str(refused)
    return verdict


class Run:
    """A world's script, executed, and what is always true of its answers."""

    def __init__(self, world: World, verdict: Verdict) -> None:
        self.world, self.verdict = world, verdict
        self.names: dict[str, Any] = {}
        exec(world.script, self.names)
        self.first = self.weights = self.apart = np.zeros(0)  # guarantees, weights, limits on the first history
        self.unfixed: BrokenError | None = None  # reported only where no law shows the damage

    def __call__(self, history: NDArray[np.intp], *, bound: bool) -> tuple[Floats, Floats]:
        """Orders and guarantees on one history; guarantees of given dissimilarities are looked at now and then."""
        y, names = np.array(self.world.atoms)[history], self.names
        self.verdict.fits += 1
        try:
            model = names["fit"](y)
            orders = names["orders"](model)
            uppers = names["uppers"](model) if bound else self.first
            weights = names["weights"](model) if bound else None
        except Exception as error:
            if isinstance(error, InputError) or "policy =" in str(error):
                raise RefusedError(str(error)) from error
            raise BrokenError("crash", f"{type(error).__name__}: {error}", y=y) from error
        if self.world.certified:
            self._check_limits(model, y)
        self._check_orders(orders, y)
        if weights is not None:
            self._check_fixed(uppers, weights, y)
        return orders, uppers

    def _check_orders(self, orders: Floats, y: Floats) -> None:
        if self.world.packs:
            if not np.isin(orders, self.world.possible).all():
                raise BrokenError("impossible", f"orders {orders.tolist()} cannot be placed", y=y)
            return
        (low, high), aims = self.world.support, self.world.aims
        slack = ROUNDING * np.abs(aims)  # orders are told less their forecast
        if not ((orders + aims >= low - slack) & (orders + aims <= high + slack)).all():
            raise BrokenError("outside", f"orders {orders.tolist()} leave the support [{low}, {high}]", y=y)
        if self.world.cautious and not ((orders >= y.min() - ROUNDING) & (orders <= y.max() + ROUNDING)).all():
            raise BrokenError("unsupported", f"orders {orders.tolist()} are beyond all demands seen", y=y)
        if self.world.integer and (orders != np.round(orders)).any():
            raise BrokenError("not whole", f"orders {orders.tolist()} are not whole", y=y)

    def _check_limits(self, model: Any, y: Floats) -> None:
        """Limits follow from rows that do not count, whose demands stay; they show it before guarantees do."""
        apart = model.dissimilarity_(self.names["X"], self.names["T"])
        self.apart = self.apart if self.apart.size else apart
        if (apart != self.apart).any():
            raise BrokenError("limits depend on demand", f"limits {np.unique(apart)}, {np.unique(self.apart)}", y=y)

    def _check_fixed(self, uppers: Floats, weights: Floats, y: Floats) -> None:
        """Before the demands are seen, guarantees and weights are what they are."""
        if not (np.isfinite(uppers) & (uppers >= 0)).all():
            raise BrokenError("not a bound", f"guarantees {uppers.tolist()[:9]}", y=y)
        ignored = np.equal(self.world.sample_weight or 1, 0)
        shares = (weights >= 0).all() and np.allclose(weights.sum(axis=1), 1) and not (weights * ignored).any()
        if not (shares or self.world.library):
            raise BrokenError("not shares", f"weights {weights.tolist()[:1]}", y=y)
        if self.world.halved and 2 * np.count_nonzero(weights.any(axis=0)) > weights.shape[1] + 1:
            raise BrokenError(
                "learned and weighed", f"{weights.any(axis=0).sum()} of {weights.shape[1]} rows count", y=y
            )
        if self.first.size == 0:
            self.first, self.weights = uppers, weights
        elif not self.world.grown or self.world.certified:
            for name, before, now in (("guarantees", self.first, uppers), ("weights", self.weights, weights)):
                if not np.allclose(now, before, rtol=1e-6, atol=ROUNDING):
                    text = f"{name} {str(before.tolist())[:60]}.. become {str(now.tolist())[:60]}.. when demands change"
                    self.unfixed = BrokenError(f"{name} depend on demand", text, y=y)


class RefusedError(Exception):
    """The program says that it will not do this, and why."""


def _exactly(run: Run, rng: np.random.Generator) -> None:
    """All histories there are; then laws, each a way to weigh them."""
    world = run.world
    histories = np.array(list(product(*_possible(run))))
    asked = {0, len(histories) - 1, int(rng.integers(len(histories)))}
    results = [run(history, bound=world.grown or i in asked) for i, history in enumerate(histories)]
    orders, uppers = np.array([r[0] for r in results]), np.array([r[1] for r in results])
    targets = range(world.size[1])
    for target in targets if len(targets) <= JUDGED else rng.choice(len(targets), JUDGED, replace=False):
        for law in _laws(rng, world, int(target)):
            chances = np.prod([_pmf(row)[seen] for row, seen in zip(law.past, histories.T, strict=True)], axis=0)
            expected = float(chances @ regret(world, law, orders[:, target]))
            promised = float(chances @ uppers[:, target])
            run.verdict.exact += 1
            run.verdict.closest = max(run.verdict.closest, expected / promised if promised > ROUNDING else 0.0)
            if expected > promised * (1 + ROUNDING) + ROUNDING * world.unit:
                raise BrokenError("regret", f"expected regret {expected:.6g}, guaranteed {promised:.6g}", law)


def _possible(run: Run) -> list[tuple[int, ...]]:
    """Which atoms each row may have: anchors and rows that are learned from have one."""
    world, every, fixed = run.world, tuple(range(len(run.world.atoms))), run.world.anchors
    if world.certified:
        run(np.zeros(world.size[0], np.intp), bound=True)
        fixed = dict.fromkeys(np.flatnonzero(~run.weights.any(axis=0)).tolist(), 0)
    return [(fixed[i],) if i in fixed else every for i in range(world.size[0])]


def _laws(rng: np.random.Generator, world: World, target: int) -> Iterator[Law]:
    yield from worst(rng, world, target, each=8)
    yield from (wandering(rng, world, target) for _ in range(4))


def _by_draws(run: Run, rng: np.random.Generator) -> None:
    """One past law at a time, for all targets that it suits."""
    world = run.world
    if world.learned:
        _draw(run, rng, list(grouped(rng, world)))
        return
    for side in (0, 1):
        law = list(worst(rng, world, int(rng.integers(world.size[1])), each=2))[2 * side + int(rng.integers(2))]
        _draw(run, rng, list(others(law, world))[:JUDGED])


def _draw(run: Run, rng: np.random.Generator, laws: list[Law]) -> None:
    """Draw histories until nothing looks suspicious, or a promise is broken beyond doubt."""
    world = run.world
    results: list[tuple[Floats, Floats]] = []
    history = _history(rng, laws[0])
    if world.certified:
        run(history, bound=True)
    drawn = run.weights.any(axis=0) if world.certified else np.ones(world.size[0], bool)  # what is learned from stays
    for look in LOOKS:
        while len(results) < look:
            bound = world.grown or len(results) < 3
            results.append(run(np.where(drawn, _history(rng, laws[0]), history), bound=bound))
        orders, uppers = np.array([r[0] for r in results]), np.array([r[1] for r in results])
        suspicious = False
        for law in laws:
            chance, text = _chance(world, law, orders[:, law.target], uppers[:, law.target])
            if chance < ALARM:
                raise BrokenError("regret", text, law)
            suspicious |= chance < SUSPICION
        if not suspicious:
            break
    run.verdict.drawn += len(laws)


def _history(rng: np.random.Generator, law: Law) -> NDArray[np.intp]:
    drawn: NDArray[np.intp] = (rng.random((len(law.past), 1)) > law.past[:, :-1]).sum(axis=1)
    return drawn


def _chance(world: World, law: Law, orders: Floats, uppers: Floats) -> tuple[float, str]:
    """How probable so much regret is at most, if the promise is kept."""
    ends = world.possible[[0, -1]] if world.packs else np.array(world.support) - world.aims[law.target]
    seen, most = regret(world, law, orders), float(regret(world, law, ends).max())
    text = f"mean regret {seen.mean():.6g} of {seen.size} histories, guaranteed {uppers.mean():.6g} on average"
    if most <= ROUNDING * world.unit:
        return 1.0, text
    if np.ptp(uppers) <= ROUNDING * most:
        return tail(float(seen.mean() / most), float(uppers[0] / most), seen.size), text
    excess = (seen - np.minimum(uppers, 2 * most) + 2 * most) / (3 * most)  # in [0, 1], of mean 2/3 at most
    return tail(float(excess.mean()), 2 / 3, seen.size), text


def tail(x: float, p: float, n: int) -> float:
    """Hoeffding: P(average of n >= x) for independent numbers in [0, 1] of mean at most p."""
    x = min(x, 1.0)
    if x <= p:
        return 1.0
    if p <= 0:
        return 0.0 if x > ROUNDING else 1.0
    rest = (1 - x) * np.log((1 - x) / (1 - p)) if x < 1 else 0.0
    return float(np.exp(-n * (x * np.log(x / p) + rest)))


def regret(world: World, law: Law, orders: Floats) -> Floats:
    """Expected cost of each order beyond that of the best one that is possible, over the demand to come."""
    (cu, co), atoms, chances = world.cu_co, np.array(world.atoms), _pmf(law.future)

    def cost(a: Floats) -> Floats:
        return np.where(atoms > a[:, None], cu * (atoms - a[:, None]), co * (a[:, None] - atoms)) @ chances

    best = cost(world.stock + world.possible if world.packs else atoms).min()
    return cost(world.stock + np.asarray(orders, float)) - float(best)


def _pmf(cdf: Floats) -> Floats:
    return np.diff(cdf, prepend=0.0)
