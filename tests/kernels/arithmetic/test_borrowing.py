"""Machine code that does not count references: an option of numba's own, which may vanish."""

import numpy as np
import pytest
from numba.core.cpu import CPUTargetOptions

from provend._kernels.arithmetic import jit


def third(values):
    return values[2:][0]


@pytest.mark.parametrize("known", [True, False])
def test_does_without_what_numba_does_not_know(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_DIRECTORY", None)  # code from the cache would need no options
    if not known:
        owner = next(one for one in CPUTargetOptions.__mro__ if "_nrt" in vars(one))
        monkeypatch.delattr(owner, "_nrt")
    assert jit.borrowing(third)(np.arange(5.0)) == 2.0
