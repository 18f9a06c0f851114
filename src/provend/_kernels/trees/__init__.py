"""Bagged regression trees on few bins: forecasts in milliseconds."""

BINS = 64  # of a feature at most
