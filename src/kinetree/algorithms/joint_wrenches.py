"""The wrench that each body receives from its parent through the joint, about the joint origin in body axes.

Reference: [Khalil2010] (25), the intermediate result of inverse dynamics.
"""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.external import Loads
from kinetree.algorithms.inverse_dynamics import newton_euler
from kinetree.algorithms.links import Link, links
from kinetree.model import Mechanism
from kinetree.model.working_frames import working_frames
from kinetree.scalar import Vector


def joint_wrenches(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, external: Loads = None, base: Base = None
) -> list[list[Any]]:
    """Six numbers a body: moment, force."""
    wrenches = newton_euler(robot, q, qd, qdd, external, base)
    in_body_axes = map(Link.in_body_axes, links(robot, q, working_frames(robot)), wrenches)
    return [[*f.ang, *f.lin] for f in in_body_axes]
