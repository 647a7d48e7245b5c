"""Curves of a stride as pictures, after figures 5.3 to 5.5 of [Barman]: with normative bands behind them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.gait.asymmetric import StrideGait
from kinetree.gait.gait import Gait
from kinetree.gait.norms import Norms
from kinetree.simulation import Picture

Array = NDArray[np.float64]
WIDTH, HEIGHT = 380, 262  # pixels of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 368, 50, 222  # its axes
_COLUMNS = 3
_MARGIN = 0.06  # of the range, above and below
_PERCENT = 5  # ticks of the stride
_FAINT = 'opacity="0.7" font-size="12.5"'
_CURVE, _OTHER, _BAND = "var(--kt-1, #3577d4)", "var(--kt-2, #d9603b)", "var(--kt-8, #7a8290)"
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
    rows = list(panels(gait, norms))
    parts = [
        drawn(panel, toe_off(gait), at=(k * WIDTH, row * HEIGHT))
        for row, family in enumerate(rows)
        for k, panel in enumerate(family)
    ]
    width, below = _COLUMNS * WIDTH, len(rows) * HEIGHT
    step = gait.step
    name = f"A stride at {step.speed:g} m/s with steps of {step.length:g} m"
    notes = [f"{name}, from heel strike to heel strike. Dotted: toe off."]
    if isinstance(gait, StrideGait):
        notes.append(BOTH_LEGS)
    if norms is not None:
        notes.append(f"{_BAND_NOTE} ({norms.name}).")
    text = f'<text x="8" y="{below + 16}" font-size="13" fill="currentColor">{escape(" ".join(notes))}</text>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {below + 28}" role="img" '
    font = 'font-family="system-ui, sans-serif">'
    return Picture("\n".join([head + font, f"<title>{escape(name)}</title>", *parts, text, "</svg>"]), name)


def drawn(panel: Panel, off: float, *, seconds: float = 100.0, at: tuple[float, float] | None = None) -> str:
    """A panel as an ``<svg>``.

    Args:
        panel: what it shows.
        off: where the toe leaves the ground [%].
        seconds: of the whole stride, for lines that follow an animation.
        at: where it is in another picture [pixels].
    """
    # drawing comes after this in the order of the package: it is fetched when it is wanted
    axis: Any = importlib.import_module("kinetree.view.ticks").Axis
    shown = [panel.curve] if panel.other is None else [panel.curve, panel.other]
    if panel.norm is not None:
        shown += [panel.norm[0] - panel.norm[1], panel.norm[0] + panel.norm[1]]
    low, high = min(float(x.min()) for x in shown), max(float(x.max()) for x in shown)
    room = _MARGIN * (high - low)
    up = axis.over(low - room, high + room, _BOTTOM, _TOP)
    across = axis.over(0.0, 100.0, _LEFT, _RIGHT, count=_PERCENT)
    x = across.pixel(panel.percent)
    place = "" if at is None else f'x="{at[0]:g}" y="{at[1]:g}" width="{WIDTH}" height="{HEIGHT}" '
    end = across.pixel(off)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {place}viewBox="0 0 {WIDTH} {HEIGHT}" role="img" class="kt-plot" '
            f'font-family="system-ui, sans-serif" font-size="13" fill="currentColor" data-left="{_LEFT}" '
            f'data-right="{_RIGHT}" data-top="{_TOP}" data-bottom="{_BOTTOM}" data-low="0" data-high="{seconds!r}">',
            f"<title>{escape(panel.title)}</title>",
            f'<text x="8" y="17" font-size="15" font-weight="600">{escape(panel.title)}</text>',
            f'<text x="8" y="37" {_FAINT}>{escape(f"{panel.unit} {up.factor}".strip())}</text>',
            *_grid(across, up),
            f'<text x="{_RIGHT}" y="{HEIGHT - 5}" text-anchor="end" {_FAINT}>% of the stride</text>',
            *_norm(panel, x, up),
            f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{_TOP}" y2="{_BOTTOM}" stroke="currentColor" '
            'stroke-opacity="0.5" stroke-dasharray="2 3"/>',
            *([] if panel.other is None else [_curve(x, up.pixel(panel.other), _OTHER)]),
            _curve(x, up.pixel(panel.curve), _CURVE),
            "</svg>",
        ]
    )


def _curve(x: Array, y: Array, colour: str) -> str:
    return f'<path d="M{_line(x, y)}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"/>'


def _norm(panel: Panel, x: Array, up: Any) -> list[str]:
    if panel.norm is None:
        return []
    mean, sd = panel.norm
    edge = _line(np.concatenate([x, x[::-1]]), up.pixel(np.concatenate([mean + sd, (mean - sd)[::-1]])))
    middle = _line(x, up.pixel(mean))
    return [
        f'<path d="M{edge}Z" fill="{_BAND}" fill-opacity="0.25" stroke="none" class="norm"/>',
        f'<path d="M{middle}" fill="none" stroke="{_BAND}" stroke-dasharray="6 4"/>',
    ]


def _grid(across: Any, up: Any) -> Iterator[str]:
    for tick, label in zip(up.ticks, up.labels):
        y = up.pixel(tick)
        yield (
            f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
            f'stroke-opacity="{0.38 if tick == 0 else 0.13}"/>'
        )
        yield f'<text x="{_LEFT - 7}" y="{y + 4.5:.1f}" text-anchor="end" {_FAINT}>{label}</text>'
    for tick, label in zip(across.ticks, across.labels):
        yield f'<text x="{across.pixel(tick):.1f}" y="{_BOTTOM + 18}" text-anchor="middle" {_FAINT}>{label}</text>'


def _line(x: Array, y: Array) -> str:
    return "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y))
