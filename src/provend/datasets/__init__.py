"""Demand to try things on: real, and simulated with a known truth."""

from provend.datasets._restaurant import DISHES, RestaurantDays, load_restaurant
from provend.datasets._simulation import World, simulate_sales

__all__ = ["DISHES", "RestaurantDays", "World", "load_restaurant", "simulate_sales"]
