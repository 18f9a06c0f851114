"""
What if the dissimilarities are wrong?
======================================

Nobody knows how fast demand drifts. Suppose 0.0025 per period is assumed. Eight, seventeen or twenty-seven neighbours?
The table of guarantees for other drifts says what each choice costs if the assumption was wrong. Few neighbours are the
cautious choice: they lose little where demand is steadier than assumed and gain much where it is less so.
"""

import provend as pv

choices = {f"{k} nearest": pv.KNN(k) for k in (8, 17, 27)}
scales = (0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006)
table = pv.sensitivity(choices, pv.drift(1, n=100), q=0.9, scales=scales)
for scale, row in zip(table.scales, table.upper, strict=True):
    print(f"drift {scale:g}:", "  ".join(f"{value:.4f}" for value in row))

# %%
# At either end of the range another number of neighbours is best, but the price of the wrong one is not the same.

steady, moving = table.upper[0], table.upper[-1]
assert steady.argmin() == 2
assert moving.argmin() == 0
assert moving[2] - moving[0] > steady[0] - steady[2]

# %%

fig = pv.plots.sensitivity(table)
