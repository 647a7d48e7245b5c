"""Curves of a stride as pictures, after figures 5.3 to 5.5 of [Barman]: with normative bands behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from kinetree.gait.curves import StrideCurve, named, table
from kinetree.gait.norms import Norms
from kinetree.gait.walk import Walk
from kinetree.runtime.arrays import Array
from kinetree.view import svg
from kinetree.view.curves import axes_attributes, grid
from kinetree.view.picture import Picture, arranged
from kinetree.view.ticks import Axis

WIDTH, HEIGHT = 380, 262  # pixels of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 368, 50, 222  # its axes
_MARGIN = 0.06  # of the range, above and below
_PERCENT = 5  # ticks of the stride
_BAND, _LINE = svg.colour(7), 'stroke-width="2.2" stroke-linejoin="round"'
BOTH_LEGS = "Blue: the left leg; orange: the right one, from its own heel strike."
_BAND_NOTE = "Grey: mean and one standard deviation of the norm"


@dataclass(frozen=True)
class Panel:
    """The plot of one curve: of each leg whose curves differ, with mean and standard deviation of the norm behind.

    Args:
        curve: what it shows.
        legs: the values over a stride, of one leg or of two.
        norm: mean and standard deviation; None without.
    """

    curve: StrideCurve
    legs: tuple[Array, ...]
    norm: tuple[Array, Array] | None

    def picture(self, toe_off: float, seconds: float = 100.0) -> Picture:
        """As a picture, with a line at toe-off [%]; a stride of so many seconds, for lines that follow an animation."""
        shown = [*self.legs]
        if self.norm is not None:
            shown += [self.norm[0] - self.norm[1], self.norm[0] + self.norm[1]]
        low, high = min(float(x.min()) for x in shown), max(float(x.max()) for x in shown)
        margin = _MARGIN * (high - low)
        up = Axis.over(low - margin, high + margin, _BOTTOM, _TOP)
        across = Axis.over(0.0, 100.0, _LEFT, _RIGHT, count=_PERCENT)
        x, off = across.pixel(np.linspace(0.0, 100.0, len(self.legs[0]))), across.pixel(toe_off)
        dotted = 'stroke="currentColor" stroke-opacity="0.5" stroke-dasharray="2 3"'
        paths = enumerate(svg.polyline(zip(x, up.pixel(y))) for y in self.legs)
        drawn = [svg.path(path, f'stroke="{svg.colour(k)}" {_LINE}') for k, path in paths]
        elements = (
            svg.text(8, 17, self.curve.title, 'font-size="15" font-weight="600"'),
            svg.text(8, 37, f"{self.curve.unit} {up.factor}", svg.FAINT),
            *grid(across, up),
            svg.text(_RIGHT, HEIGHT - 5, "% of the stride", f'text-anchor="end" {svg.FAINT}'),
            *([] if self.norm is None else _band(*self.norm, x, up)),
            svg.line((off, _TOP), (off, _BOTTOM), dotted),
            *reversed(drawn),
        )
        return Picture(self.curve.title, WIDTH, HEIGHT, elements, axes_attributes(across, up, (0, seconds)))


def panels(walk: Walk, names: Sequence[str], norms: Norms | None) -> list[list[Panel]]:
    """The panels of some curves, a list for each family."""
    shown = named(names)
    tables = [table(leg, shown) for leg in walk.legs.values()]
    percent = np.linspace(0.0, 100.0, len(next(iter(tables[0].values()))))
    found = []
    for curve in shown:
        norm = norms.at(curve.norm, percent) if norms is not None and curve.norm in norms.mean else None
        found.append(Panel(curve, tuple(values[curve] for values in tables), norm))
    return [[*family] for _, family in groupby(found, lambda panel: panel.curve.family)]


def plot(walk: Walk, names: Sequence[str], title: str, norms: Norms | None) -> Picture:
    """See `Gait.plot`."""
    title = title or walk.described
    notes = [f"{title}, from heel strike to heel strike. Dotted: toe-off."]
    notes += [BOTH_LEGS] * (len(walk.legs) > 1)
    notes += [] if norms is None else [f"{_BAND_NOTE} ({norms.name})."]
    rows = [[panel.picture(walk.toe_off) for panel in family] for family in panels(walk, names, norms)]
    return arranged(title, rows, " ".join(notes))


def _band(mean: Array, sd: Array, x: Array, up: Axis) -> list[str]:
    edge = zip([*x, *x[::-1]], up.pixel(np.concatenate([mean + sd, (mean - sd)[::-1]])))
    band = f'fill="{_BAND}" fill-opacity="0.25" stroke="none" class="norm"'
    middle = svg.polyline(zip(x, up.pixel(mean)))
    return [svg.path(f"{svg.polyline(edge)}Z", band), svg.path(middle, f'stroke="{_BAND}" stroke-dasharray="6 4"')]
