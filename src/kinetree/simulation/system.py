"""What is simulated: a robot or a closed chain with its controller, as one system that can be traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.closed_chain import Actuation, Loops, closed_forward_dynamics, closed_velocities, closing_step
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.kinematics import normalised, rates
from kinetree.joints import quaternion
from kinetree.model import Mechanism
from kinetree.parameter import Parameter, parameters_in
from kinetree.scalar import Vector
from kinetree.simulation.controller import Controller
from kinetree.spatial import Vec3


@dataclass(frozen=True)
class System:
    """A mechanism, its controller, and how its base moves.

    Args:
        robot: the mechanism.
        controller: traced with it; None where the forces are an input.
        actuation: which joints of a closed chain are actuated, and which are independent, for the numerics alone.
        lengths: of the columns of its constraint Jacobian, somewhere.
        stabilisation: how fast its loop-closure errors decay [1/s].
        base: over scalars, from the time to the velocity and the acceleration of a prescribed base, six numbers each
            in base axes; and, where it rotates, to its orientation in the world, a quaternion (x, y, z, w).
    """

    robot: Mechanism
    controller: Controller | None = None
    actuation: Actuation | None = None
    lengths: tuple[float, ...] = ()
    stabilisation: float = 0.0
    base: Callable[[Any], Sequence[Vector]] | None = None

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """Named parameters of the robot and of the controller."""
        return parameters_in((self.robot.bodies, self.robot.gravity, self.robot.loops, self.controller))

    @property
    def nforces(self) -> int:
        """How many actuator forces it has."""
        return self.robot.nv if self.actuation is None else len(self.actuation.actuated)

    def acceleration(self, t: Any, q: Vector, qd: Vector, tau: Vector, external: Any = None) -> list[Any]:
        """qdd for the forces of the actuators."""
        base = self.root(t)
        if self.actuation is None:
            return forward_dynamics(self.robot, q, qd, tau, external, base)
        rate, actuation = self.stabilisation, self.actuation
        return closed_forward_dynamics(self.robot, q, qd, tau, rate, actuation, external, base)[0]

    def margin(self, q: Vector) -> list[Any]:
        """How well the independent joints of a closed chain say how the others move, squared; nothing for a tree."""
        if self.actuation is None:
            return []
        loops = Loops(self.robot, self.actuation, q)
        return [loops.J.least_pivot([self.lengths[k] ** 2 for k in loops.dependent])]

    def residual(self, t: Any, q: Vector, qd: Vector, qdd: Vector, tau: Vector, external: Any = None) -> list[Any]:
        """ID(q, qd, qdd) - tau, the residual of the equations of motion."""
        needed = inverse_dynamics(self.robot, q, qd, qdd, external, self.root(t))
        return [x - y for x, y in zip(needed, tau)]

    def root(self, t: Any) -> BaseMotion | None:
        return None if self.base is None else BaseMotion.prescribed(self.robot, *self.base_motion(t))

    def base_motion(self, t: Any) -> tuple[Vector, Vector]:
        """Velocity and acceleration of a prescribed base, less what gravity changes with its orientation.

        The gravity of a model is fixed in base axes. Where the base rotates, the acceleration makes up for that.
        """
        velocity, acceleration, *orientation = self.base(t) if self.base is not None else ([0.0] * 6, [0.0] * 6)
        if not orientation:
            return velocity, acceleration
        gravity = self.robot.gravity
        apparent = Vec3.of(acceleration[3:]) + gravity - quaternion.rotation(orientation[0]).T @ gravity
        return velocity, [*acceleration[:3], *apparent]

    def closed(self, q: Vector, qd: Vector) -> tuple[list[Any], list[Any]]:
        """The state after one Newton iteration on the loop closure, with the independent joints kept."""
        if self.actuation is None:
            return [*q], [*qd]
        q, _ = closing_step(self.robot, q, 0.0, self.actuation)
        return q, closed_velocities(self.robot, q, [qd[k] for k in self.actuation.independent], self.actuation)[0]

    def integrated(self, q: Vector, qd: Vector, dt: Any) -> list[Any]:
        """q after the time dt at the velocity qd, with unit quaternions."""
        return normalised(self.robot, [x + dt * v for x, v in zip(q, rates(self.robot, q, qd))])
