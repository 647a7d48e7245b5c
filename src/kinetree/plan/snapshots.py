"""A motion in one picture: the robot at several times, as lines."""

from __future__ import annotations

import importlib
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.plan.plan import Plan
from kinetree.simulation import Picture

Array = NDArray[np.floating[Any]]
_WIDTH, _MARGIN, _LEGEND = 560, 36.0, 30.0  # pixels
_TALLEST = 520.0  # pixels
_WAY = 200  # points of the way of the tip
_FAINT, _FULL = 0.25, 1.0  # how strong the first and the last posture are drawn
_START, _END = "#7a8290", "#3577d4"


def snapshots(plan: Plan, count: int, frame: str | None) -> Picture:
    """See `Plan.snapshots`."""
    if count < 2:
        raise InputError(f"snapshots are two or more, got {count!r}")
    skeleton = importlib.import_module("kinetree.view.skeleton").skeleton
    times = np.linspace(0.0, plan.duration, count)
    found = skeleton(plan.robot, plan.motion(times)[0])
    base = np.zeros((count, 1, 3))  # the last point: edges from -1 find it
    points = np.concatenate([found.points, base], axis=1)
    q = plan.motion(np.linspace(0.0, plan.duration, _WAY))[0]
    way = skeleton(plan.robot, q).points[:, -1] if frame is None else plan.robot.pose(q, frame)[:, :3, 3]
    joints = sorted({k for edge in found.edges for k in edge})
    used = np.concatenate([points[:, joints].reshape(-1, 3), way])
    across, up = _axes(used)
    to_pixels, height = _scaled(used[:, [across, up]])
    flat, track = to_pixels(points[..., [across, up]]), to_pixels(way[:, [across, up]])
    lines = []
    for k in range(count):
        part = k / (count - 1)
        strength = _FAINT + (_FULL - _FAINT) * part
        colour = _END if k == count - 1 else _START
        edges = "".join(f"M{_pair(flat[k, a])}L{_pair(flat[k, b])}" for a, b in found.edges)
        lines.append(
            f'<path d="{edges}" fill="none" stroke="{colour}" stroke-opacity="{strength:.2f}" stroke-width="3" '
            'stroke-linecap="round"/>'
        )
        lines += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" fill-opacity="{strength:.2f}"/>'
            for x, y in flat[k, joints]
        ]
    name = f"{plan.robot.name} at {count} times from 0 to {plan.duration:.4g} s"
    label = (
        f'<text x="8" y="20" font-size="13" fill="currentColor">{escape(name)}, axes {"xyz"[across]}{"xyz"[up]}</text>'
    )
    path = f'<path d="M{"L".join(map(_pair, track))}" fill="none" stroke="#d9603b" stroke-dasharray="5 4"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img">'
    font = '<g font-family="system-ui, sans-serif">'
    return Picture("\n".join([head, f"<title>{escape(name)}</title>", font, label, path, *lines, "</g></svg>"]), name)


def _axes(points: Array) -> tuple[int, int]:
    """The two axes of the world to draw: without the one in which the points lie closest; z is up where it is one."""
    sizes = np.ptp(points, axis=0)
    thin = 2 - int(np.argmin(sizes[::-1]))  # z where two are equal
    across, up = [k for k in range(3) if k != thin]
    return across, up


def _scaled(points: Array) -> tuple[Any, float]:
    """From metres to pixels, the same in both directions; and the height of the picture."""
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    scale = min((_WIDTH - 2 * _MARGIN) / size[0], (_TALLEST - 2 * _MARGIN) / size[1])
    height = scale * size[1] + 2 * _MARGIN + _LEGEND
    left = (_WIDTH - scale * size[0]) / 2

    def to_pixels(p: Array) -> Array:
        x, y = left + scale * (p[..., 0] - low[0]), height - _MARGIN - scale * (p[..., 1] - low[1])
        return np.stack([x, y], axis=-1)

    return to_pixels, height


def _pair(p: Array) -> str:
    return f"{p[0]:.1f} {p[1]:.1f}"
