"""Quantiles of what had been seen before, where the recent counts more, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled

ROUNDING = 1e-12  # sums of weights that come this close to what is asked for have reached it


@compiled
def quantiles_before(ascending, times, now, lead, reach, ratios):  # type: ignore[no-untyped-def]
    """For each time ``now``, the quantiles of the values seen at least ``lead`` before, with weights (reach - age)+.

    ``ascending`` are the values, ``times`` when each was seen, ``ratios`` ascend. Where nothing is within reach, all
    values weigh the same.
    """
    found, weight = np.empty((now.size, ratios.size)), np.empty(ascending.size)
    for k in range(now.size):
        total = 0.0
        for j in range(ascending.size):
            age = now[k] - times[j]
            weight[j] = reach - age if lead <= age < reach else 0.0
            total += weight[j]
        if total == 0.0:
            for j in range(ascending.size):
                weight[j] = 1.0 if now[k] - times[j] >= lead else 0.0
                total += weight[j]
        reached, j = weight[0], 0
        for r in range(ratios.size):
            while reached < ratios[r] * total * (1 - ROUNDING):
                j += 1
                reached += weight[j]
            found[k, r] = ascending[j]
    return found
