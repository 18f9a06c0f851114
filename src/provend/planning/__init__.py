"""Many items at once: what to order of each, decided by one function on any engine."""

from provend.planning._plan import plan

__all__ = ["plan"]
