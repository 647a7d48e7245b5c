"""Equations as MathML: browsers show it by themselves, without a script from the network.

The converter leaves a few things to chance that browsers take literally; `mathml` states them: brackets of matrices
stretch over the matrix and not over the whole line, dots and hats don't stretch, three dots stand above their letter,
``\\mathrm{ext}`` is one word, ``\\sin q`` has a space in it, and ``\\min`` has its limits below it where displayed.
"""

from __future__ import annotations

from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert

_SPACE = "{http://www.w3.org/1998/Math/MathML}"
_DOT = "\u02d9"
_SEVERAL = {"\u20db": 3 * _DOT, "\u20dc": 4 * _DOT}  # combining marks, which browsers put beside the letter
_ACCENTS = {_DOT, "\u00a8", "^", "~", "\u00af", *_SEVERAL}
_REWRITTEN = {
    "{aligned}": "{align*}",
    r"\lvert": r"\left|",
    r"\rvert": r"\right|",
    r"\lVert": r"\left\|",
    r"\rVert": r"\right\|",
}
_OPENING, _CLOSING = {*"([{|\u2016"}, {*")]}|\u2016"}
_FUNCTIONS = {"sin", "cos", "tan", "log", "ln", "exp", "det"}
_BELOW = {"min", "max", "lim", "sup", "inf", "argmin", "argmax"}


def mathml(text: str, display: str = "inline") -> str:
    """LaTeX as a ``<math>`` element for ``display`` "inline" or "block"."""
    for command, meant in _REWRITTEN.items():
        text = text.replace(command, meant)
    root = ElementTree.fromstring(convert(text, display=display))
    for element in [*root.iter()]:
        element.tag = element.tag.removeprefix(_SPACE)
        _accent(element)
        _one_word(element)
        _enclose(element)
        _space(element)
        if element.tag == "msub" and element[0].text in _BELOW and display == "block":
            element.tag = "munder"
        if element.tag == "mtable" and "{align" in text:
            element.set("class", "align")
    root.set("xmlns", _SPACE[1:-1])
    return ElementTree.tostring(root, encoding="unicode")


def _accent(element: ElementTree.Element) -> None:
    """Dots, hats, bars and tildes belong to the letter below them."""
    if element.tag != "mover" or element[1].text not in _ACCENTS:
        return
    mark = element[1]
    mark.set("stretchy", "false")
    if mark.text in _SEVERAL:
        mark.set("class", "several")
        mark.text = _SEVERAL[mark.text]


def _one_word(element: ElementTree.Element) -> None:
    """Upright letters of one group are a word."""
    upright = [x for x in element if x.tag.endswith("mi") and x.get("mathvariant") == "normal"]
    if len(upright) > 1 and len(upright) == len(element):
        word = ElementTree.Element("mi", {"mathvariant": "normal"})
        word.text = "".join(x.text or "" for x in upright)
        element[:] = [word]


def _enclose(element: ElementTree.Element) -> None:
    """Brackets beside a matrix are a group with it, so that they are as tall as the matrix alone."""
    k = 1
    while k < len(element) - 1:
        before, table, after = element[k - 1 : k + 2]
        if table.tag.endswith("mtable") and before.text in _OPENING and after.text in _CLOSING:
            before.attrib.update(form="prefix", fence="true", stretchy="true")
            after.attrib.update(form="postfix", fence="true", stretchy="true")
            group = ElementTree.Element("mrow")
            group.extend([before, table, after])
            element[k - 1 : k + 2] = [group]
        k += 1


def _space(element: ElementTree.Element) -> None:
    """A thin space between the name of a function and letters beside it."""
    for k in range(len(element) - 1, -1, -1):
        if element[k].text in _FUNCTIONS:
            for side in (k + 1, k):
                beside = element[side : side + 1] if side > k else element[max(k - 1, 0) : k]
                if beside and not beside[0].tag.endswith(("mo", "mspace")):
                    element.insert(side, ElementTree.Element("mspace", {"width": "0.167em"}))


def visit_inline(self, node):
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(mathml(node.astext(), display="block"))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
