"""A motion in one picture: the robot at several times as a stick figure, and the path of its tip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.robot import Robot
from kinetree.robot.functions import Array
from kinetree.view import svg
from kinetree.view.picture import Picture
from kinetree.view.skeleton import skeleton

_WIDTH, _MARGIN, _LEGEND = 560, 36.0, 30.0  # pixels
_TALLEST = 520.0  # pixels
_PATH = 200  # points of the path of the tip
_FAINT, _FULL = 0.25, 1.0  # how strong the first and the last configuration are drawn
_START, _END, _TIP = svg.colour(7), svg.colour(0), svg.colour(1)


def snapshots(
    robot: Robot,
    positions: Callable[[Array], Array],
    duration: float,
    count: int,
    frame: str | None = None,
    **parameters: Any,
) -> Picture:
    """A robot at several times of a motion, seen along the axis of the world in which it is thinnest.

    Args:
        robot: what moves.
        positions: of the robot (n, nq) at times (n,) [s].
        duration: of the motion [s].
        count: how many times, both ends included.
        frame: whose path is drawn; that of the last body's tip by default.
        parameters: values of the model's named parameters.
    """
    if count < 2:
        raise InputError(f"snapshots are two or more, got {count!r}")
    shown = skeleton(robot, positions(np.linspace(0.0, duration, count)), **parameters)
    base = np.zeros((count, 1, 3))  # the last point: edges from -1 find it
    points = np.concatenate([shown.points, base], axis=1)
    q = positions(np.linspace(0.0, duration, _PATH))
    tip = skeleton(robot, q, **parameters).points[:, -1]
    path = tip if frame is None else robot.pose(q, frame, **parameters)[:, :3, 3]
    joints = sorted({k for edge in shown.edges for k in edge})
    used = np.concatenate([points[:, joints].reshape(-1, 3), path])
    across, up = _axes(used)
    to_pixels, height = _scaled(used[:, [across, up]])
    flat = to_pixels(points[..., [across, up]])
    figures = []
    for k, strength in enumerate(np.linspace(_FAINT, _FULL, count)):
        colour = _END if k == count - 1 else _START
        lines = "".join(svg.polyline(flat[k, [a, b]]) for a, b in shown.edges)
        stroke = f'stroke="{colour}" stroke-opacity="{strength:.2f}" stroke-width="3" stroke-linecap="round"'
        figures.append(svg.path(lines, stroke))
        figures += [svg.circle(p, 3, f'fill="{colour}" fill-opacity="{strength:.2f}"') for p in flat[k, joints]]
    name = f"{robot.name} at {count} times from 0 to {duration:.4g} s"
    label = svg.text(8, 20, f"{name}, axes {'xyz'[across]}{'xyz'[up]}", 'font-size="13" fill="currentColor"')
    track = svg.path(svg.polyline(to_pixels(path[:, [across, up]])), f'stroke="{_TIP}" stroke-dasharray="5 4"')
    return Picture(name, _WIDTH, round(height), (label, track, *figures), svg.FONT)


def _axes(points: Array) -> tuple[int, int]:
    """The two axes of the world to draw: without the one in which the points lie closest; z is up where it is one."""
    sizes = np.ptp(points, axis=0)
    thin = 2 - int(np.argmin(sizes[::-1]))  # z where two are equal
    across, up = [k for k in range(3) if k != thin]
    return across, up


def _scaled(points: Array) -> tuple[Callable[[Array], Array], float]:
    """From metres to pixels, the same in both directions; and the height of the picture."""
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    scale = min((_WIDTH - 2 * _MARGIN) / size[0], (_TALLEST - 2 * _MARGIN) / size[1])
    height = float(scale * size[1] + 2 * _MARGIN + _LEGEND)
    left = (_WIDTH - scale * size[0]) / 2

    def to_pixels(p: Array) -> Array:
        x, y = left + scale * (p[..., 0] - low[0]), height - _MARGIN - scale * (p[..., 1] - low[1])
        return np.stack([x, y], axis=-1)

    return to_pixels, height
