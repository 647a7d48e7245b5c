"""Pictures as PNG and PDF: the few elements of our own SVG, drawn by Matplotlib.

Only what `kinetree.view.svg` and the pictures write is known: paths of straight lines, circles, rectangles, text,
and pictures inside of pictures.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from kinetree.errors import MissingExtraError

_INCH = 96.0  # pixels
_SHARP = 2.0  # pixels of a PNG file for each of the picture
_INHERITED = ("fill", "font-size", "color", "font-weight")
_MISSING = "pictures as PNG and PDF need Matplotlib, which is not installed: pip install 'kinetree[plot]'"


def rendered(text: str, width: float, height: float, ending: str) -> bytes:
    """A picture as a file.

    Args:
        text: of its ``<svg>`` element.
        width, height: of the picture [pixels].
        ending: "png" or "pdf".
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(_MISSING) from error
    figure = Figure(figsize=(width / _INCH, height / _INCH), dpi=_INCH * _SHARP, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    _Drawing(axes).draw(ElementTree.fromstring(text), (0.0, 0.0), {})
    content = io.BytesIO()
    facts = {"CreationDate": None} if ending == "pdf" else {"Software": None}  # the same picture, the same file
    figure.savefig(content, format=ending, dpi=_INCH * _SHARP, metadata=facts)
    return content.getvalue()


class _Drawing:
    """Elements on the axes of Matplotlib, in pixels."""

    def __init__(self, axes: Any) -> None:
        self.axes, self.order = axes, 0

    def draw(self, element: ElementTree.Element, offset: tuple[float, float], inherited: Mapping[str, str]) -> None:
        """An element and all in it."""
        self.order += 1
        tag = element.tag.rpartition("}")[2]
        style = {**inherited, **{k: v for k, v in element.attrib.items() if k in _INHERITED}}
        if tag == "svg":
            x, y = float(element.get("x", 0.0)), float(element.get("y", 0.0))
            for child in element:
                self.draw(child, (offset[0] + x, offset[1] + y), style)
        elif tag == "text":
            self._text(element, offset, style)
        elif tag in ("path", "line", "circle", "rect") and element.get("width") != "100%":
            self._shape(tag, element, offset, style)

    def _text(self, element: ElementTree.Element, offset: tuple[float, float], style: Mapping[str, str]) -> None:
        anchor = {"middle": "center", "end": "right"}.get(element.get("text-anchor", ""), "left")
        self.axes.text(
            float(element.get("x", 0.0)) + offset[0],
            float(element.get("y", 0.0)) + offset[1],
            (element.text or "").replace("$", r"\$"),
            fontsize=float(style.get("font-size", 13)) * 72.0 / _INCH,
            fontweight="bold" if style.get("font-weight") == "600" else "normal",
            color=_colour(style.get("fill", "")) or "black",
            alpha=float(element.get("opacity", 1.0)),
            ha=anchor,
            va="baseline",
            zorder=self.order,
        )

    def _shape(self, tag: str, element: ElementTree.Element, offset: tuple[float, float], style: Any) -> None:
        from matplotlib.patches import Circle, PathPatch, Rectangle
        from matplotlib.path import Path

        def number(name: str) -> float:
            return float(element.get(name, 0.0))

        x, y = offset
        if tag == "circle":
            patch: Any = Circle((number("cx") + x, number("cy") + y), number("r"))
        elif tag == "rect":
            patch = Rectangle((number("x") + x, number("y") + y), number("width"), number("height"))
        else:
            ends = f"M{number('x1')} {number('y1')}L{number('x2')} {number('y2')}"
            moves = re.findall(r"([MLZ])\s*([^MLZ]*)", element.get("d", ends) if tag == "path" else ends)
            points = [[float(v) for v in place.split()] or [0.0, 0.0] for _, place in moves]
            codes = [{"M": Path.MOVETO, "L": Path.LINETO, "Z": Path.CLOSEPOLY}[letter] for letter, _ in moves]
            if not points:
                return
            patch = PathPatch(Path([(px + x, py + y) for px, py in points], codes))
        fill = _colour(style.get("fill", "")) if tag != "line" else None
        stroke, width = _colour(element.get("stroke", "")), float(element.get("stroke-width", 1.0)) * 72.0 / _INCH
        fade = float(element.get("opacity", 1.0))
        patch.set_facecolor((fill, fade * float(element.get("fill-opacity", 1.0))) if fill else "none")
        patch.set_edgecolor((stroke, fade * float(element.get("stroke-opacity", 1.0))) if stroke else "none")
        patch.set_linewidth(width)
        if dashes := element.get("stroke-dasharray"):
            patch.set_linestyle((0, tuple(float(v) * 72.0 / _INCH / width for v in dashes.split())))
        patch.set_capstyle("round" if element.get("stroke-linecap") == "round" else "butt")
        patch.set_joinstyle("round")
        patch.set_zorder(self.order)
        patch.set_clip_on(False)
        self.axes.add_patch(patch)


def _colour(text: str) -> str | None:
    """A colour that Matplotlib knows: of a variable its value elsewhere; None for none."""
    if found := re.fullmatch(r"var\(--[\w-]+,\s*(#\w+)\)", text.strip()):
        return found[1]
    return {"": None, "none": None, "currentColor": "black"}.get(text.strip(), text.strip())
