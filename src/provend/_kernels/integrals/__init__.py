"""Integrals over all success probabilities, certified."""
