"""
A policy of your own, on the same footing
=========================================

Rings: contexts within 0.05 count four times as much as those within 0.1, and those further away not at all. One method
says so, and the policy has exact guarantees, orders, curves and backtests like any other. Here it is compared with the
plain quantile of all past demands, and with what nobody can beat.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import provend as pv


@dataclass(frozen=True)
class Rings(pv.DecidingPolicy):
    """Four times the weight within the inner ring."""

    near: float = 0.05
    far: float = 0.1

    def form(self, d: np.ndarray, q: Fraction) -> object:
        """That of a weighted quantile, once the dissimilarities are known."""
        weights = np.select([d <= self.near, d <= self.far], [4, 1], default=0)
        return (pv.WeightedERM(weights) if weights.any() else pv.NoData()).form(d, q)


d = pv.drift(0.003, n=80)
problem = pv.Newsvendor(cu=9, co=1, support=(0, 120))
curves = {
    "rings": pv.learning_curve(Rings(), d, q=problem),
    "all days": pv.learning_curve(pv.ERM(), d, q=problem),
}
best = pv.minimax(d, q=problem)
for name, curve in curves.items():
    print(f"{name}: {curve.upper[-1]:.1f} with all 80 days")
print(f"optimal: {best.guarantee.upper:.1f}")

# %%
# Beyond the outer ring nothing changes any more, while the quantile of all days gets worse; nobody beats the optimum.

assert curves["rings"].upper[-1] <= curves["rings"].upper[39]
assert best.lower_bound <= curves["rings"].upper.min() < curves["all days"].upper[-1]

# %%

fig = pv.plots.learning_curve(curves, lower_bound=best.lower_bound)
