"""Sphinx configuration. Everything the pages need is local: no fonts, scripts or mathematics from a network."""

import sys
import textwrap
from importlib.metadata import version as installed
from pathlib import Path

import plotly
import plotly.graph_objects as go

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "provend"
copyright = "The provend developers"
version = release = installed("provend")
extensions = ["mathml", "sphinx.ext.autodoc", "numpydoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "gallery/*.py", "gallery/*.ipynb", "sg_execution_times.rst"]
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_static_path = ["_static", str(Path(plotly.__file__).parent / "package_data" / "plotly.min.js")]
html_css_files = ["provend.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"], "footer_end": []}
html_sidebars = {"**": []}

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False


def plotly_figure(block, block_vars, gallery_conf, **options):
    """The figure called ``fig`` of an example, drawn by the copy of plotly.js beside the pages."""
    drawn = block_vars["example_globals"].pop("fig", None)
    if not isinstance(drawn, go.Figure):
        return ""
    html = drawn.to_html(full_html=False, include_plotlyjs=False, default_height=460)
    script = '<script src="../_static/plotly.min.js"></script>\n'
    return "\n.. raw:: html\n\n" + textwrap.indent(script + html, "    ") + "\n"


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "image_scrapers": (plotly_figure,),
    "capture_repr": (),
    "reset_modules": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
}
