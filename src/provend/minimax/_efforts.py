"""How hard the search tries: every number that was chosen by experiment, with its reason.

None of them touches what is proved. The bound of a prior and the regret of a policy are certified whatever was tried;
the efforts decide how close the two come, and how soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Efforts:
    """The efforts of a search, in the order in which it spends them.

    A *prior* is two means, described by its cut-off, half their distance, and by the share of it on the low side.
    A *cell* is the unit of a lattice on which weights are rounded; numbers of cells refer to the heaviest weight.
    Contexts *count* if they are nearer than the cut-off.
    """

    # Which way to go
    upside_down: Fraction = Fraction(1, 10**6)  # below this q, means are too close to 1 for floats, and the ends swap
    by_ranks: int = 200  # up to this many equal dissimilarities, the program over all ranks is exact to 1e-9

    # A grid of priors, estimated
    coarse: float = 12.0  # cells: errors of the estimate are of second order
    crowded_coarse: float = 4.0  # the same for many contexts, where sums are smoother
    many_for_grid: int = 500  # contexts from which they are many
    least_cut_off: float = 0.3  # of the spread of a mean of n: closer means cannot be told apart at all
    below_nearest: float = 0.95  # of the nearest d: cut-offs below that d use no data, and this one is tried
    largest_first: float = 0.4  # the first cut-off is at most this; the last is 1/2
    cut_offs: int = 15  # of the grid, in geometric progression
    shares: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the grid
    fallen: float = 5.0  # once the estimate has fallen from its highest by this factor, wider cut-offs are skipped

    # Climbs from its local maxima: the bound has several
    starts: int = 3  # local maxima of the grid that are climbed
    hopeful: float = 0.5  # share of the highest below which a local maximum is not climbed
    climb_step: tuple[float, float] = (0.2, 0.1)  # of the cut-off (relative) and of the share: about half the grid's
    climb_halvings: int = 5  # of the steps, before a finer lattice is worth its time
    apart: float = 0.15  # of the cut-off: climbs that end nearer to each other have found the same maximum
    close_second: float = 0.97  # of the best estimate: lower local maxima are given up

    # Climbs on a finer lattice
    fine_step: tuple[float, float] = (0.02, 0.01)  # about how far the coarse climb may have ended from the maximum
    fine_halvings: int = 7  # where each context shows in the estimate: down to 2e-4 of the cut-off
    smooth_halvings: int = 3  # for many contexts: the estimate is flat near its maximum
    few_levels: int = 25  # up to this many different d that count, each of them shows
    a_little_beyond: float = 1.02  # of the cut-off: up to there a step of the climb may make contexts count
    fine_operations: float = 2000.0  # contexts that count times cells
    fine_cells: tuple[float, float] = (8.0, 400.0)  # least and most, whatever the product
    snap: float = 0.02  # of the cut-off: a dissimilarity within it may be where the bound has its kink
    snaps: int = 2  # dissimilarities tried as cut-offs
    nearly: float = 1e-2  # estimates that differ by less are compared by their certified bounds
    certified: int = 5  # of them, where each context shows; one otherwise

    # The certified bound
    steps: float = 3e6  # operations of one law, at first
    steps_growth: float = 8.0  # per attempt: what Nature concedes falls by the same factor
    most_steps: float = 2e9  # about a second
    bound_cells: tuple[int, int] = (16, 20_000)  # least and most: fewer prove little, more hardly gain
    deviations: float = 12.0  # standard deviations of the sum in which a law has its mass, both sides together

    # The certified bound, climbed itself: estimates mislead where a single weight is decisive
    polishing: float = 1e7  # operations of one law during this climb
    polish_from: float = 0.04  # relative steps of both means, halved when none helps
    polish_to: float = 0.001  # down to here

    # Weights of the rules
    rule_operations: float = 1800.0  # contexts that count times cells: a certified regret stays quick
    most_cells: int = 200  # for few contexts
    least_cells: tuple[tuple[float, int], ...] = ((1000, 24), (2500, 16), (float("inf"), 8))  # (contexts up to, cells)
    finer: int = 4  # factor on the cells per attempt: nearly equal weights may have been rounded to the same one
    finest: int = 4000  # cells, in the end
    crowded: int = 120_000  # contexts times cells instead, where many count: a law takes their number squared
    at_cut_off: float = 5e-3  # relative distance within which a context counts as being at the cut-off: a tie-breaker
    light: float = 0.02  # of the heaviest weight: a context heavier than this plus one cell is no tie-breaker
    tie_breakers: int = 8  # up to this many together never outweigh one cell of the other weights
    very_many: int = 1000  # contexts that count from which one more makes no difference

    # Thresholds of the rules
    all_levels: int = 250  # sums up to which every threshold is tried: equal weights may need many
    possible: float = 1e-13  # mass that makes a sum worth a threshold
    next_to: int = 5  # thresholds on either side of the one at which both hypotheses cost the same
    levels_beyond: int = 13  # quantiles of the sum tried in addition
    outermost: float = 0.02  # the first of these quantiles; the last is as far from 1

    # The program over rules
    rounds: int = 8  # of the exchange
    first_t: int = 17  # values of t on each side, evenly spaced
    first_near: int = 7  # more of them around the mean of the prior, where the worst case will be
    near: float = 0.4  # how far around it, as a share of its distance from 1 - q
    hump: float = 0.97  # a local maximum below this share of z hides none above z
    resolved: float = 1e-6  # relative excess over z, and rise above a known t, that is worth another row
    wide: float = 0.05  # of the range: with neighbours farther apart a parabola is doubtful, and the gaps are halved
    negligible: float = 1e-9  # probabilities, of rules and of worst cases, that are dropped

    # Attempts at better priors and weights
    share_of_rtol: float = 1 / 2  # of the gap aimed at that the search may use up: certifying needs some
    attempts: int = 5
    few_attempts: int = 3  # for many contexts with few different d
    many: int = 300  # different d that count, or contexts, from which only the lattice is refined: the rest is smooth
    crowd: int = 1200  # contexts, equal or not, from which this is so in any case
    may_count: float = 1.1  # of the cut-off: contexts that would count if the prior were a little different
    around: tuple[tuple[float, float], ...] = (  # factors of both means: where two outcomes change places in the order
        (1.01, 1.0),  # of likelihood, the best policy mixes both orders
        (0.99, 1.0),
        (1.0, 1.01),
        (1.0, 0.99),
        (0.95, 0.95),
        (1.05, 1.05),
    )
    likely: int = 3  # worst cases of each side, the likeliest, whose pairs become priors
    suggestions: int = 2  # of these pairs that also give weights

    # A good rule at once, for callers who certify it themselves: where many contexts count, sums are nearly normal
    cells_at_once: tuple[tuple[float, int], ...] = ((1000, 24), (float("inf"), 8))  # finer ones hardly gain
    smooth_variance: float = 0.5  # of the sum, in squares of the heaviest weight: with less, a single context shows
    clumsy: float = 0.1  # most that is left of a wave in the law of the sum: more, and it comes in clumps
    slowest_wave: float = 3.5  # radians per standard deviation: slower ones are the bell itself
    next_wave: float = 1.0  # radians per standard deviation from wave to wave

    # The policy
    retries: int = 4  # of certifying: a worst case that the program has missed becomes a row of it
    missed: float = 1 / 4  # of the gap aimed at by which a certified regret may exceed the program's value
    precision: float = 50.0  # the gap aimed at is this many times the width of the certified bracket
    parts: int = 10**12  # probabilities are multiples of about 1 / parts


EFFORTS = Efforts()
