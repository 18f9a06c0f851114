"""Whole curves and mixtures against single answers and against one linear program on a grid."""

import time
from collections.abc import Iterator

import numpy as np
from scipy import stats
from scipy.optimize import linprog

import provend as pv
from benchmarks.timing import best_time

GRID = 1000


def grid_program(n: int, zeta: float, q: float) -> float:
    """The best mixture of all ranks on a grid of means, as one linear program; uncertified."""
    ranks = np.arange(n + 2)
    rows = []
    for c, needed, share in ((1 - q, n - ranks + 1, 1 - q), (q, ranks, q)):
        t = np.linspace(0, c, round(GRID * share))
        p = np.minimum(1, t + zeta)[:, None]
        rows.append((c - t)[:, None] * stats.binom.sf(needed - 1, n, p))
    errors = np.vstack(rows)
    found = linprog(
        np.append(np.zeros(n + 2), 1),
        A_ub=np.column_stack([errors, -np.ones(GRID)]),
        b_ub=np.zeros(GRID),
        A_eq=np.append(np.ones(n + 2), 0)[None],
        b_eq=[1],
    )
    return float(found.fun)


def simulated_service(d: np.ndarray, rank: int) -> float:
    """Expected service in the worst world, uniform demand, by a hundred thousand histories."""
    past = np.maximum(np.random.default_rng(0).random((100_000, d.size)) - d, 0.0)
    return float(np.partition(past, rank - 1, axis=1)[:, rank - 1].mean())


def simulated_weights(d: np.ndarray, weights: np.ndarray, threshold: float) -> float:
    """The same for the smallest demand at which the weights of all up to it add up to the threshold."""
    past = np.maximum(np.random.default_rng(0).random((100_000, d.size)) - d, 0.0)
    by_demand = np.argsort(past, axis=1)
    taken = (np.cumsum(weights[by_demand], axis=1) < threshold).sum(axis=1)
    at = np.take_along_axis(by_demand, np.minimum(taken, d.size - 1)[:, None], axis=1)
    return float(np.where(taken < d.size, np.take_along_axis(past, at, axis=1)[:, 0], 1.0).mean())


def weighted_services() -> Iterator[tuple[str, ...]]:
    d, real = pv.drift(0.001, 100), 0.97 ** np.arange(100)
    for name, weights, share in (
        ("weights 100, ..., 1", np.arange(100, 0, -1), 0.95),
        ("weights 100, ..., 1", np.arange(100, 0, -1), 0.5),
        ("weights 0.97^i", real, 0.95),
    ):
        policy, threshold = pv.WeightedQuantile(weights, share * weights.sum()), share * weights.sum()
        ours = best_time(lambda policy=policy: pv.service_level(policy, d))
        theirs = best_time(lambda w=weights, threshold=threshold: simulated_weights(d, w, threshold))
        worst = pv.service_level(policy, d).worst
        off = simulated_weights(d, weights, threshold) - worst.lower
        yield (
            f"service of {name}, share {share}, both ends",
            f"{ours * 1e3:.1f} ms",
            f"{theirs * 1e3:.0f} ms, 100,000 histories",
            f"{theirs / ours:.0f}x" + (" (aim: 100x)" if weights is not real else ""),
            f"bracket {worst.upper - worst.lower:.0e} wide, simulation off by {off:.0e}",
        )


def rows() -> Iterator[tuple[str, ...]]:
    d = pv.drift(0.001, 1000)
    one = best_time(lambda: pv.worst_case_regret(pv.ERM(), d, q=0.9))
    for rtol, asked in ((1e-9, 100), (1e-6, 50)):
        curve = best_time(lambda rtol=rtol: pv.learning_curve(pv.ERM(), d, q=0.9, rtol=rtol))
        yield (
            f"curve k = 1..1000, drift 0.001, rtol {rtol:.0e}",
            f"{curve * 1e3:.1f} ms",
            f"{one * 1e6:.0f} us, one regret",
            f"{curve / one:.0f}x (aim: below {asked}x)",
            "",
        )
    d = pv.drift(0.001, 100)
    ours = best_time(lambda: pv.service_level(pv.OrderStatistic(95), d))
    theirs = best_time(lambda: simulated_service(d, 95))
    off = simulated_service(d, 95) - pv.service_level(pv.OrderStatistic(95), d).worst.lower
    yield (
        "service of rank 95 of 100, both ends",
        f"{ours * 1e3:.1f} ms",
        f"{theirs * 1e3:.0f} ms, 100,000 histories",
        f"{theirs / ours:.0f}x (aim: 100x)",
        f"simulation off by {off:.0e}",
    )
    yield from weighted_services()
    ours = best_time(lambda: pv.best_mixture(pv.constant(0.1, 200), q=0.9))
    theirs = best_time(lambda: grid_program(200, 0.1, 0.9))
    off = pv.best_mixture(pv.constant(0.1, 200), q=0.9).guarantee.upper - 0.05
    yield (
        "all-ranks mixture, n = 200",
        f"{ours * 1e3:.0f} ms",
        f"{theirs * 1e3:.0f} ms, linprog",
        f"{theirs / ours:.1f}x (aim: 5x)",
        f"{off:.0e} above zeta / 2",
    )
    for zeta, n in ((0.02, 1000), (0.01, 3000)):
        start = time.perf_counter()
        size = pv.effective_sample_size(pv.constant(zeta, n), q=0.9)
        seconds = time.perf_counter() - start
        yield (
            f"effective sample size, zeta = {zeta}",
            f"{seconds:.2f} s",
            "",
            "",
            f"k = {size.k}, {size.indistinguishable}",
        )
