"""Elements of SVG as text: words, lines, paths and circles, with coordinates in pixels.

Colours are CSS variables with fallbacks (``--kt-1`` to ``--kt-8``) and text is drawn in ``currentColor``, so that a
picture follows the light or dark theme of the page that holds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

COLOURS = ("#3577d4", "#d9603b", "#2a9d76", "#a259c4", "#c9930a", "#d1487f", "#1b98a8", "#7a8290")
FONT = 'font-family="system-ui, sans-serif"'
FAINT = 'opacity="0.7" font-size="12.5"'


def colour(k: int) -> str:
    """The colour of curve k, which repeats after eight."""
    k %= len(COLOURS)
    return f"var(--kt-{k + 1}, {COLOURS[k]})"


def text(x: float, y: float, words: str, attributes: str) -> str:
    """Words, escaped, that start at (x, y) unless the attributes anchor them otherwise."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(words.strip())}</text>'


def line(start: Iterable[float], end: Iterable[float], attributes: str) -> str:
    """A straight line between two points (x, y)."""
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" {attributes}/>'


def path(moves: str, attributes: str) -> str:
    """A path that is not filled unless the attributes say so; `polyline` gives its moves."""
    fill = "" if "fill=" in attributes else 'fill="none" '
    return f'<path d="{moves}" {fill}{attributes}/>'


def polyline(points: Iterable[Iterable[float]]) -> str:
    """The moves of a path through points (x, y).

    Example:
        >>> polyline([(0, 0), (1.5, 2)])
        'M0.0 0.0L1.5 2.0'
    """
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def circle(centre: Iterable[float], radius: float, attributes: str) -> str:
    """A circle about a point (x, y)."""
    x, y = centre
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {attributes}/>'
