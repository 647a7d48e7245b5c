"""A still picture of a robot as SVG: what a notebook shows beside a table, and a page where no script runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import world_poses
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array
from kinetree.scene.parts import Bodies
from kinetree.scene.tree import rows, upright

WIDTH, HEIGHT, _MARGIN = 480, 400, 26.0  # pixels
_YAW, _PITCH = -0.9, 0.32  # rad, where the page looks from too
_FILL = {"link": "#cdd4de", "joint": "#3d4a5c", "base": "#8d98a8", "tip": "#8d98a8"}


def still(mechanism: Mechanism, q: Sequence[float], parts: Sequence[dict[str, Any]] = ()) -> str:
    """The text of an ``<svg>`` element of a robot.

    Args:
        mechanism: without open parameters.
        q: positions (nq,) [rad, m].
        parts: what is drawn; what joints and inertias tell of by default.

    Example:
        >>> import kinetree as kt
        >>> still(kt.robots.two_link(), [0.3, 0.4])[:4]
        '<svg'
    """
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" style="max-width: {WIDTH}px"'
    lines = "\n".join(drawing(mechanism, q, parts))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}><title>{escape(mechanism.name)}</title>\n{lines}\n</svg>'


def drawing(mechanism: Mechanism, q: Sequence[float], parts: Sequence[dict[str, Any]] = ()) -> list[str]:
    """The elements of a picture, the nearest last, seen from the side and a little from above."""
    root = np.array(upright(mechanism)).reshape(3, 4)
    bodies = Bodies(mechanism, q, root.ravel().tolist())
    poses = world_poses(mechanism, list(q))
    at = [np.array(rows(poses[i])).reshape(3, 4) for i in range(mechanism.nbodies)]
    bars = [_bar(part, root, at) for part in parts or bodies.parts()]
    points = np.concatenate([[a, b] for a, b, _, _ in bars] or [np.zeros((2, 3))])
    floor = min(0.0, float(points[:, 2].min()))
    seen = _turned(np.concatenate([points, points * [1.0, 1.0, 0.0] + [0.0, 0.0, floor]]))
    low, size = seen[:, :2].min(axis=0), np.maximum(np.ptp(seen[:, :2], axis=0), 0.2 * bodies.size)
    scale = float(min((np.array([WIDTH, HEIGHT]) - 2 * _MARGIN) / (size + 4 * bodies.radius)))
    middle = low + np.ptp(seen[:, :2], axis=0) / 2
    drawn: list[tuple[float, str]] = []
    for a, b, width, fill in bars:
        below = np.array([[*a[:2], floor], [*b[:2], floor]])
        for ends, shade in ((_turned(np.array([a, b])), False), (_turned(below), True)):
            flat = (scale * (ends[:, :2] - middle) + [WIDTH / 2, HEIGHT / 2]).ravel().tolist()
            line = _line(flat, 2 * scale * width, "#2b3445" if shade else fill, 0.06 if shade else 1.0)
            drawn.append((-np.inf if shade else float(ends[:, 2].sum()), line))
    return [text for _, text in sorted(drawn, key=lambda item: item[0])]


def _bar(part: dict[str, Any], root: Array, at: list[Array]) -> tuple[Array, Array, float, str]:
    """A part as a bar: its ends in the picture, its radius and its colour."""
    outer = root if part["body"] < 0 else _times(root, at[part["body"]])
    pose = _times(outer, np.array(part["pose"]).reshape(3, 4))
    size, place, axis = part["size"], pose[:, 3], pose[:, 2]
    own = part.get("colour")
    fill = _FILL[part["role"]] if own is None else "#" + "".join(f"{round(255 * x):02x}" for x in own[:3])
    if part["kind"] == "capsule":
        return place, place + size[2] * axis, (size[0] + size[1]) / 2, fill
    if part["kind"] == "drum":
        inside = max(size[1] - 0.5 * size[0], 0.0)
        return place - inside * axis, place + inside * axis, size[0] * 0.9, fill
    if part["kind"] == "sphere":
        return place, place + 1e-9, size[0], fill
    k = int(np.argmax(size))  # a box: along its longest side
    width = float(np.mean(np.delete(size, k)))
    way = max(size[k] - width, 1e-9) * pose[:, k]
    return place - way, place + way, width, fill


def _times(a: Array, b: Array) -> Array:
    return np.concatenate([a[:, :3] @ b[:, :3], a[:, :3] @ b[:, 3:] + a[:, 3:]], axis=1)


def _turned(points: Array) -> Array:
    """Right, down, and towards the eye."""
    x, y, z = points.T
    (cy, sy), (cp, sp) = ((np.cos(a), np.sin(a)) for a in (_YAW, _PITCH))
    along = cy * x + sy * y
    return np.stack([cy * y - sy * x, sp * along - cp * z, cp * along + sp * z], axis=-1)


def _line(ends: Sequence[float], width: float, colour: str, opacity: float = 1.0) -> str:
    x1, y1, x2, y2 = (f"{v:.1f}" for v in ends)
    way = f'<path d="M{x1} {y1}L{x2} {y2}" stroke-linecap="round" fill="none"'
    if opacity < 1.0:
        return f'{way} stroke="{colour}" stroke-opacity="{opacity}" stroke-width="{width:.1f}"/>'
    edge = f'{way} stroke="#1d2430" stroke-opacity="0.55" stroke-width="{width + 1.4:.1f}"/>'
    return f'{edge}{way} stroke="{colour}" stroke-width="{width:.1f}"/>'
