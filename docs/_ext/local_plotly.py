"""Pictures of the gallery, drawn by the copy of plotly.js beside the pages: nothing is loaded from anywhere."""

import shutil
import textwrap
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

THUMBNAILS = Path(__file__).parents[1] / "_static" / "thumbnails"


def figure(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **options: Any) -> str:
    """The figure that an example calls ``fig``, as reStructuredText; its thumbnail is the one that is committed."""
    drawn = block_vars["example_globals"].pop("fig", None)
    if not isinstance(drawn, go.Figure):
        return ""
    thumbnail = THUMBNAILS / f"{Path(block_vars['src_file']).stem.removeprefix('plot_')}.png"
    if thumbnail.is_file():
        shutil.copy(thumbnail, next(block_vars["image_path_iterator"]))
    html = drawn.to_html(full_html=False, include_plotlyjs=False, default_height=460)
    script = '<script src="../_static/plotly.min.js"></script>\n'
    return "\n.. raw:: html\n\n" + textwrap.indent(script + html, "    ") + "\n"
