"""The walker as a body with volume: tapered capsules and ellipsoids on its segments, left and right in two colours.

Radii of the limbs follow from the masses and lengths of their segments at the density of the body; the sizes of trunk,
head, hands and feet are estimates for the man of the tables, and scale with stature and girth. Soles are where the
model has them, so that feet stand on the ground. In the zero configuration all frames have the axes of the world.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinetree.gait.walker import LOADS, Walker
from kinetree.robots.human_table import MASS
from kinetree.runtime.arrays import Array
from kinetree.scene.parts import part, pose_along
from kinetree.scene.tree import Data, rows

LEFT, RIGHT, TRUNK, HEAD, LOAD, FORCE = "#3577d4", "#d9603b", "#a9b4c4", "#d8bfa5", "#5f6b7c", "#0f9d58"
COLOURS = {"L": LEFT, "R": RIGHT}
_DENSITY = 1050.0  # kg/m^3, of the body
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
# limbs: the segment, where it ends, radii at its ends over that of the cylinder with its mass and length
_LIMBS = (
    ("thigh", "shank", 1.08, 0.70),
    ("shank", "foot", 1.12, 0.74),
    ("upper_arm", "elbow_flexion", 1.05, 0.82),
    ("forearm", "hand", 1.05, 0.72),
)
# ellipsoids of the man of the tables: the frame, its centre in it, half axes to the left, up and forward [m]
_TRUNK = (
    ("pelvis", (0.0, 0.010, -0.004), (0.158, 0.112, 0.108)),
    ("pelvis", (0.0, 0.075, 0.0), (0.148, 0.140, 0.103)),
    ("spine1", (0.0, 0.035, 0.002), (0.136, 0.160, 0.098)),
    ("spine2", (0.0, 0.060, 0.003), (0.140, 0.190, 0.101)),
    ("spine3", (0.0, 0.060, 0.003), (0.152, 0.185, 0.107)),
    ("thorax", (0.0, 0.070, 0.003), (0.164, 0.155, 0.112)),
)
_HEAD_HALF, _HAND_HALF = (0.076, 0.118, 0.095), (0.040, 0.088, 0.018)
_SHOULDERS, _NECK, _BELOW_C7 = 0.058, 0.054, 0.060  # radii, and how far the shoulders are below C7
_HEEL, _BALL, _TOE, _SPREAD = 0.033, 0.024, 0.013, 0.021  # radii in the foot, half of its width at the ball


@dataclass(frozen=True)
class BodyPiece:
    """A piece of the body: a capsule from one place to another, or an ellipsoid or a box about a place.

    Args:
        kind: "capsule", "ellipsoid" or "box".
        frame: that carries it.
        start, end: places in the frame (3,) [m]; the same for what is no capsule.
        size: the radii at both ends of a capsule, half axes or half edges otherwise [m].
        colour: "#rrggbb".
    """

    kind: str
    frame: str
    start: Array
    end: Array
    size: tuple[float, ...]
    colour: str


def solids(walker: Walker) -> list[BodyPiece]:
    """The pieces of a walker, and what it carries."""
    return [*_trunk(walker), *(x for side in "RL" for x in _limbs(walker, side)), *_loads(walker)]


def _girth(walker: Walker) -> float:
    """How wide the walker is, over the man of the tables."""
    return walker.size * math.sqrt(walker.mass / MASS / walker.size**3)


def _trunk(walker: Walker) -> Iterator[BodyPiece]:
    tall, wide = walker.size, _girth(walker)
    for frame, centre, (x, y, z) in _TRUNK:
        at = np.array(centre) * tall
        yield BodyPiece("ellipsoid", frame, at, at, (x * wide, y * tall, z * wide), TRUNK)
    c7, skull, vertex, shoulder = (
        walker.standing(name) for name in ("neck_lower_flexion", "head", "vertex", "L_upper_arm")
    )
    across = np.array([shoulder[0] - 0.3 * _SHOULDERS * wide, shoulder[1] - walker.standing("thorax")[1], 0.0])
    ends = across * [-1.0, 1.0, 1.0], across
    yield BodyPiece("capsule", "thorax", *ends, (_SHOULDERS * wide, _SHOULDERS * wide), TRUNK)
    radii = _NECK * wide, _NECK * wide
    yield BodyPiece("capsule", "neck_lower_flexion", np.array([0.0, -0.03 * tall, 0.0]), skull - c7, radii, HEAD)
    x, y, z = (half * tall for half in _HEAD_HALF)
    middle = vertex - skull - [0.0, y, -0.012 * tall]
    yield BodyPiece("ellipsoid", "head", middle, middle, (x, y, z), HEAD)


def _limbs(walker: Walker, side: str) -> Iterator[BodyPiece]:
    masses = {body.name: float(body.inertia.mass) for body in walker.body.bodies}
    nothing, colour, wide = np.zeros(3), COLOURS[side], _girth(walker)
    for name, below, first, last in _LIMBS:
        # the forearm's own mass hangs on its last joint, its frame is at the elbow
        frame = f"{side}_{name}"
        far = walker.standing(f"{side}_{below}") - walker.standing(frame)
        r = math.sqrt(_unloaded(walker, frame, masses[frame]) / (_DENSITY * math.pi * float(np.linalg.norm(far))))
        yield BodyPiece("capsule", frame, nothing, far, (first * r, last * r), colour)
    x, y, z = (half * walker.size for half in _HAND_HALF)
    hand = np.array([0.0, -0.9 * y, 0.0])
    yield BodyPiece("ellipsoid", f"{side}_hand", hand, hand, (x, y, z), colour)
    yield from _foot(walker, side, wide, colour)


def _unloaded(walker: Walker, frame: str, mass: float) -> float:
    """The mass of a segment without what is attached to it."""
    return mass - sum(load for name, load in walker.loads.items() if LOADS[name].frame == frame)


def _foot(walker: Walker, side: str, wide: float, colour: str) -> Iterator[BodyPiece]:
    """From the ankle to the heel and over two rays to the ball, and from there to the toes; all stand on the sole."""
    foot, forefoot = f"{side}_foot", f"{side}_forefoot"
    heel, ball, toe = (walker.standing(f"{side}_{name}") for name in ("heel", "ball", "toe"))
    heel_r, ball_r, toe_r = (r * wide for r in (_HEEL, _BALL, _TOE))
    up = np.array([0.0, 1.0, 0.0])
    back = heel - walker.standing(foot) + [0.0, heel_r, 0.45 * heel_r]
    yield BodyPiece("capsule", foot, np.zeros(3), back, (1.0 * heel_r, heel_r), colour)
    for x in (-1.0, 1.0):
        beside = np.array([x * _SPREAD * wide, 0.0, 0.0])
        front = ball - walker.standing(foot) + ball_r * up + beside
        yield BodyPiece("capsule", foot, back, front, (heel_r, ball_r), colour)
        yield BodyPiece("capsule", foot, np.zeros(3), front, (0.9 * heel_r, ball_r), colour)
        start = ball - walker.standing(forefoot) + ball_r * up + beside
        end = toe - walker.standing(forefoot) + [0.0, toe_r, -toe_r] + 0.85 * beside
        yield BodyPiece("capsule", forefoot, start, end, (ball_r, toe_r), colour)


def _loads(walker: Walker) -> Iterator[BodyPiece]:
    for name, mass in walker.loads.items():
        if mass:
            frame, centre, edge = LOADS[name]
            at, half = np.array(centre) * walker.size, edge * walker.size / 2.0
            yield BodyPiece("box", frame, at, at, (half, half, 0.6 * half), LOAD)


def parts(walker: Walker) -> list[Data]:
    """The pieces as parts of a page, on the bodies of the coordinates that move."""
    robot, found = walker.robot, []
    for solid in solids(walker):
        body, placed = robot.frame(solid.frame)
        at = np.array(rows(placed)).reshape(3, 4)
        way = solid.end - solid.start
        far = float(np.linalg.norm(way))
        if solid.kind == "capsule":
            kind, size, own = "capsule", [*solid.size, far], pose_along(solid.start, way / far)
        else:
            kind, size, own = {"box": "soft"}.get(solid.kind, solid.kind), [*solid.size], [*_IDENTITY]
            own[3::4] = solid.start.tolist()
        local = np.array(own).reshape(3, 4)
        pose = np.concatenate([at[:, :3] @ local[:, :3], at[:, :3] @ local[:, 3:] + at[:, 3:]], axis=1)
        colour = [int(solid.colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
        found.append(part(kind, body, size, pose.ravel().tolist(), "link") | {"colour": [*colour, 1.0]})
    return found
