"""The wrench that each body receives from its parent through the joint, about the joint origin in body axes.

Reference: [Khalil2010] (25), the intermediate result of inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.inverse_dynamics import newton_euler
from kinetree.algorithms.root import Root
from kinetree.model.mechanism import Mechanism
from kinetree.scalar import Real


def joint_wrenches(
    robot: Mechanism,
    q: Sequence[Real],
    qd: Sequence[Real],
    qdd: Sequence[Real],
    external: Sequence[Sequence[Real]] | None = None,
    base: Root | None = None,
) -> list[list[Any]]:
    """Six numbers a body: moment, force."""
    return [[*f.ang, *f.lin] for f in newton_euler(robot, q, qd, qdd, external, base)]
