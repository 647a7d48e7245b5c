"""Forces of a mechanism over scalars: of a tree of bodies, or of one whose loops are closed.

Quantities ask one of these two, and so don't know which it is. Closed loops share the forces of the tree out to the
actuated joints, [Khalil2010] (57), and their rates are taken from the graph, along the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.closed_chain import Actuation, Loops, closed_joint_wrenches
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.errors import InputError, TraceError
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism
from kinetree.scalar import is_zero

Vector = Sequence[Any]
Loads = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Dynamics:
    """Of a tree of bodies, in which every coordinate has a force.

    Args:
        external: constant loads on the bodies, in world axes about their origins [N m, N].
    """

    external: Loads | None = None

    def actuated(self, robot: Mechanism) -> Sequence[int]:
        """The coordinates that forces act in."""
        return range(robot.nv)

    def forces(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[Any]:
        """Of the actuated joints [N m, N]."""
        return inverse_dynamics(robot, q, qd, qdd, self.external)

    def force_rates(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        """Their derivatives in time [N m/s, N/s]."""
        return forces_and_rates(robot, q, qd, qdd, qddd, self.external)[1]

    def joint_wrenches(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Any]]:
        """What the joint of each body transmits, as `Robot.joint_wrenches`."""
        return joint_wrenches(robot, q, qd, qdd, self.external)


@dataclass(frozen=True)
class ChainDynamics(Dynamics):
    """Of a closed chain: its actuated joints have forces, and cut joints transmit their part."""

    actuation: Actuation = field(kw_only=True)

    def actuated(self, robot: Mechanism) -> Sequence[int]:
        return self.actuation.actuated

    def forces(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[Any]:
        loops = Loops(robot, self.actuation, q)
        tau = loops.projected(inverse_dynamics(robot, q, qd, qdd, self.external))
        return loops.actuator_forces(self.actuation, tau)

    def force_rates(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return rates_along(self.forces(robot, q, qd, qdd), (q, qd), (qd, qdd), (qdd, qddd))

    def joint_wrenches(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Any]]:
        qd_i, qdd_i = ([x[k] for k in self.actuation.independent] for x in (qd, qdd))
        return closed_joint_wrenches(robot, q, qd_i, qdd_i, self.actuation, self.external)[0]


def loads_on(robot: Mechanism, external: ArrayLike | None) -> Loads | None:
    """Constant loads on the bodies (nbodies, 6), checked."""
    if external is None:
        return None
    given = np.asarray(external, float)
    if given.shape != (robot.nbodies, 6) or not np.isfinite(given).all():
        raise InputError(f"external loads are finite numbers ({robot.nbodies}, 6), got an array {given.shape}")
    return tuple(tuple(row) for row in given.tolist())


def rates_along(values: Sequence[Any], *motion: tuple[Vector, Vector]) -> list[Any]:
    """Derivatives in time of values of a graph, from what they depend on and the rates of that."""
    rates: dict[Node, Any] = {}
    for x, rate in ((x, rate) for pair in motion for x, rate in zip(*pair)):
        if not isinstance(x, Node):
            if not is_zero(rate):
                raise TraceError("rates of closed chains are taken from a graph; compile the quantity")
        elif x.op == "neg":  # users of -x are made users of x
            rates[x.args[0]] = -rate
        else:
            rates[x] = rate
    return pushforward(values, [*rates], [*rates.values()])
