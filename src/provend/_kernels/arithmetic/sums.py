"""Long sums with small errors, as machine code."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.rounding import BLOCK


@compiled
def block_sum(values, begin, end):  # type: ignore[no-untyped-def]
    """Sum of values[begin:end] by blocks, so that the error only grows with the number of blocks."""
    total = 0.0
    for start in range(begin, end, BLOCK):
        block = 0.0
        for i in range(np.uint64(start), np.uint64(min(start + BLOCK, end))):
            block += values[i]
        total += block
    return total
