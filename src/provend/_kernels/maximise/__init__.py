"""The certified maximum of (C - x) f(x)."""
