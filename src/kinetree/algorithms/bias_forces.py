"""The joint forces of a motion without acceleration, and those that hold the mechanism at rest.

h(q, qd) = ID(q, qd, 0): Coriolis, centrifugal, gravity and friction;  g(q) = ID(q, 0, 0).
Reference: [Khalil2010] (6)-(7).
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.model import Mechanism
from kinetree.scalar import Vector


def bias_forces(robot: Mechanism, q: Vector, qd: Vector, external: Loads = None, base: Base = None) -> list[Any]:
    """h(q, qd)."""
    return inverse_dynamics(robot, q, qd, [0.0] * robot.nv, external, base)


def gravity_forces(robot: Mechanism, q: Vector, external: Loads = None) -> list[Any]:
    """g(q), and with loads the forces that carry them."""
    rest = [0.0] * robot.nv
    return inverse_dynamics(robot, q, rest, rest, external)
