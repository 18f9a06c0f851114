"""Draw the figures of the guides, the thumbnails of the gallery and the picture of the README, all from the examples.

Run by ``make pictures``; needs Chromium (``make system``). What it draws is committed, so that nobody else needs it.
"""

import base64
import io
import json
import re
import runpy
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import plotly
import plotly.graph_objects as go
from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
STATIC = HERE / "_static"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
README = "how_many_days"
DRAW = "([figure, options]) => Plotly.newPlot('it', figure).then(it => Plotly.toImage(it, options))"


def figure_of(example: Path) -> go.Figure:
    """The figure that an example draws."""
    fig: go.Figure = runpy.run_path(str(example))["fig"]
    return fig.update_layout(font_family="Helvetica, Arial, sans-serif", paper_bgcolor="white")


def image(page: Page, fig: go.Figure, kind: str, size: tuple[int, int], scale: float = 1) -> str:
    """The figure as an image, as plotly.js in the browser draws it."""
    options = {"format": kind, "width": size[0], "height": size[1], "scale": scale}
    drawn: str = page.evaluate(DRAW, [json.loads(fig.to_json()), options])
    return drawn.partition(",")[2]


def save_vector(text: str, file: Path) -> None:
    """Write an SVG whose coordinates, inside its tags, have two decimals; text stays as it is."""
    short = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d+\.\d{2})\d+", r"\1", tag[0]), unquote(text))
    file.write_text(short, encoding="utf-8")


def save_pixels(text: str, file: Path, colours: int = 128) -> None:
    """Write a PNG with few colours, which is all that lines and text need."""
    picture = Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB")
    picture.quantize(colours, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, optimize=True)


def draw(page: Page, example: Path) -> None:
    """All pictures of one example."""
    name, fig = example.stem.removeprefix("plot_"), figure_of(example)
    if fig.data[0].type != "table":
        fig.update_layout(margin={"l": 70, "r": 25, "t": fig.layout.margin.t or 40, "b": 60})
    if any(f"figures/{name}.svg" in text.read_text(encoding="utf-8") for text in HERE.glob("*.rst")):
        save_vector(image(page, fig, "svg", (760, 400)), STATIC / "figures" / f"{name}.svg")
    if name == README:
        save_pixels(image(page, fig, "png", (960, 440), 2), STATIC / "guarantee.png")
    fig.update_layout(font_size=15, legend_font_size=13)
    save_pixels(image(page, fig, "png", (560, 392)), STATIC / "thumbnails" / f"{name}.png")
    print(f"drawn: {name}")


def main(wanted: list[str]) -> None:
    """Draw all examples, or those that are named."""
    browser = shutil.which("chromium")
    if browser is None:
        raise SystemExit("Chromium is missing: run `make system` first")
    for folder in ("figures", "thumbnails"):
        (STATIC / folder).mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        page = play.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        page.set_content('<div id="it"></div>')
        page.add_script_tag(path=PLOTLY)
        for example in sorted((HERE.parent / "examples").glob("plot_*.py")):
            if not wanted or example.stem.removeprefix("plot_") in wanted:
                draw(page, example)


if __name__ == "__main__":
    main(sys.argv[1:])
