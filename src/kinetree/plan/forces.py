"""Quantities that forces go into: of actuated joints, their rates and powers, and what joints transmit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from kinetree.errors import check_name
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Dynamics, Vector
from kinetree.plan.quantity import Quantity
from kinetree.scalar import sqrt

TINY = 1e-12  # keeps the derivative of a norm at zero finite
_PARTS = {"mx": 0, "my": 1, "mz": 2, "fx": 3, "fy": 4, "fz": 5}


@dataclass(frozen=True)
class Dynamic(Quantity):
    """A quantity that follows from the dynamics of a tree or of a closed chain."""

    dynamics: Dynamics = field(default=Dynamics(), kw_only=True)

    def under(self, dynamics: Dynamics) -> Quantity:
        return replace(self, dynamics=dynamics)


@dataclass(frozen=True)
class OfActuated(Dynamic):
    """One number for each actuated joint; in a tree all are."""

    def names(self, robot: Mechanism) -> list[str]:
        names = robot.coordinate_names
        return [f"{self.title} of {names[k]}" for k in self.dynamics.actuated(robot)]


@dataclass(frozen=True)
class Force(OfActuated):
    """The joint forces tau(q, qd, qdd) [N m, N]."""

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return self.dynamics.forces(robot, q, qd, qdd)


@dataclass(frozen=True)
class ForceRate(OfActuated):
    """The derivatives of the joint forces in time [N m/s, N/s]."""

    order, label = 3, "force rate"

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return self.dynamics.force_rates(robot, q, qd, qdd, qddd)


@dataclass(frozen=True)
class Power(OfActuated):
    """The power of each joint, tau qd [W]."""

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        tau = self.dynamics.forces(robot, q, qd, qdd)
        return [t * qd[k] for t, k in zip(tau, self.dynamics.actuated(robot))]


@dataclass(frozen=True)
class Energy(Dynamic):
    """The power that the actuators take, sum abs(tau qd), smooth at zero [W]: braking gives nothing back.

    Args:
        corner: the power below which it is rounded [W].
    """

    corner: float = 0.1

    def names(self, robot: Mechanism) -> list[str]:
        return ["absolute power"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        power = Power(dynamics=self.dynamics).values(robot, q, qd, qdd, qddd)
        return [sum((sqrt(x * x + self.corner**2) - self.corner for x in power), 0.0)]


@dataclass(frozen=True)
class Reaction(Dynamic):
    """What the joint of a body transmits: the norm of the force or of the moment, or one component in body axes.

    Args:
        body: the name of the body that receives it from its parent.
        part: "force", "moment", or one of "mx", "my", "mz", "fx", "fy", "fz".
    """

    body: str = ""
    part: str = "force"

    def check(self, robot: Mechanism) -> None:
        robot_bodies = [body.name for body in robot.bodies]
        check_name("body", self.body, robot_bodies)
        check_name("part of a reaction", self.part, ["force", "moment", *_PARTS])

    def names(self, robot: Mechanism) -> list[str]:
        return [f"reaction {self.part} on {self.body}"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        wrenches = self.dynamics.joint_wrenches(robot, q, qd, qdd)
        w = wrenches[[body.name for body in robot.bodies].index(self.body)]
        if self.part in _PARTS:
            return [w[_PARTS[self.part]]]
        part = w[3:] if self.part == "force" else w[:3]
        return [sqrt(sum((x * x for x in part), TINY))]


@dataclass(frozen=True)
class Reactions(Dynamic):
    """The forces that all joints transmit, three for each body in body axes [N]."""

    def names(self, robot: Mechanism) -> list[str]:
        return [f"reaction f{axis} on {body.name}" for body in robot.bodies for axis in "xyz"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [x for w in self.dynamics.joint_wrenches(robot, q, qd, qdd) for x in w[3:]]
