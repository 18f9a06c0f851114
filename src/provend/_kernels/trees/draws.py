"""Random numbers of our own, a linear congruential generator of 64 bits: a seed says the same whatever is installed."""

import numpy as np

from provend._kernels.arithmetic.jit import inlined


@inlined
def first_state(seed):  # type: ignore[no-untyped-def]
    """The state to begin with."""
    return np.uint64(seed) * np.uint64(2862933555777941757) + np.uint64(3037000493)


@inlined
def next_draw(state, below):  # type: ignore[no-untyped-def]
    """The state after one step, and an integer drawn from 0 to ``below`` - 1."""
    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return state, np.uint64(np.uint32(state >> np.uint64(33)) % np.uint32(below))
