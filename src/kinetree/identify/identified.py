"""A robot with other standard parameters."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import InputError, ModelError
from kinetree.identify.columns import tree_of
from kinetree.identify.standard import DRIVES
from kinetree.model.inertia import Inertia
from kinetree.model.mechanism import Body
from kinetree.model.moments import Moments
from kinetree.robot import Robot
from kinetree.spatial.inertia import RigidInertia
from kinetree.spatial.matrix3 import Sym3
from kinetree.spatial.vec3 import Vec3

Array = NDArray[np.float64]
ZERO = 1e-9  # a friction, rotor inertia or stiffness this little below zero is a rounded zero


def with_standard(robot: Robot | ClosedChain, values: Array, strict: bool) -> Robot | ClosedChain:
    """The robot with these numbers in the place of its `Robot.dynamic_parameters`.

    Args:
        robot: whose geometry, limits, frames and loops stay.
        values: (nparameters,).
        strict: refuse what no body can have; inertias are stated about the centre of mass then.
    """
    tree = tree_of(robot)
    numbers: list[float] = np.asarray(values, float).tolist()
    block = sum(body.joint.kind.nv for body in tree.bodies)
    springs = 10 * tree.nbodies + 4 * block
    start = 10 * tree.nbodies
    numbers[start:] = [0.0 if -ZERO < x < 0 else x for x in numbers[start:]]
    bodies: list[Body] = []
    for i, body in enumerate(tree.bodies):
        m, x, y, z, *second = numbers[10 * i : 10 * i + 10]
        rigid = RigidInertia(m, Vec3(x, y, z), Sym3(*second))
        drive: dict[str, Any] = {}
        for k, name in enumerate(DRIVES):
            first = start + k * block
            drive[name] = tuple(numbers[first : first + body.joint.kind.nv])
        start += body.joint.kind.nv
        if body.joint.transmission is not None:
            damping, stiffness = numbers[springs : springs + 2]
            springs += 2
            drive["transmission"] = dataclasses.replace(body.joint.transmission, damping=damping, stiffness=stiffness)
        try:
            joint = dataclasses.replace(body.joint, **drive)
        except ModelError as error:
            raise InputError(f"{error}; give fit physical=True for values that a robot can have") from None
        inertia = Inertia.of_rigid(rigid) if strict else Moments.of_rigid(rigid)
        bodies.append(dataclasses.replace(body, joint=joint, inertia=inertia))
    made = dataclasses.replace(tree, bodies=tuple(bodies), strict=strict)
    return ClosedChain(made, robot.actuated) if isinstance(robot, ClosedChain) else made
