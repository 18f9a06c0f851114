"""``provend regret``: the main theorem at the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from provend.cli import _arguments as given
from provend.cli._render import WIDTH, guarantee_json, print_chart, print_guarantee, print_json


def regret(
    q: given.Q = None,
    cu: given.Cu = None,
    co: given.Co = None,
    support: given.Support = (0.0, 1.0),
    constant: given.Constant = None,
    drift: given.Drift = None,
    dissimilarities: given.Dissimilarities = None,
    n: given.N = None,
    policy: given.PolicyName = "erm",
    rtol: Annotated[float, typer.Option(help="Relative width of the bracket.")] = 1e-9,
    as_json: given.Json = False,
) -> None:
    """Exact worst-case regret of a policy, as a certified bracket."""
    import numpy as np

    from provend.regret import regret_profile, worst_case_regret

    ratio = given.read_ratio(q, cu, co, support)
    d = given.read_design(constant, drift, dissimilarities, n)
    chosen = given.read_policy(policy)
    guarantee = worst_case_regret(chosen, d, q=ratio, rtol=rtol)
    if as_json:
        print_json({"policy": policy, "n": int(d.size), **guarantee_json(guarantee)})
        return
    print_guarantee(guarantee, policy)
    # Both sides of 1 - q, wide enough to show the peak.
    switch = 1 - float(guarantee.q)
    reach = 2 * abs(guarantee.worst_case.mean - switch) + 1e-3
    means = np.linspace(max(0.0, switch - reach), min(1.0, switch + reach), WIDTH)
    print_chart(means, regret_profile(chosen, d, means, q=ratio))
