"""A joint of a mechanism: its joint type, its placement on the parent, its springs, friction and drive."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError
from kinetree.joints import JointKind
from kinetree.joints.joint import combine
from kinetree.scalar import Scalar, Vector, is_finite, is_scalar, is_zero, sign
from kinetree.spatial import Motion, Transform

# the fields of a joint with a number for each velocity, none of them below 0; and what messages call them
NONNEGATIVE = {"damping": "viscous", "coulomb": "Coulomb", "rotor_inertia": "rotor inertia", "stiffness": "stiffness"}
PER_VELOCITY = (*NONNEGATIVE, "rest")  # the rest has one for each coordinate


@dataclass(frozen=True)
class Limits:
    """The limits of a joint, the same for each of its coordinates; infinite where unknown.

    Args:
        lower, upper: positions [rad, m].
        velocity: the largest speed [rad/s, m/s].
        effort: the largest force [N m, N].
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True)
class Mimic:
    """A joint that mimics another, its leader: its position is multiplier * q + offset, with q that of the leader.

    The follower has no coordinate of its own. Forces on it act on the leader's coordinate.

    Args:
        joint: the name of the leader, a joint with one coordinate that mimics no other.
        multiplier, offset: of the leader's position.
    """

    joint: str
    multiplier: Any = 1.0
    offset: Any = 0.0


@dataclass(frozen=True)
class Transmission:
    """An elastic transmission: a spring and a damper between the coordinate of a motor and that of a joint.

    Args:
        joint: the name of the joint that is driven, with one coordinate of its own.
        stiffness: of the spring, which is at rest where both coordinates are equal [N m/rad or N/m].
        damping: of the damper beside it [N m s/rad or N s/m].
    """

    joint: str
    stiffness: Any
    damping: Any = 0.0


