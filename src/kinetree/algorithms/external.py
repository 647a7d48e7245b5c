"""External loads: six numbers a body, in world axes about the body's origin, acting on the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from kinetree.algorithms.kinematics import world_poses
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector
from kinetree.spatial import Force, Rotation, Transform

Loads: TypeAlias = "Sequence[Vector] | None"


def equivalent_forces(robot: Mechanism, q: Vector, external: Sequence[Vector]) -> list[Any]:
    """The joint forces that do the work of loads: tau = sum J_i^T w_i. A unit force on a point gives a row of its J."""
    X, tau = world_poses(robot, q), [0.0] * robot.nv
    # of a body and all that it carries, in its own axes about its origin
    f = [Force(X[i].R.T @ w.ang, X[i].R.T @ w.lin) for i, w in enumerate(map(Force.of, external))]
    for i, p in reversed([*enumerate(robot.parents)]):
        joint, own = robot.bodies[i].joint, q[robot.q_slices[i]]
        for k, s in zip(range(robot.nv)[robot.v_slices[i]], joint.subspace(own)):
            tau[k] = tau[k] + s.dot(f[i])
        if p != WORLD:
            f[p] = f[p] + joint.pose(own).force_from(f[i])
    return tau


def wrenches_on_bodies(robot: Mechanism, X: Mapping[int, Transform], external: Loads) -> list[Force]:
    """The loads in the working frames with the poses X; an empty list where there are none."""
    if external is None:
        return []
    R: dict[int, Rotation] = {WORLD: Rotation.identity}
    wrenches = []
    for i, p in enumerate(robot.parents):
        R[i] = Rotation.of(R[p].then(X[i].R).matrix)
        load = Force.of(external[i])
        wrenches.append(Force(R[i].T @ load.ang, R[i].T @ load.lin))
    return wrenches
