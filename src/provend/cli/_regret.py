"""``provend regret``: the main theorem at the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from provend.cli import _arguments as given
from provend.cli._render import WIDTH, guarantee_facts, guarantee_json, print_chart, print_facts, print_json


@given.on_problem
def regret(
    problem: given.Stated,
    policy: given.PolicyName = "erm",
    rtol: Annotated[float, typer.Option(help="Relative width of the bracket.")] = 1e-9,
    as_json: given.Json = False,
) -> None:
    """Exact worst-case regret of a policy, as a certified bracket."""
    import numpy as np

    from provend.regret import regret_profile, worst_case_regret

    chosen = given.read_policy(policy)
    guarantee = worst_case_regret(chosen, problem.d, q=problem.ratio, rtol=rtol)
    if as_json:
        print_json({"policy": policy, "n": int(problem.d.size), **guarantee_json(guarantee)})
        return
    print_facts(policy, guarantee_facts(guarantee))
    # Both sides of 1 - q, wide enough to show the peak.
    switch = 1 - float(guarantee.q)
    reach = 2 * abs(guarantee.worst_case.mean - switch) + 1e-3
    means = np.linspace(max(0.0, switch - reach), min(1.0, switch + reach), WIDTH)
    regrets = regret_profile(chosen, problem.d, means, q=problem.ratio)
    title = "expected regret against the probability that demand is at the top"
    print_chart(title, means.tolist(), regrets.tolist())
