"""Curves of a stride as pictures, after figures 5.3 to 5.5 of [Barman]: with normative bands behind them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.gait.asymmetric import StrideGait
from kinetree.gait.gait import Gait
from kinetree.gait.norms import Norms
from kinetree.view import svg
from kinetree.view.curves import axes_attributes, grid
from kinetree.view.picture import Picture, arranged
from kinetree.view.ticks import Axis

Array = NDArray[np.float64]
WIDTH, HEIGHT = 380, 262  # pixels of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 368, 50, 222  # its axes
_MARGIN = 0.06  # of the range, above and below
_PERCENT = 5  # ticks of the stride
_CURVE, _OTHER, _BAND = svg.colour(0), svg.colour(1), svg.colour(7)
BOTH_LEGS = "Blue: the left leg; orange: the right one, from its own heel strike."
_BAND_NOTE = "Grey: mean and one standard deviation of the norm"


@dataclass(frozen=True)
class Panel:
    """A curve of a stride, that of the other leg where it differs, and the norm behind: mean and standard deviation."""

    title: str
    unit: str
    percent: Array
    curve: Array
    norm: tuple[Array, Array] | None
    other: Array | None = None


def panels(gait: Gait, norms: Norms | None) -> Iterator[list[Panel]]:
    """Families of three: angles, ground forces, joint forces, moments; with both legs where the steps differ."""
    if not isinstance(gait, StrideGait):
        yield from _of_one_leg(gait, norms)
        return
    for left, right in zip(_of_one_leg(gait.left, norms), _of_one_leg(gait.right, norms)):
        yield [replace(a, other=b.curve) for a, b in zip(left, right)]


def _of_one_leg(gait: Gait, norms: Norms | None) -> Iterator[list[Panel]]:
    families: tuple[tuple[Any, str, tuple[tuple[str, str, str], ...]], ...] = (
        (gait.angles(), "deg", (
            ("hip", "hip", "Hip flexion"), ("knee", "knee", "Knee flexion"), ("ankle", "ankle", "Ankle dorsiflexion"),
        )),
        (gait.ground_forces(), "body weights", (
            ("lateral", "lateral", "Ground force toward the midline"),
            ("vertical", "vertical", "Vertical ground force"),
            ("fore_aft", "fore_aft", "Fore-aft ground force"),
        )),
        (gait.joint_forces(), "body weights", (
            ("hip", "", "Force in the hip"), ("knee", "", "Force in the knee"), ("ankle", "", "Force in the ankle"),
        )),
        (gait.moments(), "N m/kg", (
            ("hip", "hip moment", "Hip extension moment"), ("knee", "knee moment", "Knee extension moment"),
            ("ankle", "ankle moment", "Plantarflexion moment"),
        )),
    )  # fmt: skip
    for curves, unit, rows in families:
        percent = curves["percent"]
        yield [
            Panel(title, unit, percent, curves[key], None if norms is None or norm not in norms.mean
                  else norms.at(norm, percent))
            for key, norm, title in rows
        ]  # fmt: skip


def toe_off(gait: Gait) -> float:
    """Where the toe leaves the ground, in percent of a stride."""
    return 50.0 * (1.0 + gait.step.timing.lift)


def plot(gait: Gait, norms: Norms | None) -> Picture:
    """See `Gait.plot`."""
    step = gait.step
    name = f"A stride at {step.speed:g} m/s with steps of {step.length:g} m"
    notes = [f"{name}, from heel strike to heel strike. Dotted: toe off."]
    if isinstance(gait, StrideGait):
        notes.append(BOTH_LEGS)
    if norms is not None:
        notes.append(f"{_BAND_NOTE} ({norms.name}).")
    rows = [[drawn(panel, toe_off(gait)) for panel in family] for family in panels(gait, norms)]
    return arranged(name, rows, " ".join(notes))


def drawn(panel: Panel, off: float, *, seconds: float = 100.0) -> Picture:
    """A panel as a picture.

    Args:
        panel: what it shows.
        off: where the toe leaves the ground [%].
        seconds: of the whole stride, for lines that follow an animation.
    """
    shown = [panel.curve] if panel.other is None else [panel.curve, panel.other]
    if panel.norm is not None:
        shown += [panel.norm[0] - panel.norm[1], panel.norm[0] + panel.norm[1]]
    low, high = min(float(x.min()) for x in shown), max(float(x.max()) for x in shown)
    room = _MARGIN * (high - low)
    up = Axis.over(low - room, high + room, _BOTTOM, _TOP)
    across = Axis.over(0.0, 100.0, _LEFT, _RIGHT, count=_PERCENT)
    x, end = across.pixel(panel.percent), across.pixel(off)
    dotted = 'stroke="currentColor" stroke-opacity="0.5" stroke-dasharray="2 3"'
    elements = (
        svg.text(8, 17, panel.title, 'font-size="15" font-weight="600"'),
        svg.text(8, 37, f"{panel.unit} {up.factor}", svg.FAINT),
        *grid(across, up),
        svg.text(_RIGHT, HEIGHT - 5, "% of the stride", f'text-anchor="end" {svg.FAINT}'),
        *_norm(panel, x, up),
        svg.line((end, _TOP), (end, _BOTTOM), dotted),
        *([] if panel.other is None else [_curve(x, up.pixel(panel.other), _OTHER)]),
        _curve(x, up.pixel(panel.curve), _CURVE),
    )
    return Picture(panel.title, WIDTH, HEIGHT, elements, axes_attributes(across, up, (0, seconds)))


def _curve(x: Array, y: Array, colour: str) -> str:
    return svg.path(svg.polyline(zip(x, y)), f'stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"')


def _norm(panel: Panel, x: Array, up: Axis) -> list[str]:
    if panel.norm is None:
        return []
    mean, sd = panel.norm
    edge = zip([*x, *x[::-1]], up.pixel(np.concatenate([mean + sd, (mean - sd)[::-1]])))
    band = f'fill="{_BAND}" fill-opacity="0.25" stroke="none" class="norm"'
    middle = svg.polyline(zip(x, up.pixel(mean)))
    return [
        svg.path(f"{svg.polyline(edge)}Z", band),
        svg.path(middle, f'stroke="{_BAND}" stroke-dasharray="6 4"'),
    ]
