"""How far floating point may be from the truth. The proofs are on the docs' page on rounding."""

UNIT = 2.0**-53  # unit roundoff of double precision

NEAR_ONE = 4 * UNIT  # within it of probability 1 a sample counts as being exactly at its kink

# Relative error of scipy.special.betainc as a binomial tail, and of the density computed from logarithms:
# stated tolerances, tested against mpmath for n up to a million and tails down to 1e-300.
BETAINC = 1e-11
DENSITY = 1e-6

# Below this a tail may have lost digits to gradual underflow; such values only ever enter as upper bounds.
TINY = 1e-290


BLOCK = 1024  # long sums are taken in blocks of this many terms, and then over the blocks


def recurrence_error(n: int, cells: int = 0, thresholds: int = 2) -> float:
    """Relative error of a tail from an all-positive recurrence over n samples, on a lattice of ``cells``.

    Each sample costs one rounding in p = t + d (a relative change of p by u moves a monotone probability
    by at most the factor (1 + u)^n, by thinning), one in 1 - p, two products and two sums. On a lattice every
    term passes two long sums besides, one when it is absorbed and one at the end.
    """
    sums = 2 * (BLOCK + cells / BLOCK + 1) if cells else 0
    return (6 * n + thresholds + 16 + sums) * UNIT
