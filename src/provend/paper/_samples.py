"""Section 4.1: how many samples ERM needs, exactly and by the earlier bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log10
from typing import Literal

from provend._validation import as_critical_ratio, as_exact
from provend.bounds import limiting_lower_bound
from provend.concentration import concentration_bound
from provend.designs import constant
from provend.newsvendor import Ratio
from provend.paper._curves import erm
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import claim, is_paper, number

FORMS: tuple[Literal["corrected", "printed"], ...] = ("corrected", "printed")
ZETAS, TARGETS = (0.0, 0.02, 0.04), ("100%", "90%", "75%", "50%", "25%", "10%")
PRINTED_EXACT: dict[float, tuple[str, ...]] = {
    0.0: ("3", "3", "4", "5", "14", "37"),
    0.02: ("3", "3", "4", "5", "16", "inf"),
    0.04: ("3", "4", "4", "6", "inf", "inf"),
}
PRINTED_EARLIER: dict[float, tuple[str, ...]] = {
    0.0: ("279", "338", "475", "1032", "3298", "24673"),
    0.02: ("734", "1047", "2114", "24461", "inf", "inf"),
    0.04: ("6228", "24493", "inf", "inf", "inf", "inf"),
}
WHY_EARLIER = (
    "follows from neither form of the bound. Both are f(n) + 2 max(q, 1 - q) zeta, so cells with the same target minus "
    "shift ask for the same n, yet they print 1,032 and 1,047, and 24,673, 24,461 and 24,493"
)


@dataclass(frozen=True)
class Needed:
    """Samples for one target: None where the target is out of reach."""

    first: int | None
    stays: int | None
    earlier: int | None
    earlier_as_printed: int | None


def needed(zeta: float, target: str, q: Ratio, most: int) -> Needed:
    """All four numbers for one cell of the table."""
    return _needed(zeta, target, as_critical_ratio(q), most)


@lru_cache(maxsize=256)  # claims in the text are about cells of the table
def _needed(zeta: float, target: str, ratio: Fraction, most: int) -> Needed:
    goal = float(as_exact(target.rstrip("%"), "target") / 100 * ratio * (1 - ratio))
    first = stays = None
    if limiting_lower_bound(zeta, q=ratio) <= goal:  # else no policy gets there, however many samples it has
        reached = erm(zeta, most, ratio).upper <= goal
        first = int(reached.argmax()) + 1 if reached.any() else None
        last_above = max((~reached).nonzero()[0], default=-1)
        stays = int(last_above) + 2 if reached[-1] else None
    return Needed(first, stays, *(earlier_samples(zeta, goal, ratio, form) for form in FORMS))


def earlier_samples(zeta: float, goal: float, q: Fraction, form: Literal["corrected", "printed"]) -> int | None:
    """The first n at which the concentration bound is at or below ``goal``; None if there is none up to 2^22."""

    def bound(n: int) -> float:
        return concentration_bound(constant(zeta, n), q=q, form=form)

    if form == "printed":  # falls to its minimum before n = 200, then grows with the square root of n
        return next((n for n in range(1, 200) if bound(n) <= goal), None)
    if goal <= 2 * float(max(q, 1 - q)) * zeta:  # its limit
        return None
    low, high = 0, 1  # it never rises with n
    while high <= 2**22 and bound(high) > goal:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= goal else (middle, high)
    return high if high <= 2**22 else None


@item("table1", "Samples that ensure a target regret for ERM", "Table 1, section 4.1")
def table1(
    *,
    q: Ratio = 0.9,
    zetas: Sequence[float] = ZETAS,
    targets: Sequence[str] = TARGETS,
    most: int = 400,
    track: Track[float] = quietly,
) -> Result:
    """First n at which ERM's exact worst case, and the earlier bound, are at or below each target."""
    rows: list[Row] = []
    for zeta in track(zetas):
        for target in targets:
            rows += _cell(zeta, target, q, most)
    reached = sum(needed(zeta, t, q, most).earlier_as_printed is not None for zeta in zetas for t in targets)
    rows.append(number("N general-purpose, formula as printed: cells it ever reaches", reached, None))
    return Result(tuple(rows), text=TEXT)


