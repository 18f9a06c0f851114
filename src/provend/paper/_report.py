"""The results as files: a CSV for every item, a page for every figure, and one report that needs nothing else."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from io import StringIO
from pathlib import Path

from provend._files import defused, write_all
from provend.paper._item import Item, Result, Row, Value, Verdict
from provend.paper._registry import ITEMS, SECTIONS, Section

VERDICTS: dict[Verdict, tuple[str, str]] = {
    "same": ("same", "printed numbers and claims that the computation confirms to every printed digit"),
    "differs": ("differs", "printed numbers and claims that it does not confirm, each with the reason"),
    "picture": ("picture", "points of curves that the paper draws without digits"),
    "beyond": ("beyond", "numbers the paper does not have"),
}
DRAWING = {"responsive": True, "displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}


def count(results: Iterable[Result]) -> Counter[Verdict]:
    """How many rows have each verdict."""
    return Counter(row.verdict for result in results for row in result.rows)


def shown(value: Value) -> str:
    """A number as people read it; None is out of reach."""
    if value is None:
        return "inf"
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


SIGNS = {
    r"\bzeta\b": "ζ",
    r"\bgamma\b": "γ",
    r"\bdelta\b": "Δ",
    r"\bmu\b": "μ",
    r"\bPhi\b": "Φ",
    r"\bpi/2": "π/2",
    r"\^2": "²",
    r"<=": "≤",
    r"sqrt\((\w)\)": r"√\1",
    r"(?<=\w) - (?=\w)": " − ",
}


def typeset(text: str) -> str:
    """Escaped for HTML, with the letters and signs of the paper."""
    for word, sign in SIGNS.items():
        text = re.sub(word, sign, text)
    return re.sub(r"\b([FC])_(\w)", r"\1<sub>\2</sub>", escape(text))


def write(name: str, result: Result, folder: Path) -> None:
    """``NAME.csv``, and ``NAME.html`` where there is a figure; plotly.js is put beside them once."""
    write_all(folder, contents(name, result))


def contents(name: str, result: Result) -> dict[str, str]:
    """The files of one item."""
    from plotly.offline import get_plotlyjs

    text = StringIO()
    table = csv.writer(text)
    table.writerow(("item", "what", "computed", "published", "verdict", "why"))
    for row in result.rows:
        computed = "inf" if row.computed is None else row.computed
        cells = (name, row.what, computed, row.published or "", row.verdict, row.why)
        table.writerow(defused(cell) if isinstance(cell, str) else cell for cell in cells)
    found = {f"{name}.csv": text.getvalue()}
    if result.figure is not None:
        page = result.figure.to_html(include_plotlyjs="directory", config=DRAWING, default_width="100%")
        found |= {f"{name}.html": page, "plotly.min.js": get_plotlyjs()}
    return found


def report(results: Mapping[str, Result], *, q: str | None = None) -> str:
    """One self-contained HTML page that reads like the results section of a paper.

    Parameters
    ----------
    results : mapping of item names to results
        Those computed; sections without any are left out.
    q : str, optional
        The critical ratio, where it is not the paper's: the page says so.
    """
    from plotly.offline import get_plotlyjs

    parts = [(section, [one for one in section.items if one.name in results]) for section in SECTIONS]
    body = "\n".join(_section(section, items, results) for section, items in parts if items)
    contents = "".join(
        f'<li><a href="#{_anchor(section)}">{escape(section.title)}</a></li>' for section, items in parts if items
    )
    style = files("provend.paper").joinpath("report.css").read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The paper, recomputed</title>
<link rel="icon" href="data:,">
<style>{style}</style>
<script>{get_plotlyjs()}</script>
</head>
<body>
{_header(results, q)}
<main>
<nav aria-label="Contents"><ol>{contents}</ol></nav>
{_digest(results)}
{body}
</main>
<footer>Computed by provend. Regrets are in units of (c<sub>u</sub> + c<sub>o</sub>) times the width of the support.
“inf” means out of reach, however many samples there are.</footer>
</body>
</html>
"""


def _header(results: Mapping[str, Result], q: str | None) -> str:
    counts = count(results.values())
    boxes = "".join(
        f'<li class="count {verdict}"><b>{counts[verdict]}</b>{escape(meaning)}</li>'
        for verdict, (_, meaning) in VERDICTS.items()
    )
    other = "" if q is None else f"<p><b>Computed for the critical ratio {escape(q)}</b> wherever it matters.</p>"
    return f"""<header>
<h1>From Contextual Data to Newsvendor Decisions, recomputed</h1>
<p class="meta">Every table, figure and numerical claim of Besbes, Ma and Mouchtaki, with the exact number beside the
printed one.</p>
<p>Worst-case regrets here are certified: each is an interval, rounding errors of the arithmetic included, and what is
shown is its upper end. A printed number counts as the same if the computed one rounds to its digits. Where they part,
both are shown with the reason; no computation was bent to a printed digit.</p>
{other}
<ul class="counts">{boxes}</ul>
</header>"""


