"""``provend minimax``: the best possible policy, and the proof."""

from __future__ import annotations

from typing import Annotated

import typer

from provend.cli import _arguments as given
from provend.cli._numbers import at_least, at_most, percent
from provend.cli._render import guarantee_facts, guarantee_json, print_facts, print_json


@given.on_problem
def minimax(
    problem: given.Stated,
    rtol: Annotated[float, typer.Option(help="The gap aimed at between guarantee and lower bound.")] = 1e-3,
    new: Annotated[
        list[float] | None,
        typer.Option(
            metavar="<float>", help="Dissimilarity of an observation that could still be made; repeat it for several."
        ),
    ] = None,
    as_json: given.Json = False,
) -> None:
    """The policy with the least worst-case regret, and what nobody can beat."""
    from provend import minimax as find
    from provend import value_of_data

    if new:
        worth = value_of_data(problem.d, q=problem.ratio, new=new, rtol=rtol)
        found, then = worth.now, worth.then.guarantee.upper
    else:
        found, then = find(problem.d, q=problem.ratio, rtol=rtol), None
    if as_json:
        print_json(
            {
                "policy": repr(found.policy),
                "guarantee": guarantee_json(found.guarantee),
                "lower_bound": found.lower_bound,
                "gap": found.gap,
                "weights": found.weights.tolist(),
                "prior": [
                    {"mean": point.mean, "probability": point.probability, "history": point.history.tolist()}
                    for point in found.prior
                ],
            }
            | ({"guarantee_with_new": then} if new else {})
        )
        return
    facts = guarantee_facts(found.guarantee) | {
        "no policy at all is below": at_least(found.lower_bound),
        "so another could be better by": f"{percent(100 * found.gap)} at most",
        "contexts used": f"{problem.d.size - found.unused} of {problem.d.size}",
        "weight of the heaviest": f"{found.weights.max():.3g} %",
    }
    if then is not None:
        facts[f"worst-case regret with {len(new or [])} more"] = at_most(then)
    print_facts("the minimax policy", facts)
