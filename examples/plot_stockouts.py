r"""
Sold out again: where does the risk come from?
==============================================

A shop sees demand only as far as its shelf goes. It had 30 pieces on most days, 45 on every third and 60 on every
twelfth, by plan. A day says something about the demand below its own stock and nothing about the demand above.

Each bar is the demand between two stock levels, its area the part of the guarantee that it accounts for: low where many
days could see it, high where few could, and highest above 60, where none could. The dark part is ordered.
"""

import numpy as np

import provend as pv

problem = pv.Newsvendor(cu=3, co=1, support=(0, 80))
days = np.arange(60)
stock = np.where(days % 12 == 0, 60, np.where(days % 3 == 0, 45, 30))
demand = np.random.default_rng(7).poisson(33, 60)
sales = np.minimum(demand, stock)
d = 0.001 * (60 - days)

found = pv.order_with_stockouts(sales, stock, d, q=problem)
ignoring = pv.Optimal().order(sales, d, q=problem)
print(f"{np.mean(sales == stock):.0%} of the days sold out")
print(f"order {found.order:.1f}; sales taken for demand: {ignoring:.1f}; the best: {np.quantile(demand, 0.75):.0f}")

# %%
# Taking sales for demand orders what the shelf always had. The best order is well above it.

assert ignoring <= 33 < found.order

# %%
# More on the shelf once a week, for four weeks, is worth more than four more days as they were.

same, fuller = (
    pv.value_of_stock(stock, d, q=problem, new_stock=[level] * 4, new_d=[0.001] * 4).reduction for level in (30, 80)
)
print(f"four days with 30 lower the guarantee by {same:.2f}, four days with 80 by {fuller:.2f}")
assert fuller > 10 * same

# %%

fig = pv.plots.stockouts(found)
fig.update_xaxes(range=[0, 80])
fig.update_yaxes(range=[0, 0.85])
