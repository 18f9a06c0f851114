"""Chernoff's bound on weighted counts, as machine code: what is hardly ever reached. Import only when it runs.

P(sum w_i B(p_i) >= threshold) is at most E exp(tilt (sum - threshold)), whatever the tilt > 0. Here p_i is
t + shift_i within [0, 1].
"""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import exponent_error

TOGETHER = 8  # factors multiplied before a logarithm is taken: each is at most exp(STEEPEST)
STEEPEST = 60.0  # largest tilt times weight: steeper ones help little
MANY_TOGETHER, GENTLE = 128, 5.0  # the same where all exponents are known to be small
ROUNDS = 4  # of a better tilt at the point found, and a further point by the tilt found
NEWTON, HALVINGS = 3, 14


_exponent_error = compiled(exponent_error)


@compiled
def log_mean(shift, t, growth):  # type: ignore[no-untyped-def]
    """log E exp(sum x_i B_i), where growth_i = exp(x_i) - 1."""
    total, product = 0.0, 1.0
    for i in range(shift.size):
        product *= 1.0 + min(max(t + shift[i], 0.0), 1.0) * growth[i]
        if i % TOGETHER == TOGETHER - 1:
            total += np.log(product)
            product = 1.0
    return total + np.log(product)


@compiled
def _first_tilt(shift, w, threshold, log_chance):  # type: ignore[no-untyped-def]
    """The best tilt of a normal distribution where it exceeds the threshold with about the chance given."""
    low, high, tilt = 0.0, 1.0, 0.0
    for _ in range(HALVINGS):
        t = (low + high) / 2
        mean, variance = 0.0, 1e-9 * w[0] * w[0]
        for i in range(shift.size):
            p = min(max(t + shift[i], 0.0), 1.0)
            mean += p * w[i]
            variance += p * (1.0 - p) * w[i] * w[i]
        gap = threshold - mean
        if gap > 0 and gap * gap > -2 * log_chance * variance:
            low, tilt = t, gap / variance
        else:
            high = t
    return tilt


@compiled
def _better_tilt(shift, t, w, threshold, tilt):  # type: ignore[no-untyped-def]
    """Closer to where the bound is least: Newton's method on a convex function, in steps that are not too long."""
    for _ in range(NEWTON):
        slope, curvature = -threshold, 1e-300
        for i in range(shift.size):
            p = min(max(t + shift[i], 0.0), 1.0)
            raised = p * np.exp(tilt * w[i])
            share = raised / (1.0 - p + raised)
            slope += share * w[i]
            curvature += share * (1.0 - share) * w[i] * w[i]
        tilt = min(max(tilt - slope / curvature, tilt / 2), 2 * tilt)
    return tilt


@compiled
def _furthest(shift, growth, most):  # type: ignore[no-untyped-def]
    """The largest t in [0, 1], by halving, at which the logarithm of the mean is below ``most``; 0 if there is none."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        t = (low + high) / 2
        if log_mean(shift, t, growth) < most:
            low = t
        else:
            high = t
    return low


@compiled
def _unlikely_until(shift, w, threshold, log_chance):  # type: ignore[no-untyped-def]
    found, steepest = 0.0, STEEPEST / w.max()
    tilt = min(_first_tilt(shift, w, threshold, log_chance), steepest)
    for _ in range(ROUNDS):
        if tilt == 0.0:
            break
        most = log_chance + tilt * threshold
        until = _furthest(shift, np.expm1(tilt * w), most - _exponent_error(w.size, tilt * threshold))
        if until <= found:
            break
        found = until
        tilt = min(_better_tilt(shift, found, w, threshold, tilt), steepest)
    return found


def unlikely_until(shift: Floats, w: Integers, threshold: int, chance: float) -> float:
    """A t in [0, 1] up to which P(sum w_i B(t + shift_i) >= threshold) is at most the chance, nearly the largest."""
    return float(_unlikely_until(shift, w.astype(np.float64), float(threshold), np.log(chance)))


@compiled
def _log_means(d, nodes, growths):  # type: ignore[no-untyped-def]
    """All columns at once, sample by sample: only then is the loop vectorised."""
    means, products = np.zeros((nodes.size, growths.shape[1])), np.empty(growths.shape[1])
    for node in range(nodes.size):
        products[:] = 1.0
        for i in range(d.size):
            p, growth = min(nodes[node] + d[i], 1.0), growths[i]
            for k in range(products.size):
                products[k] *= 1.0 + p * growth[k]
            if i % MANY_TOGETHER == MANY_TOGETHER - 1:
                means[node] += np.log(products)
                products[:] = 1.0
        means[node] += np.log(products)
    return means


def log_means(d: Floats, x: Floats, nodes: Floats) -> Floats:
    """Row t, column k: log E exp(sum_i x_ik B(min(1, t + d_i))), rounded up; no x is above ``GENTLE`` in size.

    Where x is negative a probability near 1 leaves little of its factor, and errors weigh exp(-x) times as much.
    """
    error = exponent_error(d.size, float(np.abs(x).sum(axis=0).max())) * np.exp(GENTLE)
    found: Floats = _log_means(d, nodes, np.expm1(x)) + error
    return found
