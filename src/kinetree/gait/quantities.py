"""What a step of walking is limited by: quantities of the planner that depend on the ground reaction.

How the load is distributed over the contacts is a parameter of each sample (`Step.load_distribution`); with it every
joint moment includes the ground reaction forces. Jacobians are those of `ground_reaction_derivatives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.algorithms.ground_reaction import OF_GROUND, ground_reaction, ground_reaction_derivatives
from kinetree.algorithms.kinematics import pose
from kinetree.gait.phases import CONTACTS
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Vector
from kinetree.plan.quantity import Quantity


@dataclass(frozen=True)
class OnGround(Quantity):
    """Some of the numbers of a ground reaction; see `GroundReaction.numbers`.

    Args:
        height: of the ground [m].
    """

    needs_parameters = includes_contact = True
    labels: ClassVar[tuple[str, ...]] = ()  # a name for each number
    first: ClassVar[int] = 0  # of these among those of a ground reaction
    height: float = 0.0

    def rows(self, robot: Mechanism) -> Sequence[int]:
        """Which numbers of a ground reaction."""
        return range(self.first, self.first + len(self.labels))

    def names(self, robot: Mechanism) -> list[str]:
        return [*self.labels]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        numbers = ground_reaction(robot, q, qd, qdd, CONTACTS, parameters[0], self.height).numbers()
        return [numbers[r] for r in self.rows(robot)]

    def part_of(self, robot: Mechanism) -> tuple[Quantity, Sequence[int]]:
        return WholeReaction(self.height), self.rows(robot)


@dataclass(frozen=True)
class WholeReaction(Quantity):
    """All numbers of a ground reaction, differentiated once for all its parts."""

    needs_parameters = True
    height: float = 0.0

    def jacobian(self, robot: Mechanism, *sample: Any) -> list[list[Any]]:
        q, qd, qdd, _, distribution = sample
        return ground_reaction_derivatives(robot, q, qd, qdd, CONTACTS, distribution, self.height)


@dataclass(frozen=True)
class JointMoment(OnGround):
    """The moments of all joints but those of the base, with the ground reaction forces [N m]: section 5.2 (2)."""

    label = "joint moment"

    def names(self, robot: Mechanism) -> list[str]:
        return [f"moment of {robot.joint_names[k]}" for k in actuated(robot)]

    def rows(self, robot: Mechanism) -> Sequence[int]:
        return [OF_GROUND + k for k in actuated(robot)]


def actuated(robot: Mechanism) -> list[int]:
    """The coordinates of actuated joints: all but those of the base."""
    by_name = {body.joint.name: body.joint.actuated for body in robot.bodies}
    return [k for k, name in enumerate(robot.joint_names) if by_name[name]]


@dataclass(frozen=True)
class GroundForce(OnGround):
    """The ground reaction force on the whole body [N], x to the left, y up, z forward."""

    label = "ground force"
    labels = ("lateral ground force", "vertical ground force", "fore-aft ground force")
    first = 0


@dataclass(frozen=True)
class ZeroMomentPoint(OnGround):
    """Where on the ground the force has no moment but about the vertical [m], x and z: section 5.2 (4)."""

    label = "zero-moment point"
    labels = ("zero-moment point x", "zero-moment point z")
    first = 3


@dataclass(frozen=True)
class LoadOffset(OnGround):
    """How far the zero-moment point is from where the load distribution puts it [m], x and z.

    In double support the force on each foot acts so far from its contacts: section 5.2 (4) for two feet.
    """

    label = "offset of the ground force"
    labels = ("offset of the ground force x", "offset of the ground force z")
    first = 6


@dataclass(frozen=True)
class SwingTogether(Quantity):
    """Whether an arm and a leg swing to the same side: the product of how far each points forward [m2].

    Section 5.2 (5). The text's n_z is the direction of walking.

    Args:
        arm, leg: two frames each, the upper and the lower end of a pendulum.
    """

    order, label = 0, "arm-leg coupling"
    arm: tuple[str, str] = ("", "")
    leg: tuple[str, str] = ("", "")

    def names(self, robot: Mechanism) -> list[str]:
        return [f"coupling of {self.arm[1]} and {self.leg[1]}"]

    def check(self, robot: Mechanism) -> None:
        for frame in (*self.arm, *self.leg):
            robot.frame(frame)

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        forward = {frame: pose(robot, q, frame)[2][3] for frame in (*self.arm, *self.leg)}
        arm, leg = (forward[low] - forward[high] for high, low in (self.arm, self.leg))
        return [arm * leg]
