"""Every table, figure and claim, in the order of the paper."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from provend._errors import InputError
from provend.paper import (
    _bounds,
    _claims,
    _classes,
    _curves,
    _drift,
    _estimation,
    _instances,
    _mixtures,
    _optimal,
    _pairs,
    _samples,
)
from provend.paper._item import Item, Result


@dataclass(frozen=True)
class Section:
    """A part of the paper and what is reproduced of it."""

    title: str
    lead: str
    items: tuple[Item, ...]


def items_of(module: ModuleType) -> tuple[Item, ...]:
    """The items a module defines, in its order."""
    found = (value for value in vars(module).values() if isinstance(value, Item))
    return tuple(one for one in found if one.compute.__module__ == module.__name__)


SECTIONS = (
    Section(
        "1. Introduction",
        "All past contexts at one dissimilarity: how the worst case of ERM moves with the number of samples, and how "
        "many samples earlier bounds ask for.",
        (_curves.figure1, _samples.claim_orders_of_magnitude),
    ),
    Section(
        "3. Policies and the exact worst case",
        "The classes of policies the theorem covers, by enumeration, and the corollary on constraints between all "
        "pairs of contexts, by brute force.",
        (_classes.figure2, _pairs.theorem2, _pairs.corollary1),
    ),
    Section(
        "4.1 Samples needed",
        "How many samples bring ERM to a given share of the no-data regret.",
        (_samples.table1, _samples.claim_sample_complexity, _bounds.claim_no_data),
    ),
    Section(
        "4.2 The learning curve and the effective sample size",
        "ERM has its best moment at a finite number of samples; mixing ranks and leaving samples out repairs that.",
        (
            _curves.figure3a,
            _curves.figure3b,
            _curves.claim_shape,
            _bounds.claim_lower_bound,
            _mixtures.table2,
            _mixtures.claim_near_optimal,
        ),
    ),
    Section(
        "4.3 Drift",
        "The i-th most recent sample is at dissimilarity i times the drift.",
        (_drift.table3, _drift.claim_drift),
    ),
    Section(
        "4.4 A misjudged drift",
        "What the choice of k for one drift costs under another.",
        (_drift.table4, _drift.claim_sensitivity),
    ),
    Section("Appendix C. Mixtures of order statistics", "Two readings of one definition.", (_mixtures.figure4,)),
    Section("Appendix D. Ties", "What if the minimiser is not unique?", (_claims.claim_tie_breaking,)),
    Section("Appendix E. The earlier bound", "Its translation, step by step.", (_bounds.claim_concentration,)),
    Section(
        "Appendix F. Mild instances",
        "Fixed distributions instead of the worst ones. The paper simulates; the expected regret is an integral.",
        (_instances.figure5, _instances.figure6, _instances.table5, _instances.claim_robust_k),
    ),
    Section("Appendix G. Wasserstein distances", "Bounds instead of exact values.", (_bounds.figure7,)),
    Section(
        "Appendix H. Estimating dissimilarities",
        "How well distances between distributions, and a drift, are estimated from samples.",
        (
            _estimation.figure8,
            _estimation.claim_factor,
            _estimation.claim_conservative,
            _estimation.table6,
            _estimation.claim_drift_precision,
        ),
    ),
    Section(
        "Beyond the paper",
        "What exact computation adds: the law of effective sample sizes, and the best policy there is.",
        (_mixtures.effective_sample_sizes, _optimal.optimal),
    ),
)

ITEMS: dict[str, Item] = {one.name: one for section in SECTIONS for one in section.items}


def find(name: str) -> Item:
    """An item by name."""
    if name not in ITEMS:
        raise InputError(f"name = {name!r} is not an item of the paper; choose one of {', '.join(ITEMS)}")
    return ITEMS[name]


def options_of(one: Item) -> tuple[str, ...]:
    """The names of its options, such as ``q``."""
    return tuple(inspect.signature(one.compute).parameters)


def run(name: str, /, **options: Any) -> Result:
    """Compute one item; options such as ``q`` default to the paper's values.

    Parameters
    ----------
    name : str
        Such as "table1"; see ``ITEMS``.
    **options
        As in the item's own signature. Published digits are attached only while the arguments are the paper's.

    Examples
    --------
    >>> from provend.paper import run
    >>> [row.verdict for row in run("claim_no_data").rows]
    ['same', 'beyond']
    >>> run("claim_no_data", q="1/2").rows[0].published is None
    True
    """
    one = find(name)
    known = options_of(one)
    for option in options:
        if option not in known:
            raise InputError(f"{name} has no option {option!r}; it takes {', '.join(known) or 'none'}")
    return one(**options)
