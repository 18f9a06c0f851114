"""Certified maxima for all prefixes of a sequence of samples, as machine code. Import only when it runs."""

# mypy: allow-untyped-decorators

from collections.abc import Callable, Iterator

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats, check_brackets
from provend._kernels.maximise.successes import maximise_prefix
from provend._kernels.tails.counts import PIECE, Successes, add_powers


@compiled
def _advance_curve(samples, lengths, rtol, workspace, result):  # type: ignore[no-untyped-def]
    """The next ``len(result)`` rows of ``count_curve``; the ``workspace`` is brought up to date.

    ``samples`` are d and the ranks; the workspace holds d in order, sums of its powers, and a state: the number of
    samples so far, whether the low side was worse, and for each side the guess and how far it was off.
    """
    (d, ranks), (ordered, sums, state) = samples, workspace
    high, low = TwoFloats(lengths[0], lengths[1]), TwoFloats(lengths[2], lengths[3])
    first, low_first = int(state[0]) + 1, state[1] > 0
    low_last, high_last = (state[2], state[3]), (state[4], state[5])
    for k in range(first, first + len(result)):
        place = np.searchsorted(ordered[: k - 1], d[k - 1], "right")
        ordered[place + 1 : k] = ordered[place : k - 1].copy()
        ordered[place] = d[k - 1]
        add_powers(sums, ordered[:k], place)
        ones = Successes(ordered[:k], k - ranks[k - 1] + 1, sums[:, : k + 1])
        zeros = Successes(ordered[:k], ranks[k - 1], sums[:, : k + 1])
        if low_first:
            at_low, low_last = maximise_prefix(ones, low, rtol, 0.0, low_last)
            at_high, high_last = maximise_prefix(zeros, high, rtol, at_low.lower, high_last)
        else:
            at_high, high_last = maximise_prefix(zeros, high, rtol, 0.0, high_last)
            at_low, low_last = maximise_prefix(ones, low, rtol, at_high.lower, low_last)
        low_first = at_low.lower > at_high.lower
        worst = at_low if low_first else at_high
        row = result[k - first]
        row[0], row[1] = worst.lower, max(at_low.upper, at_high.upper)
        row[2], row[3], row[4] = low_first, worst.x, at_low.evaluations + at_high.evaluations
    state[0], state[1] = first + len(result) - 1, low_first
    state[2], state[3] = low_last
    state[4], state[5] = high_last


def count_curve(
    d: Floats,
    ranks: Integers,
    lengths: tuple[TwoFloats, TwoFloats],
    rtol: float,
    first: int,
    stopped: Callable[[], bool] = lambda: False,
) -> Floats:
    """For the prefixes of d from length ``first`` on: bounds on the regret of the ranks[k]-th smallest of k demands.

    Returns a row for each: lower, upper, whether the low side is worse, t, evaluations. ``lengths`` are q and 1 - q,
    for the high and the low side. The side that was worse for the previous prefix goes first; the other only has to be
    shown to be smaller, which often needs no evaluation at all. From one prefix to the next the first guess and its
    error change little and are carried over. Stops with the rows so far once ``stopped()`` is true.
    """
    n, (high, low) = d.size, lengths
    result, ordered, sums = np.zeros((n - first + 1, 5)), np.empty(n), np.zeros((5, n + 1))
    ordered[: first - 1] = np.sort(d[: first - 1])
    add_powers(sums, ordered[: first - 1], 0)
    state = np.array([first - 1, 0.0, np.nan, 0.0, np.nan, 0.0])
    for begin, end in _pieces(ranks[first - 1 : n], first):
        if stopped():
            break
        _advance_curve((d, ranks), (*high, *low), rtol, (ordered, sums, state), result[begin:end])
    check_brackets(result[:, 0], result[:, 1])
    return result


def _pieces(ranks: Integers, first: int) -> Iterator[tuple[int, int]]:
    """Runs of prefixes that take about as long as PIECE steps, or one that takes longer."""
    r = np.maximum(ranks, 1).astype(float)
    steps = np.cumsum(r * np.maximum(np.arange(first, first + r.size) - r + 1, 1))
    begin = 0
    while begin < r.size:
        done = steps[begin - 1] if begin else 0.0
        end = max(int(np.searchsorted(steps, done + PIECE, "right")), begin + 1)
        yield begin, end
        begin = end
