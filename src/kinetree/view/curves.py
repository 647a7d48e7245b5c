"""Curves over a common axis: line plots as SVG, one by one or below each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.runtime.arrays import Array
from kinetree.view import svg
from kinetree.view.picture import Picture, arranged
from kinetree.view.ticks import Axis

_WIDTH, _TOP, _PLOT, _BOTTOM = 560, 86, 214, 44  # pixels: everything, above, inside and below the axes
_LEFT, _RIGHT = 54, 540  # the axes; longer labels move the left end, half of one has room at the right
_COLUMNS = 300  # a longer curve is thinned to its extremes in this many stretches
_LARGEST = 1e300  # larger values are left out like NaN: no axis could show them
_LETTER, _CHIP, _LEGEND_LINE = 7.0, 34.0, 20  # pixels: an average letter, the mark before a name, a line of names
_NAME = 28  # letters of a name in the legend
Series: TypeAlias = Mapping[Any, ArrayLike]  # curves by their names


@dataclass(frozen=True)
class Curves:
    """Curves over a common axis: what one plot shows.

    Args:
        title: stands above the plot and is its accessible name.
        x: the common abscissa (n,).
        series: the curves by name, each (n,); NaN leaves a gap. Long curves are thinned without losing their extremes.
        xlabel, ylabel: what the axes show, with units, such as "time [s]".
        dashed: the names of the curves to draw dashed.
    """

    title: str
    x: ArrayLike
    series: Series
    xlabel: str = field(default="time [s]", kw_only=True)
    ylabel: str = field(default="", kw_only=True)
    dashed: Collection[str] = field(default=(), kw_only=True)

    def picture(self) -> Picture:
        """The plot, 560 pixels wide and scalable; names are escaped."""
        abscissa, curves = _checked(self.x, self.series)
        legend, lines = _legend([*curves], self.dashed)
        top = _TOP + _LEGEND_LINE * lines
        up = Axis.over(*_range([*curves.values()], 0.05), top + _PLOT, top)
        left = max(_LEFT, 12 + _LETTER * max(map(len, up.labels)))
        across = Axis.over(*_range([abscissa], 0.0), left, _RIGHT, count=6)
        x, height = across.pixel(abscissa), top + _PLOT + _BOTTOM
        elements = (
            svg.text(2, 17, self.title, 'font-size="15.5" font-weight="600"'),
            legend,
            svg.text(2, top - 13, f"{self.ylabel} {up.factor}", svg.FAINT),
            *grid(across, up, tick=5),
            svg.text(_RIGHT, height - 6, f"{self.xlabel} {across.factor}", f'text-anchor="end" {svg.FAINT}'),
            *(_path(x, up.pixel(y), svg.colour(k), name in self.dashed) for k, (name, y) in enumerate(curves.items())),
        )
        return Picture(self.title, _WIDTH, height, elements, axes_attributes(across, up))


def line_plot(
    title: str, x: ArrayLike, series: Series, *, xlabel: str = "", ylabel: str = "", dashed: Collection[str] = ()
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
    return Curves(title, x, series, xlabel=xlabel, ylabel=ylabel, dashed=dashed).picture().svg


def stacked(title: str, plots: Iterable[Curves]) -> Picture:
    """Plots below each other as one picture."""
    return arranged(title, [[curves.picture()] for curves in plots])


# -- axes --------------------------------------------------------------------------------------------------------------


def axes_attributes(across: Axis, up: Axis, seconds: tuple[float, float] | None = None) -> str:
    """Attributes of a plot's ``<svg>`` element: its font, and where a line that follows an animation moves.

    Args:
        across, up: the axes.
        seconds: times at the ends of the abscissa; the abscissa itself by default.
    """
    low, high = seconds or (across.low, across.high)
    return (
        f'class="kt-plot" {svg.FONT} font-size="13" fill="currentColor" data-left="{across.start}" '
        f'data-right="{across.end}" data-top="{up.end}" data-bottom="{up.start}" data-low="{low!r}" '
        f'data-high="{high!r}"'
    )


def grid(across: Axis, up: Axis, tick: float = 0.0) -> Iterable[str]:
    """The lines of a grid and the labels of both axes, with marks of some length [pixels] below the abscissa."""
    for value, label in zip(up.ticks, up.labels):
        y = up.pixel(value)
        strength = f'stroke="currentColor" stroke-opacity="{0.38 if value == 0 else 0.13}"'
        yield svg.line((across.start, y), (across.end, y), strength)
        yield svg.text(across.start - 8, y + 4.5, label, f'text-anchor="end" {svg.FAINT}')
    for value, label in zip(across.ticks, across.labels):
        x = across.pixel(value)
        if tick:
            yield svg.line((x, up.start), (x, up.start + tick), 'stroke="currentColor" stroke-opacity="0.4"')
        yield svg.text(x, up.start + 19, label, f'text-anchor="middle" {svg.FAINT}')


# -- curves ------------------------------------------------------------------------------------------------------------


def _checked(x: ArrayLike, series: Series) -> tuple[Array, dict[str, Array]]:
    abscissa = np.asarray(x, dtype=np.float64)
    curves = {str(name): np.asarray(values, dtype=np.float64) for name, values in series.items()}
    if abscissa.ndim != 1:
        raise InputError(f"the abscissa of a plot has one dimension, got the shape {abscissa.shape}")
    for name, values in curves.items():
        if values.shape != abscissa.shape:
            raise InputError(f"the curve {name!r} has the shape {values.shape}, the abscissa {abscissa.shape}")
    return _bounded(abscissa), {name: _bounded(values) for name, values in curves.items()}


def _bounded(values: Array) -> Array:
    return np.where(np.abs(values) < _LARGEST, values, np.nan)


def _range(curves: Sequence[Array], margin: float) -> tuple[float, float]:
    """The smallest and largest value of some curves with a margin; (0, 1) where there is no value at all."""
    values = np.concatenate([np.empty(0), *curves])
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    return low - margin * (high - low), high + margin * (high - low)


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
        stroke = f'stroke="{svg.colour(k)}" stroke-width="3.5" stroke-linecap="round"{dash}'
        parts.append(svg.line((x, y - 4), (x + 16, y - 4), stroke))
        parts.append(svg.text(x + 23, y, short, 'font-size="12.5" opacity="0.85"'))
        x += width
    return "\n".join(parts), line


def _path(x: Array, y: Array, colour: str, dashed: bool) -> str:
    keep = _thinned(x, y)
    x, y = x[keep], y[keep]
    drawn = np.isfinite(x) & np.isfinite(y)
    letters = np.where(np.append(False, drawn)[:-1], "L", "M")  # on from the point before, or a new beginning
    moves = (f"{letter}{px:.1f} {py:.1f}" for letter, px, py in zip(letters[drawn], x[drawn], y[drawn]))
    dash = ' stroke-dasharray="7 5"' if dashed else ""
    stroke = f'stroke="{colour}" stroke-width="1.9" stroke-linejoin="round" stroke-linecap="round"{dash}'
    return svg.path("".join(moves), stroke)


def _thinned(x: Array, y: Array) -> NDArray[np.intp]:
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
