"""A problem in an address: costs or a critical ratio, dissimilarities and policies, all of them bounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend import designs
from provend._errors import InputError
from provend._validation import as_critical_ratio, as_dissimilarities
from provend.minimax import named_policy
from provend.newsvendor import Newsvendor
from provend.policies import Policy

MOST_SAMPLES = 1000
MOST_POLICIES = 6
CELLS = 100  # real weights are rounded to hundredths of the largest, so that their worst case is exact
LONGEST = 20_000  # characters of pasted dissimilarities
KINDS = ("constant", "drift", "given")
USUAL = {"q": "0.9", "kind": "drift", "value": "0.005", "n": "50", "policies": "erm,knn:27,minimax"}
NAMES = ("q", "cu", "co", "support", "kind", "value", "n", "d", "policies")


@dataclass(frozen=True)
class Problem:
    """What is explored: everything as text or plain numbers, so that an equal problem is found again."""

    ratio: str | Newsvendor
    kind: str
    value: float
    d: tuple[float, ...]
    policies: tuple[str, ...]

    @property
    def next(self) -> float:
        """The dissimilarity of one more observation: one day older, or like the nearest."""
        if self.kind == "drift":
            return min(self.value * (len(self.d) + 1), 1.0)
        return min(self.d)

    @property
    def no_data_order(self) -> float:
        """The best order without any data, on the support."""
        ratio = self.ratio
        return ratio.no_data_order if isinstance(ratio, Newsvendor) else float(as_critical_ratio(ratio))

    def facts(self) -> dict[str, object]:
        """The problem as it was understood."""
        ratio = self.ratio
        costs = vars(ratio) if isinstance(ratio, Newsvendor) else {}
        design = {"kind": self.kind, "value": self.value, "n": len(self.d), "d": self.d}
        return {
            "q": float(as_critical_ratio(ratio)),
            "money": bool(costs),
            **costs,
            **design,
            "policies": self.policies,
        }


def read_problem(query: Mapping[str, str]) -> Problem:
    """The problem in the names and values of an address; whatever is left out is as in :data:`USUAL`."""
    for name in query:
        if name not in NAMES:
            raise InputError(f"{name[:40]!r} is not known here; the address has {', '.join(NAMES)}")
    ratio = _ratio(query)
    kind = query.get("kind", "given" if "d" in query else USUAL["kind"])
    if kind not in KINDS:
        raise InputError(f"kind = {kind[:40]!r} is unknown; choose {', '.join(KINDS)}")
    value = _number(query.get("value", USUAL["value"]), "value")
    policies = tuple(dict.fromkeys(query.get("policies", USUAL["policies"]).split(",")))
    if len(policies) > MOST_POLICIES:
        raise InputError(f"{len(policies)} policies are too many side by side; choose up to {MOST_POLICIES}")
    for name in policies:
        read_policy(name)
    return Problem(ratio, kind, value, _dissimilarities(query, kind, value), policies)


def read_policy(name: str) -> Policy:
    """The policy with this name."""
    try:
        return named_policy(name)
    except ValueError as error:
        raise InputError(f"policy {name[:40]!r}: {error}") from None


def _ratio(query: Mapping[str, str]) -> str | Newsvendor:
    """Costs, which give results in money, or a critical ratio."""
    if "cu" not in query and "co" not in query:
        if "support" in query:
            raise InputError("support goes with cu and co; with q, regrets are in units of the support's width")
        ratio = query.get("q", USUAL["q"])
        as_critical_ratio(ratio)
        return ratio
    if "q" in query or "cu" not in query or "co" not in query:
        raise InputError("give either q, or both cu and co")
    ends = query.get("support", "0,1").split(",")
    if len(ends) != 2:
        raise InputError("support: give the lowest and the highest demand with a comma between, such as 0,100")
    problem = Newsvendor(query["cu"], query["co"], (_number(ends[0], "support"), _number(ends[1], "support")))
    as_critical_ratio(problem)
    return problem


def _dissimilarities(query: Mapping[str, str], kind: str, value: float) -> tuple[float, ...]:
    if kind == "given":
        text = query.get("d", "")
        if len(text) > LONGEST:
            raise InputError(f"d: these are {len(text):,} characters; paste up to {LONGEST:,}")
        numbers = [_number(one, "d") for one in text.replace(",", " ").replace(";", " ").split()]
        if not numbers:
            raise InputError("d: paste the dissimilarities, such as 0.01, 0.02, 0.05")
        return _checked(np.array(numbers))
    text = query.get("n", USUAL["n"])
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= MOST_SAMPLES):
        raise InputError(f"n = {text[:40]!r} is not a number of past observations; give 1 to {MOST_SAMPLES:,}")
    design = designs.constant if kind == "constant" else designs.drift
    return _checked(design(value, int(text)))


def _checked(d: NDArray[np.float64]) -> tuple[float, ...]:
    if d.size > MOST_SAMPLES:
        raise InputError(f"{d.size:,} past observations are too many here; give up to {MOST_SAMPLES:,}")
    return tuple(np.minimum(as_dissimilarities(d), 1.0).tolist())


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{name} = {text[:40]!r} is not a number; give one such as 0.01") from None
