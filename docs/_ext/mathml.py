"""Equations as MathML: browsers show it by themselves, without a script from the network."""

from docutils import nodes
from latex2mathml.converter import convert


def visit_inline(self, node):
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(convert(node.astext(), display="block"))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
