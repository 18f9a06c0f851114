"""The one grammar of policy names: a kind and its parameters, separated by colons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from provend._errors import InputError
from provend.policies._base import DecidingPolicy
from provend.policies._mixture import NoData
from provend.policies._order import ERM, KNN, OrderStatistic
from provend.policies._weighted import SHAPES, Exponential, Kernel

T = TypeVar("T")

KINDS = ("erm", "knn", "exponential", "kernel", "order", "minimax", "no-data")
SYNONYMS = {"exp": "exponential"}
GRAMMAR = "erm, knn:K, exp:GAMMA, kernel:SHAPE:BANDWIDTH, order:RANK, minimax or no-data"


@dataclass(frozen=True)
class PolicyName:
    """A parsed policy name. It is not yet a policy: a missing parameter, and the optimal policy, are found elsewhere.

    Attributes
    ----------
    kind : str
        "erm", "knn", "exponential", "kernel", "order", "minimax" or "no-data".
    shape : str or None
        The shape of a kernel.
    parameter : str or None
        k, gamma, bandwidth or rank, as written; a rank is never left out.
    """

    kind: str
    shape: str | None = None
    parameter: str | None = None

    def policy(self) -> DecidingPolicy | None:
        """The policy, or ``None`` where the name alone does not determine it."""
        match self:
            case PolicyName("erm"):
                return ERM()
            case PolicyName("no-data"):
                return NoData()
            case PolicyName("knn", None, str(k)):
                return KNN(_read(int, k, "a whole number"))
            case PolicyName("order", None, str(rank)):
                return OrderStatistic(_read(int, rank, "a whole number"))
            case PolicyName("exponential", None, str(gamma)):
                return Exponential(_read(float, gamma, "a number"))
            case PolicyName("kernel", str(shape), str(bandwidth)):
                return Kernel(shape, _read(float, bandwidth, "a number"))
        return None


def parse(name: str) -> PolicyName:
    """Parse a name such as "erm", "knn:27", "exp:0.95" or "kernel:gaussian"; "exponential" is "exp"."""
    first, *rest = name.split(":")
    kind = SYNONYMS.get(first, first)
    match kind, rest:
        case _, [] if kind in KINDS and kind != "order":
            return PolicyName(kind)
        case "knn" | "order" | "exponential", [parameter]:
            return PolicyName(kind, None, parameter)
        case "kernel", [shape, *bandwidth] if len(bandwidth) <= 1:
            if shape not in SHAPES:
                raise InputError(f"{shape!r} is not a kernel; choose one of {', '.join(SHAPES)}")
            return PolicyName(kind, shape, bandwidth[0] if bandwidth else None)
    raise InputError(f"unknown; use {GRAMMAR}")


def _read(number: Callable[[str], T], text: str, what: str) -> T:
    try:
        return number(text)
    except ValueError:
        raise InputError(f"{text!r} is not {what}; use {GRAMMAR}") from None
