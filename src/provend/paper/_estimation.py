"""Appendix H: dissimilarities and drifts estimated from samples; the laws exact where they can be, else simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from provend import dissimilarity as apart
from provend.dissimilarity import kolmogorov_distances, shift_mean
from provend.paper._draw import BOUND_LINE, ERM_LINE, MIX_LINE, blank
from provend.paper._item import Result, Row, Track, item, quietly, rounds_to
from provend.paper._printed import claim, picture

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]

ZETAS = (0.05, 0.1)
SIZES = (50, 75, 100, 150, 200, 300, 400, 600, 800, 1000, 1400, 2000)
CHECKED = (100, 400, 2000)  # sizes that are also simulated
DRIFTS, PERIOD_SIZES, PERIODS = (0.01, 0.05, 0.1), (20, 200), 4
ERRORS = 3.0  # standard errors by which the paper's simulations and ours may differ
# Table 6: mean, 2.5th and 97.5th percentile. Its three rows, one per distribution, are the same.
PRINTED = {
    (20, 0.01): ("0.00", "-0.10", "0.10"),
    (20, 0.05): ("0.03", "-0.08", "0.15"),
    (20, 0.1): ("0.09", "-0.03", "0.20"),
    (200, 0.01): ("0.01", "-0.03", "0.04"),
    (200, 0.05): ("0.05", "0.02", "0.09"),
    (200, 0.1): ("0.10", "0.06", "0.14"),
}


def shifted(random: np.random.Generator, shift: float, shape: tuple[int, int]) -> Floats:
    """Demands with distribution function min(F + shift, 1), on the scale of a continuous F: distances are the same."""
    return np.maximum(random.random(shape) - shift, 0.0)


def law(m: int, zeta: float) -> tuple[Floats, Floats]:
    """The exact distribution of the estimate: its values r / m and P(estimate <= r / m)."""
    low = max(1, floor(m * zeta - 4.5 * sqrt(m)), floor(sqrt(m) / 4))
    high = min(m, ceil(m * zeta + 6.5 * sqrt(m)))
    r = np.arange(low, high + 1)
    below = apart.shift_distribution(m, zeta, r)  # P(estimate < r / m)
    return r / m, np.append(below[1:], 1.0)


def summary(m: int, zeta: float) -> tuple[float, float, float]:
    """Mean, 2.5th and 97.5th percentile of the estimate; exact."""
    values, cdf = law(m, zeta)
    mean = float(values @ np.diff(cdf, prepend=0.0))
    low, high = values[np.searchsorted(cdf, [0.025, 0.975])]
    return mean, float(low), float(high)


def share(m: int, zeta: float, low: float, high: float) -> float:
    """P(low <= estimate <= high); exact."""
    values, cdf = law(m, zeta)
    inside = (values >= low - 1e-9) & (values <= high + 1e-9)
    return float(np.diff(cdf, prepend=0.0)[inside].sum())


@item("figure8", "Estimated dissimilarity against the number of samples", "Appendix H.1, Figure 8")
def figure8(
    *,
    zetas: Sequence[float] = ZETAS,
    sizes: Sequence[int] = SIZES,
    repetitions: int = 1000,
    random_state: int | np.random.Generator = 0,
    track: Track[float] = quietly,
) -> Result:
    """Mean and 95% region of the estimate by sample size, exact, some with simulated means beside them."""
    random = np.random.default_rng(random_state)
    figure = blank("number of samples of either product, m", "estimated dissimilarity")
    rows: list[Row] = []
    for zeta, style in zip(track(zetas), (ERM_LINE, MIX_LINE, *[ERM_LINE] * len(zetas)), strict=False):
        table = np.array([summary(m, zeta) for m in sizes])
        for m, (mean, low, high) in zip(sizes, table, strict=True):
            rows.append(picture(f"zeta = {zeta:g}, m = {m}: mean", float(mean), zeta in ZETAS))
            rows.append(picture(f"zeta = {zeta:g}, m = {m}: 2.5th percentile", float(low), zeta in ZETAS))
            rows.append(picture(f"zeta = {zeta:g}, m = {m}: 97.5th percentile", float(high), zeta in ZETAS))
        checked = [m for m in sizes if m in CHECKED]
        simulated = [
            kolmogorov_distances(shifted(random, 0, (repetitions, m)), shifted(random, zeta, (repetitions, m))).mean()
            for m in checked
        ]
        _band(figure, sizes, table, f"ζ = {zeta:g}", style)
        _truth(figure, sizes, zeta, style)
        figure.add_scatter(x=checked, y=simulated, mode="markers", name=f"simulated, ζ = {zeta:g}")
        figure.data[-1].marker = {"symbol": "circle-open", "size": 9, "color": style["color"], "line": {"width": 2}}
    return Result(
        tuple(rows),
        figure.update_yaxes(range=[0, 0.36] if tuple(zetas) == ZETAS else None),
        "The estimate approaches the true dissimilarity (dashed) from above. Lines and regions are exact: between the "
        "ends the order of the two samples is uniform, so their difference is a random walk between two walls. "
        f"Circles are means of {repetitions:,} simulated instances. "
        "The law is the same for every continuous distribution, which is why the three panels of the paper look alike.",
    )


@item("claim_factor", "How close the estimate is with 400 samples", "Appendix H.1")
def claim_factor(*, m: int = 400) -> Result:
    """Exact probability that the estimate is within a factor of 2 (zeta = 0.1) or 3 (zeta = 0.05) of the truth."""
    rows = []
    for zeta, factor in ((0.1, 2), (0.05, 3)):
        within = share(m, zeta, zeta / factor, zeta * factor)
        what = f"zeta = {zeta:g}, m = {m}: share of instances within a factor of {factor}"
        if m == 400:  # the paper says "in about 95%"
            why = f"exactly {within:.4f}, which is {'no less' if within >= 0.95 else 'less'} than about 95%"
            rows.append(Row(what, within, "about 0.95", "same" if within >= 0.945 else "differs", why))
        else:
            rows.append(Row(what, within, None, "beyond"))
        first = next((k for k in range(10, 1001, 10) if share(k, zeta, zeta / factor, zeta * factor) >= 0.95), None)
        rows.append(Row(f"zeta = {zeta:g}: first of m = 10, 20, ... with a share of 0.95", first, None, "beyond"))
    return Result(
        tuple(rows),
        text="The probabilities are exact. The paper speaks of about 95% of the instances with 400 samples; the last "
        "number of each pair says how many samples 95% takes.",
    )


@item("claim_conservative", "Is a plugged-in estimate conservative?", "Appendix H.1")
def claim_conservative(*, zetas: Sequence[float] = ZETAS, m: int = 400) -> Result:
    """The estimate is too large on average, which is not the same as being an upper bound."""
    rows = []
    for zeta in zetas:
        mean, below = summary(m, zeta)[0], share(m, zeta, 0.0, zeta - 1e-6)
        rows.append(claim(f"zeta = {zeta:g}, m = {m}: positively biased", mean > zeta))
        rows.append(Row(f"zeta = {zeta:g}, m = {m}: bias", mean - zeta, None, "beyond"))
        why = f"in {below:.1%} of the instances the estimate is below the truth, and with it the guarantee"
        rows.append(claim(f"zeta = {zeta:g}, m = {m}: plugging in gives an upper bound", below == 0, why=why))
        what = (
            f"Bernoulli demands, {(1 - zeta) / 2:g} and {(1 + zeta) / 2:g}, m = {m}: share of estimates below the truth"
        )
        rows.append(Row(what, _bernoulli_share_below(m, zeta), None, "beyond"))
    return Result(
        tuple(rows),
        text="On average the estimate is never too small, for any two distributions: the mean of a largest difference "
        "is at least the largest mean difference. But a single estimate can be below the truth, and as the worst-case "
        "regret rises with the dissimilarity the plugged-in guarantee is then too small. An upper confidence limit "
        "repairs that.",
    )


def _bernoulli_share_below(m: int, zeta: float) -> float:
    """P(|difference of the shares in two samples of m| < zeta); true shares (1 - zeta) / 2, (1 + zeta) / 2. Exact."""
    counts = np.arange(m + 1)
    low, high = (apart.binomial_density(counts, m, (1 + sign * zeta) / 2) for sign in (-1, 1))
    gaps = np.abs(np.arange(-m, m + 1))
    return float(np.convolve(high, low[::-1])[gaps < zeta * m - 1e-6].sum())


def simulate(m: int, drift: float, repetitions: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """The paper's slope and the bias-corrected trend, for many repetitions of its experiment."""
    samples = [shifted(random, i * drift, (repetitions, m)) for i in range(PERIODS)]
    distances = np.column_stack([kolmogorov_distances(samples[0], sample) for sample in samples[1:]])
    size = apart.equivalent_size([m] * PERIODS)
    observed = apart.trends(samples)
    zetas = float(observed.max()) * np.linspace(0.0, 1.0, 13) ** 2  # the bias is smooth in zeta, and bends near 0
    return apart.slopes(distances), np.interp(observed, [shift_mean(size, zeta) for zeta in zetas], zetas)


