"""Where a value ceases to be positive."""

from __future__ import annotations

import pytest

from provend._kernels.arithmetic.halving import last_positive


@pytest.mark.parametrize("root", [0.3, 1e-9, 0.999999])
@pytest.mark.parametrize("power", [1, 9])
def test_it_is_found_from_the_positive_side_in_few_steps(root: float, power: int) -> None:
    asked = []

    def smooth(t: float) -> float:
        asked.append(t)
        return root**power - t**power

    found = last_positive(smooth, 40)
    assert root - 2e-12 < found < root
    assert len(asked) < 70
    jump = last_positive(lambda t: 1.0 if t < root else -1e-9, 40)
    assert root - 2e-12 < jump < root


def test_it_may_be_positive_everywhere_or_nowhere() -> None:
    assert last_positive(lambda t: 1.0, 40) == 1
    assert last_positive(lambda t: -1.0, 40) == 0
