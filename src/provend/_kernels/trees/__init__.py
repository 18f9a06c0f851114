"""Bagged and boosted regression trees on few bins: forecasts in milliseconds."""

import numpy as np
from numpy.typing import NDArray

BINS = 64  # per feature, at most

Bins = NDArray[np.uint8]
Places = NDArray[np.uint64]
Table = tuple[Bins, Bins, tuple[Places, Places], tuple[Places, Places, Bins, Places]]  # what ``columns_of`` returns
Integers = NDArray[np.int64]
Nodes = tuple[Integers, Integers, Integers, NDArray[np.float64]]  # feature, bin, left child and mean of each
Trees = tuple[Nodes, Integers]  # and where each tree begins
