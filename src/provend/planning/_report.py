"""A page about a plan: one file that needs no network, however many items there are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from provend._figures import blank
from provend.planning._digest import BIN, Digest, Explained
from provend.planning._doubt import counted
from provend.planning._listed import bound, date_of, listed, percent, short
from provend.planning._rows import readable
from provend.planning._schema import FAILED, OK

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BLUE, RED, GREY, GREEN = "#1f5f8b", "#c8553d", "#b8bcc4", "#4d8b3f"
DRAWING = {"responsive": True, "displaylogo": False, "displayModeBar": False}


def page(found: Digest, facts: dict[str, str], messages: Sequence[str] = ()) -> str:
    """The report as HTML; ``facts`` say what was asked for, and ``messages`` what is to be known, in words."""
    from plotly.offline import get_plotlyjs

    style = files("provend.planning").joinpath("report.css").read_text(encoding="utf-8")
    asked = "; ".join(f"{escape(name)}: {escape(value)}" for name, value in facts.items())
    about = [_exposed(found), _guarantees(found), _explained(found.explained), _flawed(found)]
    said = "".join(f"<li>{escape(text)}</li>" for text in messages)
    parts = [_boxes(found), f'<ul class="said">{said}</ul>' if said else "", listed(found), *about]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plan</title>
<link rel="icon" href="data:,">
<style>{style}</style>
<script>{get_plotlyjs()}</script>
</head>
<body><main>
<h1>What to order, and how far from the best that can be</h1>
<p class="soft">{asked}</p>
{"".join(parts)}
<footer>Computed by provend. A guarantee is the extra cost at worst: it bounds what ordering in this way costs, in
expectation and in money, beyond the best order for the true distribution of demand, which has a cost of its own. It
holds as far as its basis does, which stands in every row of the plan.</footer>
</main></body>
</html>
"""


def _boxes(found: Digest) -> str:
    totals, failed = found.totals, found.counts.get(FAILED, 0)
    doubted = sum(count for status, count in found.counts.items() if status not in (OK, FAILED))
    orders = totals["orders"]
    share = 100 * totals["exposure"] / totals["without_data"] if totals["without_data"] else 0.0
    boxes = [
        (f"{orders:,.0f}", f"{'order' if orders == 1 else 'orders'} for {counted(round(totals['items']), 'item')}", ""),
        (short(totals["units"]), "units ordered", ""),
        (bound(totals["exposure"]), "extra cost at worst, on average: the sum of the guarantees, in money", ""),
        (f"{share:.1f} %", f"of the {short(totals['without_data'])} extra that ordering without data could cost", ""),
    ]
    if doubted:
        boxes.append((f"{doubted:,}", "of the rows have a note at the end of this page", ""))
    if failed:
        boxes.append((f"{failed:,}", "rows without an order", "bad"))
    return f'<ul class="boxes">{"".join(f"<li class={c!r}><b>{b}</b>{escape(t)}</li>" for b, t, c in boxes)}</ul>'


def _exposed(found: Digest) -> str:
    if not found.exposed:
        return ""
    most = max(row["exposure"] for row in found.exposed) or 1.0
    lines = "".join(
        f'<tr><td>{escape(readable(row["item"]))}</td><td class="n">{row["targets"]:,}</td>'
        f'<td class="n">{short(row["units"])}</td><td class="n">{bound(row["exposure"])}</td>'
        f'<td class="bar"><span style="width:{100 * row["exposure"] / most:.1f}%"></span></td>'
        f'<td class="n">{percent(row["share"])}</td></tr>'
        for row in found.exposed
    )
    return f"""<h2>Most exposed</h2>
<p class="soft">The items whose orders can cost most beyond the best ones at worst, in money: more
data, or closer ones, are worth most there.</p>
<div class="scroll"><table><thead><tr><th>item</th><th class="n">orders</th><th class="n">units</th>
<th class="n">extra cost at worst</th><th></th><th class="n">of no data</th></tr></thead>
<tbody>{lines}</tbody></table></div>"""


