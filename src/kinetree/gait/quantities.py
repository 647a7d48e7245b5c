"""What a step of walking is limited by: quantities of the planner that depend on the ground.

The ground's shares at the contacts are known for each place of the motion (`Timing.shares`); with them every joint
moment includes the ground forces. Slopes are those of `ground_reaction_derivatives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kinetree.algorithms.ground_reaction import OF_GROUND, ground_reaction, ground_reaction_derivatives
from kinetree.algorithms.kinematics import pose
from kinetree.gait.phases import CONTACTS
from kinetree.model.mechanism import Mechanism
from kinetree.plan.quantity import Quantity, Vector

_FORCE, _POINT, _OFFSET = range(3), range(3, 5), range(6, 8)  # of the numbers of a ground reaction


@dataclass(frozen=True)
class OnGround(Quantity):
    """Some numbers of the ground reaction.

    Args:
        height: of the ground [m].
    """

    informed = True
    carries = True
    height: float = 0.0

    def rows(self, robot: Mechanism) -> Sequence[int]:
        """Which of the numbers of `GroundReaction`."""
        raise NotImplementedError(f"{type(self).__name__} has no rows()")

    def size(self, robot: Mechanism) -> int:
        return len(self.rows(robot))

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *known: Any) -> list[Any]:
        numbers = ground_reaction(robot, q, qd, qdd, CONTACTS, known[0], self.height).numbers()
        return [numbers[r] for r in self.rows(robot)]

    def slopes(
        self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *known: Any
    ) -> list[list[Any]]:
        all_rows = _slopes(robot, tuple(q), tuple(qd), tuple(qdd), tuple(known[0]), self.height)
        return [[*all_rows[r]] for r in self.rows(robot)]


@lru_cache(maxsize=1)
def _slopes(robot: Mechanism, q: Any, qd: Any, qdd: Any, shares: Any, height: float) -> list[list[Any]]:
    """Shared by the quantities of one function."""
    return ground_reaction_derivatives(robot, q, qd, qdd, CONTACTS, shares, height)


@dataclass(frozen=True)
class JointMoment(OnGround):
    """The moments of all joints but those of the base, with the ground forces [N m]: section 5.2 (2)."""

    @property
    def title(self) -> str:
        return "joint moment"

    def names(self, robot: Mechanism) -> list[str]:
        return [f"moment of {robot.joint_names[r - OF_GROUND]}" for r in self.rows(robot)]

    def rows(self, robot: Mechanism) -> Sequence[int]:
        return [OF_GROUND + k for k in driven(robot)]


def driven(robot: Mechanism) -> list[int]:
    """The coordinates with a drive: all but those of the base."""
    actuated = {body.joint.name: body.joint.actuated for body in robot.bodies}
    return [k for k, name in enumerate(robot.joint_names) if actuated[name]]


@dataclass(frozen=True)
class GroundForce(OnGround):
    """The force of the ground on the whole body [N], x to the left, y up, z forward."""

    @property
    def title(self) -> str:
        return "ground force"

    def names(self, robot: Mechanism) -> list[str]:
        return ["lateral ground force", "vertical ground force", "fore-aft ground force"]

    def rows(self, robot: Mechanism) -> Sequence[int]:
        return _FORCE


@dataclass(frozen=True)
class ZeroMomentPoint(OnGround):
    """Where on the ground the force has no moment but about the vertical [m], x and z: section 5.2 (4)."""

    @property
    def title(self) -> str:
        return "zero-moment point"

    def names(self, robot: Mechanism) -> list[str]:
        return ["zero-moment point x", "zero-moment point z"]

    def rows(self, robot: Mechanism) -> Sequence[int]:
        return _POINT


@dataclass(frozen=True)
class LoadOffset(OnGround):
    """How far the zero-moment point is from where the shares of the feet put it [m], x and z.

    In double support the force on each foot is so far from its contacts: section 5.2 (4) for two feet.
    """

    @property
    def title(self) -> str:
        return "offset of the ground force"

    def names(self, robot: Mechanism) -> list[str]:
        return ["offset of the ground force x", "offset of the ground force z"]

    def rows(self, robot: Mechanism) -> Sequence[int]:
        return _OFFSET


@dataclass(frozen=True)
class SwingTogether(Quantity):
    """Whether an arm and a leg swing to the same side: the product of how far each points forward [m2].

    Section 5.2 (5). The text's n_z is the direction of walking.

    Args:
        arm, leg: two frames each, the upper and the lower end of a pendulum.
    """

    order = 0
    arm: tuple[str, str] = ("", "")
    leg: tuple[str, str] = ("", "")

    @property
    def title(self) -> str:
        return "arm-leg coupling"

    def size(self, robot: Mechanism) -> int:
        return 1

    def names(self, robot: Mechanism) -> list[str]:
        return [f"coupling of {self.arm[1]} and {self.leg[1]}"]

    def check(self, robot: Mechanism) -> None:
        for frame in (*self.arm, *self.leg):
            robot.frame(frame)

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        forward = {frame: pose(robot, q, frame)[2][3] for frame in (*self.arm, *self.leg)}
        arm, leg = (forward[low] - forward[high] for high, low in (self.arm, self.leg))
        return [arm * leg]
