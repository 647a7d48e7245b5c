"""External loads: six numbers a body, in world axes about the body's origin, acting on the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector
from kinetree.spatial import Force, Rotation, Transform

Loads: TypeAlias = "Sequence[Vector] | None"


def wrenches_on_bodies(robot: Mechanism, X: Mapping[int, Transform], external: Loads) -> list[Force]:
    """The loads in the working frames with the poses X; an empty list where there are none."""
    if external is None:
        return []
    R: dict[int, Rotation] = {WORLD: Rotation.identity}
    wrenches = []
    for i, p in enumerate(robot.parents):
        R[i] = Rotation.of(R[p].then(X[i].R).matrix)
        load = Force.of(external[i])
        wrenches.append(Force(R[i].T @ load.ang, R[i].T @ load.lin))
    return wrenches
