"""Sphinx configuration. Everything the pages need is local: no fonts, scripts or mathematics from a network."""

import sys
from importlib.metadata import version as installed
from importlib.util import find_spec
from pathlib import Path

import plotly

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "provend"
copyright = "The provend developers"
version = release = installed("provend")
extensions = ["mathml", "sphinx.ext.autodoc", "numpydoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "gallery/*.py", "gallery/*.ipynb", "sg_execution_times.rst"]

html_theme = "pydata_sphinx_theme"
html_title = "provend"
html_math_renderer = "mathml"
html_static_path = ["_static", str(Path(plotly.__file__).parent / "package_data" / "plotly.min.js")]
html_css_files = ["provend.css"]
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_end": [],
    "logo": {"text": "provend"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "collapse_navigation": True,
}
html_sidebars = {"index": [], "gallery/**": []}

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "image_scrapers": ("local_plotly.figure",),
    "capture_repr": (),
    "within_subsection_order": "gallery_order.ByNeed",
    "thumbnail_size": (400, 280),
    "reset_modules": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "ignore_pattern": r"__init__\.py" if find_spec("statsforecast") else r"__init__\.py|plot_forecast_ets",
}
