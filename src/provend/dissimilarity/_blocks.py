"""Pairs of contexts, one block at a time: memory grows with the number of rows, not with its square."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

ENTRIES = 4_000_000  # of a matrix of dissimilarities held in memory at once


def row_blocks(targets: int, past: int, most: int = ENTRIES) -> Iterator[Rows]:
    """All targets, at most ``most`` at a time, and few enough that their matrix with the past stays small."""
    step = max(1, min(most, ENTRIES // max(past, 1)))
    for start in range(0, targets, step):
        yield np.arange(start, min(start + step, targets))


def mean_between(d: Callable[[Rows], Floats], groups: Sequence[Rows], size: int) -> Floats:
    """The mean dissimilarity between any two groups among ``size`` rows; ``d(rows)`` compares some rows with all."""
    sizes = np.array([group.size for group in groups], dtype=np.float64)
    rows, belong = np.concatenate(groups), np.repeat(np.arange(len(groups)), [group.size for group in groups])
    member = csr_array((np.ones(rows.size), (rows, belong)), shape=(size, len(groups)))
    total = np.zeros((len(groups), size))
    for some in row_blocks(size, size):
        total += member[some].T @ d(some)
    means: Floats = total @ member / np.outer(sizes, sizes)
    return means
