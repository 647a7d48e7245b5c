"""`Controller`, the base class of control laws over scalars, and `Law`, a function as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import SimulationError
from kinetree.model import Mechanism
from kinetree.scalar import Vector


@dataclass(frozen=True)
class Controller:
    """A control law over scalars: it is traced with the robot and runs in native code.

    A subclass is a frozen dataclass that overrides `forces` or, if it has a state of its own from sample to sample,
    `update` and `memory`. Its numbers may be named parameters, which `simulate` then takes as keywords, perhaps one
    for each run of a batch. Branch on values with `kinetree.scalar.select` only.
    """

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        """The forces of the actuators at the time t, for the measured state."""
        raise NotImplementedError(f"{type(self).__name__} has neither forces() nor update()")

    def memory(self, robot: Mechanism) -> list[float]:
        """The initial state of the controller itself, such as integrals; none by default."""
        return []

    def update(self, robot: Mechanism, t: Any, q: Vector, qd: Vector, memory: Vector) -> tuple[list[Any], list[Any]]:
        """The forces, and the memory for the next sample."""
        return self.forces(robot, t, q, qd), [*memory]


@dataclass(frozen=True)
class Law(Controller):
    """A function over scalars as a controller: forces = function(robot, t, q, qd).

    Example:
        >>> import kinetree as kt
        >>> damper = kt.control.Law(lambda robot, t, q, qd: [-2.0 * v for v in qd])
    """

    function: Callable[..., Sequence[Any]]

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        tau = self.function(robot, t, q, qd)
        if not hasattr(tau, "__iter__"):
            raise SimulationError(f"a Law must give {robot.nv} forces in a list, it gives {tau!r}")
        return [*tau]
