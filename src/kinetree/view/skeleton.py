"""The skeleton of a robot: points that stand for its bodies, and the lines between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.kinematics import world_poses
from kinetree.errors import InputError
from kinetree.joints import Free
from kinetree.robot import Robot
from kinetree.robot.functions import Array, check_quaternions
from kinetree.scene.parts import ends


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
    for i, name, offset in ends(robot):
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
