"""The walker as a stick figure: for snapshots of a stride, figure 5.2 of [Barman], and for an animation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import pose
from kinetree.compile import compile
from kinetree.errors import InputError
from kinetree.gait.gait import Gait
from kinetree.gait.walker import LOADS, Walker
from kinetree.runtime.arrays import Array
from kinetree.view import Picture, Skeleton, svg

_WIDTH, _MARGIN, _LEGEND = 1140.0, 26.0, 30.0  # pixels
_APART = 0.62  # of the stature, between two figures
_HAND = 0.09  # m, from wrist to knuckles in the body of the tables
_LEFT, _RIGHT, _TRUNK = svg.colour(0), svg.colour(1), svg.colour(7)
_PERCENT = 'text-anchor="middle" font-size="13" opacity="0.75"'
_SIDES = {"L_": _LEFT, "R_": _RIGHT}  # who walks to the right of the picture shows the right side


@dataclass(frozen=True)
class FigurePoint:
    """A point to draw: fixed in a frame of the body, and joined to its parent by a line."""

    name: str
    parent: str | None
    frame: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the frame [m]


def nodes(walker: Walker) -> list[FigurePoint]:
    """The points of a walker, parents first: trunk, head, limbs and loads."""
    size = walker.size
    trunk = ("pelvis", "spine1", "spine2", "spine3", "thorax", "neck_lower_flexion", "head", "vertex")
    found = [FigurePoint(name, before, name) for name, before in zip(trunk, (None, *trunk))]
    for side in ("R_", "L_"):
        leg = ("pelvis", *(side + name for name in ("thigh", "shank", "foot", "heel", "ball", "toe")))
        arm = ("clavicle_elevation", "upper_arm", "elbow_flexion", "hand")
        chain = ("neck_lower_flexion", *(side + name for name in arm))
        found += [FigurePoint(name, before, name) for limb in (leg, chain) for before, name in pairwise(limb)]
        found.append(FigurePoint(f"{side}fingers", f"{side}hand", f"{side}hand", (0.0, -_HAND * size, 0.0)))
    for name, mass in walker.loads.items():
        frame, (x, y, z), _ = LOADS[name]
        if mass:
            found.append(FigurePoint(name, frame, frame, (x * size, y * size, z * size)))
    return found


def points(walker: Walker, q: Array) -> Array:
    """Where the nodes are, above the ground: (k, nodes, 3) [m], x to the left, y up, z forward.

    Args:
        walker: whose.
        q: positions (k, nv) of the coordinates that move.
    """
    drawn = nodes(walker)

    def positions(robot: Any, q: Any) -> Any:
        return [[sum((r * p for r, p in zip(row, x.position)), row[3]) for row in pose(robot, q, x.frame)[:3]]
                for x in drawn]  # fmt: skip

    body = walker.body
    found = compile(positions, body, signature=f"q({body.nq}) -> points({len(drawn)},3)")(walker.coordinates(q))
    return np.asarray(found, float) - [0.0, walker.ground, 0.0]


# -- snapshots ---------------------------------------------------------------------------------------------------------


def snapshots(gait: Gait, count: int) -> Picture:
    """See `Gait.snapshots`."""
    if count < 2:
        raise InputError(f"snapshots are two or more, got {count!r}")
    walker = gait.step.walker
    times, q = gait.stride(2 * count - 1)
    times, q = times[::2], q[::2]
    drawn, apart = nodes(walker), _APART * walker.stature
    flat = points(walker, q)[..., [2, 1]]
    flat[..., 0] += apart * np.arange(count)[:, None] - flat[:, :1, 0]
    low, high = float(flat[..., 0].min()), float(flat[..., 0].max())
    scale = (_WIDTH - 2 * _MARGIN) / (high - low)
    floor = _LEGEND + _MARGIN + scale * float(flat[..., 1].max())
    x, y = _MARGIN + scale * (flat[..., 0] - low), floor - scale * flat[..., 1]
    across = svg.line((0, floor), (_WIDTH, floor), 'stroke="currentColor" stroke-opacity="0.4"')
    where = np.stack([x, y], axis=-1)
    figures = [part for k in range(count) for part in _figure(walker, drawn, where[k], scale)]
    labels = [svg.text(x[k, 0], floor + 18.0, f"{100.0 * times[k] / times[-1]:.0f} %", _PERCENT) for k in range(count)]
    name = f"A stride at {count} times, moved apart"
    caption = svg.text(8.0, 18.0, f"{name}. Blue: left; orange: right, the near side.", 'font-size="14"')
    elements = (caption, across, *figures, *labels)
    return Picture(name, round(_WIDTH), round(floor + 28), elements, f'{svg.FONT} fill="currentColor"')


def _figure(walker: Walker, drawn: list[FigurePoint], where: Array, scale: float) -> Iterator[str]:
    """One figure, the far side first: lines between its points (nodes, 2), a head, and boxes for loads."""
    number = {node.name: k for k, node in enumerate(drawn)}
    for node in sorted(drawn, key=lambda node: {"L_": 0, "R_": 2}.get(node.name[:2], 1)):
        point, before = where[number[node.name]], where[number[node.parent or node.name]]
        if node.name == "vertex":
            radius = 0.5 * float(np.hypot(*(point - before)))
            yield svg.circle((point + before) / 2, radius, f'fill="none" stroke="{_TRUNK}" stroke-width="3"')
        elif node.name in LOADS:
            yield _box(point, scale * LOADS[node.name].edge * walker.size)
        elif node.parent is not None:
            colour = _SIDES.get(node.name[:2], _TRUNK)
            yield svg.line(before, point, f'stroke="{colour}" stroke-width="3" stroke-linecap="round"')


def _box(middle: Array, size: float) -> str:
    x, y = middle
    corner = f'x="{x - size / 2:.1f}" y="{y - size / 2:.1f}" width="{size:.1f}" height="{size:.1f}" rx="4"'
    return f'<rect {corner} fill="{_TRUNK}" fill-opacity="0.3" stroke="{_TRUNK}"/>'


# -- for the animation -------------------------------------------------------------------------------------------------


def stick_figure(walker: Walker, q: Array) -> Skeleton:
    """The walker as points and lines between them, at positions (k, nv)."""
    drawn = nodes(walker)
    number = {node.name: k for k, node in enumerate(drawn)}
    edges = tuple((number[x.parent], k) for k, x in enumerate(drawn) if x.parent is not None)
    return Skeleton(points(walker, q), edges, tuple(number))
