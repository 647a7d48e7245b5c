"""The Coriolis matrix C(q, qd) of the Christoffel symbols: C qd is the part of the bias forces with velocities.

With h quadratic in qd, half of dh/dqd is such a matrix. Where velocities are not rates of coordinates, at orientations,
the brackets [qd, e_j] of the velocities are added, so that it is the connection of the mass matrix in all cases:

    C = 1/2 (dh/dqd + M [qd, .]),     dM/dt - 2 C skew-symmetric
"""

from __future__ import annotations

import dataclasses
from typing import Any

from kinetree.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from kinetree.model import Mechanism
from kinetree.scalar import Vector


def coriolis_matrix(robot: Mechanism, q: Vector, qd: Vector) -> list[list[Any]]:
    """C(q, qd), without friction and gravity."""
    _, of_qd, M = inverse_dynamics_derivatives(_bodies_alone(robot), q, qd, [0.0] * robot.nv)
    brackets = [[0.0] * robot.nv for _ in range(robot.nv)]  # a row for each j: [qd, e_j]
    for body, vs in zip(robot.bodies, robot.v_slices):
        own = range(robot.nv)[vs]
        for j in own:
            bracket = body.joint.kind.bracket(qd[vs], [float(i == j) for i in own])
            for k, x in zip(own, bracket):
                brackets[j][k] = x
    return [
        [0.5 * (x + sum((m * b for m, b in zip(M[i], brackets[j])), 0.0)) for j, x in enumerate(row)]
        for i, row in enumerate(of_qd)
    ]


def _bodies_alone(robot: Mechanism) -> Mechanism:
    """Without friction, and without the drives, whose inertia is constant."""
    none: dict[str, Any] = {"damping": 0.0, "rotor_inertia": 0.0, "transmission": None}
    joints = (dataclasses.replace(body.joint, **none) for body in robot.bodies)
    bodies = tuple(dataclasses.replace(body, joint=joint) for body, joint in zip(robot.bodies, joints))
    return dataclasses.replace(robot, bodies=bodies, strict=False)