def _guarantees(found: Digest) -> str:
    if not found.shares:
        return ""
    figure = blank("guarantee, percent of the regret without data", "orders")
    centres = [lowest + BIN / 2 for lowest in found.shares]
    figure.add_bar(x=centres, y=list(found.shares.values()), width=BIN * 0.92, marker={"color": BLUE})
    figure.update_xaxes(range=[0, max(max(centres) + BIN, 25)], ticksuffix=" %")
    return f"""<h2>How much the data promise</h2>
<p class="soft">Orders by their guarantee. At 100 % the data promise nothing beyond what is known without them.</p>
{_drawn(figure, "Distribution of guarantees", 300)}"""


def _explained(one: Explained | None) -> str:
    if one is None:
        return ""
    figure = blank("", "units, as they count")
    counted, lent = one.shares > 0, np.array([bool(name) for name in one.lenders], bool)
    kinds = (
        (~counted & ~lent, "too different to count", GREY),
        (counted & ~lent, "counts", BLUE),
        (counted & lent, "counts, lent by other items", GREEN),
    )
    for some, name, colour in kinds:
        if some.any():
            _add_demands(figure, one, np.flatnonzero(some), name, colour)
    figure.add_hline(y=one.order, line={"color": RED, "width": 2}, opacity=1, annotation_text=f"order {one.order:g}")
    return f"""<h2>One order explained: {escape(one.item)}, {escape(date_of(one.when))}</h2>
<p>{escape(one.reason)}. The larger a dot, the more that demand counts.{_lent(one)}</p>
{_drawn(figure, "Past demands and their weights", 380)}
<p class="soft">{escape(one.basis)}</p>"""


def _add_demands(figure: Figure, one: Explained, rows: NDArray[np.intp], name: str, colour: str) -> None:
    """Add some of the demands; those lent by other items have no day of their own and stand at the day of the order."""
    shares = one.shares[rows]
    figure.add_scatter(
        x=[one.when if one.lenders[at] else one.dates[at] for at in rows],
        y=one.brought[rows],
        mode="markers",
        name=name,
        text=[_origin(one, at) for at in rows],
        hovertemplate="%{text}, brought to %{y:.4~g}<extra></extra>",
        marker={"color": colour, "size": _sizes(shares), "line": {"width": 0.5, "color": "white"}},
    )


def _origin(one: Explained, at: int) -> str:
    """Whose demand it was, and its weight; in few words, as there are many demands."""
    whose = escape(one.lenders[at]) if one.lenders[at] else f"{date_of(one.dates[at])}: {one.demands[at]:g}"
    return f"{whose} ({one.shares[at]:.2g} %)"


def _lent(one: Explained) -> str:
    """What other items contributed, in words."""
    shares = [share for share, name in zip(one.shares, one.lenders, strict=True) if name]
    counts = sum(share > 0 for share in shares)
    if counts:
        return f" {counts} demands that count were lent by other items; they stand at the day of the order."
    return " Other items lent demands as well, which are too different to count." if shares else ""


def _sizes(shares: NDArray[np.float64]) -> NDArray[np.float64] | float:
    """Areas in proportion to the weights; what does not count is a small dot."""
    most = shares.max(initial=0.0)
    return 4.0 + 12.0 * (shares / most) ** 0.5 if most > 0 else 4.0


def _flawed(found: Digest) -> str:
    if not found.flawed:
        return ""
    lines = "".join(
        f"<tr><td>{escape(readable(row['item']))}</td><td class='w'>{escape(date_of(row['date']))}</td>"
        f"<td class='w'>{escape(row['status'])}</td><td>{escape(row['message'] or '')}</td></tr>"
        for row in found.flawed
    )
    counts = ", ".join(f"{count:,} {status}" for status, count in found.counts.items())
    return f"""<h2>Rows that need a look</h2>
<p class="soft">{escape(counts)}. The first of those that are not ok:</p>
<div class="scroll"><table><thead><tr><th>item</th><th>date</th><th>status</th><th>message</th></tr></thead>
<tbody>{lines}</tbody></table></div>"""


def _drawn(figure: Figure, spoken: str, height: int) -> str:
    figure.update_layout(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)")
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, config=DRAWING, default_width="100%", default_height=f"{height}px"
    )
    return f'<div role="img" aria-label="{escape(spoken, quote=True)}">{drawn}</div>'
