"""A joint of a mechanism: its kind, its place on the parent, and what resists its motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import ModelError
from kinetree.joints import JointKind
from kinetree.scalar import Real, Scalar
from kinetree.spatial.motion import Motion
from kinetree.spatial.transform import Transform


@dataclass(frozen=True)
class Limits:
    """What a joint can do, the same for each of its coordinates; infinite where nothing is known.

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
class Joint:
    """A joint between a parent body (or the world) and its body.

    Args:
        name: unique in the mechanism.
        kind: one of `kinetree.joints`.
        placement: the joint frame in the parent's frame.
        damping: viscous friction [N m s/rad or N s/m], one number or one for each velocity.
        coulomb: dry friction [N m or N], likewise.
        rotor_inertia: inertia of the drive seen from the joint side [kg m^2 or kg], likewise.
        limits: position, velocity and effort limits.
    """

    name: str
    kind: JointKind
    placement: Transform = Transform.identity
    damping: Any = 0.0
    coulomb: Any = 0.0
    rotor_inertia: Any = 0.0
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not isinstance(self.kind, JointKind):
            raise ModelError(f"joint {self.name!r}: {self.kind!r} is not one of kinetree.joints, such as Revolute()")
        for field, what in (("damping", "viscous"), ("coulomb", "Coulomb"), ("rotor_inertia", "rotor inertia")):
            values = _per_velocity(getattr(self, field), self.kind.nv, self.name, field)
            for x in values:
                if not isinstance(x, Scalar) and not (x >= 0 and math.isfinite(x)):
                    raise ModelError(f"joint {self.name!r}: {what} {x!r} must be a number not below 0")
            object.__setattr__(self, field, values)

    def pose(self, q: Sequence[Real]) -> Transform:
        """The body frame in the parent's frame."""
        return self.placement @ self.kind.transform(q)

    def subspace(self, q: Sequence[Real]) -> tuple[Motion, ...]:
        """The columns of S(q), in body axes."""
        return self.kind.subspace(q)


def _per_velocity(value: Any, nv: int, name: str, field: str) -> tuple[Any, ...]:
    if isinstance(value, Scalar | int | float):
        return (value if isinstance(value, Scalar) else float(value),) * nv
    values = tuple(x if isinstance(x, Scalar) else float(x) for x in value)
    if len(values) != nv:
        raise ModelError(f"joint {name!r} has {nv} velocities but {len(values)} values of {field}: {values}")
    return values
