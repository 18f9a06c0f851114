"""The two designs of the paper, as arrays of dissimilarities.

Unobserved factors (the paper's Remark 1, partially observed contexts) are an addition away:
``drift(0.001, 100) + 0.02``.
"""

import numpy as np
from numpy.typing import NDArray

from provend._validation import as_count, as_dissimilarity


def constant(zeta: float, n: int) -> NDArray[np.float64]:
    """All ``n`` past contexts at dissimilarity zeta.

    >>> constant(0.1, n=3)
    array([0.1, 0.1, 0.1])
    """
    return np.full(as_count(n, "n"), as_dissimilarity(zeta, "zeta"))


def drift(delta: float, n: int) -> NDArray[np.float64]:
    """The i-th most recent context at dissimilarity i * delta, i = 1..n.

    >>> drift(0.25, n=4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    return as_dissimilarity(delta, "delta") * np.arange(1, as_count(n, "n") + 1, dtype=np.float64)
