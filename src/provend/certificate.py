"""What a computation promises: brackets that contain the truth, and the world in which it is at its worst."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._kernels.arithmetic.rounding import OUTWARD
from provend.newsvendor import Newsvendor

Value = TypeVar("Value", float, NDArray[np.float64])  # one number, or many at once
Seen = TypeVar("Seen", float, NDArray[np.float64], covariant=True)  # the same where it is only read


def rounded_down(value: Value) -> Value:
    """A lower bound on the non-negative number that a handful of roundings turned into ``value``."""
    return value * (1 - OUTWARD)


def rounded_up(value: Value) -> Value:
    """An upper bound on the non-negative number that a handful of roundings turned into ``value``."""
    return value * (1 + OUTWARD)


def scaled_down(value: Value, factor: float) -> Value:
    """A lower bound in other units; a factor of 1 leaves it as it is."""
    return value if factor == 1.0 else value * rounded_down(factor)


def scaled_up(value: Value, factor: float) -> Value:
    """An upper bound in other units; a factor of 1 leaves it as it is."""
    return value if factor == 1.0 else value * rounded_up(factor)


def relative_gap(lower: Value, upper: Value) -> Value:
    """(upper - lower) / upper, and 0 where both are 0."""
    return (upper - lower) / (upper + (upper <= 0))


class _Ends(Protocol[Seen]):
    """What has a lower and an upper end, and a regret without data to compare them with."""

    @property
    def lower(self) -> Seen: ...
    @property
    def upper(self) -> Seen: ...
    @property
    def no_data_regret(self) -> float | Seen: ...


class Bracketed:
    """The two ratios of a bracket, or of many, that people ask for."""

    @property
    def gap(self: _Ends[Value]) -> Value:
        """Relative width of the bracket, (upper - lower) / upper."""
        return relative_gap(self.lower, self.upper)

    @property
    def percent_of_no_data(self: _Ends[Value]) -> Value:
        """``upper`` as a percentage of the regret of ordering without any data; of 0 where that is 0, too."""
        return 100 * self.upper / (self.no_data_regret + (self.no_data_regret <= 0))


class _AtRatio(Protocol):
    @property
    def q(self) -> Fraction: ...
    @property
    def unit(self) -> float: ...


class Promise(Bracketed):
    """A bracket of the regret at a critical ratio q, where ``unit`` is the money per unit of regret."""

    @property
    def no_data_regret(self: _AtRatio) -> float:
        """q (1 - q), the regret of ordering without any data, in the same unit."""
        return float(self.q * (1 - self.q)) * self.unit


@dataclass(frozen=True, eq=False)
class Bracket(Generic[Value]):
    """``0 <= lower <= truth <= upper``, rounding errors included, for one number or for many at once."""

    lower: Value
    upper: Value

    def scaled(self, factor: float) -> Bracket[Value]:
        """The bracket in other units, rounded outwards."""
        return Bracket(scaled_down(self.lower, factor), scaled_up(self.upper, factor))

    def widened(self, *, below: float = 0.0, above: float = 0.0) -> Bracket[Value]:
        """A bracket for a truth that may be up to ``below`` lower, though not negative, or up to ``above`` higher."""
        lower = self.lower if below == 0 else rounded_down(self.lower) - rounded_up(below)
        upper = self.upper if above == 0 else rounded_up(self.upper + above)
        return Bracket(lower * (lower > 0), upper)

    def widened_by(self, either: Value) -> Bracket[Value]:
        """The truth may be smaller or larger by so much, which may differ from number to number."""
        lower = rounded_down(self.lower) - rounded_up(either)
        return Bracket(lower * (lower > 0), rounded_up(self.upper + either))


class Frozen:
    """A result whose arrays, like the dataclass that holds them, cannot be written to."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                view = value.view()  # whoever owns the array may still write to it
                view.setflags(write=False)
                object.__setattr__(self, field.name, view)


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase(Shown, Frozen):
    """The instance Nature picks: Bernoulli demands on the two ends of the support.

    Attributes
    ----------
    side : {"low", "high"}
        "low": demand is mostly at the bottom and the history makes it look higher; "high": the reverse.
    mean : float
        Probability that the demand to come is at the top of the support, the paper's mu_0.
    history : array
        The same probability for each past observation, in the order of the dissimilarities.
    """

    side: Literal["low", "high"]
    mean: float
    history: NDArray[np.float64]

    def _facts(self) -> dict[str, object]:
        return {"side": self.side, "mean": self.mean, "samples": self.history.size}


@dataclass(frozen=True, eq=False, repr=False)
class Guarantee(Promise, Shown, Tabular):
    """A bracket that contains the exact worst-case regret, rounding errors included.

    Attributes
    ----------
    lower, upper : float
        ``lower <= exact <= upper``, in units of (cu + co) times the width of the support, or in money.
    worst_case : WorstCase
        An instance on which the policy's regret is at least ``lower``.
    evaluations : int
        How many tail probabilities it took.
    estimate : float
        A sharp value inside the bracket that is *not* certified; it only matters for real-valued weights.
    note : str
        What the bracket rests on besides the theorem; empty if nothing.
    q : Fraction
        The critical ratio.
    unit : float
        Money per unit of regret; 1 unless a :class:`Newsvendor` was given.
    """

    lower: float
    upper: float
    worst_case: WorstCase
    evaluations: int
    estimate: float
    q: Fraction
    note: str = ""
    unit: float = 1.0

    def _facts(self) -> dict[str, object]:
        bracket: dict[str, object] = {"lower": self.lower, "upper": self.upper}
        bracket |= {"percent_of_no_data": self.percent_of_no_data, "worst_case": self.worst_case}
        return bracket | ({"note": self.note} if self.note else {})

    def _columns(self) -> dict[str, list[object]]:
        bracket = {"lower": self.lower, "upper": self.upper, "estimate": self.estimate, "gap": self.gap}
        worst = {"percent_of_no_data": self.percent_of_no_data, "side": self.worst_case.side}
        return {name: [fact] for name, fact in (bracket | worst | {"mean": self.worst_case.mean}).items()}

    def in_money(self, newsvendor: Newsvendor) -> Guarantee:
        """The same guarantee in the currency of ``newsvendor``."""
        if newsvendor.critical_ratio != self.q:
            raise InputError(
                f"newsvendor has critical ratio {newsvendor.critical_ratio}, the guarantee was computed for {self.q}; "
                "pass the newsvendor as q instead"
            )
        return self.scaled(newsvendor.unit / self.unit, unit=newsvendor.unit)

    def scaled(self, factor: float, *, unit: float) -> Guarantee:
        """The bracket times ``factor``, rounded outwards."""
        bracket = Bracket(self.lower, self.upper).scaled(factor)
        return replace(self, lower=bracket.lower, upper=bracket.upper, estimate=self.estimate * factor, unit=unit)


class _Bounded(Protocol):
    """What has a guarantee, and a bound that nothing of its class can beat."""

    @property
    def guarantee(self) -> Guarantee: ...
    @property
    def lower_bound(self) -> float: ...


class BestOfClass:
    """How good the best policy found is, compared with any other of its class and with no data."""

    @property
    def gap(self: _Bounded) -> float:
        """(upper - lower_bound) / upper: by how much, at most, another policy of the class could be better."""
        return relative_gap(self.lower_bound, self.guarantee.upper)

    @property
    def percent_of_no_data(self: _Bounded) -> float:
        """The guarantee's ``upper`` as a percentage of the regret of ordering without any data."""
        return self.guarantee.percent_of_no_data
