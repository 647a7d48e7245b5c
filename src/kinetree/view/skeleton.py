"""The skeleton of a robot: points that stand for its bodies, and the lines between them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.kinematics import world_poses
from kinetree.errors import InputError
from kinetree.joints import Fixed, Free
from kinetree.robot import Robot
from kinetree.robot.functions import Array, check_quaternions
from kinetree.scalar import Scalar
from kinetree.spatial import Vec3

_NEAR = 1e-9  # metres; a frame nearer than this to its body's origin is no tip


@dataclass(frozen=True)
class Skeleton:
    """Points of a robot and the lines between them.

    Args:
        points: (..., n, 3) [m] in world axes: the origins of the body frames in the order of ``robot.bodies``, then a
            tip for each body at the end of a branch, and the ends of the loops.
        edges: pairs (from, to) of positions in ``points``; from is -1 for the base, at the world's origin.
        names: of the points.
    """

    points: NDArray[np.floating[Any]]
    edges: tuple[tuple[int, int], ...]
    names: tuple[str, ...]


def skeleton(robot: Robot, q: ArrayLike, **parameters: Any) -> Skeleton:
    """The points of a robot's links for a batch of configurations, and the tree between them.

    The tip of a branch is the frame fixed in its last body that lies farthest out (a tool, the last frame of a
    standard DH table); without one it is as far behind the centre of mass as that is behind the joint. A body that a
    fixed joint carries is a tip itself, and one that a loop ends at has its tip there: on both sides of the cut joint,
    which coincide where the loop is closed.

    Args:
        robot: what to show.
        q: positions (..., nq) [rad, m].
        parameters: values of the model's named parameters.

    Returns:
        A `Skeleton`; a body that floats freely has no edge to the base.

    Example:
        >>> import kinetree as kt
        >>> arm = skeleton(kt.robots.two_link(), [[0.0, 0.0]] * 5)
        >>> arm.points.shape, arm.edges, arm.names
        ((5, 3, 3), ((-1, 0), (0, 1), (1, 2)), ('link1', 'link2', 'dh2'))
    """
    configurations = np.asarray(q, dtype=np.float64)
    if configurations.shape[-1:] != (robot.nq,):
        raise InputError(f"q must end in {robot.nq} coordinates for {robot.name}, got the shape {configurations.shape}")
    names = [body.name for body in robot.bodies]
    free = {i for i, body in enumerate(robot.bodies) if isinstance(body.joint.kind, Free)}
    edges = [(parent, i) for i, parent in enumerate(robot.parents) if parent >= 0 or i not in free]
    poses = _poses(robot, configurations, parameters)
    points = [pose[..., :3, 3] for pose in poses]
    for i, name, offset in _ends(robot):
        edges.append((i, len(points)))
        names.append(name)
        point = poses[i][..., :3, :3] @ offset + poses[i][..., :3, 3] if i >= 0 else offset
        points.append(np.broadcast_to(point, (*configurations.shape[:-1], 3)))
    shape = (*configurations.shape[:-1], len(points), 3)
    stacked = np.stack(points, axis=-2) if points else np.empty(shape)
    return Skeleton(np.broadcast_to(stacked, shape), tuple(edges), tuple(names))


def _poses(robot: Robot, q: Array, parameters: dict[str, Any]) -> list[Array]:
    """The homogeneous matrices of all bodies, (..., 4, 4) each; for a single configuration nothing is compiled."""
    if q.ndim > 1 or robot.parameters or parameters:
        return [robot.pose(q, body.name, **parameters) for body in robot.bodies]
    check_quaternions(robot, q)
    poses = world_poses(robot, q.tolist())
    rows = ([[*row, p] for row, p in zip(poses[i].R.matrix, poses[i].p)] for i in range(robot.nbodies))
    return [np.array([*upper, [0.0, 0.0, 0.0, 1.0]], dtype=np.float64) for upper in rows]


def _ends(robot: Robot) -> Iterator[tuple[int, str, NDArray[np.float64]]]:
    """Where lines end besides at bodies: the body (-1: the base), a name and the position in body axes."""
    number = {None: -1, **{body.name: i for i, body in enumerate(robot.bodies)}}
    ends = [(loop, side, getattr(loop, side)) for loop in robot.loops for side in ("predecessor", "successor")]
    sides = [(number[frame.body], f"{loop.name} {side}", frame.pose.p) for loop, side, frame in ends]
    for i in sorted(set(range(robot.nbodies)) - {*robot.parents} - {i for i, _, _ in sides}):
        if (tip := _tip(robot, i)) is not None:
            yield i, *tip
    for i, name, offset in sides:
        if _length(offset) > _NEAR:
            yield i, name, np.array(list(offset), dtype=np.float64)


def _tip(robot: Robot, i: int) -> tuple[str, NDArray[np.float64]] | None:
    """The name and the position in body axes of the tip of body i, if it has one."""
    body = robot.bodies[i]
    frames = [(name, frame.pose.p) for name, frame in robot.named_frames if frame.body == body.name]
    name, offset = max(frames, key=lambda item: _length(item[1]), default=("", Vec3.zero))
    if _length(offset) <= _NEAR and not isinstance(body.joint.kind, Fixed):
        name, offset = f"{body.name} tip", body.inertia.com * 2.0
    return (name, np.array(list(offset), dtype=np.float64)) if _length(offset) > _NEAR else None


def _length(p: Vec3) -> float:
    """The length of a vector of numbers; zero where a named parameter makes it unknown."""
    return 0.0 if any(isinstance(x, Scalar) for x in p) else math.hypot(*p)
