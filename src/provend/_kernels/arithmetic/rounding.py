"""How far floating point may be from the truth. The proofs are on the docs' page on rounding, under the names here."""

UNIT = 2.0**-53  # unit roundoff of double precision

NEAR_ONE = 4 * UNIT  # a sample this close to probability 1 counts as being exactly at its kink
SHIFT = NEAR_ONE + UNIT  # how far a probability t + d may have been rounded down, or taken down to its kink

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


OUTWARD = 8 * UNIT  # a bracket in other units ("In money"): more than the roundings of the factor and of the products


# Errors in both maximisers ("C - x", "The tangent bound", "Branch and bound").
LENGTH = 2 * UNIT  # c rounded to a float, as the value of a policy that is certain to err
VALUE = 4 * UNIT  # (C - x) f(x), beyond the error of f
STEEPNESS = 8 * UNIT  # (C - x) f'(x) / f(x), beyond twice the errors of f and f'
PHI = 8 * UNIT  # the excess phi of a tangent: times log(1 + sigma / r)^(r+1) + |log sigma| + 4
INTERVAL = 16 * UNIT  # the bound over one interval of branch and bound


def constant_error(terms: int) -> float:
    """Relative error of c times a sum of that many constants."""
    return (8 + terms) * UNIT


def mixture_error(terms: int) -> float:
    """What adding up that many terms costs beyond the error of each."""
    return (2 * terms + 2) * UNIT


# Integrals between kinks ("Service levels").
MISSED = 1e-13  # what a rule with few nodes misses, relative to its piece's width: no more than its weights err
NODE = 1e-15  # error of a node of a Gauss-Legendre rule on [0, 1], as f is evaluated there
RULE = 1e-13  # total error of the weights of one rule
CLOSED_FORM = 8 * UNIT  # the integral of a binomial tail, beyond the errors of the tails in it


def integral_error(n: int, nodes: int, missed: float = MISSED) -> float:
    """Absolute error of an integral over [0, 1] of a probability that moves with n samples, known at the nodes."""
    return n * NODE + RULE + missed + (nodes + 16) * UNIT


def exponent_error(n: int, size: float) -> float:
    """Absolute error of the logarithm of a mean of exp(sum of n terms) that are at most ``size`` together."""
    return 16 * n * UNIT * (1 + size)


# Real weights ("Real weights").
UNLIKELY = 1e-13  # probability conceded in bounding a sum of rounding errors


def weight_slack(n: int, total: float) -> float:
    """How far float arithmetic may move a sum of n real weights relative to its level, in cells out of ``total``."""
    return 16 * UNIT * n * (total + 1)


# Two neighbouring ranks ("Adjacent mixtures").
NEIGHBOURS = 16 * UNIT  # (C - x) f(x), f a mixture of two tails, beyond the error of a tail

# The bound of a prior ("The bound of a prior").
HISTORY = 4 * UNIT  # relative amount by which a past mean is pulled in, so that it stays within d
LOG_ODDS = 16 * UNIT  # times 1 + |x|: error of a log-odds x and of what is computed from it
LONG_SUM = 1e-6  # relative error of a plain sum of at most 1e9 terms
PRIOR = 64 * UNIT  # the sum of minima, beyond the errors of the two laws
USELESS = 16 * UNIT  # the same where no context is of use

# The Lagrangian ("Wasserstein multipliers").
PARABOLA = 64 * UNIT  # the top of a parabola, times the sum of the numbers it is computed from
ATTAINED = 1e-14  # what an instance attains, in units of the support
TOTAL = 4 * UNIT  # the Lagrangian, a sum of two numbers rounded up


def tails_error(ranks: int) -> float:
    """Relative error of a mixture of that many binomial tails, as a bound from above."""
    return 2 * BETAINC + 8 * ranks * UNIT


def prices_error(n: int) -> float:
    """Relative error of the price of up to n samples together."""
    return 2 * (n + 2) * UNIT
