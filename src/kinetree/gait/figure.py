"""The walker as lines: for snapshots of a stride, figure 5.2 of [Barman], and for an animation."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.kinematics import pose
from kinetree.compile import compile
from kinetree.errors import InputError
from kinetree.gait.gait import Gait
from kinetree.gait.walker import PLACES, Walker
from kinetree.joints import Free
from kinetree.model.joint import Joint
from kinetree.model.mechanism import Body
from kinetree.robot import Robot
from kinetree.robots.human_body import STATURE
from kinetree.simulation import Picture

Array = NDArray[np.float64]
_WIDTH, _MARGIN, _LEGEND = 1140.0, 26.0, 30.0  # pixels
_APART = 0.62  # of the stature, between two postures
_HAND = 0.09  # m, from wrist to knuckles in the body of the tables
_LEFT, _RIGHT, _TRUNK = "var(--kt-1, #3577d4)", "var(--kt-2, #d9603b)", "var(--kt-8, #7a8290)"
_SIDES = {"L_": _LEFT, "R_": _RIGHT}  # who walks to the right of the picture shows the right side
_REST = (0.0, 0.0, 0.0, 1.0)  # the quaternion of no rotation


@dataclass(frozen=True)
class Node:
    """A point to draw: fixed in a frame of the body, and joined to another one by a line."""

    name: str
    parent: str | None
    frame: str
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)


def nodes(walker: Walker) -> list[Node]:
    """The points of a walker, parents first: trunk, head, limbs and what is carried."""
    size = walker.stature / STATURE
    trunk = ("pelvis", "spine1", "spine2", "spine3", "thorax", "neck_lower_flexion", "head", "vertex")
    found = [Node(name, before, name) for name, before in zip(trunk, (None, *trunk))]
    for side in ("R_", "L_"):
        leg = ("pelvis", *(side + name for name in ("thigh", "shank", "foot", "heel", "ball", "toe")))
        arm = ("clavicle_elevation", "upper_arm", "elbow_flexion", "hand")
        chain = ("neck_lower_flexion", *(side + name for name in arm))
        found += [Node(name, before, name) for way in (leg, chain) for before, name in pairwise(way)]
        found.append(Node(f"{side}fingers", f"{side}hand", f"{side}hand", (0.0, -_HAND * size, 0.0)))
    for name, mass in walker.loads.items():
        frame, (x, y, z), _ = PLACES[name]
        if mass:
            found.append(Node(name, frame, frame, (x * size, y * size, z * size)))
    return found


def points(walker: Walker, q: Array) -> Array:
    """Where the nodes are, above the ground: (k, nodes, 3) [m], x to the left, y up, z forward.

    Args:
        walker: whose.
        q: positions (k, nv) of the coordinates that move.
    """
    drawn = nodes(walker)

    def places(robot: Any, q: Any) -> Any:
        return [[sum((r * p for r, p in zip(row, x.place)), row[3]) for row in pose(robot, q, x.frame)[:3]]
                for x in drawn]  # fmt: skip

    body = walker.body
    found = compile(places, body, signature=f"q({body.nq}) -> points({len(drawn)},3)")(walker.coordinates(q))
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
    parts = [
        f'<line x1="0" x2="{_WIDTH:g}" y1="{floor:.1f}" y2="{floor:.1f}" stroke="currentColor" stroke-opacity="0.4"/>'
    ]
    number = {node.name: k for k, node in enumerate(drawn)}
    ahead = sorted(range(len(drawn)), key=lambda k: ("L_", "", "R_").index(_side(drawn[k].name)))
    for k in range(count):
        for i in ahead:
            parent = drawn[i].parent
            if drawn[i].name == "vertex":
                j = number["head"]
                radius = 0.5 * np.hypot(x[k, i] - x[k, j], y[k, i] - y[k, j])
                middle = f'cx="{(x[k, i] + x[k, j]) / 2:.1f}" cy="{(y[k, i] + y[k, j]) / 2:.1f}" r="{radius:.1f}"'
                parts.append(f'<circle {middle} fill="none" stroke="{_TRUNK}" stroke-width="3"/>')
            elif drawn[i].name in PLACES:
                parts.append(_box(x[k, i], y[k, i], scale * PLACES[drawn[i].name][2] * walker.stature / STATURE))
            elif parent is not None:
                j, colour = number[parent], _SIDES.get(drawn[i].name[:2], _TRUNK)
                parts.append(
                    f'<line x1="{x[k, j]:.1f}" y1="{y[k, j]:.1f}" x2="{x[k, i]:.1f}" y2="{y[k, i]:.1f}" '
                    f'stroke="{colour}" stroke-width="3" stroke-linecap="round"/>'
                )
        label = f"{100.0 * times[k] / times[-1]:.0f} %"
        parts.append(_text(float(x[k, 0]), floor + 18.0, label, 'text-anchor="middle" font-size="13" opacity="0.75"'))
    name = f"A stride at {count} times, moved apart"
    title = f"{name}. Blue: left; orange: right, the near side."
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {floor + 28:.0f}" role="img" '
    font = 'font-family="system-ui, sans-serif" fill="currentColor">'
    caption = _text(8.0, 18.0, title, 'font-size="14"')
    return Picture("\n".join([head + font, f"<title>{escape(name)}</title>", caption, *parts, "</svg>"]), name)


def _side(name: str) -> str:
    return name[:2] if name[:2] in _SIDES else ""


def _box(x: float, y: float, size: float) -> str:
    corner = f'x="{x - size / 2:.1f}" y="{y - size / 2:.1f}" width="{size:.1f}" height="{size:.1f}" rx="4"'
    return f'<rect {corner} fill="{_TRUNK}" fill-opacity="0.3" stroke="{_TRUNK}"/>'


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text)}</text>'


# -- for the animation -------------------------------------------------------------------------------------------------


def puppet(walker: Walker) -> Robot:
    """A robot whose bodies are the points of the walker: what `kinetree.view` shows as lines."""
    bodies = tuple(Body(x.name, Joint(f"to {x.name}", Free()), parent=x.parent) for x in nodes(walker))
    return Robot(bodies, "walker", walker.body.gravity, strict=False)


def strings(walker: Walker, q: Array) -> Array:
    """Coordinates of the puppet (k, nq) for positions (k, nv) of the walker."""
    drawn, where = nodes(walker), points(walker, q)
    number = {x.name: k for k, x in enumerate(drawn)}
    steps = [where[:, k] - (where[:, number[x.parent]] if x.parent else 0.0) for k, x in enumerate(drawn)]
    rest = np.broadcast_to(np.array(_REST), (len(where), 4))
    return np.concatenate([part for step in steps for part in (step, rest)], axis=1)
