"""Protection periods: demand over lead time and review, from a history of days."""

from provend.periods._level import OrderUpTo, WindowClass
from provend.periods._period import ProtectionPeriod

__all__ = ["OrderUpTo", "ProtectionPeriod", "WindowClass"]
