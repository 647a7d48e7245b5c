"""The shapes of bodies as a model file gives them, for pictures: no dynamics depend on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.model.frame import Frame
from kinetree.model.urdf.packages import Folders

KINDS = {"box": 3, "cylinder": 2, "sphere": 1, "capsule": 2, "ellipsoid": 3, "mesh": 0}  # how many sizes each has
_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class MeshFile:
    """A mesh by its address, which is followed when it is drawn, inside the folders that were named.

    Args:
        address: as in the model file.
        folder: of the model file; None for text.
        packages: folders of packages.
        matrix, offset: what is made of each point p: matrix p + offset.
    """

    address: str
    folder: Path | None = None
    packages: Folders = ()
    matrix: tuple[tuple[float, ...], ...] = _IDENTITY
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Visual:
    """A solid that a body carries.

    Args:
        frame: the body (None: the world) and the pose of the shape in it.
        kind: "box", "cylinder", "sphere", "capsule", "ellipsoid" or "mesh".
        size: halves of the extents [m]; of a cylinder and a capsule the radius and half of the straight length.
        colour: red, green, blue and opacity from 0 to 1; None where the file says nothing.
        mesh: of kind "mesh".
    """

    frame: Frame
    kind: str
    size: tuple[float, ...] = ()
    colour: tuple[float, ...] | None = None
    mesh: MeshFile | None = field(default=None)

    def moved(self, frame: Frame) -> Visual:
        """The same at another frame."""
        return replace(self, frame=frame)

    def times(self, factors: Any) -> Visual:
        """With lengths along its axes multiplied; a negative factor is a mirror, which solids don't show."""
        k = np.broadcast_to(np.asarray(factors, float), 3)
        if self.mesh is None:
            return replace(self, size=tuple(x * float(np.abs(k).max()) for x in self.size))
        matrix = tuple(tuple(f * x for x in row) for f, row in zip(k.tolist(), self.mesh.matrix))
        offset = tuple(f * x for f, x in zip(k.tolist(), self.mesh.offset))
        return replace(self, mesh=replace(self.mesh, matrix=matrix, offset=offset))
