"""Where a value ceases to be positive."""

from __future__ import annotations

from math import erfc

import pytest

from provend._kernels.arithmetic.halving import last_positive


@pytest.mark.parametrize("root", [0.3, 1e-9, 0.999999])
@pytest.mark.parametrize("power", [1, 9])
def test_it_is_found_from_the_positive_side(root: float, power: int) -> None:
    asked = []

    def smooth(t: float) -> float:
        asked.append(t)
        return root**power - t**power

    found = last_positive(smooth, 40)
    assert root - 2e-12 < found < root
    assert len(asked) < 4 * 40 + 3
    jump = last_positive(lambda t: 1.0 if t < root else -1e-9, 40)
    assert root - 2e-12 < jump < root


def test_it_may_be_positive_everywhere_or_nowhere() -> None:
    assert last_positive(lambda t: 1.0, 40) == 1
    assert last_positive(lambda t: -1.0, 40) == 0


def test_few_steps_are_enough_where_a_tail_rises() -> None:
    asked = []

    def tail(t: float) -> float:
        asked.append(t)
        return 0.1 - 0.5 * erfc((0.7 - t) / 0.06)

    found = last_positive(tail, 50)
    assert tail(found) > 0 >= tail(found + 1e-13)
    assert len(asked) < 50
