"""The optimal policy, beside 200 certified regrets of k-NN and on ten thousand contexts."""

import time
from collections.abc import Iterator

import numpy as np

import provend as pv
from benchmarks.timing import best_time


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    d = pv.drift(0.001, 100)
    optimum = best_time(lambda: pv.minimax(d, q=0.9))
    regrets = best_time(lambda: [pv.worst_case_regret(pv.KNN(27), d, q=0.9) for _ in range(200)])
    yield (
        "minimax, drift 0.001, n = 100; other: 200 regrets of 27-NN",
        f"{1e3 * optimum:.1f} ms",
        f"{1e3 * regrets:.1f} ms",
        f"{regrets / optimum:.1f}",
        f"gap {pv.minimax(d, q=0.9).gap:.1e}",
    )
    rng = np.random.default_rng(0)
    for name, many in (
        ("drift 0.0001", pv.drift(1e-4, 10_000)),
        ("uniform on [0, 0.3]", rng.uniform(0, 0.3, 10_000)),
        ("uniform on [0, 0.05]", rng.uniform(0, 0.05, 10_000)),
        ("all 0.03", pv.constant(0.03, 10_000)),
    ):
        start = time.perf_counter()
        found = pv.minimax(many, q=0.9)
        seconds = time.perf_counter() - start
        yield f"n = 10,000, {name}", f"{seconds:.2f} s", "", "", f"gap {found.gap:.1e}, {found.unused:,} unused"
