"""Policies: from names to estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from provend._errors import InputError
from provend.backtesting._baselines import (
    MODELS,
    EmpiricalQuantile,
    QuantileModel,
    SameCategoryQuantile,
    SeasonalNaive,
)
from provend.backtesting._extras import PACKAGES, installed, optional, remedy
from provend.backtesting._smoothing import ExponentialSmoothing
from provend.newsvendor import Newsvendor
from provend.policies.names import GRAMMAR, parse
from provend.tables import WEEKDAY, History

BASELINES = {name: name for name in MODELS} | {"quantile-forest": "forest"}  # "forest" is its short name here
NAMES = (
    "static, rolling, rolling:ROWS, same:COLUMN, seasonal:ROWS, ets:ROWS, linear, gbm, hgb, lgbm, quantile-forest, "
    f"{GRAMMAR}"
)


@dataclass(frozen=True)
class Method:
    """One contender: an estimator, and whether it is refitted on the shared schedule or learns only once."""

    name: str
    estimator: Any
    refit: bool = True


@dataclass(frozen=True)
class Setting:
    """What every built-in policy is told."""

    costs: Newsvendor
    support: tuple[float, float] | None
    random_state: int
    columns: Mapping[str, str] | None = None


def read_policies(policies: object, history: History, setting: Setting) -> list[Method]:
    """Names, or a mapping of names to estimators or built-in names; the usual ones if nothing is given."""
    if policies is None:
        same = [f"same:{name}" for name in history.alike]
        policies = ["static", "rolling", *same, *(["ets"] if installed("ets") else []), "linear", "hgb", "minimax"]
    if isinstance(policies, str) or not isinstance(policies, Mapping | Sequence) or not policies:
        raise InputError(
            f"policies = {policies!r}: give a list of names ({NAMES}), or a mapping of names to estimators"
        )
    pairs = policies.items() if isinstance(policies, Mapping) else [(name, name) for name in policies]
    methods = [_method(str(name), what, history, setting) for name, what in pairs]
    names = [method.name for method in methods]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"policies: {name!r} is there twice; name each policy once")
    return methods


def left_out(policies: object) -> str:
    """What a default list lacks, and why."""
    if policies is not None or installed("ets"):
        return ""
    return f" Not among the policies: ets, which needs statsforecast; run: {remedy('ets')}."


def _method(name: str, what: object, history: History, setting: Setting) -> Method:
    if isinstance(what, str):
        return Method(name, _built_in(what, history, setting), refit=what != "static")
    for needed in ("fit", "predict"):
        if not callable(getattr(what, needed, None)):
            raise TypeError(f"policies: {name!r} is {what!r} without {needed}(); give an estimator or one of {NAMES}")
    return Method(name, what)


def _built_in(name: str, history: History, setting: Setting) -> Any:
    cu, co = setting.costs.cu, setting.costs.co
    kind, _, parameter = name.partition(":")
    match kind:
        case "static" | "rolling" if not parameter:
            return EmpiricalQuantile(cu, co)
        case "rolling" if (rows := _whole(parameter)) > 0:
            return EmpiricalQuantile(cu, co, window=rows)
        case "seasonal" if (rows := _whole(parameter or "7")) > 0:
            _refuse_too_long(name, rows if parameter else 0, history)
            return SeasonalNaive(cu, co, season=rows)
        case "ets" if (rows := _whole(parameter or "7")) > 0:
            _refuse_too_long(name, rows if parameter else 0, history)
            optional("ets")  # better to fail now than on every item
            return ExponentialSmoothing(cu, co, season=rows)
        case "same" if parameter in history.contexts or (parameter == WEEKDAY and history.dated):
            return SameCategoryQuantile(cu, co, column=parameter)
        case "same":
            raise InputError(f"policies: {name!r} names no context; the contexts are {list(history.contexts)}")
        case _ if name in BASELINES:
            model = BASELINES[name]
            if model in PACKAGES:
                optional(model)
            return QuantileModel(cu, co, model=model, random_state=setting.random_state)
    try:
        parsed = parse(name)
    except InputError:
        raise InputError(
            f"policies: {name!r} is unknown; use {NAMES}, or give a mapping of names to estimators"
        ) from None
    parsed.policy()  # a bad parameter is reported now, not on the first item
    return import_module("provend.estimators").ContextualNewsvendor(
        cu, co, policy=name, support=setting.support, columns=setting.columns
    )


def _refuse_too_long(name: str, season: int, history: History) -> None:
    """Refuse a season that no item can ever show: the policy would be the rolling quantile under another name."""
    most = int(np.diff(history.bounds).max())
    if 2 * season > most:
        raise InputError(
            f"policies: {name!r}: two seasons are {2 * season:,} rows, and no item has more than {most:,}; give a "
            "shorter season, or more history"
        )


def _whole(text: str) -> int:
    """A whole number, or 0 if it is not one; a number with thousands of digits exceeds anybody's count of rows."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0
