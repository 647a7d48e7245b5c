"""What a step of walking is limited by: quantities of the planner that depend on the ground reaction.

How the load is distributed over the contacts is a parameter of each sample (`Step.load_distribution`); with it every
joint moment includes the ground reaction forces. Jacobians are those of `ground_reaction_derivatives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.algorithms.force_rates import force_rates
from kinetree.algorithms.ground_reaction import OF_GROUND, GroundReaction, ground_reaction, ground_reaction_derivatives
from kinetree.algorithms.kinematics import pose
from kinetree.algorithms.momentum import center_of_mass
from kinetree.gait.passive import passive_moments
from kinetree.gait.phases import CONTACTS, FOOT_LOADS, transferred
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Vector
from kinetree.plan.quantity import Quantity
from kinetree.scalar import dot, select, sqrt
from kinetree.spatial import Vec3

_POSITIVE, _NEGATIVE = 1.0 / 0.25, 1.0 / 1.2  # what a joule of positive and of negative work costs [J]
TRANSLATIONS = ("tx_lateral", "ty_vertical", "tz_forward")  # of the pelvis, along the axes of the world
_CORNER = 3.0  # W, of the smooth absolute value of power
_ROUNDED = 0.05  # of a strength, below which the power of 1.5 of a moment is rounded
ANKLE = "ankle_dorsiflexion"  # in the name of the joint that pulls through a tendon


def reaction(robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, loads: Vector, height: Any) -> GroundReaction:
    """The ground reaction with a load distribution (6 numbers), or one that follows from that of each foot (13).

    In the latter case the forces on both feet meet as high as the hips of the neutral body, which are at the origin; in
    the former both have one direction.
    """
    given = len(loads) == len(CONTACTS)
    shares = loads if given else transferred(loads[:FOOT_LOADS])
    return ground_reaction(robot, q, qd, qdd, CONTACTS, shares, height, apex=None if given else -height)


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
        numbers = reaction(robot, q, qd, qdd, parameters[0], self.height).numbers()
        return [numbers[r] for r in self.rows(robot)]

    def part_of(self, robot: Mechanism) -> tuple[Quantity, Sequence[int] | None]:
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
class LoadTransfer(OnGround):
    """The part of the ground reaction force that the leading foot carries."""

    label = "load of the leading foot"
    labels = ("load of the leading foot",)

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        shares = reaction(robot, q, qd, qdd, parameters[0], self.height).shares
        leading = parameters[0][6:12]
        # each contact of the leading foot has this part of its own fraction
        return [dot(shares, leading) / dot(leading, leading)]

    def part_of(self, robot: Mechanism) -> tuple[Quantity, Sequence[int] | None]:
        return self, None


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


# -- what people do not waste ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ActiveMoment(JointMoment):
    """The moments that muscles exert [N m]: those of the joints less the passive ones.

    Args:
        scale: of the passive moments: mass times stature over those of the tables' man.
    """

    label = "muscle moment"
    scale: float = 1.0

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        numbers = reaction(robot, q, qd, qdd, parameters[0], self.height).numbers()
        passive = passive_moments(robot, q, qd)
        return [numbers[OF_GROUND + k] - self.scale * passive[k] for k in actuated(robot)]

    def part_of(self, robot: Mechanism) -> tuple[Quantity, Sequence[int] | None]:
        return self, None


@dataclass(frozen=True)
class MuscleEffort(ActiveMoment):
    """The sum of the moments of muscles over their strengths, those of the side that they turn to, to the power of 1.5.

    Small moments cost more so than by their squares: muscles that hold give off heat [Bhargava2004], which grows about
    with the power of 1.25 of how active they are.

    Args:
        low, high: strengths of all joints but those of the base, the largest negative and positive moments [N m].
    """

    label = "effort"
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def names(self, robot: Mechanism) -> list[str]:
        return ["muscle moments over strengths, to the power of 1.5"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        total: Any = 0.0
        moments = super().values(robot, q, qd, qdd, qddd, *parameters)
        for moment, low, high in zip(moments, self.low, self.high):
            part = moment * select(moment > 0.0, 1.0 / high, 1.0 / low)
            size = sqrt(part * part + _ROUNDED * _ROUNDED)
            total = total + (size * sqrt(size) - _ROUNDED**1.5)
        return [total]


@dataclass(frozen=True)
class MusclePower(ActiveMoment):
    """What the mechanical work of muscles costs [W], but for those of the ankles: see `metabolic` and `AnklePower`."""

    label = "power"

    def names(self, robot: Mechanism) -> list[str]:
        return ["metabolic power of joint work"]

    def rows(self, robot: Mechanism) -> Sequence[int]:
        return [0]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        moments = super().values(robot, q, qd, qdd, qddd, *parameters)
        powers = (x * qd[k] for x, k in zip(moments, actuated(robot)) if ANKLE not in robot.joint_names[k])
        return [sum((metabolic(power, self.scale) for power in powers), 0.0)]


def metabolic(power: Any, scale: float) -> Any:
    """What a mechanical power of muscles costs [W]: positive over 0.25, negative over 1.2 [Margaria1968], smoothly."""
    corner = _CORNER * scale
    size = sqrt(power * power + corner * corner) - corner
    return 0.5 * (_POSITIVE * (size + power) + _NEGATIVE * (size - power))


@dataclass(frozen=True)
class CentroidalMoment(OnGround):
    """The moment of the ground reaction about the centre of mass [N m]: pitch (x), yaw (y), roll (z)."""

    label = "moment about the centre of mass"
    labels = ("pitching moment", "yawing moment", "rolling moment")

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *parameters: Any) -> list[Any]:
        now = reaction(robot, q, qd, qdd, parameters[0], self.height)
        moment = (now.point - Vec3.of(center_of_mass(robot, q))).cross(now.force)
        return [moment.x, moment.y + now.moment, moment.z]

    def part_of(self, robot: Mechanism) -> tuple[Quantity, Sequence[int] | None]:
        return self, None


@dataclass(frozen=True)
class GroundForceRate(Quantity):
    """The rate of the ground reaction force on the whole body [N/s], x to the left, y up, z forward."""

    order, label = 3, "rate of the ground force"
    includes_contact = True

    def names(self, robot: Mechanism) -> list[str]:
        return [f"rate of the {direction} ground force" for direction in ("lateral", "vertical", "fore-aft")]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        rates = force_rates(robot, q, qd, qdd, qddd)
        return [rates[robot.joint_names.index(f"global_{name}")] for name in TRANSLATIONS]
