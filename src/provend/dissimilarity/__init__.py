"""How far apart contexts are: models, estimates from data, and a check that can say no."""

from provend.dissimilarity._ageing import Ageing, learned_drift
from provend.dissimilarity._blocks import row_blocks
from provend.dissimilarity._calibrate import Calibration, calibrate_dissimilarity, cut_offs
from provend.dissimilarity._certified import certified_limits
from provend.dissimilarity._check import Comparison, DissimilarityCheck, check_dissimilarity, comparable
from provend.dissimilarity._drift import DriftEstimate, equivalent_size, estimate_drift, slopes, trends
from provend.dissimilarity._kolmogorov import (
    DissimilarityEstimate,
    binomial_density,
    estimate_dissimilarity,
    kolmogorov_distances,
    shift_distribution,
    shift_mean,
)
from provend.dissimilarity._models import (
    Constant,
    Custom,
    Dissimilarity,
    Distance,
    Drift,
    ForecastDistance,
    Mismatch,
    Sum,
    parts,
)
from provend.dissimilarity._scales import NOISE, ScaleEstimate, estimate_scales

__all__ = [
    "NOISE",
    "Ageing",
    "Calibration",
    "Comparison",
    "Constant",
    "Custom",
    "Dissimilarity",
    "DissimilarityCheck",
    "DissimilarityEstimate",
    "Distance",
    "Drift",
    "DriftEstimate",
    "ForecastDistance",
    "Mismatch",
    "ScaleEstimate",
    "Sum",
    "binomial_density",
    "calibrate_dissimilarity",
    "certified_limits",
    "check_dissimilarity",
    "comparable",
    "cut_offs",
    "equivalent_size",
    "estimate_dissimilarity",
    "estimate_drift",
    "estimate_scales",
    "kolmogorov_distances",
    "learned_drift",
    "parts",
    "row_blocks",
    "shift_distribution",
    "shift_mean",
    "slopes",
    "trends",
]