@item("table6", "The slope-based drift estimate", "Appendix H.2, Table 6")
def table6(
    *,
    sizes: Sequence[int] = PERIOD_SIZES,
    drifts: Sequence[float] = DRIFTS,
    repetitions: int = 5000,
    random_state: int | np.random.Generator = 0,
    track: Track[tuple[int, float]] = quietly,
) -> Result:
    """Mean (exact) and percentiles (simulated) of the slope, and what the trend does on the same data."""
    random = np.random.default_rng(random_state)
    rows, ratios = [], []
    regions: dict[tuple[int, float], tuple[Floats, Floats]] = {}
    for m, drift in track([(m, drift) for m in sizes for drift in drifts]):
        slope, better = regions[m, drift] = simulate(m, drift, repetitions, random)
        digits = PRINTED.get((m, drift)) if repetitions == 5000 else None
        what = f"m = {m}, drift = {drift:g}"
        rows += _cell(what, (m, drift), slope, digits)
        errors = [sqrt(float(np.mean((values - drift) ** 2))) for values in (slope, better)]
        rows.append(Row(f"{what}: root mean square error of the slope", errors[0], None, "beyond"))
        rows.append(Row(f"{what}: root mean square error of the trend", errors[1], None, "beyond"))
        ratios.append(errors[1] / errors[0])
    return Result(
        tuple(rows),
        _regions(regions),
        "The law is the same for every continuous distribution, so the three rows of the paper are one. The slope "
        "through three distances is half the difference of the last and the first: its mean is exact here, its "
        "percentiles are simulated. The trend uses all four samples at once and removes the bias; its root mean "
        "square error is "
        f"{min(ratios):.0%} to {max(ratios):.0%} of the slope's.",
    )


