"""The orders of a plan as a table on a page, and how numbers are written there."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context
from html import escape
from math import ceil

from provend.planning._digest import Digest
from provend.planning._reason import rounded
from provend.planning._rows import readable
from provend.planning._schema import Row, day

UNITS = {1e9: " billion", 1e6: " million"}
UP = Context(prec=4, rounding=ROUND_CEILING)


def listed(found: Digest) -> str:
    """The orders, those that can cost most first, and how many more there are."""
    if not found.orders:
        return ""
    on_top = any(row["order_up_to"] is not None for row in found.orders)
    up_to = '<th scope="col" class="n">up to</th>' if on_top else ""
    lines = "".join(_line(row, on_top=on_top) for row in found.orders)
    return f"""<h2 id="orders">The orders</h2>
<p class="soft">Those that can cost most beyond the best order come first.{_more(found)}</p>
<div class="scroll tall" tabindex="0" role="region" aria-labelledby="orders"><table>
<thead><tr><th scope="col">item</th><th scope="col">date</th><th scope="col" class="n">order</th>{up_to}
<th scope="col" class="n">extra cost at worst</th><th scope="col" class="n">of no data</th>
<th scope="col" class="why">reason</th></tr></thead>
<tbody>{lines}</tbody></table></div>"""


def _more(found: Digest) -> str:
    """How many orders the page leaves out."""
    more = round(found.totals["orders"]) - len(found.orders)
    if not more:
        return ""
    return f" These are {len(found.orders):,}; {more:,} more are in the file that --out names."


def _line(row: Row, *, on_top: bool) -> str:
    order = rounded(row["order"])
    why = escape((row["reason"] or "").removeprefix(f"{order}: "))
    note = f'<span class="soft">{escape(row["message"])}</span>' if row["message"] else ""
    level = f'<td class="n">{rounded(row["order_up_to"])}</td>' if on_top else ""
    worst = "none" if row["guarantee"] is None else bound(row["guarantee"])
    return (
        f'<tr><td>{escape(readable(row["item"]))}</td><td class="w">{escape(date_of(row["date"]))}</td>'
        f'<td class="n"><b>{order}</b></td>{level}<td class="n">{worst}</td>'
        f'<td class="n">{percent(row["share"])}</td><td class="why">{" ".join(filter(None, (why, note)))}</td></tr>'
    )


def short(number: float) -> str:
    """A number in a few digits."""
    for size, name in UNITS.items():
        if number >= size:
            return f"{number / size:,.2f}{name}"
    return f"{number:,.0f}" if number >= 100 else f"{number:,.4g}"


def bound(number: float) -> str:
    """The same, but never below the number: a guarantee is rounded to the safe side."""
    for size, name in UNITS.items():
        if number >= size:
            return f"{ceil(100 * number / size) / 100:,.2f}{name}"
    return f"{ceil(number):,}" if number >= 100 else f"{UP.create_decimal_from_float(number):g}"


def percent(share: float | None) -> str:
    """The share that a guarantee has, in whole percent, rounded to the safe side."""
    return "–" if share is None else f"{ceil(share)} %"


def date_of(when: object) -> str:
    """A date as text; a dash where there is none."""
    return "–" if when is None else day(when)
