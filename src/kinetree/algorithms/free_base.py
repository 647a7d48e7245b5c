"""Inverse dynamics of a robot on a floating base: the motion of the joints moves the base.

The case of hybrid dynamics in which the force on the base is known, namely zero, and the accelerations of the joints.
No joint but the base moves freely, so the subtrees are composite rigid bodies.
Reference: [Khalil2010] 7.2, (89)-(100), corrected.
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.external import Loads
from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.model import Mechanism
from kinetree.scalar import Vector


def free_base_inverse_dynamics(
    robot: Mechanism, q: Vector, qd: Vector, qdd_joints: Vector, external: Loads = None
) -> tuple[list[Any], list[Any]]:
    """The acceleration of the base, (97), and the joint forces, (100)."""
    n = robot.nbase
    qdd, tau = hybrid_dynamics(robot, q, qd, [*[0.0] * n, *qdd_joints], robot.base_joints, external)
    return qdd[:n], tau[n:]
