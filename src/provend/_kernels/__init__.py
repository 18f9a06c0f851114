"""Numbers only: tails of weighted counts, and the certified maximum of (C - x) f(x)."""
