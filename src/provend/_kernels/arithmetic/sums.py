"""Long sums with small errors, as machine code."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled, fused
from provend._kernels.arithmetic.rounding import BLOCK

# Only within a block may terms be added in any order: the blocks themselves are added one by one.


@fused
def _block_sum(values, begin, end):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(begin, end):
        total += values[i]
    return total


@compiled
def block_sum(values, begin, end):  # type: ignore[no-untyped-def]
    """Sum of values[begin:end] by blocks, so that the error only grows with the number of blocks."""
    total = 0.0
    for start in range(begin, end, BLOCK):
        total += _block_sum(values, start, min(start + BLOCK, end))
    return total


@fused
def _block_product(law, tails, begin, end):  # type: ignore[no-untyped-def]
    total, last = 0.0, np.uint64(tails.size - 1)  # unsigned: it cannot be negative, or the loop is not vectorised
    for i in range(np.uint64(begin), np.uint64(end)):
        total += law[i] * tails[last - i]
    return total


@compiled
def block_product(law, tails):  # type: ignore[no-untyped-def]
    """sum_i law[i] tails[-1 - i] over the law, by blocks like ``block_sum``."""
    total = 0.0
    for start in range(0, law.size, BLOCK):
        total += _block_product(law, tails, start, min(start + BLOCK, law.size))
    return total
