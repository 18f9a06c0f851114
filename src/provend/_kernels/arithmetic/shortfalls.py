"""What orders at a level plus a quantile of the other rows' errors cost, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled


@compiled
def costs(demand, levels, widths, errors, order, roots, ratios, ranks):  # type: ignore[no-untyped-def]
    """For each row of ``levels`` and each demand, max(r short, (r - 1) short), added up over the ratios r.

    ``order`` sorts each row of ``errors``; at each ratio, an order is the level plus the width times the error of that
    rank among the others, squared as often as there are ``roots``.
    """
    total = np.zeros(levels.shape)
    for k in range(levels.shape[0]):
        for place in range(demand.size):
            i = order[k, place]
            for j in range(ratios.size):
                rank = ranks[j] if place < ranks[j] else ranks[j] - 1
                ordered = levels[k, i] + widths[i] * errors[k, order[k, rank]]
                if roots > 0 and ordered < 0.0:  # no demand has such a root
                    ordered = 0.0
                for _ in range(roots):
                    ordered *= ordered
                short = demand[i] - ordered
                total[k, i] += max(ratios[j] * short, (ratios[j] - 1.0) * short)
    return total
