"""Fixed instances: the expected regret of a policy when the demand distributions are known."""

from provend.instances._cdfs import Shifted
from provend.instances._regret import (
    ExpectedCurve,
    ExpectedRegret,
    SimulatedRegret,
    expected_curve,
    expected_regret,
    simulated_regret,
)

__all__ = [
    "ExpectedCurve",
    "ExpectedRegret",
    "Shifted",
    "SimulatedRegret",
    "expected_curve",
    "expected_regret",
    "simulated_regret",
]