@dataclass(frozen=True)
class Joint:
    """A joint between a parent body (or the world) and its body.

    Args:
        name: unique in the mechanism.
        kind: the joint type, one of `kinetree.joints`.
        placement: the joint frame in the parent's frame.
        damping: viscous friction [N m s/rad or N s/m], one number or one for each velocity.
        coulomb: Coulomb friction [N m or N], likewise.
        rotor_inertia: inertia of the drive seen from the joint side [kg m^2 or kg], likewise.
        limits: position, velocity and effort limits.
        stiffness: of a spring that pulls towards ``rest`` [N m/rad or N/m], one number or one for each velocity.
        rest: the position at which the spring is at rest, one number for each coordinate; the neutral one by default.
        mimic: the joint that this one follows, if any.
        gear_ratio: of the drive, motor to joint; for the record only, all quantities are on the joint side.
        actuated: whether a drive moves it.
        transmission: for the joint of a motor, the spring through which it drives another joint.
    """

    name: str
    kind: JointKind
    placement: Transform = Transform.identity
    damping: Any = 0.0
    coulomb: Any = 0.0
    rotor_inertia: Any = 0.0
    limits: Limits = Limits()
    stiffness: Any = 0.0
    rest: Any = None
    mimic: Mimic | None = None
    gear_ratio: Any = 1.0
    actuated: bool = True
    transmission: Transmission | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, JointKind):
            raise ModelError(f"joint {self.name!r}: {self.kind!r} is not one of kinetree.joints, such as Revolute()")
        for field, what in NONNEGATIVE.items():
            values = _per_velocity(getattr(self, field), self.kind.nv, self.name, field)
            for x in values:
                if not isinstance(x, Scalar) and not (x >= 0 and math.isfinite(x)):
                    raise ModelError(f"joint {self.name!r}: {what} {x!r} must be a number not below 0")
            object.__setattr__(self, field, values)
        object.__setattr__(self, "rest", self._rest())
        self._check_spring()
        self._check_links()

    # -- how it moves --------------------------------------------------------------------------------------------
    # q and qd are the coordinates that the mechanism has for this joint: its own, or those of the leader

    def pose(self, q: Vector) -> Transform:
        """The body frame in the parent's frame."""
        return self.placement @ self.motion(q)

    def motion(self, q: Vector) -> Transform:
        """The body frame in the joint frame."""
        return self.kind.transform(self._position(q))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        """The columns of S(q), in body axes."""
        S = self.kind.subspace(self._position(q))
        return S if self.mimic is None else tuple(s * self.mimic.multiplier for s in S)

    def velocity(self, q: Vector, qd: Vector) -> Motion:
        """S(q) qd."""
        return combine(self.subspace(q), qd)

    def bias(self, q: Vector, qd: Vector) -> Motion:
        """dS/dt qd: the bias acceleration, the rate of the velocity's components at qdd = 0."""
        return self.kind.bias(self._position(q), self._scaled(qd))

    # -- passive forces ------------------------------------------------------------------------------------------

    def passive_forces(self, q: Vector, qd: Vector) -> list[Any]:
        """The joint forces that overcome spring and friction: K (q - rest) + Fv qd + Fs sign(qd)."""
        stretch = [0.0] * self.kind.nv if all(map(is_zero, self.stiffness)) else self.stretch(q)
        each = zip(self.stiffness, stretch, self.damping, self.coulomb, self._scaled(qd))
        return self._scaled([k * d + v * x + (0.0 if is_zero(c) else c * sign(x)) for k, d, v, c, x in each])

    def passive_force_derivatives(self, q: Vector) -> tuple[list[list[Any]], list[Any]]:
        """Their derivatives with respect to the positions (a matrix) and to the velocities (a diagonal)."""
        springs = [[0.0] * self.kind.nv for _ in range(self.kind.nv)]
        if not all(map(is_zero, self.stiffness)):
            rows = self.kind.displacement_derivative(self._position(q), self.rest)
            springs = [self._scaled(self._scaled([k * x for x in row])) for k, row in zip(self.stiffness, rows)]
        return springs, self._scaled(self._scaled(self.damping))

    @property
    def reflected_inertia(self) -> list[Any]:
        """The inertia of the drive, seen from the coordinate."""
        return self._scaled(self._scaled(self.rotor_inertia))

    def spring_energy(self, q: Vector) -> Any:
        """1/2 K (q - rest)^2."""
        if all(map(is_zero, self.stiffness)):
            return 0.0
        return sum((0.5 * k * d * d for k, d in zip(self.stiffness, self.stretch(q))), 0.0)

    def stretch(self, q: Vector) -> Sequence[Any]:
        """The displacement of the spring from its rest position, one number for each velocity."""
        return self.kind.displacement(self._position(q), self.rest)

    @property
    def mimic_multiplier(self) -> Any:
        """How far the joint moves for a unit of its coordinate: 1 unless it mimics another."""
        return 1.0 if self.mimic is None else self.mimic.multiplier

    # -- the coordinate of a mimicked joint ------------------------------------------------------------------------

    def _position(self, q: Vector) -> Sequence[Any]:
        return q if self.mimic is None else [self.mimic.multiplier * q[0] + self.mimic.offset]

    def _scaled(self, values: Sequence[Any]) -> list[Any]:
        return [*values] if self.mimic is None else [self.mimic.multiplier * x for x in values]

    # -- checks ----------------------------------------------------------------------------------------------------

    def _rest(self) -> tuple[Any, ...]:
        if self.rest is None:
            return self.kind.neutral
        values = (self.rest,) if is_scalar(self.rest) else tuple(self.rest)
        if len(values) != self.kind.nq or not all(map(is_scalar, values)):
            raise ModelError(f"joint {self.name!r}: rest {self.rest!r} must be {self.kind.nq} numbers, its coordinates")
        return tuple(x if isinstance(x, Scalar) else float(x) for x in values)

    def _check_spring(self) -> None:
        if self.kind.quaternion is None:
            return
        for part in (self.stiffness[:3], self.stiffness[3:]):
            if any(k != part[0] for k in part):
                raise ModelError(
                    f"joint {self.name!r}: stiffness {self.stiffness}: a spring on an orientation (and on a free "
                    "position) is the same in all directions; give equal numbers"
                )

    def _check_links(self) -> None:
        where, single = f"joint {self.name!r}", self.kind.nv == 1
        if self.mimic is not None:
            if not single:
                raise ModelError(f"{where}: only joints with one coordinate can mimic, not {self.kind!r}")
            for what in ("multiplier", "offset"):
                x = getattr(self.mimic, what)
                if not is_finite(x):
                    raise ModelError(f"{where}: the {what} {x!r} of mimic must be a finite number")
        if self.transmission is not None:
            if not single or self.mimic is not None:
                raise ModelError(f"{where}: a transmission needs one coordinate of its own on either side")
            for what in ("stiffness", "damping"):
                x = getattr(self.transmission, what)
                if not is_finite(x) or not (isinstance(x, Scalar) or x >= 0):
                    raise ModelError(f"{where}: the {what} {x!r} of a transmission must be a number not below 0")


def _per_velocity(value: Any, nv: int, name: str, field: str) -> tuple[Any, ...]:
    if isinstance(value, Scalar | int | float):
        return (value if isinstance(value, Scalar) else float(value),) * nv
    values = tuple(x if isinstance(x, Scalar) else float(x) for x in value)
    if len(values) != nv:
        raise ModelError(f"joint {name!r} has {nv} velocities but {len(values)} values of {field}: {values}")
    return values
