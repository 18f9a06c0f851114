"""Draw the figure at the top of the README: how the guarantee depends on how much of the past is used.

Run by ``make picture``; needs Chromium to turn the plotly figure into an image.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

import provend as pv
from provend.datasets import load_restaurant

OUTPUT = Path(__file__).parent / "_static" / "guarantee.png"


def figure() -> go.Figure:
    """Certified worst-case regret of k-NN for every k, on the design of ``provend demo``."""
    days = load_restaurant()
    age = (days.dates[-1] - days.dates[:-1]).astype(int)
    d = 0.0001 * age + 0.2 * (days.weekdays[:-1] != days.weekdays[-1])
    problem = pv.Newsvendor(cu=9, co=1, support=(0, 100))
    k = np.arange(1, 301)
    upper = [pv.worst_case_regret(pv.KNN(int(each)), d, q=problem).upper for each in k]
    best, same = int(np.argmin(upper)), int((d < 0.2).sum())
    plot = go.Figure(go.Scatter(x=k, y=upper, mode="lines", line={"color": "#1f5f8b", "width": 2.5}))
    plot.add_scatter(
        x=[k[best]],
        y=[upper[best]],
        mode="markers+text",
        text=[f"{k[best]} days: at most {upper[best]:.2f}"],
        textposition="bottom center",
        marker={"size": 10, "color": "#c8553d"},
    )
    plot.add_hline(
        y=problem.no_data_regret,
        line={"dash": "dash", "color": "#777777", "width": 1.5},
        opacity=1,
        annotation_text="knowing nothing but the support",
        annotation_position="bottom right",
    )
    plot.add_vline(
        x=same,
        line={"dash": "dot", "color": "#777777", "width": 1.5},
        opacity=1,
        annotation_text="from here on other weekdays",
        annotation_position="top right",
    )
    plot.update_layout(
        template="simple_white",
        font={"family": "Helvetica, Arial, sans-serif", "size": 15},
        xaxis_title="number of most similar past days used",
        yaxis_title="certified worst-case regret (money)",
        yaxis_range=[0, 125],
        showlegend=False,
        margin={"l": 70, "r": 20, "t": 20, "b": 60},
        width=960,
        height=440,
    )
    return plot


def draw(plot: go.Figure, output: Path) -> None:
    """Save the figure as an image, through a headless browser that stays offline."""
    browser = shutil.which("chromium")
    if browser is None:
        raise SystemExit("Chromium is missing: run `make system` first")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "figure.html"
        plot.write_html(page, include_plotlyjs=True, config={"staticPlot": True})
        page.write_text(page.read_text().replace("<body>", '<body style="margin:0">'))
        offline = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", *offline, f"--user-data-dir={folder}/profile",
             "--window-size=960,440", "--force-device-scale-factor=2", "--virtual-time-budget=5000",
             f"--screenshot={output}", page.as_uri()],
            check=True,
            capture_output=True,
        )  # fmt: skip


if __name__ == "__main__":
    OUTPUT.parent.mkdir(exist_ok=True)
    draw(figure(), OUTPUT)
    print(f"drawn: {OUTPUT.name}")
