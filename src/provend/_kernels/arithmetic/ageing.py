"""Quantiles of what had been seen before, where the recent counts more, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled

ROUNDING = 1e-12  # sums of weights that come this close to what is asked for have reached it
AT_ONCE = 32  # times whose sums are found together: none then has to wait for the last sum of another


@compiled
def quantiles_before(ascending, times, now, lead, reach, ratios):  # type: ignore[no-untyped-def]
    """For each time ``now``, the quantiles of the values seen at least ``lead`` before, with weights (reach - age)+.

    ``ascending`` are the values, ``times`` when each was seen, ``ratios`` ascend. Where nothing is within reach, all
    values weigh the same.
    """
    found, sums = np.empty((now.size, ratios.size)), np.empty((ascending.size, AT_ONCE))
    for start in range(0, now.size, AT_ONCE):
        some = now[start : start + AT_ONCE]
        total = np.zeros(some.size)
        for j in range(ascending.size):
            up_to = sums[j]
            for k in range(some.size):
                age = some[k] - times[j]
                total[k] += reach - age if lead <= age < reach else 0.0
                up_to[k] = total[k]
        for k in range(some.size):
            if total[k] == 0.0:
                total[k] = counted(sums[:, k], times, some[k], lead)
            for r in range(ratios.size):
                found[start + k, r] = ascending[first_at(sums[:, k], ratios[r] * total[k] * (1 - ROUNDING))]
    return found


@compiled
def counted(sums, times, now, lead):  # type: ignore[no-untyped-def]
    """How many values were seen at least ``lead`` before, up to each of them in ``sums``, and all together."""
    total = 0.0
    for j in range(times.size):
        total += 1.0 if now - times[j] >= lead else 0.0
        sums[j] = total
    return total


@compiled
def first_at(sums, wanted):  # type: ignore[no-untyped-def]
    """The place of the first of ascending sums that is not below what is wanted, which the last one never is."""
    low, high = 0, sums.size - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