TEXT = (
    "Targets are percentages of q(1 - q), the regret of ordering without data. An exact N that is infinite is proven "
    "so: the target lies below what any policy can promise with infinitely many samples. The exact curve is a "
    "sawtooth, so the first n at which a target is met is not always the n from which it stays met; both are given. "
    "The general-purpose bound is evaluated in a corrected form, which is valid, and as printed, which grows with n. "
    "The printed N are smaller than the corrected bound allows; the conclusion holds all the more."
)


def _cell(zeta: float, target: str, q: Ratio, most: int) -> list[Row]:
    exact, earlier = _digits(PRINTED_EXACT, zeta, target, q), _digits(PRINTED_EARLIER, zeta, target, q)
    found, cell = needed(zeta, target, q, most), f"zeta = {zeta:g}, target {target}"
    why = "the limit for infinitely many samples is above the target, but the curve is not monotone"
    if found.stays is not None and str(found.stays) == exact:
        why = "printed is where the regret stays at or below the target; it is there earlier, and rises again"
    elif found.first is not None:
        why += f": n = {found.first} meets it"
    rows = [number(f"{cell}: N exact, first met", found.first, exact, why=why)]
    if found.stays != found.first:
        rows.append(number(f"{cell}: N exact, met from there on (up to n = {most})", found.stays, None))
    return [*rows, number(f"{cell}: N general-purpose, corrected", found.earlier, earlier, why=WHY_EARLIER)]


def _digits(table: dict[float, tuple[str, ...]], zeta: float, target: str, q: Ratio) -> str | None:
    if not is_paper(q, zeta in table, target in TARGETS):
        return None
    return table[zeta][TARGETS.index(target)]


@item("claim_sample_complexity", "ERM needs few samples, and 16 where 14 is said", "Text of section 4.1")
def claim_sample_complexity(*, q: Ratio = 0.9, zeta: float = 0.02, most: int = 400) -> Result:
    """The numbers of the paragraphs below Table 1."""
    paper = is_paper(q, zeta == 0.02)
    whole, quarter, iid = (needed(z, t, q, most) for z, t in ((zeta, "100%"), (zeta, "25%"), (0.0, "100%")))
    rows = [
        number(f"earlier bound, zeta = {zeta:g}, 100%", whole.earlier, "734" if paper else None, why=WHY_EARLIER),
        number("earlier bound, zeta = 0, 100%", iid.earlier, "279" if paper else None, why=WHY_EARLIER),
        number(f"exact, zeta = {zeta:g}, 100%", whole.first, "3" if paper else None),
        number(
            f"exact, zeta = {zeta:g}, 25% ('only increases to 14')",
            quarter.first,
            "14" if paper else None,
            why="a slip: 14 is the cell of zeta = 0; Table 1 and the next paragraph say 16, which is exact",
        ),
        number(f"exact, zeta = {zeta:g}, 25% ('as few as 16')", quarter.first, "16" if paper else None),
        number(f"earlier bound, zeta = {zeta:g}, 25%", quarter.earlier, "inf" if paper else None),
    ]
    return Result(tuple(rows), text="The text around Table 1 names 14 and 16 samples for the same cell.")


@item("claim_orders_of_magnitude", "Two to three orders of magnitude fewer samples", "Text of section 1.1")
def claim_orders_of_magnitude(*, q: Ratio = 0.9, most: int = 400) -> Result:
    """log10 of (samples by the earlier bound / exact samples), smallest and largest over Table 1."""
    found = [needed(zeta, target, q, most) for zeta in ZETAS for target in TARGETS]
    exact = [log10(cell.earlier / cell.first) for cell in found if cell.earlier and cell.first]
    text = "Only cells that both analyses can reach are compared."
    rows = [
        number("corrected bound: least log10 of the ratio", min(exact), None),
        number("corrected bound: largest log10 of the ratio", max(exact), None),
    ]
    if is_paper(q):
        pairs = [(g, e) for z in ZETAS for g, e in zip(PRINTED_EARLIER[z], PRINTED_EXACT[z], strict=True)]
        ratios = [log10(int(g) / int(e)) for g, e in pairs if g != "inf" and e != "inf"]
        why = "the printed table itself reaches nearly four; 'two to three' understates it"
        rows = [
            number("printed table: least log10 of the ratio", min(ratios), "2"),
            number("printed table: largest log10 of the ratio", max(ratios), "3", why=why),
            *rows,
        ]
        attainable = any(cell.first and not cell.earlier for cell in found)
        rows.append(claim("some targets are in reach that the earlier bound puts out of reach", attainable))
    return Result(tuple(rows), text=text)
