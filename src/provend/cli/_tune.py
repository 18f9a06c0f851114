"""``provend tune``: the best member of a family."""

from __future__ import annotations

from typing import Annotated

import typer

from provend.cli import _arguments as given
from provend.cli._render import (
    WIDTH,
    guarantee_facts,
    guarantee_json,
    print_chart,
    print_facts,
    print_json,
    progress_bar,
)


@given.on_problem
def tune(
    problem: given.Stated,
    family: Annotated[str, typer.Option(help="knn, exp, or a kernel shape such as gaussian.")] = "knn",
    rtol: Annotated[float, typer.Option(help="Relative width of the bracket.")] = 1e-9,
    as_json: given.Json = False,
) -> None:
    """The k, gamma or bandwidth with the least worst-case regret."""
    from provend import tuning

    with progress_bar(f"tuning {family}") as progress:
        found = tuning.tune(family, problem.d, q=problem.ratio, rtol=rtol, progress=progress)
    if as_json:
        print_json(
            {
                "policy": repr(found.policy),
                "parameter": found.parameter,
                "certified": found.certified,
                "indistinguishable": list(found.indistinguishable),
                "guarantee": guarantee_json(found.guarantee),
                "table": [tried._asdict() for tried in found.table],
            }
        )
        return
    print_facts(repr(found.policy), guarantee_facts(found.guarantee))
    values = [tried.upper if tried.upper is not None and found.certified else tried.estimate for tried in found.table]
    every = max(1, -(-len(values) // WIDTH))
    kind = "certified regret" if found.certified else "estimated regret (only the best is certified)"
    parameters = [tried.parameter for tried in found.table][::every]
    print_chart(f"{kind} against the parameter", parameters, values[::every], form=".4g", highest=4 * min(values))
