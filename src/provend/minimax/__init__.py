"""The best policy there is, and the proof that none is better by more than a stated gap."""

from provend.minimax._policy import Optimal, named_policy
from provend.minimax._results import Minimax, PriorPoint, ValueOfData
from provend.minimax._solve import minimax, nearly_optimal, value_of_data

__all__ = [
    "Minimax",
    "Optimal",
    "PriorPoint",
    "ValueOfData",
    "minimax",
    "named_policy",
    "nearly_optimal",
    "value_of_data",
]
