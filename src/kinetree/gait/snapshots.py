"""A stride in one picture, after figure 5.2 of [Barman]: the body at several times beside each other, seen from the
right, with the force on either foot at its centre of pressure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

import numpy as np

from kinetree.errors import InputError
from kinetree.gait import figure
from kinetree.gait.figure import BodyPiece, solids
from kinetree.gait.frame_poses import frame_poses
from kinetree.gait.states import StrideStates
from kinetree.gait.walk import Walk
from kinetree.runtime.arrays import Array
from kinetree.view import Picture, svg

_WIDTH, _MARGIN, _LEGEND = 1140.0, 26.0, 30.0  # pixels
_APART = 0.66  # of the stature, between two figures
FORCE = 0.35  # of the stature: how long the arrow of a force of one body weight is
_PERCENT = 'text-anchor="middle" font-size="13" opacity="0.75"'
_EDGE = 'stroke="#1d2430" stroke-opacity="0.55" stroke-width="1.6" stroke-linejoin="round"'
_ROUND = np.linspace(0.0, np.pi, 13)  # half a turn
_FAR, _MIDDLE, _NEAR = 0, 1, 2  # who walks to the right of the picture shows the right side


def snapshots(walk: Walk, count: int) -> Picture:
    """See `Walk.snapshots`."""
    if count < 2:
        raise InputError(f"snapshots are two or more, got {count!r}")
    every = 2 if count % 2 == 0 else 1  # an odd number of times has the two steps meet at one of them
    states, walker = walk.states(every * (count - 1) + 1), walk.walker
    pick = slice(None, None, every)
    pieces = solids(walker)
    frames = [*dict.fromkeys(solid.frame for solid in pieces)]
    poses = frame_poses(walker.robot, states.q[pick], frames)
    percent, pelvis = states.percent[pick], poses[:, frames.index("pelvis"), :, 3]
    shift = _APART * walker.stature * np.arange(count) - pelvis[:, 2]
    ground = np.array([0.0, -walker.ground])
    outlines = [_figure(pieces, dict(zip(frames, now)), ground + np.array([x, 0.0])) for now, x in zip(poses, shift)]
    every_point = np.concatenate([outline for body in outlines for _, outline, _ in body])
    (low, _), (high, top) = every_point.min(axis=0), every_point.max(axis=0)
    scale = (_WIDTH - 2 * _MARGIN) / (high - low)
    floor = _LEGEND + _MARGIN + scale * top

    def pixels(outline: Array) -> Array:
        return np.stack([_MARGIN + scale * (outline[:, 0] - low), floor - scale * outline[:, 1]], axis=-1)

    drawn = [svg.line((0, floor), (_WIDTH, floor), 'stroke="currentColor" stroke-opacity="0.4"')]
    for k, body in enumerate(outlines):
        for (_, colour), group in groupby(body, lambda one: (one[0], one[2])):
            shape = "".join(f"{svg.polyline(pixels(outline))}Z" for _, outline, _ in group)
            drawn += [svg.path(shape, f'fill="{colour}" {_EDGE}'), svg.path(shape, f'fill="{colour}" stroke="none"')]
        drawn += _forces(states, k * every, shift[k], pixels)
        middle = pixels(np.array([[pelvis[k, 2] + shift[k], 0.0]]))[0, 0]
        drawn.append(svg.text(middle, floor + 18.0, f"{percent[k]:.0f} %", _PERCENT))
    name = f"A stride at {count} times, moved apart"
    note = f"{name}. Blue: left; orange: right, the near side. Green: ground forces."
    caption = svg.text(8.0, 18.0, note, 'font-size="14"')
    return Picture(name, round(_WIDTH), round(floor + 28), (caption, *drawn), f'{svg.FONT} fill="currentColor"')


def _figure(pieces: list[BodyPiece], poses: dict[str, Array], shift: Array) -> list[tuple[int, Array, str]]:
    """The outlines of one figure, forward and up [m], the far side first; with their depth and colour."""
    found = []
    for solid in pieces:
        depth = {"L_": _FAR, "R_": _NEAR}.get(solid.frame[:2], _MIDDLE)
        outline = _outline(solid, poses[solid.frame]) + shift
        x, y = outline.T
        turns = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
        found.append((depth, outline if turns > 0.0 else outline[::-1], solid.colour))  # all turn alike
    return sorted(found, key=lambda one: (one[0], one[2] == figure.HEAD))


def _outline(solid: BodyPiece, pose: Array) -> Array:
    """The outline of a solid, forward and up [m]: of a capsule the two circles and the lines that touch both."""
    R, p = pose[:, :3], pose[:, 3]
    a, b = ((R @ x + p)[[2, 1]] for x in (solid.start, solid.end))
    if solid.kind == "capsule":
        return _capsule(a, b, *solid.size)
    axes = (R * solid.size)[[2, 1]]  # the shadows of its half axes
    if solid.kind == "box":
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ axes[:, [2, 1]].T
        return a + corners
    turn = np.concatenate([_ROUND, _ROUND + np.pi])
    # the shadow of an ellipsoid: the ellipse with the matrix of its axes' outer products
    values, vectors = np.linalg.eigh(axes @ axes.T)
    return a + (vectors * np.sqrt(values) @ np.stack([np.cos(turn), np.sin(turn)])).T


def _capsule(a: Array, b: Array, first: float, last: float) -> Array:
    far = float(np.hypot(*(b - a)))
    if far <= abs(first - last):  # one circle hides the other
        centre, r = (a, first) if first >= last else (b, last)
        turn = np.concatenate([_ROUND, _ROUND + np.pi])
        return centre + r * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    along, slope = float(np.arctan2(*(b - a)[::-1])), float(np.arcsin((first - last) / far))
    start = along + np.pi / 2 - slope + _ROUND / np.pi * (np.pi + 2 * slope)
    end = along - np.pi / 2 + slope + _ROUND / np.pi * (np.pi - 2 * slope)
    arcs = [(a, first, start), (b, last, end)]
    return np.concatenate([p + r * np.stack([np.cos(t), np.sin(t)], axis=-1) for p, r, t in arcs])


def _forces(states: StrideStates, k: int, shift: float, pixels: Callable[[Array], Array]) -> Iterator[str]:
    """An arrow for the force on either foot, from its centre of pressure."""
    walker = states.walker
    for foot in states.feet.values():
        if foot.force[k, 1] > 0.02 * walker.weight:
            start = foot.point[k, [2, 1]] + [shift, -walker.ground]
            tip = start + FORCE * walker.stature / walker.weight * foot.force[k, [2, 1]]
            (x0, y0), (x1, y1) = pixels(np.array([start, tip]))
            colour = figure.FORCE
            back = np.array([x0 - x1, y0 - y1]) / np.hypot(x0 - x1, y0 - y1)
            wings = [np.array([x1, y1]) + 9.0 * back + 4.0 * s * back[::-1] * [1, -1] for s in (1, -1)]
            stroke = f'stroke="{colour}" stroke-width="2.4" stroke-linecap="round"'
            yield svg.line((x0, y0), tuple(np.array([x1, y1]) + 7.0 * back), stroke)
            yield svg.path(f"{svg.polyline([(x1, y1), *map(tuple, wings)])}Z", f'fill="{colour}" stroke="none"')
            yield svg.circle((x0, y0), 3.0, f'fill="{colour}" stroke="#ffffff" stroke-width="1"')
