"""Where one frame is, seen from another: ``X_AB`` holds the orientation R_AB and the origin p of B in A."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.given import Given, default
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Transform:
    """The pose X_AB of frame B in frame A; adjacent letters cancel: X_AC = X_AB @ X_BC.

    Args:
        R: the orientation, a `Rotation` or a 3 x 3 rotation matrix.
        p: the origin of B in A [m], three numbers.
    """

    R: Given[Rotation, Any] = default(Rotation.identity)
    p: Given[Vec3, Iterable[Any]] = default(Vec3.zero)

    identity: ClassVar[Transform]

    def __post_init__(self) -> None:
        if not isinstance(self.p, Vec3):
            object.__setattr__(self, "p", Vec3.of(self.p))
        if not isinstance(self.R, Rotation):
            object.__setattr__(self, "R", Rotation.of_rows(self.R))

    def __matmul__(self, other: Transform) -> Transform:
        return Transform(self.R.then(other.R), self.p + self.R @ other.p)

    @property
    def inverse(self) -> Transform:
        """X_BA."""
        return Transform(self.R.T, -(self.R.T @ self.p))

    def motion_to(self, m: Motion) -> Motion:
        """The motion of B's origin in B's axes, from that of A's origin in A's axes."""
        return Motion(self.R.T @ m.ang, self.R.T @ (m.lin + m.ang.cross(self.p)))

    def force_from(self, f: Force) -> Force:
        """The wrench about A's origin in A's axes, from that about B's origin in B's axes."""
        lin = self.R @ f.lin
        return Force(self.R @ f.ang + self.p.cross(lin), lin)


Transform.identity = Transform()
