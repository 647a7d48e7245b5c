"""What a kind of joint must say of itself.

A joint takes its body from the joint frame fixed in the parent to the body frame. Velocities are in body axes:
``S(q) qd`` is the angular velocity of the body relative to the parent and the velocity of its origin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from kinetree.scalar import Real
from kinetree.spatial.motion import Motion
from kinetree.spatial.transform import Transform


class JointKind(ABC):
    """One kind of joint: nq coordinates, nv velocities."""

    nq: ClassVar[int]
    nv: ClassVar[int]

    @abstractmethod
    def transform(self, q: Sequence[Real]) -> Transform:
        """The pose of the body frame in the joint frame."""

    @abstractmethod
    def subspace(self, q: Sequence[Real]) -> tuple[Motion, ...]:
        """The nv columns of S(q), in body axes."""

    def bias(self, q: Sequence[Real], qd: Sequence[Real]) -> Motion:
        """dS/dt qd: the rate of the velocity's components that qdd does not explain."""
        return Motion.zero

    def rates(self, q: Sequence[Real], qd: Sequence[Real]) -> tuple[Any, ...]:
        """dq/dt for the velocities qd."""
        return tuple(qd)

    @property
    def factors(self) -> tuple[JointKind, ...]:
        """Joints with constant S, one behind the other, that make this one; a joint with constant S is its own."""
        return (self,)

    def displacement(self, q: Sequence[Real], rest: Sequence[Real]) -> tuple[Any, ...]:
        """The way from rest to q, one number for each velocity: what a spring between them feels."""
        return tuple(x - x0 for x, x0 in zip(q, rest))

    def displacement_derivative(self, q: Sequence[Real], rest: Sequence[Real]) -> list[list[Any]]:
        """How the displacement changes with the velocities: nv rows, nv columns."""
        return [[float(i == j) for j in range(self.nv)] for i in range(self.nv)]

    def bracket(self, a: Sequence[Real], b: Sequence[Real]) -> tuple[Any, ...]:
        """What is left of a small motion along a, b, -a and -b, for each velocity: nothing, but for orientations."""
        return (0.0,) * self.nv

    @property
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at which joint frame and body frame coincide (up to the joint's offset)."""
        return (0.0,) * self.nq

    @property
    def quaternion(self) -> int | None:
        """Where among the coordinates a unit quaternion (x, y, z, w) starts, if there is one."""
        return None

    def velocity(self, q: Sequence[Real], qd: Sequence[Real]) -> Motion:
        """S(q) qd."""
        return combine(self.subspace(q), qd)


def combine(columns: Sequence[Motion], weights: Sequence[Real]) -> Motion:
    """The sum of columns times weights."""
    total = Motion.zero
    for column, weight in zip(columns, weights):
        total = total + column * weight
    return total
