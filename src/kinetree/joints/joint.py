"""What a joint type must define.

A joint takes its body from the joint frame fixed in the parent to the body frame. Velocities are in body axes:
``S(q) qd`` is the angular velocity of the body relative to the parent and the velocity of its origin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.errors import ModelError
from kinetree.given import Given, default
from kinetree.joints.axis import Z_AXIS, unit
from kinetree.scalar import Vector
from kinetree.spatial import Force, Motion, Transform, Vec3


class JointKind(ABC):
    """A joint type: nq coordinates, nv velocities."""

    nq: ClassVar[int]
    nv: ClassVar[int]
    quaternion: ClassVar[int | None] = None  # where among the coordinates a unit quaternion (x, y, z, w) starts

    @abstractmethod
    def transform(self, q: Vector) -> Transform:
        """The pose of the body frame in the joint frame."""

    @abstractmethod
    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        """The nv columns of S(q), in body axes."""

    def coordinates(self, X: Transform) -> tuple[Any, ...]:
        """The nq coordinates at which `transform` gives X; for a pose that the joint can't take, those of one nearby.

        Angles are between -pi and pi, except for screws, whose displacement counts the revolutions; quaternions have
        length one and w >= 0. Smooth near the joint's own poses, except for the jump at the ends of that range.
        """
        raise ModelError(_silent(self, "its coordinates at a pose"))

    def constraint_wrenches(self, q: Vector) -> tuple[Force, ...]:
        """A basis T(q) of the constraint wrenches: 6 - nv columns with T . S = 0, in body axes about the body's origin.

        Moments come first, then forces. They are what the joint transmits whatever drives it, and so the forces that
        hold a cut joint together.
        """
        raise ModelError(_silent(self, "which wrenches it transmits"))

    def bias(self, q: Vector, qd: Vector) -> Motion:
        """dS/dt qd: the bias acceleration, the rate of the velocity's components at qdd = 0."""
        return Motion.zero

    def rates(self, q: Vector, qd: Vector) -> tuple[Any, ...]:
        """dq/dt for the velocities qd."""
        return tuple(qd)

    @property
    def factors(self) -> tuple[JointKind, ...]:
        """Joint types with constant S that make this one, in series; a joint type with constant S is its own factor."""
        return (self,)

    def integrate(self, q: Vector, v: Vector) -> tuple[Any, ...]:
        """The coordinates after moving from q for one second with the constant velocities v."""
        return tuple(x + dx for x, dx in zip(q, v))

    def difference(self, start: Vector, end: Vector) -> tuple[Any, ...]:
        """The constant velocities that move it from start to end in one second: the inverse of `integrate`."""
        return tuple(x1 - x0 for x0, x1 in zip(start, end))

    def displacement(self, q: Vector, rest: Vector) -> tuple[Any, ...]:
        """The displacement from rest to q, one number for each velocity: the stretch of a spring between them."""
        return tuple(x - x0 for x, x0 in zip(q, rest))

    def displacement_derivative(self, q: Vector, rest: Vector) -> list[list[Any]]:
        """The derivative of the displacement along the velocities: nv rows, nv columns."""
        return [[float(i == j) for j in range(self.nv)] for i in range(self.nv)]

    def bracket(self, a: Vector, b: Vector) -> tuple[Any, ...]:
        """The Lie bracket of two velocities: zero, but for orientations."""
        return (0.0,) * self.nv

    @property
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at which joint frame and body frame coincide (up to the joint's offset)."""
        return (0.0,) * self.nq

    def velocity(self, q: Vector, qd: Vector) -> Motion:
        """S(q) qd."""
        return combine(self.subspace(q), qd)


@dataclass(frozen=True)
class AxisJoint(JointKind):
    """A joint type with one axis, a unit vector in the joint frame and in the body frame alike."""

    axis: Given[Vec3, Iterable[Any]] = default(Z_AXIS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))


def moments(*axes: Vec3) -> tuple[Force, ...]:
    """Pure moments about the axes."""
    return tuple(Force(axis, Vec3.zero) for axis in axes)


def forces(*axes: Vec3) -> tuple[Force, ...]:
    """Forces along the axes, through the origin."""
    return tuple(Force(Vec3.zero, axis) for axis in axes)


def _silent(kind: JointKind, what: str) -> str:
    name = type(kind).__name__
    remedy = "give it coordinates() and constraint_wrenches() to cut loops with it"
    return f"the joint type {name} does not say {what}; {remedy}"


def combine(columns: Sequence[Motion], weights: Vector) -> Motion:
    """The sum of columns times weights."""
    return sum((column * weight for column, weight in zip(columns, weights)), Motion.zero)