def _cell(what: str, case: tuple[int, float], slope: Floats, digits: tuple[str, str, str] | None) -> list[Row]:
    """One cell of the table: what the paper's 5,000 repetitions may have printed, given the law that ours follow."""
    m, drift = case
    mean = (shift_mean(m, 3 * drift) - shift_mean(m, drift)) / 2
    error = ERRORS * float(slope.std()) / sqrt(slope.size)
    rows = [_simulated(f"{what}: mean", mean, (mean - error, mean + error), digits and digits[0])]
    ordered = np.sort(slope)
    for level, name, place in ((0.025, "2.5th percentile", 1), (0.975, "97.5th percentile", 2)):
        middle, spread = level * slope.size, ERRORS * sqrt(2 * level * (1 - level) * slope.size)
        low, high = ordered[np.clip([floor(middle - spread), ceil(middle + spread)], 0, slope.size - 1)]
        value = float(np.quantile(slope, level))
        rows.append(_simulated(f"{what}: {name}", value, (float(low), float(high)), digits and digits[place]))
    return rows


def _simulated(what: str, value: float, band: tuple[float, float], printed: str | None) -> Row:
    """A row for a simulated number: the same if some number in the band rounds, either way at a half, to the digits."""
    if printed is None:
        return Row(what, value, None, "beyond")
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2]) + 1e-9
    agrees = band[0] <= float(printed) + half and float(printed) - half <= band[1]
    why = f"{ERRORS:g} standard errors of simulation reach from {band[0]:.4f} to {band[1]:.4f}"
    return Row(what, value, printed, "same" if agrees else "differs", "" if rounds_to(value, printed) else why)


