"""The surface of a robot as capsules and spheres that are fixed in its bodies, and which of these may touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from kinetree.errors import InputError, check_name
from kinetree.model import WORLD, Mechanism
from kinetree.plan.obstacles.shapes import Capsule, Solid, Sphere
from kinetree.runtime.arrays import Array


@dataclass(frozen=True)
class BodyShape:
    """A capsule that is fixed in a body; a sphere where its ends are the same.

    Args:
        name: for messages: that of the frame, and a number where this has several.
        body: the index of the body; -1 for the world.
        start, end: of its line in the body's frame (3,) [m].
        radius: [m].
    """

    name: str
    body: int
    start: tuple[float, ...]
    end: tuple[float, ...]
    radius: float

    @property
    def capsule(self) -> Capsule:
        """In the body's frame."""
        return Capsule(self.start, self.end, self.radius, name=self.name)


def body_shapes(robot: Mechanism, given: Any) -> tuple[BodyShape, ...]:
    """Shapes of frames, as a mapping from their names to one shape or several, in body frames."""
    if isinstance(given, tuple) and all(isinstance(shape, BodyShape) for shape in given):
        return given
    if not isinstance(given, Mapping):
        raise InputError(
            "the shapes of a robot are a mapping from names of frames to spheres and capsules, such as "
            f'{{"link3": kt.plan.Capsule([0, 0, 0], [0, 0, 0.3], 0.06)}}; got {given!r:.80}'
        )
    found = list[BodyShape]()
    for frame, own in given.items():
        check_name("frame", frame, robot.frames)
        body, X = robot.frame(frame)
        R, p = np.array([[*row] for row in X.R.matrix], float), np.array([*X.p], float)
        several = [own] if isinstance(own, Solid) else [*own] if isinstance(own, Iterable) else [own]
        for k, shape in enumerate(several):
            if isinstance(shape, Sphere):
                a = b = np.array(shape.center)
            elif isinstance(shape, Capsule):
                a, b = np.array(shape.start), np.array(shape.end)
            else:
                raise InputError(
                    f"the shapes of frame {frame!r} are kt.plan.Sphere or kt.plan.Capsule, got {shape!r:.80}"
                )
            name = shape.name or (frame if len(several) == 1 else f"{frame} {k + 1}")
            start, end = (tuple((R @ x + p).tolist()) for x in (a, b))
            found.append(BodyShape(name, body, start, end, shape.radius))
    if not any(shape.body != WORLD for shape in found):
        raise InputError("the robot has no shapes that move: give shapes={frame: kt.plan.Capsule(...), ...}")
    return tuple(found)


def link_shapes(robot: Mechanism, radius: float = 0.05) -> dict[str, list[Solid]]:
    """Capsules from each body's origin to those of the bodies and frames that it carries: the robot as a stick figure.

    They contain no geometry of the robot. Where its file has meshes, fit capsules to these instead.

    Args:
        robot: the robot.
        radius: of all capsules [m].

    Returns:
        For each body its capsules, a sphere where it carries nothing that is away from its origin.
    """
    found: dict[str, list[Solid]] = {}
    for i, body in enumerate(robot.bodies):
        neutral = robot.neutral_coordinates
        tips = [robot.bodies[k].joint.pose(neutral[robot.q_slices[k]]).p for k, p in enumerate(robot.parents) if p == i]
        tips += [frame.pose.p for _, frame in robot.named_frames if frame.body == body.name]
        ends = {tuple(round(float(x), 9) for x in tip) for tip in tips}
        away = sorted(end for end in ends if np.linalg.norm(end) > 0.1 * radius)
        found[body.name] = [Capsule([0.0] * 3, end, radius) for end in away] or [Sphere([0.0] * 3, radius)]
    return found


def neighbours(robot: Mechanism, shapes: tuple[BodyShape, ...]) -> set[tuple[int, int]]:
    """Pairs of one body, and of bodies between which there is no third one with a shape."""
    have = {shape.body for shape in shapes} | {WORLD}

    def above(body: int) -> int:
        body = WORLD if body == WORLD else robot.parents[body]
        while body not in have:
            body = robot.parents[body]
        return body

    return {
        (a, b)
        for (a, one), (b, other) in combinations(enumerate(shapes), 2)
        if one.body == other.body or above(one.body) == other.body or above(other.body) == one.body
    }


def separate(robot: Mechanism, one: int, other: int) -> Array:
    """1 for each joint that carries the first body alone, -1 the second alone, 0 both or neither."""
    signs = np.zeros(robot.nbodies)
    for body, sign in ((one, 1.0), (other, -1.0)):
        signs[list(robot.path(body))] += sign
    return signs
