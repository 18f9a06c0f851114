"""Mathematics as native MathML, by docutils' own converter: nothing is loaded from anywhere."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def as_mathml(latex: str, *, as_block: bool = False) -> str:
    """MathML whose braces and norms keep the height of the line, and whose bars take no space."""
    mathml = tex2mathml(latex, as_block=as_block)
    mathml = re.sub("<mo>([{}‖])</mo>", r'<mo stretchy="false">\1</mo>', mathml)
    return mathml.replace('<mo stretchy="false">|</mo>', '<mo stretchy="false" lspace="0" rspace="0">|</mo>')


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(as_mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """A displayed formula, with its number and its anchor where it has a label."""
    anchor = f' id="{node["ids"][0]}"' if node["ids"] else ""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    self.body.append(f'<div class="math"{anchor}>{number}{as_mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer as ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
