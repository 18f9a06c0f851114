"""The game against a prior on two means."""
