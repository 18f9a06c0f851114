"""Many items: guarantees added up, and orders under one budget."""

from provend.portfolio._budget import budgeted_orders
from provend.portfolio._item import BudgetItem
from provend.portfolio._orders import BudgetedOrders
from provend.portfolio._total import total_guarantee

__all__ = ["BudgetItem", "BudgetedOrders", "budgeted_orders", "total_guarantee"]
