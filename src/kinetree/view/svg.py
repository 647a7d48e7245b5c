"""Line plots as SVG text.

Colours are CSS variables with fallbacks (``--kt-1`` to ``--kt-8`` for the curves) and text is drawn in
``currentColor``, so that a plot follows the light or dark theme of the page that holds it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.view.ticks import Axis

COLOURS = ("#3577d4", "#d9603b", "#2a9d76", "#a259c4", "#c9930a", "#d1487f", "#1b98a8", "#7a8290")

_WIDTH, _TOP, _PLOT, _BOTTOM = 560, 86, 214, 44  # pixels: everything, above, inside and below the axes
_LEFT, _RIGHT = 54, 548  # the axes; longer labels move the left end
_COLUMNS = 300  # a longer curve is thinned to its extremes in this many stretches
_LARGEST = 1e300  # what is beyond has no place on an axis; it is left out like NaN
_LETTER, _CHIP, _LEGEND_LINE = 7.0, 34.0, 20  # pixels: an average letter, the mark before a name, a line of names
_NAME = 28  # letters of a name in the legend

Curve = NDArray[np.float64]


def line_plot(
    title: str,
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    xlabel: str = "",
    ylabel: str = "",
    dashed: Collection[str] = (),
) -> str:
    """Curves over a common axis as an SVG element.

    Args:
        title: stands above the plot and is its accessible name.
        x: the common abscissa (n,).
        series: the curves by name, each (n,); NaN leaves a gap. Long curves are thinned without losing their extremes.
        xlabel, ylabel: what the axes show, with units, such as "time [s]".
        dashed: the names of the curves to draw dashed.

    Returns:
        The text of an ``<svg>`` element, 560 pixels wide and scalable. Names are escaped.

    Example:
        >>> text = line_plot("Fall", [0, 1, 2], {"height": [5, 4, 1]}, xlabel="time [s]", ylabel="height [m]")
        >>> text[:5], text.count("<path"), "time [s]" in text
        ('<svg ', 1, True)
    """
    abscissa, curves = _checked(x, series)
    names = list(curves)
    legend, lines = _legend(names, dashed)
    top = _TOP + _LEGEND_LINE * lines
    up = Axis.over(*_range(list(curves.values()), 0.05), top + _PLOT, top)
    left = max(_LEFT, 12 + _LETTER * max(map(len, up.labels)))
    across = Axis.over(*_range([abscissa], 0.0), left, _RIGHT, count=6)
    paths = [
        _path(across.pixel(abscissa), up.pixel(curves[name]), _colour(k), name in dashed)
        for k, name in enumerate(names)
    ]
    height = top + _PLOT + _BOTTOM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" class="kt-plot" '
            f'font-family="system-ui, sans-serif" font-size="13" fill="currentColor" data-left="{left}" '
            f'data-right="{_RIGHT}" data-top="{top}" data-bottom="{top + _PLOT}" data-low="{across.low!r}" '
            f'data-high="{across.high!r}">',
            f"<title>{escape(title)}</title>",
            _text(2, 17, title, 'font-size="15.5" font-weight="600"'),
            legend,
            _text(2, top - 13, f"{ylabel} {up.factor}", _FAINT),
            *_grid(across, up),
            _text(_RIGHT, height - 6, f"{xlabel} {across.factor}", f'text-anchor="end" {_FAINT}'),
            *paths,
            "</svg>",
        ]
    )


_FAINT = 'opacity="0.7" font-size="12.5"'


def _checked(x: ArrayLike, series: Mapping[str, ArrayLike]) -> tuple[Curve, dict[str, Curve]]:
    abscissa = np.asarray(x, dtype=np.float64)
    curves = {str(name): np.asarray(values, dtype=np.float64) for name, values in series.items()}
    if abscissa.ndim != 1:
        raise InputError(f"the abscissa of a plot has one dimension, got the shape {abscissa.shape}")
    for name, values in curves.items():
        if values.shape != abscissa.shape:
            raise InputError(f"the curve {name!r} has the shape {values.shape}, the abscissa {abscissa.shape}")
    return _bounded(abscissa), {name: _bounded(values) for name, values in curves.items()}


def _bounded(values: Curve) -> Curve:
    return np.where(np.abs(values) < _LARGEST, values, np.nan)


def _range(curves: Sequence[Curve], margin: float) -> tuple[float, float]:
    """The smallest and largest value of some curves with a margin; (0, 1) where there is no value at all."""
    values = np.concatenate([np.empty(0), *curves])
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    return low - margin * (high - low), high + margin * (high - low)


def _colour(k: int) -> str:
    k %= len(COLOURS)
    return f"var(--kt-{k + 1}, {COLOURS[k]})"


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text.strip())}</text>'


def _grid(across: Axis, up: Axis) -> list[str]:
    """The tick lines and their labels."""
    parts = []
    for tick, label in zip(up.ticks, up.labels):
        y = up.pixel(tick)
        line = f'<line x1="{across.start}" x2="{across.end}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor"'
        parts.append(f'{line} stroke-opacity="{0.38 if tick == 0 else 0.13}"/>')
        parts.append(_text(across.start - 8, y + 4.5, label, f'text-anchor="end" {_FAINT}'))
    for tick, label in zip(across.ticks, across.labels):
        x = across.pixel(tick)
        line = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{up.start}" y2="{up.start + 5}" stroke="currentColor"'
        parts.append(f'{line} stroke-opacity="0.4"/>')
        parts.append(_text(x, up.start + 19, label, f'text-anchor="middle" {_FAINT}'))
    return parts


def _legend(names: Sequence[str], dashed: Collection[str]) -> tuple[str, int]:
    """A coloured mark and the name of each curve, in lines; and how many lines there are after the first."""
    parts, x, line = [], 2.0, 0
    for k, name in enumerate(names):
        short = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
        width = _CHIP + _LETTER * len(short) + 6
        if x > 2.0 and x + width > _RIGHT:
            x, line = 2.0, line + 1
        y = 43 + _LEGEND_LINE * line
        dash = ' stroke-dasharray="5 3"' if name in dashed else ""
        parts.append(
            f'<line x1="{x:.1f}" x2="{x + 16:.1f}" y1="{y - 4}" y2="{y - 4}" stroke="{_colour(k)}" '
            f'stroke-width="3.5" stroke-linecap="round"{dash}/>'
        )
        parts.append(_text(x + 23, y, short, 'font-size="12.5" opacity="0.85"'))
        x += width
    return "\n".join(parts), line


def _path(x: Curve, y: Curve, colour: str, dashed: bool) -> str:
    keep = _thinned(x, y)
    pen_down, moves = False, []
    for px, py in zip(x[keep], y[keep]):
        if np.isfinite(px) and np.isfinite(py):
            moves.append(f"{'L' if pen_down else 'M'}{px:.1f} {py:.1f}")
            pen_down = True
        else:
            pen_down = False
    dash = ' stroke-dasharray="7 5"' if dashed else ""
    return (
        f'<path d="{"".join(moves)}" fill="none" stroke="{colour}" stroke-width="1.9" stroke-linejoin="round" '
        f'stroke-linecap="round"{dash}/>'
    )


def _thinned(x: Curve, y: Curve) -> NDArray[np.intp]:
    """The positions to draw: all of a short curve, the extremes and gaps of each stretch of a long one."""
    if len(y) <= 2 * _COLUMNS:
        return np.arange(len(y))
    keep = {0, len(y) - 1}
    cuts = np.linspace(0, len(y), _COLUMNS + 1).astype(int)
    for a, b in pairwise(cuts):
        stretch = y[a:b]
        good = np.isfinite(x[a:b]) & np.isfinite(stretch)
        if good.any():
            keep.add(a + int(np.where(good, stretch, np.inf).argmin()))
            keep.add(a + int(np.where(good, stretch, -np.inf).argmax()))
        if not good.all():
            keep.add(a + int(good.argmin()))
    return np.array(sorted(keep))
