"""Real demand that comes with the package: a restaurant in Stuttgart."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

DISHES = ("calamari", "fish", "shrimp", "chicken", "koefte", "lamb", "steak")


@dataclass(frozen=True)
class RestaurantDays:
    """Daily demand of a restaurant in Stuttgart for seven ingredients, October 2013 to November 2015, open days only.

    From the ddop 0.7.6 package (BSD-3-Clause, notice in ``LICENSE-yaz.txt``). These are sales as recorded: demand
    after an ingredient ran out is missing from them.
    """

    dates: NDArray[np.datetime64]
    weekdays: NDArray[np.str_]
    demand: dict[str, NDArray[np.float64]]


def load_restaurant() -> RestaurantDays:
    """The 760 open days, oldest first."""
    with files(__package__).joinpath("yaz.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["is_closed"] == "0"]
    return RestaurantDays(
        dates=np.array([row["date"] for row in rows], "datetime64[D]"),
        weekdays=np.array([row["weekday"] for row in rows]),
        demand={dish: np.array([float(row[f"demand_{dish}"]) for row in rows]) for dish in DISHES},
    )
