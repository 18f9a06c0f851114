"""Bagged and boosted regression trees on few bins: forecasts in milliseconds."""

BINS = 64  # per feature, at most
