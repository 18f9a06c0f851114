"""Best mixtures of order statistics, and how many samples are worth having (Appendix C)."""

from provend.mixtures._best import BestMixture, best_mixture, mixture_with_prior, spread_mixture
from provend.mixtures._effective import EffectiveSampleSize, effective_sample_size

__all__ = [
    "BestMixture",
    "EffectiveSampleSize",
    "best_mixture",
    "effective_sample_size",
    "mixture_with_prior",
    "spread_mixture",
]
