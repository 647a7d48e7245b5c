"""A screw: one angle about an axis that also advances along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.joints.axis import Z_AXIS, rotation_about, unit
from kinetree.joints.joint import JointKind
from kinetree.scalar import Real
from kinetree.spatial.motion import Motion
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True)
class Helical(JointKind):
    """q: the angle in radians; the body advances by pitch (metres per radian) times q."""

    axis: Vec3 = Z_AXIS
    pitch: Any = 0.0
    nq = nv = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def transform(self, q: Sequence[Real]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.axis * (self.pitch * q[0]))

    def subspace(self, q: Sequence[Real]) -> tuple[Motion, ...]:
        return (Motion(self.axis, self.axis * self.pitch),)
