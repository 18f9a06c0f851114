"""Long sums with small errors, as machine code."""

import numpy as np

from provend._kernels.arithmetic.jit import fused
from provend._kernels.arithmetic.rounding import BLOCK


@fused
def block_sum(values, begin, end):  # type: ignore[no-untyped-def]
    """Sum of values[begin:end] by blocks, so that the error only grows with the number of blocks."""
    total = 0.0
    for start in range(begin, end, BLOCK):
        block = 0.0
        for i in range(np.uint64(start), np.uint64(min(start + BLOCK, end))):
            block += values[i]
        total += block
    return total


@fused
def block_product(law, tails):  # type: ignore[no-untyped-def]
    """sum_i law[i] tails[-1 - i] over the law, by blocks like ``block_sum``."""
    total, last = 0.0, np.uint64(tails.size - 1)  # unsigned: it cannot be negative, or the loop is not vectorised
    for start in range(0, law.size, BLOCK):
        block = 0.0
        for i in range(np.uint64(start), np.uint64(min(start + BLOCK, law.size))):
            block += law[i] * tails[last - i]
        total += block
    return total
