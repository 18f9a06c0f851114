"""
A new colour of an old product
==============================

A retailer sold black gloves for two winters and now offers white ones. Nobody knows how white gloves sell, but other
products were offered in a second colour before, and their demands say how much a colour matters: the Kolmogorov
distance between the two colours of the same product, estimated with an upper confidence limit. That limit is the
dissimilarity of every past demand of black gloves, and the guarantee for white ones holds with the stated confidence
if gloves are no more sensitive to colour than the products compared.
"""

import numpy as np

import provend as pv

rng = np.random.default_rng(1)
scarf = {"black": rng.gamma(9, 5, 700), "white": rng.gamma(9, 4.9, 700)}
hat = {"black": rng.gamma(6, 8, 600), "white": rng.gamma(6, 8.2, 600)}
black_gloves = np.minimum(rng.gamma(8, 6, 40), 150)

# %%
# How much does a colour matter? Each limit holds with probability 97.5 %, so both with 95 %.

found = {
    name: pv.estimate_dissimilarity(product["black"], product["white"], confidence=0.975)
    for name, product in {"scarf": scarf, "hat": hat}.items()
}
for name, estimate in found.items():
    print(f"{name}: observed {estimate.distance:.3f}, at most {estimate.upper:.3f}")
zeta = max(estimate.upper for estimate in found.values())

# %%
# The order for white gloves, what it can cost at worst, and what nobody could promise to undercut.

problem = pv.Newsvendor(cu=9, co=3, support=(0, 150))
best = pv.minimax(pv.constant(zeta, black_gloves.size), q=problem)
order = best.policy.order(black_gloves, pv.constant(zeta, black_gloves.size), q=problem)
print(f"order {order:.0f}: at most {best.guarantee.upper:.0f} above the best order on average,")
print(f"{problem.no_data_regret:.0f} without data, and no policy can promise less than {best.lower_bound:.0f}")
assert best.lower_bound <= best.guarantee.upper < problem.no_data_regret

# %%
# What would some white gloves sold on trial be worth? Far more than another winter of black ones.

fig = pv.plots.value_of_data(pv.constant(zeta, black_gloves.size), q=problem, at=[0.0, 0.05, zeta], most=20)
