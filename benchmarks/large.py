"""Large problems: how long they take and how memory grows."""

import multiprocessing
import resource
import time
from collections.abc import Iterator

import numpy as np

import provend as pv


def peak_memory(n: int) -> tuple[float, float]:
    """Seconds and additional peak memory (MB) of one certified regret with n unequal dissimilarities."""
    pv.worst_case_regret(pv.ERM(), pv.drift(0.001, 10), q=0.9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    pv.worst_case_regret(pv.ERM(), np.linspace(0, 0.3, n), q=0.9)
    seconds = time.perf_counter() - start
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def rows() -> Iterator[tuple[str, ...]]:
    for n in (10_000, 20_000, 40_000):
        with multiprocessing.get_context("spawn").Pool(1) as pool:  # a process of its own: peaks only rise
            seconds, memory = pool.apply(peak_memory, (n,))
        yield f"ERM, n = {n:,}, unequal d", f"{seconds:.2f} s", "", "", f"{memory:.1f} MB on top"
    start = time.perf_counter()
    guarantee = pv.worst_case_regret(pv.ERM(), pv.constant(0.01, 10**6), q=0.9)
    yield "ERM, n = 1,000,000, equal d", f"{time.perf_counter() - start:.3f} s", "", "", f"gap {guarantee.gap:.0e}"
    d = pv.drift(0.001, 100)
    for name, policy in {
        "integer weights 100, 99, ..., 1": pv.WeightedERM(range(100, 0, -1)),
        "exponential 0.95 (real weights)": pv.Exponential(0.95),
        "mixture of ranks 89, 90, 91": pv.Mixture([pv.OrderStatistic(r) for r in (89, 90, 91)], ["1/3"] * 3),
    }.items():
        pv.worst_case_regret(policy, d, q=0.9)
        start = time.perf_counter()
        guarantee = pv.worst_case_regret(policy, d, q=0.9)
        seconds = time.perf_counter() - start
        yield (
            f"{name}, n = 100",
            f"{seconds * 1e3:.0f} ms",
            "",
            "",
            f"{guarantee.evaluations} evaluations, gap {guarantee.gap:.0e}",
        )
