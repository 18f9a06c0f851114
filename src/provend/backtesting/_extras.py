"""Packages that some baselines need, and how to get them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from provend._errors import InputError

PACKAGES = {  # policy: module, what is taken from it, the package that provides it
    "forest": ("quantile_forest", "RandomForestQuantileRegressor", "quantile-forest"),
    "lgbm": ("lightgbm", "LGBMRegressor", "lightgbm"),
    "ets": ("statsforecast.models", "AutoETS", "statsforecast"),
}


def optional(policy: str) -> Any:
    """The model behind a policy, from a package that need not be installed."""
    module, name, package = PACKAGES[policy]
    try:
        return getattr(import_module(module), name)
    except ImportError:
        raise InputError(f"the policy {policy!r} needs the package {package}; run: {remedy(policy)}") from None


def installed(policy: str) -> bool:
    """Whether the package behind a policy is installed, without importing it."""
    return find_spec(PACKAGES[policy][0].partition(".")[0]) is not None


def remedy(policy: str) -> str:
    """What to run to install the package."""
    return f"pip install provend[{policy}]"
