"""One displacement along a fixed axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.joints.axis import Z_AXIS, unit
from kinetree.joints.joint import JointKind
from kinetree.scalar import Real
from kinetree.spatial.motion import Motion
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True)
class Prismatic(JointKind):
    """q: the displacement in metres."""

    axis: Vec3 = Z_AXIS
    nq = nv = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def transform(self, q: Sequence[Real]) -> Transform:
        return Transform(Rotation.identity, self.axis * q[0])

    def subspace(self, q: Sequence[Real]) -> tuple[Motion, ...]:
        return (Motion(Vec3.zero, self.axis),)
