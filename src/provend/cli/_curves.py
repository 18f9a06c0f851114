"""``provend curve`` and ``provend samples``: how the guarantee changes with the number of contexts."""

from __future__ import annotations

from typing import Annotated

import typer

from provend.cli import _arguments as given
from provend.cli._numbers import at_most, percent
from provend.cli._render import WIDTH, print_chart, print_facts, print_json, print_table, progress_bar


@given.on_problem
def curve(
    problem: given.Stated,
    policy: given.PolicyName = "erm",
    rtol: Annotated[float, typer.Option(help="Relative width of each bracket.")] = 1e-9,
    as_json: given.Json = False,
) -> None:
    """Certified worst-case regret on the first 1, 2, ..., n contexts."""
    import numpy as np

    from provend.curves import learning_curve

    with progress_bar("learning curve") as progress:
        found = learning_curve(given.read_policy(policy), problem.d, q=problem.ratio, rtol=rtol, progress=progress)
    if as_json:
        arrays = {"n": found.n.tolist(), "lower": found.lower.tolist(), "upper": found.upper.tolist()}
        rivals = list(found.indistinguishable)
        print_json({"policy": policy, **arrays, "best": found.best, "indistinguishable": rivals, "q": str(found.q)})
        return
    shown = sorted({*np.unique(np.geomspace(1, found.n.size, 12).astype(int)).tolist(), found.best})
    shares = found.percent_of_no_data
    rows = [(str(n), percent(shares[n - 1]), at_most(found.upper[n - 1])) for n in shown]
    print_table(("n", "share of no data", "guarantee"), rows, highlight=shown.index(found.best))
    at = np.unique(np.linspace(0, found.n.size - 1, WIDTH).astype(int))
    print_chart(
        f"guarantee of {policy} against n, best at n = {found.best}",
        found.n[at].tolist(),
        found.upper[at].tolist(),
        form="d",
        highest=4 * float(found.upper.min()),
    )


@given.on_problem
def samples(
    problem: given.Stated,
    target: Annotated[str, typer.Option(help="A regret, or a percentage of the no-data regret such as 25%.")],
    policy: given.PolicyName = "erm",
    as_json: given.Json = False,
) -> None:
    """How many contexts bring the guarantee to a target, and from when on it stays there."""
    from provend.curves import samples_needed

    with progress_bar("learning curve") as progress:
        found = samples_needed(given.read_policy(policy), problem.d, q=problem.ratio, target=target, progress=progress)
    if as_json:
        print_json(
            {
                "policy": policy,
                "target": found.target,
                "first": found.first,
                "stays_from": found.stays_from,
                "undecided": list(found.undecided),
                "limit": found.limit,
            }
        )
        return
    facts = {
        "target": f"{found.target:.4g}{f', {target} of the no-data regret' if '%' in target else ''}",
        "first reached at": _or_never(found.first, problem.d.size),
        "never above again from": _or_never(found.stays_from, problem.d.size),
        "too close to call": ", ".join(map(str, found.undecided)) or "none",
        "beyond": found.statement,
    }
    print_facts(policy, facts)


def _or_never(n: int | None, size: int) -> str:
    return f"n = {n}" if n is not None else f"not within {size}"
