"""``provend mixture`` and ``provend bound``: the best mixture of ranks, and what others promise or rule out."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from provend._errors import InputError
from provend.cli import _arguments as given
from provend.cli._numbers import at_least, at_most
from provend.cli._render import (
    guarantee_facts,
    guarantee_json,
    print_facts,
    print_json,
    print_table,
    progress_bar,
)

if TYPE_CHECKING:
    from provend.policies import Policy


class RankChoice(StrEnum):
    """Which ranks may be mixed."""

    ALL = "all"
    ADJACENT = "adjacent"


@given.on_problem
def mixture(
    problem: given.Stated,
    ranks: Annotated[RankChoice, typer.Option(help="Mix all ranks, or two neighbouring ones.")] = RankChoice.ALL,
    k: Annotated[int | None, typer.Option(help="Use the k nearest contexts.")] = None,
    effective: Annotated[bool, typer.Option(help="Find the best k: the effective sample size.")] = False,
    as_json: given.Json = False,
) -> None:
    """The best mixture of order statistics, certified from above and below."""
    from provend.mixtures import best_mixture, effective_sample_size

    size = None
    if effective and k is not None:
        raise InputError("--effective finds the best k itself; leave out --k")
    if effective:
        with progress_bar("effective sample size") as progress:
            size = effective_sample_size(problem.d, q=problem.ratio, ranks=ranks.value, progress=progress)
    found = size.mixture if size else best_mixture(problem.d, q=problem.ratio, ranks=ranks.value, k=k)
    if as_json:
        result = {
            "k": found.k,
            "ranks": list(found.ranks),
            "probabilities": [float(p) for p in found.probabilities],
            "guarantee": guarantee_json(found.guarantee),
            "lower_bound": found.lower_bound,
            "lower_bound_any_policy": found.lower_bound_any_policy,
        }
        if size:
            result |= {"rule_of_thumb": size.rule_of_thumb, "indistinguishable": list(size.indistinguishable)}
        print_json(result)
        return
    facts = guarantee_facts(found.guarantee) | {"no such mixture is below": at_least(found.lower_bound)}
    if found.lower_bound_any_policy is not None:
        facts["no policy at all is below"] = at_least(found.lower_bound_any_policy)
    for rank, p in zip(found.ranks, found.probabilities, strict=True):
        facts[f"probability of rank {rank}"] = f"{100 * float(p):.3g} %"
    if size:
        facts["rule of thumb for k"] = "none" if size.rule_of_thumb is None else f"{size.rule_of_thumb:.1f}"
        rivals = ", ".join(map(str, size.indistinguishable[:8])) + (" ..." if len(size.indistinguishable) > 8 else "")
        facts["k that cannot be told apart"] = rivals
    print_facts(
        f"the best mixture of {'all' if ranks is RankChoice.ALL else 'two adjacent'} ranks, k = {found.k}", facts
    )


@given.on_problem
def bound(problem: given.Stated, policy: given.PolicyName = "erm", as_json: given.Json = False) -> None:
    """The exact guarantee of a policy between the bounds below and above it."""
    import numpy as np

    from provend.bounds import limiting_lower_bound, lower_bound
    from provend.concentration import concentration_bound
    from provend.policies import NoData
    from provend.regret import worst_case_regret

    d, q, chosen = problem.d, problem.ratio, given.read_policy(policy)
    equal = bool(np.ptp(d) == 0)
    values = {
        "lower_bound": lower_bound(d, q=q),
        "limiting_lower_bound": limiting_lower_bound(float(d[0]), q=q) if equal else None,
        "worst_case_regret": worst_case_regret(chosen, d, q=q).upper,
        "no_data_regret": worst_case_regret(NoData(), d, q=q).upper,
        "wasserstein_bound": _wasserstein(chosen, problem),
        "concentration_bound": concentration_bound(d, q=q) if policy == "erm" else None,
        "concentration_bound_printed": concentration_bound(d, q=q, form="printed") if policy == "erm" else None,
    }
    if as_json:
        print_json({"policy": policy, "n": int(d.size), **values})
        return
    names = {
        "lower_bound": "no policy can promise less than",
        "limiting_lower_bound": "nor with infinitely many such contexts",
        "worst_case_regret": f"exact guarantee of {policy}",
        "no_data_regret": "ordering without data",
        "wasserstein_bound": "bound if dissimilarities are Wasserstein distances",
        "concentration_bound": "earlier concentration bound, corrected",
        "concentration_bound_printed": "earlier concentration bound, as printed",
    }
    rows = [
        (names[key], *_cells(value, values["no_data_regret"], at_least if "lower" in key else at_most))
        for key, value in values.items()
    ]
    print_table(("", "share of no data", "regret"), rows, highlight=2, right=(1, 2))


def _cells(value: float | None, no_data: float | None, rounded: Callable[..., str]) -> tuple[str, str]:
    """A bound as a share of the no-data regret, and the bound itself."""
    if value is None or no_data is None:
        return "-", "-"
    return f"{rounded(100 * value / no_data, 3)} %", rounded(value)


def _wasserstein(policy: Policy, problem: given.Stated) -> float | None:
    """The bound, or None for policies it does not cover."""
    from provend.wasserstein import wasserstein_bound

    try:
        return wasserstein_bound(policy, problem.d, q=problem.ratio).upper
    except (TypeError, InputError):
        return None
