"""The directive `gallery`: cards that lead to pages, each with a picture that the page made when it was executed.

    ```{gallery}
    tutorials/plan: the fastest motion under limits of the torques
    ```

The picture is the SVG output of the page's cell with the tag `gallery`, without its words, which would be too small.
"""

from __future__ import annotations

import re
from html import escape

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

_MARGIN = 8.0  # pixels around the axes of a plot
_USUAL = 400.0  # pixels; lines of wider pictures are drawn thicker, because they become smaller
_logger = logging.getLogger(__name__)


class cards(nodes.Element):  # noqa: N801  docutils finds visitors by this name
    """Pages and what to say of them, before their pictures are known."""


class Gallery(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        lines = [line.partition(": ") for line in self.content if line.strip()]
        return [cards(pages=[(page.strip(), text.strip()) for page, _, text in lines])]


def fill(app, doctree, docname):
    """Put the pictures in, when all pages have been read."""
    for node in [*doctree.findall(cards)]:
        html = [_card(app, docname, page, text) for page, text in node["pages"]]
        node.replace_self(nodes.raw("", f'<div class="gallery">{"".join(html)}</div>', format="html"))


def _card(app, docname: str, page: str, text: str) -> str:
    if page not in app.env.titles:
        _logger.warning("the gallery has no page %r", page, location=docname)
        return ""
    address = app.builder.get_relative_uri(docname, page)
    title = escape(app.env.titles[page].astext())
    picture = _picture(app.env.get_doctree(page))
    if not picture and app.config.nb_execution_mode != "off":
        _logger.warning("%r has no cell with the tag gallery and an SVG output", page, location=docname)
    words = f"<strong>{title}</strong><span>{escape(text)}</span>"
    return f'<a class="card" href="{address}"><span class="picture">{picture}</span>{words}</a>'


def _picture(doctree: nodes.document) -> str:
    for cell in (node for node in doctree.findall(nodes.container) if "tag_gallery" in node["classes"]):
        for raw in cell.findall(nodes.raw):
            if found := re.search(r"<svg.*</svg>", raw.astext(), re.DOTALL):
                return without_words(found[0])
    return ""


def without_words(svg: str) -> str:
    """A picture without texts, and a plot without the space around its axes."""
    svg = re.sub(r"<(text|title)\b.*?</\1>", "", svg, flags=re.DOTALL)
    if svg.count("<svg") == 2:  # one plot in a picture of plots
        svg = svg[svg.index("<svg", 1) : svg.index("</svg>") + len("</svg>")]
        svg = re.sub(r' (x|y|width|height)="[\d.]+"(?=[^>]*viewBox)', "", svg)
    axes = [re.search(rf'data-{side}="([\d.]+)"', svg) for side in ("left", "right", "top", "bottom")]
    if svg.count("<svg") == 1 and all(axes):
        left, right, top, bottom = (float(side[1]) for side in axes if side)
        box = (left - _MARGIN, top - _MARGIN, right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN)
        svg = re.sub(r'viewBox="[^"]*"', f'viewBox="{" ".join(f"{x:g}" for x in box)}"', svg, count=1)
    thicker = float(re.search(r'viewBox="\S+ \S+ (\S+)', svg)[1]) / _USUAL
    svg = re.sub(r'stroke-width="([\d.]+)"', lambda found: f'stroke-width="{thicker * float(found[1]):.1f}"', svg)
    return svg.replace('role="img"', 'aria-hidden="true"')


def setup(app):
    app.add_directive("gallery", Gallery)
    app.add_node(cards)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
