"""``provend service``: how often demand is met at worst, and what to order for a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from provend._errors import InputError
from provend.cli import _arguments as given
from provend.cli._numbers import at_least, at_most, bracket
from provend.cli._render import WIDTH, print_chart, print_facts, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from provend.certificate import Bracket
    from provend.policies import OrderStatistic, WeightedQuantile
    from provend.service import ServiceLevel


@given.on_design
def service(
    design: given.Design,
    policy: Annotated[str | None, typer.Option(help="What decides: order:14, or with --q erm, knn:27, ...")] = None,
    target: Annotated[str | None, typer.Option(help="In place of --policy: the service to reach, such as 95%.")] = None,
    confidence: Annotated[str | None, typer.Option(help="Service reached with this probability, such as 0.95.")] = None,
    q: given.Q = None,
    as_json: given.Json = False,
) -> None:
    """The probability that demand is met, at worst and at best; or the rank that reaches a target."""
    d = design.d
    if (policy is None) == (target is None):
        raise InputError("give either --policy, whose service is wanted, or --target, a service to reach")
    if policy is not None:
        from provend.service import service_level

        level = service_level(given.read_policy(policy), d, q=q, confidence=confidence)
        _show({"policy": policy, "n": int(d.size), **_level_json(level)}, level, as_json)
        return
    from provend.service import order_for_service, samples_for_service

    if q is not None:
        raise InputError("--q does not go with --target; a service takes the place of costs")
    found = order_for_service(d, target=target, confidence=confidence)
    needed = samples_for_service(d, target=target, confidence=confidence)
    facts = {"policy": repr(found.policy), **_rule_json(found.policy), "samples": needed}
    _show(
        {**facts, "target": float(found.target), "n": int(d.size), **_level_json(found.service)}, found.service, as_json
    )
    if not as_json:
        _chart(d, confidence)


def _rule_json(policy: OrderStatistic | WeightedQuantile) -> dict[str, Any]:
    """A rule under the names of its attributes, and in words."""
    from provend.policies import OrderStatistic

    if isinstance(policy, OrderStatistic):
        words = f"rank {policy.rank} of the {policy.k} nearest"
        return {"rule": words, "rank": policy.rank, "k": policy.k}
    weights = [int(weight) for weight in policy.weights]  # type: ignore[union-attr, arg-type]
    words = f"weight {policy.threshold} of {sum(weights)} reached"
    return {"rule": words, "weights": weights, "threshold": policy.threshold}


def _level_json(level: ServiceLevel) -> dict[str, Any]:
    """A service level under the names of its attributes."""
    certain = None if level.confidence is None else float(level.confidence)
    brackets = {name: {"lower": end.lower, "upper": end.upper} for name, end in _ends(level).items()}
    return {**brackets, "confidence": certain, "note": level.note}


def _ends(level: ServiceLevel) -> dict[str, Bracket[float]]:
    return {"worst": level.worst, "best": level.best}


def _show(facts: dict[str, Any], level: ServiceLevel, as_json: bool) -> None:
    if as_json:
        print_json(facts)
        return
    kind = "expected" if level.confidence is None else f"with confidence {float(level.confidence):g}"
    shown = {
        f"service {kind}, at worst": f"{at_least(100 * level.worst.lower)} %",
        "at best, where demand has no atoms": f"{at_most(100 * level.best.upper)} %",
        "the worst certified to lie in": bracket(level.worst.lower, level.worst.upper),
    }
    if facts.get("samples") is not None:
        shown["past demands needed to reach the target"] = str(facts["samples"])
    if level.note:
        shown["note"] = level.note
    print_facts(facts.get("rule", facts["policy"]), shown)


def _chart(d: NDArray[np.float64], confidence: str | None) -> None:
    """What the largest of the first n demands promises: no rank promises more."""
    import numpy as np

    from provend.policies import OrderStatistic
    from provend.service import service_level

    sizes = np.unique(np.linspace(1, d.size, WIDTH).astype(int)).tolist()
    most = [service_level(OrderStatistic(n), d[:n], confidence=confidence).worst.lower for n in sizes]
    print_chart("what the largest of the first n demands promises", sizes, most, form="d")