def _digest(results: Mapping[str, Result]) -> str:
    """Where exact and printed part: for each item, how often, and one example whose reason was not given before."""
    lines, given = [], set[str]()
    for name, result in results.items():
        parting = [row for row in result.rows if row.verdict == "differs"]
        if not parting:
            continue
        example = next((row for row in parting if row.why not in given), parting[0])
        given.add(example.why)
        compared = len(parting) + count([result])["same"]
        lines.append(
            f'<li><a href="#{name}">{escape(ITEMS[name].where)}</a> '
            f'<span class="where">{len(parting)} of {compared}</span>'
            f"<br>{typeset(example.what)}: <b>{escape(shown(example.computed))}</b>, printed "
            f'{escape(example.published or "")}<div class="because">{typeset(example.why)}</div></li>'
        )
    if not lines:
        return ""
    return f"""<section aria-labelledby="digest"><h2 id="digest">Where exact and printed part</h2>
<p class="lead">An example from each place; the rest is in the sections below.</p>
<ul class="digest">{"".join(lines)}</ul></section>"""


def _anchor(section: Section) -> str:
    return "section-" + "".join(c if c.isalnum() else "-" for c in section.title.lower()).strip("-")


def _section(section: Section, items: list[Item], results: Mapping[str, Result]) -> str:
    inside = "\n".join(_item(one, results[one.name]) for one in items)
    return f"""<section aria-labelledby="{_anchor(section)}"><h2 id="{_anchor(section)}">{escape(section.title)}</h2>
<p class="lead">{escape(section.lead)}</p>
{inside}</section>"""


def _item(one: Item, result: Result) -> str:
    compared = [row for row in result.rows if row.verdict in ("same", "differs")]
    other = [row for row in result.rows if row.verdict == "beyond"]
    points = [row for row in result.rows if row.verdict == "picture"]
    parts = [f'<article id="{one.name}"><h3>{typeset(one.title)}</h3><p class="where">{escape(one.where)}</p>']
    parts.append(f"<p>{typeset(result.text)}</p>" if result.text else "")
    parts.append(_figure(one, result))
    parts.append(_table(compared, one.title))
    parts.append(_folded(other, "numbers beyond the paper", one.title, opened=not (compared or points)))
    parts.append(_folded(points, "points of the curves", one.title, opened=False))
    return "\n".join(part for part in parts if part) + "</article>"


def _figure(one: Item, result: Result) -> str:
    if result.figure is None:
        return ""
    drawn = result.figure.to_html(
        full_html=False, include_plotlyjs=False, config=DRAWING, default_width="100%", div_id=f"drawn-{one.name}"
    )
    names = ", ".join(dict.fromkeys(str(trace.name) for trace in result.figure.data if trace.name))
    spoken = escape(f"{one.title}: {names}", quote=True)
    caption = f"{one.where}. {(one.compute.__doc__ or one.title).splitlines()[0]}"
    wide = ' class="wide"' if "xaxis2" in result.figure.layout else ""
    return f"""<figure class="scroll"><div{wide} role="img" aria-label="{spoken}">{drawn}</div>
<figcaption>{typeset(caption)}</figcaption></figure>"""


def _table(rows: list[Row], title: str) -> str:
    if not rows:
        return ""
    lines, notes = [], _repeated(rows)
    for row in rows:
        label, note = VERDICTS[row.verdict][0], notes.get(row.why, "")
        lines.append(
            f'<tr><td>{typeset(row.what)}</td><td class="n">{escape(shown(row.computed))}</td>'
            f'<td class="n">{escape(row.published or "–")}</td>'
            f'<td><span class="badge {row.verdict}">{label}{note}</span></td></tr>'
        )
        if row.why and not note:
            lines.append(f'<tr class="why"><td colspan="4">{typeset(row.why)}</td></tr>')
    return f"""<div class="scroll"><table aria-label="{escape(title, quote=True)}"><thead><tr><th scope="col">what</th>
<th scope="col" class="n">exact</th><th scope="col" class="n">printed</th><th scope="col">verdict</th></tr></thead>
<tbody>{"".join(lines)}</tbody></table></div>
{"".join(f'<p class="note">{note} {typeset(why)}</p>' for why, note in notes.items())}"""


def _repeated(rows: list[Row]) -> dict[str, str]:
    """Reasons that several rows share: each stands once below the table, under a sign."""
    times = Counter(row.why for row in rows if row.why)
    shared = [why for why, many in times.items() if many > 1]
    return {why: f"<sup>{sign}</sup>" for why, sign in zip(shared, "abcdefgh", strict=False)}


def _folded(rows: list[Row], what: str, title: str, *, opened: bool) -> str:
    if not rows:
        return ""
    start = "<details open>" if opened else "<details>"
    what = what if len(rows) > 1 else what.replace("numbers", "number").replace("points", "point")
    return f"{start}<summary>{len(rows)} {what}</summary>{_table(rows, f'{title}: {what}')}</details>"
