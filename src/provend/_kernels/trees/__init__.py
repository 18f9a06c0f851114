"""Bagged regression trees on few bins: forecasts in milliseconds."""
