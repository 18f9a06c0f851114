"""Best-of timing, the same for both sides of every ratio."""

import time
from collections.abc import Callable


def best_time(call: Callable[[], object], *, seconds: float = 1.0) -> float:
    """Least time of one call, over as many calls as fit into ``seconds`` (three at least), after a warm-up."""
    call()
    times: list[float] = []
    while len(times) < 3 or sum(times) < seconds:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