@item("claim_drift_precision", "How precise the slope is", "Appendix H.2")
def claim_drift_precision(
    *,
    sizes: Sequence[int] = (20, 200, 1000),
    drifts: Sequence[float] = DRIFTS,
    repetitions: int = 1000,
    random_state: int | np.random.Generator = 0,
    track: Track[tuple[int, float]] = quietly,
) -> Result:
    """Share of repetitions in which the estimate is within 50% of the true drift."""
    random = np.random.default_rng(random_state)
    rows, slope_shares = [], {}
    for m, drift in track([(m, drift) for m in sizes for drift in drifts]):
        shares = [
            float((np.abs(values - drift) <= drift / 2).mean()) for values in simulate(m, drift, repetitions, random)
        ]
        slope_shares[m, drift] = shares[0]
        rows.append(Row(f"m = {m}, drift = {drift:g}: slope within 50%", shares[0], None, "picture"))
        rows.append(Row(f"m = {m}, drift = {drift:g}: trend within 50%", shares[1], None, "beyond"))
    low, few = min(drifts), min(sizes)
    what = f"drift = {low:g}: {few} samples are not enough for a precision within 50%"
    rows.append(claim(what, slope_shares[few, low] < 0.95))
    rows.append(claim("the same for all three distributions", _distribution_free(random)))
    reached = [drift for drift in drifts if drift >= 0.05 and slope_shares[few, drift] >= 0.5]
    return Result(
        tuple(rows),
        text=f"Shares of {repetitions:,} simulated repetitions. With m = {few} the slope is within 50% of the drift "
        f"more often than not only for drifts of {', '.join(f'{drift:g}' for drift in reached) or 'none of these'}. "
        f"At a drift of {low:g} even m = {max(sizes)} leaves it outside in "
        f"{1 - slope_shares[max(sizes), low]:.0%} of the repetitions.",
    )


def _distribution_free(random: np.random.Generator) -> bool:
    """Whether the distributions of the paper, drawn from the same uniform numbers, have the same distances."""
    from scipy import stats

    normal = stats.truncnorm(-2, 4 / 3, loc=0.6, scale=0.3)
    exponential = stats.truncexpon(b=3, scale=1 / 3)
    base, other = shifted(random, 0, (200, 20)), shifted(random, 0.1, (200, 20))
    uniform = kolmogorov_distances(base, other)
    return all(bool((kolmogorov_distances(F.ppf(base), F.ppf(other)) == uniform).all()) for F in (normal, exponential))


def _band(figure: Figure, x: Sequence[int], table: Floats, name: str, style: Mapping[str, object]) -> None:
    region = {"x": [*x, *reversed(x)], "y": [*table[:, 2], *table[::-1, 1]], "fill": "toself", "opacity": 0.18}
    figure.add_scatter(**region, mode="none", fillcolor=style["color"], showlegend=False, hoverinfo="skip")
    figure.add_scatter(x=list(x), y=table[:, 0], name=f"mean and 95% region, {name}", mode="lines", line=style)


def _truth(figure: Figure, x: Sequence[int], value: float, style: Mapping[str, object]) -> None:
    dashed = {"color": style["color"], "dash": "dash", "width": 1.5}
    figure.add_scatter(x=[0, max(x)], y=[value, value], mode="lines", line=dashed, showlegend=False, hoverinfo="skip")


def _regions(regions: dict[tuple[int, float], tuple[Floats, Floats]]) -> Figure:
    """Mean and 95% region of both estimates, cell by cell, with the truth as a bar."""
    figure = blank("", "estimated drift per period").update_layout(hovermode="closest")
    places = np.arange(len(regions))
    for name, which, offset, style in (("slope, as in the paper", 0, -0.12, ERM_LINE), ("trend", 1, 0.12, MIX_LINE)):
        values = [pair[which] for pair in regions.values()]
        mean = np.array([each.mean() for each in values])
        low, high = np.array([np.quantile(each, [0.025, 0.975]) for each in values]).T
        bars = {"type": "data", "array": high - mean, "arrayminus": mean - low, "thickness": 2, "width": 5}
        figure.add_scatter(x=places + offset, y=mean, error_y=bars, mode="markers", name=f"{name}: mean and 95% region")
        figure.data[-1].marker = {"color": style["color"], "size": 9}
    for place, (_, drift) in zip(places, regions, strict=True):
        figure.add_scatter(x=[place - 0.3, place + 0.3], y=[drift, drift], mode="lines", line=BOUND_LINE)
        figure.data[-1].update(name="true drift", showlegend=bool(place == 0), hoverinfo="skip")
    labels = [f"Δ = {drift:g}<br>m = {m}" for m, drift in regions]
    figure.update_xaxes(tickvals=list(places), ticktext=labels, showgrid=False)
    return figure.update_yaxes(rangemode="normal", zeroline=True, zerolinecolor="#999999")
