"""The centre of mass and the momentum of all bodies, in world axes.

The momentum of the bodies alone: inertias of drives that the model has as numbers of a joint turn with no body.
Reference: [Orin2013].
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.kinematics import velocities, world_poses
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector, is_zero
from kinetree.spatial import Force, Vec3


def center_of_mass(robot: Mechanism, q: Vector) -> list[Any]:
    """c = sum m_i c_i / sum m_i; the origin where there is no mass."""
    mass = total_mass(robot)
    if is_zero(mass):
        return [0.0, 0.0, 0.0]
    X, moment = world_poses(robot, q), Vec3.zero
    for i, body in enumerate(robot.bodies):
        rigid = body.inertia.rigid
        moment = moment + rigid.m * X[i].p + X[i].R @ rigid.ms
    return [x / mass for x in moment]


def momentum(robot: Mechanism, q: Vector, qd: Vector, about: Vector) -> list[Any]:
    """Angular momentum about a point, then linear momentum: sum of I v."""
    h = [body.inertia.rigid @ v for body, v in zip(robot.bodies, velocities(robot, q, qd))]
    total = Force.zero
    for i in reversed(range(robot.nbodies)):
        h_p = robot.bodies[i].joint.pose(q[robot.q_slices[i]]).force_from(h[i])
        if (p := robot.parents[i]) == WORLD:
            total = total + h_p
        else:
            h[p] = h[p] + h_p
    return [*(total.ang - Vec3.of(about).cross(total.lin)), *total.lin]


def centroidal_momentum(robot: Mechanism, q: Vector, qd: Vector) -> list[Any]:
    """Angular momentum about the centre of mass, then linear momentum."""
    return momentum(robot, q, qd, center_of_mass(robot, q))


def centroidal_momentum_matrix(robot: Mechanism, q: Vector) -> list[list[Any]]:
    """A(q): the centroidal momentum is A qd. The column of a joint is the momentum of its subtree at unit speed."""
    X, c = world_poses(robot, q), Vec3.of(center_of_mass(robot, q))
    composite = [body.inertia.rigid for body in robot.bodies]
    columns: list[list[Any]] = [[0.0] * 6 for _ in range(robot.nv)]
    for i in reversed(range(robot.nbodies)):
        joint, qs = robot.bodies[i].joint, robot.q_slices[i]
        for k, s in zip(range(robot.nv)[robot.v_slices[i]], joint.subspace(q[qs])):
            h = composite[i] @ s
            lin = X[i].R @ h.lin
            column = (*(X[i].R @ h.ang + (X[i].p - c).cross(lin)), *lin)
            columns[k] = [a + b for a, b in zip(columns[k], column)]
        if (p := robot.parents[i]) != WORLD:
            composite[p] = composite[p] + composite[i].transformed(joint.pose(q[qs]))
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in range(6)]


def total_mass(robot: Mechanism) -> Any:
    """The sum of the masses of the bodies."""
    return sum((body.inertia.rigid.m for body in robot.bodies), 0.0)
