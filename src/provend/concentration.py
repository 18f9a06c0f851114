"""The theorem's predecessor: the guarantee that concentration inequalities give for ERM (Appendix E)."""

from __future__ import annotations

from fractions import Fraction
from math import comb, erf, exp, fsum, pi, sqrt
from typing import Literal

from numpy.typing import ArrayLike

from provend._errors import InputError
from provend._validation import as_critical_ratio, as_dissimilarities, as_unit
from provend.newsvendor import Ratio

ROUNDING = 1e-14  # relative: more than the rounding errors of the few operations below
STIRLING = 64  # from here on the expansion of the central binomial coefficient is exact to 1e-16


def concentration_bound(d: ArrayLike, /, *, q: Ratio, form: Literal["corrected", "printed"] = "corrected") -> float:
    r"""The bound of Mohri and Munoz Medina on the expected regret of ERM, translated as in Appendix E.

    .. math:: 4 C_n + \frac{2m}{n} \sum_i d_i + 2 \int_0^1 e^{-n \eta^2 / (8 m^2)} d\eta,
       \qquad m = \max(q, 1 - q)

    ``form="corrected"`` is a valid upper bound, for Kolmogorov and for Wasserstein distances. Its :math:`C_n` is the
    largest Rademacher complexity :math:`\frac{1}{n} \mathbb{E}\sup_a \sum_i \sigma_i \ell(a, y_i)` that any demands
    on the support can have. It is attained by Bernoulli demands, all at the costlier end, and has a closed form,
    :math:`C_n = \frac{m}{2} \binom{2k}{k} 4^{-k}` with :math:`k = \lfloor n/2 \rfloor`. The integral equals
    :math:`4m \sqrt{2\pi/n}\,\{\Phi(\sqrt n/(2m)) - \Phi(0)\}`. The result is rounded up.

    ``form="printed"`` is the formula as the paper prints it, for comparison: the complexity of the demands
    :math:`y_i = 0`, without its factor 1/n, and :math:`\Phi(2m/\sqrt n)`. It grows with n and cannot be derived as a
    bound.

    Parameters
    ----------
    d : array
        Dissimilarities of the past contexts, in any order; above 1 counts as 1.
    q : number or Newsvendor
        Critical ratio; with a :class:`Newsvendor` the result is in money.
    form : {"corrected", "printed"}
        Which of the two.

    Examples
    --------
    >>> import provend as pv
    >>> print(f"{concentration_bound(pv.constant(0.02, n=1000), q=0.9):.4f}")
    0.2241
    >>> print(f"{pv.worst_case_regret(pv.ERM(), pv.constant(0.02, n=1000), q=0.9).upper:.4f}")
    0.0111
    """
    if form not in ("corrected", "printed"):
        raise InputError(f"form = {form!r} is not known; choose 'corrected' or 'printed'")
    ratio, dissimilarities = as_critical_ratio(q), as_dissimilarities(d)
    n, larger = dissimilarities.size, float(max(ratio, 1 - ratio))
    complexity = _largest_complexity(n, ratio) if form == "corrected" else n * _complexity_at_zero(n, ratio)
    shift = 2 * larger * fsum(dissimilarities.tolist()) / n
    at = sqrt(n) / (2 * larger) if form == "corrected" else 2 * larger / sqrt(n)
    tail = 4 * larger * sqrt(2 * pi / n) * _above_median(at)
    return (4 * complexity + shift + tail) * (1 + ROUNDING) * as_unit(q)


def _largest_complexity(n: int, q: Fraction) -> float:
    """C_n = max(q, 1 - q) E|S_n| / (2n), S_n a simple random walk: the largest over all demands (docs, "Bounds")."""
    return float(max(q, 1 - q)) / 2 * _mean_step(n)


def _complexity_at_zero(n: int, q: Fraction) -> float:
    """The paper's favourable choice y_i = 0, where the cost is (1 - q) a: (1 - q) E|S_n| / (2n)."""
    return float(1 - q) / 2 * _mean_step(n)


def _mean_step(n: int) -> float:
    """E|S_n| / n = binom(2k, k) / 4^k with k = floor(n / 2)."""
    k = n // 2
    if k < STIRLING:
        return comb(2 * k, k) / (1 << 2 * k)
    # log of the ratio to 1 / sqrt(pi k); the terms alternate, so this is above by at most the next, 17 / (14336 k^7)
    return exp(-1 / (8 * k) + 1 / (192 * k**3) - 1 / (640 * k**5) + 17 / (14336 * k**7)) / sqrt(pi * k)


def _above_median(x: float) -> float:
    """Phi(x) - Phi(0)."""
    return erf(x / sqrt(2)) / 2
