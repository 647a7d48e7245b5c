"""The coordinates that the curves of a plan describe, and how the motion of the joints follows from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Dynamics, Loads, Vector
from kinetree.plan.quantity import Coordinate, Quantity
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.transcribe.quantity import CoordinateMap, SampleQuantity
from kinetree.transcribe.sample import JACOBIAN, SampleFunctions

Motion = tuple[Array, Array, Array, Array]


class PlanCoordinates(ABC):
    """Coordinates of a plan; a `kinetree.transcribe.quantity.Coordinates`.

    ``kind`` names them in files, ``open_loop`` says that a plan is simulated with its forces alone, ``are_joints`` that
    they are the positions of the joints themselves.
    """

    kind: str
    robot: Robot
    labels: tuple[str, ...]
    map: CoordinateMap | None
    extra_order = 0
    are_joints = False
    open_loop = False

    @property
    def system(self) -> Robot | ClosedChain:
        """What has the methods of dynamics."""
        return self.robot

    def dynamics(self, external: Loads | None) -> Dynamics:
        """Those of the robot, under constant loads on its bodies."""
        return Dynamics(external)

    @property
    def size(self) -> int:
        return len(self.labels)

    def linear(self, degree: int) -> Quantity:
        """The coordinates themselves (0), or a derivative of them in time."""
        return Coordinate(degree, self.labels)

    def is_linear(self, quantity: SampleQuantity) -> bool:
        return isinstance(quantity, Coordinate)

    @abstractmethod
    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]: ...

    def positions(self, z: Array, near: Array | None = None) -> Array:
        """The positions of all joints (k, nq) for coordinates (k, size); NaN where there are none.

        ``near`` are some that may be near to them.
        """
        raise NotImplementedError

    def quantity(self, wanted: Quantity) -> Quantity:
        """What stands for a quantity in these coordinates."""
        return wanted

    def at_point(self, degree: int, s: float, lower: Any, upper: Any) -> tuple[Quantity, Any, Any]:
        """A statement on positions (0) or a derivative of them at s: the quantity that it is on, and its bounds."""
        return self.linear(degree), lower, upper

    def rest(self) -> Array | None:
        """Where a motion of which no position is known is first looked for; None for the middle of its limits."""
        return None

    def joint_motion(self, z: Callable[[int], Array]) -> Motion:
        """Positions, velocities, accelerations and jerks of all joints (..., nq), (..., nv).

        ``z`` gives the coordinates and their derivatives up to an order (order + 1, ..., size).
        """
        order, nq, nv = 2 + self.extra_order, self.robot.nq, self.robot.nv
        parts, width = z(order + 1), (order + 1) * self.size
        shape = parts.shape[1:-1]
        now, after = (np.concatenate([*x], axis=-1).reshape(-1, width) for x in (parts[:-1], parts[1:]))
        functions = SampleFunctions(self.robot, [_State()], self.size, order, self.map)
        values, jacobian = functions[JACOBIAN](*self.operands(now, None))
        jerks = (jacobian[:, -nv:] @ after[:, :, None])[:, :, 0]
        q, qd, qdd = np.split(values, [nq, nq + nv], axis=1)
        return q.reshape(*shape, nq), qd.reshape(*shape, nv), qdd.reshape(*shape, nv), jerks.reshape(*shape, nv)

    @property
    def rest_of_joints(self) -> Array | None:
        """A configuration of all joints that their shapes are looked at in; None for the neutral one."""
        return None

    def resampled(self, plan: Any) -> Callable[[Array], Array] | None:
        """These coordinates at s along a plan in others of the same kind; None where both are the same."""
        return None

    def to_json(self) -> dict[str, Any] | None:
        """What a file needs to make them again."""
        return {"kind": self.kind}


@dataclass(frozen=True)
class _State(Quantity):
    """Positions, velocities and accelerations, one after the other."""

    def size(self, robot: Mechanism) -> int:
        return robot.nq + 2 * robot.nv

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [*q, *qd, *qdd]
