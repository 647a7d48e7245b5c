"""What stands or moves in the world of a robot besides it, such as obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError, check_name
from kinetree.runtime.arrays import Array
from kinetree.scene.movement import even, resampled
from kinetree.scene.packed import PackedArrays
from kinetree.scene.tree import Data

_KINDS = {"sphere": 1, "capsule": 2, "box": 3, "plane": 0}  # and how many sizes each has
_WIDE, _THIN = 1.2, 0.002  # of a plane, of the size of the robot


@dataclass(frozen=True)
class Fixture:
    """A solid in the world.

    Args:
        kind: "sphere", "capsule", "box" or "plane".
        size: the radius; the radius and the length of the line along z; half the lengths; none for a plane [m].
        pose: its rotation and place in the world as the rows of [R, p] (3, 4) or (12,). A capsule begins at its
            origin; a plane has z as its normal, which points out of what it bounds.
        name: of it.
        path: its displacements (n, 3) [m] at the n times of the first motion; None where it stands.

    Example:
        >>> import kinetree as kt
        >>> from kinetree.scene import View
        >>> ball = Fixture("sphere", [0.1], [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.3]], "ball")
        >>> View(kt.robots.two_link(), obstacles=[ball])
        <View of two_link: .open() in a browser, .save("view.html"), or a cell of a notebook>
    """

    kind: str
    size: Sequence[float]
    pose: ArrayLike
    name: str = ""
    path: ArrayLike | None = None

    def data(self, reach: float, t: Array, block: PackedArrays) -> Data:
        """For the page.

        Args:
            reach: the size of the robot [m].
            t: the times of the first motion (n,) [s].
            block: for arrays.
        """
        check_name("kind of solid", self.kind, _KINDS)
        pose = np.asarray(self.pose, dtype=np.float64).reshape(3, 4)
        size = [float(x) for x in self.size]
        if (
            len(size) != _KINDS[self.kind]
            or not np.isfinite([*size, *pose.ravel()]).all()
            or not all(x > 0 for x in size)
        ):
            raise InputError(f"a {self.kind} has {_KINDS[self.kind]} positive sizes and a finite pose, got {size}")
        found: Data = {"kind": self.kind, "name": self.name}
        if self.kind == "plane":  # a thin box beside the robot, whose upper side is the plane
            normal = pose[:, 2]
            middle = normal * float(normal @ pose[:, 3]) - _THIN * reach * normal
            pose = np.column_stack([pose[:, :3], middle])
            size = [_WIDE * reach, _WIDE * reach, _THIN * reach]
            found |= {"kind": "box", "endless": True}
        elif self.kind == "capsule":
            size = [size[0], size[0], size[1]]
        found |= {"size": size, "pose": pose.ravel().tolist()}
        if self.path is not None:
            path = np.asarray(self.path, dtype=np.float64)
            if path.shape != (len(t), 3) or not np.isfinite(path).all():
                raise InputError(f"the path of {self.name or self.kind} is ({len(t)}, 3) finite numbers")
            found["path"] = block.add(resampled(t, path, even(t)), "f4")
        return found
