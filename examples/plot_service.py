r"""
What is left of 90 % coverage when calibration data are old
===========================================================

Split conformal prediction, as MAPIE and others compute it, takes the :math:`\lceil 0.9 (n + 1) \rceil`-th smallest of n
past values as a bound and promises 90 % coverage, *if* past and future are exchangeable. Users ask how many calibration
data they need, and what happens when the data are not quite from today's distribution. With a dissimilarity for each of
them both answers are exact.

Suppose demand drifts by 0.002 per period at most. The more old data the textbook's rank is given, the less it promises:
with all 150 periods about 75 %. A rank and a number of neighbours chosen for the purpose keep 90 % in every world, from
the nearest few.
"""

import numpy as np

import provend as pv

d = pv.drift(0.002, n=150)
curves = {
    "conformal rank": pv.service_curve(pv.Conformal(0.9), d),
    "conformal rank, no drift": pv.service_curve(pv.Conformal(0.9), np.zeros(150)),
}

# %%
# Certified at every n: no shift, at least 90 %; with drift the promise is gone although the rank is the textbook's.

drifting, steady = curves.values()
assert (steady.worst.lower[8:] > 0.9 - 1e-9).all()  # below nine data it is the top of the support
assert drifting.worst.upper[-1] < 0.76

# %%
# A policy that keeps the promise, and the most that a rank can promise on such data.

chosen = pv.order_for_service(d, target=0.9)
most = pv.service_level(pv.OrderStatistic(150), d).worst.lower
assert chosen.service.worst.lower >= 0.9 - 1e-9
print(f"{type(chosen.policy).__name__}: {chosen.service.worst.lower:.4f} at worst")
print(f"no rank promises more than {most:.4f}")

# %%

fig = pv.plots.service(curves, target=0.9)
fig.update_yaxes(range=[0.6, 1.0])
