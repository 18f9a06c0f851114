"""Probabilities that a count, weighted or not, reaches its threshold, with their slopes."""
