"""Accelerations for joint forces: qdd = FD(q, qd, tau).

Two ways, of which the one with fewer operations is taken. Where few joints follow each other, the mass matrix M and the
bias forces h give

    M qdd = tau - h,   M = L D L^T eliminated from the leaves inwards ([RBDA] section 6.5).

Where paths are long, the articulated-body algorithm, as the case of hybrid dynamics in which all forces are known:
[Khalil2010] section 3.3, (33)-(44), corrected; also [RBDA] Table 7.1, p. 132.
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads
from kinetree.algorithms.hybrid_dynamics import factorised_from_the_leaves, hybrid_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector

SHALLOW = 8  # velocities of all joints between a body and the world, up to which the mass matrix takes fewer operations


def forward_dynamics(
    robot: Mechanism, q: Vector, qd: Vector, tau: Vector, external: Loads = None, base: Base = None
) -> list[Any]:
    """qdd = M(q)^-1 (tau - h(q, qd))."""
    if _depth(robot) > SHALLOW:
        return hybrid_dynamics(robot, q, qd, tau, robot.joint_names, external, base)[0]
    M, h = mass_matrix(robot, q), inverse_dynamics(robot, q, qd, [0.0] * robot.nv, external, base)
    return factorised_from_the_leaves(M, robot).solve([x - bias for x, bias in zip(tau, h)])


def _depth(robot: Mechanism) -> int:
    """How many velocities a body has at most that move it."""
    depths = {WORLD: 0}
    for i, (parent, own) in enumerate(zip(robot.parents, robot.v_slices)):
        depths[i] = depths[parent] + len(range(robot.nv)[own])
    return max(depths.values())
