"""Possible orders: whole units, packs, a minimum quantity; and what is left to order when there is stock."""

from provend.orders._possible import Orders
from provend.orders._room import Room, seeds_of

__all__ = ["Orders", "Room", "seeds_of"]
