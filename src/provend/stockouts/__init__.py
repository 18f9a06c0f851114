"""Orders from sales that stock has cut off: demand is seen only up to what was in stock."""

from provend.stockouts._exploring import ValueOfStock, value_of_stock
from provend.stockouts._order import OrderWithStockouts, StockSegment, order_with_stockouts

__all__ = ["OrderWithStockouts", "StockSegment", "ValueOfStock", "order_with_stockouts", "value_of_stock"]
