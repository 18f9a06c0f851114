"""
An ugly file, and what is understood of it
==========================================

Files of sales were written for other purposes: semicolons, commas before decimals, days before months, totals between
the rows, remarks in place of numbers. All rows together settle how the values are written. What cannot be used is set
aside with its reason; what could be read in two ways would be asked for. Nothing is guessed in silence.
"""

from pathlib import Path
from tempfile import mkdtemp

import plotly.graph_objects as go

import provend as pv

rows = [
    "Brot;14.11.2026;1.250,5;3,20",
    "Brot;15.11.2026;n/a;3,20",
    "Brot;16.11.2026;980;2,90",
    "Torte;16.11.2026;12;28",
    "Summe;;2242,5;",
]
file = Path(mkdtemp()) / "verkauf.csv"
file.write_text("\n".join(["Artikel;Datum;Menge;Preis", *rows]), encoding="cp1252")
sales = pv.read_sales(file)
print(sales.report)

# %%
# Three rows are used, two are set aside, and each of those says why.

assert sales.table.num_rows == 3
aside = {row["row"]: row["reason"] for row in sales.report.set_aside.to_pylist()}
assert set(aside) == {3, 6}

# %%

used = {2: 0, 4: 1, 5: 2}  # rows of the file and of the table
understood = [
    "set aside: " + aside[i]
    if i in aside
    else "{unique_id}, {ds}, {y:g}".format(**sales.table.slice(used[i], 1).to_pylist()[0])
    for i in range(2, 7)
]
tint = ["#fbe3dc" if i in aside else "#e3eef6" for i in range(2, 7)]
fig = go.Figure(
    go.Table(
        header={"values": ["row of the file", "what is understood"], "align": "left", "fill_color": "#1f5f8b"},
        cells={"values": [rows, understood], "align": "left", "fill_color": [tint], "height": 34},
        columnwidth=[1, 1.2],
    )
)
fig.data[0].header.font = {"color": "white", "size": 15}
fig.data[0].cells.font = {"size": 14}
fig.update_layout(margin={"l": 10, "r": 10, "t": 10, "b": 10})
