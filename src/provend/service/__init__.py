"""Service levels under shift: how often demand is met at worst, and what to order for a target."""

from provend.service._choice import OrderForService, order_for_service
from provend.service._conformal import Conformal
from provend.service._curve import ServiceCurve, samples_for_service, service_curve
from provend.service._level import ServiceLevel, service_level

__all__ = [
    "Conformal",
    "OrderForService",
    "ServiceCurve",
    "ServiceLevel",
    "order_for_service",
    "samples_for_service",
    "service_curve",
    "service_level",
]
