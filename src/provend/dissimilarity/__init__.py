"""How far contexts are apart: models, estimates from data, and a check that can say no."""

from provend.dissimilarity._blocks import row_blocks
from provend.dissimilarity._calibrate import Calibration, calibrate_dissimilarity, cut_offs
from provend.dissimilarity._certified import certified_limits
from provend.dissimilarity._check import Comparison, DissimilarityCheck, check_dissimilarity
from provend.dissimilarity._drift import DriftEstimate, estimate_drift
from provend.dissimilarity._kolmogorov import DissimilarityEstimate, estimate_dissimilarity
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
from provend.dissimilarity._scales import ScaleEstimate, estimate_scales

__all__ = [
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
    "calibrate_dissimilarity",
    "certified_limits",
    "check_dissimilarity",
    "cut_offs",
    "estimate_dissimilarity",
    "estimate_drift",
    "estimate_scales",
    "parts",
    "row_blocks",
]
