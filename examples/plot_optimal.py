"""
What can be promised at all
===========================

Given past demands at known dissimilarities, one policy has the smallest worst-case regret there is. Here it is drawn
against the number of past demands, for two constant dissimilarities and a drift, beside empirical risk minimisation
(ERM) on all contexts and on the best number of nearest ones. ERM's guarantee jumps up and down; the optimal one only
falls, and far contexts never hurt it, because their weight is zero.
"""

import provend as pv

q = 0.9
designs = {"constant 0.1": pv.constant(0.1, 100), "drift 0.001": pv.drift(0.001, 100)}

# %%
# Nobody can promise more than a tenth of a percent less: the lower bound holds for every function of the past demands.

for name, d in designs.items():
    best = pv.minimax(d, q=q)
    nearest = pv.tune(pv.KNN, d, q=q)
    print(f"{name}: optimal {best.guarantee.upper:.5f}, bound {best.lower_bound:.5f}, {nearest.policy} gives", end=" ")
    print(f"{nearest.guarantee.upper:.5f}; {best.unused} of {d.size} demands unused")
    assert best.gap <= 1e-3
    assert best.lower_bound <= nearest.guarantee.upper

# %%

fig = pv.plots.optimal(designs, q=q)

# %%
# Is it worth collecting more data? At the same distance hardly, closer by all means.

print(f"{pv.value_of_data(designs['constant 0.1'], q=q, new=[0.1] * 20).most_reduction:.5f} at 0.1")
print(f"{pv.value_of_data(designs['constant 0.1'], q=q, new=[0.01] * 20).reduction:.5f} at 0.01")
