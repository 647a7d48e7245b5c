"""Accelerations for joint forces: qdd = FD(q, qd, tau).

The articulated-body algorithm, as the case of hybrid dynamics in which all forces are known. Reference: [Khalil2010]
section 3.3, (33)-(44), corrected; also [RBDA] Table 7.1, p. 132.
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads
from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.model import Mechanism
from kinetree.scalar import Vector


def forward_dynamics(
    robot: Mechanism, q: Vector, qd: Vector, tau: Vector, external: Loads = None, base: Base = None
) -> list[Any]:
    """qdd = M(q)^-1 (tau - h(q, qd))."""
    qdd, _ = hybrid_dynamics(robot, q, qd, tau, robot.joint_names, external, base)
    return qdd
