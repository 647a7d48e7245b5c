"""A robot in one configuration as a picture, without a script: seen from the side and a little from above."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.robot import Robot
from kinetree.robot.functions import Array
from kinetree.scalar import is_zero
from kinetree.view import svg
from kinetree.view.picture import Picture
from kinetree.view.skeleton import skeleton

_WIDTH, _HEIGHT, _MARGIN = 480, 400, 30.0  # pixels
_YAW, _PITCH = -0.9, 0.32  # rad, where the animation is seen from too
_METAL, _GRID, _SHADOW = "var(--metal, #aeb8c6)", "var(--grid, #8391a7)", "var(--shadow, #2b3445)"
_THICK, _THIN = 9.0, 3.0  # pixels, a line of a few points and one of many


def portrait(robot: Robot, q: ArrayLike | None = None, **parameters: Any) -> Picture:
    """A picture of a robot: its joints as dots, the lines between them, and their shadow on a floor.

    Args:
        robot: what to show.
        q: positions (nq,) [rad, m]; the neutral ones by default.
        parameters: values of the model's named parameters.

    Returns:
        A `Picture`, which a notebook shows; ``save`` writes it to an .svg or .html file.

    Example:
        >>> import kinetree as kt
        >>> portrait(kt.robots.panda(), [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]).title
        'panda'
    """
    place = np.asarray(robot.neutral if q is None else q, dtype=np.float64)
    if place.ndim != 1:
        raise InputError(f"a portrait shows one configuration, q ({robot.nq},); got the shape {place.shape}")
    if not np.isfinite(place).all():
        raise InputError(f"q has a coordinate that is not finite: {place.tolist()}")
    shown = skeleton(robot, place, **parameters)
    axes = [k for k, g in enumerate(robot.gravity) if not is_zero(g)]
    vertical = axes[0] if len(axes) == 1 else 2
    # the last point is the base: edges from -1 find it
    points = np.roll(np.concatenate([shown.points, np.zeros((1, 3))]), 2 - vertical, axis=-1)
    used = sorted({*range(robot.nbodies), *(k % len(points) for edge in shown.edges for k in edge)} or {0})
    low, high = points[used].min(axis=0), points[used].max(axis=0)
    size = max(float(np.linalg.norm(high - low)), 1e-6)
    floor = 0.0 if low[2] >= -0.02 * size else float(low[2]) - 0.06 * size
    below = points * [1.0, 1.0, 0.0] + [0.0, 0.0, floor]
    grid = _grid(low, high, floor, size)
    flat = _Projection(np.concatenate([points[used], below[used], *grid]))
    thick = max(_THIN, _THICK - 0.12 * len(points))
    lines = [svg.path(svg.polyline(flat(line)), f'stroke="{_GRID}" stroke-opacity="0.3"') for line in grid]
    width = f'stroke-width="{thick:g}"'
    lines.append(_strokes(flat(below), shown.edges, f'stroke="{_SHADOW}" stroke-opacity="0.12" {width}'))
    lines.append(_strokes(flat(points), shown.edges, f'stroke="{_METAL}" {width}'))
    at, joints = flat(points), {name: k for k, name in enumerate(robot.joint_names)}
    colours = [svg.colour(joints.get(body.joint.name, 7)) for body in robot.bodies]
    lines += [svg.circle(p, 0.6 * thick, f'fill="{colour}"') for p, colour in zip(at, colours)]
    return Picture(robot.name, _WIDTH, _HEIGHT, tuple(lines), svg.FONT)


class _Projection:
    """From metres, z up, to pixels: parallel, such that some points fill the picture."""

    def __init__(self, points: Array) -> None:
        seen = self._turned(points)
        low, size = seen.min(axis=0), np.maximum(np.ptp(seen, axis=0), 1e-6)
        room = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN
        self.scale = float(min(room / size))
        self.offset = (np.array([_WIDTH, _HEIGHT]) - self.scale * size) / 2 - self.scale * low

    def __call__(self, points: Array) -> Array:
        return self._turned(points) * self.scale + self.offset

    def _turned(self, points: Array) -> Array:
        x, y, z = np.moveaxis(np.asarray(points, dtype=np.float64), -1, 0)
        (cy, sy), (cp, sp) = ((np.cos(a), np.sin(a)) for a in (_YAW, _PITCH))
        return np.stack([cy * y - sy * x, sp * (cy * x + sy * y) - cp * z], axis=-1)


def _strokes(at: Array, edges: Any, stroke: str) -> str:
    return svg.path("".join(svg.polyline(at[[a, b]]) for a, b in edges), f'{stroke} stroke-linecap="round"')


def _grid(low: Array, high: Array, floor: float, size: float) -> list[Array]:
    """Lines of the floor below the points, at round distances."""
    power = 10.0 ** np.floor(np.log10(size / 4))
    step = power * next(m for m in (5, 2, 1) if m * power <= size / 4 or m == 1)
    first, last = (np.floor(low[:2] / step) * step, np.ceil(high[:2] / step) * step)
    (x0, y0), (x1, y1) = first - step * (last == first), last + step * (last == first)
    across = [np.array([[x, y0, floor], [x, y1, floor]]) for x in np.arange(x0, x1 + step / 2, step)]
    return across + [np.array([[x0, y, floor], [x1, y, floor]]) for y in np.arange(y0, y1 + step / 2, step)]
