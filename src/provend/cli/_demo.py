"""``provend demo``: one decision on real demand with its guarantee in money, and a plan for a week."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from provend.certificate import Guarantee
    from provend.minimax import Minimax

OTHER_WEEKDAY, PER_DAY = 0.2, 0.0001
SHOWN = (10, 100, 200, 400)
BEST = "optimal weights"


def demo() -> None:
    """Decide how many steaks to prepare, from two years of a restaurant's demand."""
    console = Console()
    with console.status("compiling the kernels, once on each machine") as status:
        import numpy as np

        from provend.datasets import load_restaurant
        from provend.minimax import minimax
        from provend.newsvendor import Newsvendor
        from provend.policies import ERM, KNN, DecidingPolicy, NoData
        from provend.regret import worst_case_regret

        days = load_restaurant()
        today, past = days.dates[-1], slice(None, -1)
        age = (today - days.dates[past]).astype(int)
        d = PER_DAY * age + OTHER_WEEKDAY * (days.weekdays[past] != days.weekdays[-1])
        y, actual = days.demand["steak"][past], days.demand["steak"][-1]
        problem = Newsvendor(cu=9, co=1, support=(0, 100))

        worst_case_regret(KNN(2), d, q=problem)
        status.update(f"certified worst case for each of {y.size} numbers of neighbours")
        guarantees = {k: worst_case_regret(KNN(k), d, q=problem) for k in range(1, y.size + 1)}
        status.update("the best policy there is, and a bound below every other")
        optimum = minimax(d, q=problem)
    k_best = min(guarantees, key=lambda k: guarantees[k].upper)
    policies: dict[str, DecidingPolicy] = {"no data": NoData(), "all days alike": ERM()}
    policies |= {f"{k} most similar days": KNN(k) for k in sorted((*SHOWN, k_best))}
    policies[BEST] = optimum.policy
    results = {name: (p.order(y, d, q=problem), worst_case_regret(p, d, q=problem)) for name, p in policies.items()}

    weekday = np.datetime64(today, "D").astype(object).strftime("%A")
    console.print(f"\n[bold]How many steaks for {weekday}, {today}?[/bold]")
    console.print(
        f"{y.size} past days. A steak short costs 9, one left over 1. Assumed: the demand distribution of another "
        f"weekday differs by at most {OTHER_WEEKDAY} (Kolmogorov distance), and by {PER_DAY} more per day of age.\n"
    )
    console.print(_compared(results))
    order, guarantee = results[BEST]
    console.print(_advice(order, guarantee, optimum))
    console.print(
        f"Demand that day was {actual:.0f}, at a cost of {problem.cost(order, actual):.0f}; "
        "one day says little, the guarantee is about the average."
    )
    _week(console)


def _compared(results: Mapping[str, tuple[float, Guarantee]]) -> Table:
    """The order and guarantee of each policy, with the best one in bold."""
    table = Table("policy", "order", "guarantee", "share of no data", title="Certified worst-case regret, in money")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, (order, guarantee) in results.items():
        cells = f"{order:.0f}", f"{guarantee.upper:.2f}", f"{guarantee.percent_of_no_data:.0f} %"
        table.add_row(name, *cells, style="bold green" if name == BEST else "")
    return table


def _advice(order: float, guarantee: Guarantee, optimum: Minimax) -> str:
    """What to prepare, what that promises, and what nobody can promise."""
    n = optimum.weights.size
    return (
        f"\nPrepare [bold]{order:.0f}[/bold]. Whatever the distributions, deciding this way costs on average at most "
        f"[bold]{guarantee.upper:.2f}[/bold] more than knowing the day's distribution would "
        f"(certified between {guarantee.lower:.8f} and {guarantee.upper:.8f}). No policy at all can promise less than "
        f"[bold]{optimum.lower_bound:.4f}[/bold]. Of the {n} days {n - optimum.unused} count; the rest are "
        "too different to help."
    )


def _week(console: Console) -> None:
    """The whole menu for the week to come, each dish from its own past."""
    import pyarrow as pa

    from provend.datasets import load_restaurant
    from provend.planning import plan

    days = load_restaurant()
    tables = [pa.table({"unique_id": [dish] * y.size, "ds": days.dates, "y": y}) for dish, y in days.demand.items()]
    with console.status(f"a plan for the week: {len(tables)} dishes") as status:
        week = plan(
            pa.concat_tables(tables),
            cu=9,
            co=1,
            horizon=7,
            support=(0, 150),
            pack=1,  # dishes are whole: what is shown is what is ordered
            progress=lambda done, total: status.update(f"a plan for the week: {done} of {total} dishes"),
        ).to_pylist()
    dates = sorted({row["ds"] for row in week})
    table = Table("dish", *(f"{date:%a}" for date in dates), "guarantee", title=f"Orders for the week from {dates[0]}")
    for column in table.columns[1:]:
        column.justify = "right"
    for dish in days.demand:
        rows = [row for row in week if row["unique_id"] == dish]
        table.add_row(dish, *(f"{row['order']:.0f}" for row in rows), f"{sum(row['guarantee'] for row in rows):.0f}")
    console.print()
    console.print(table)
    console.print(f"For example {week[0]['unique_id']}, {dates[0]:%A}: {week[0]['reason']}.")
    console.print("The guarantee is the sum of the week's worst cases, in money, for the support 0 to 150.")
    console.print("Your own: provend plan sales.csv --cu 9 --co 1 --horizon 7 --pack 1 --out plan.csv")
