"""The standard parameters of a robot, in which its joint forces are linear: their names and columns, the robot without
them, and the robot with others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError, ModelError, UnknownNameError, check_names
from kinetree.identify.chains import AnyRobot, tree_of, with_tree
from kinetree.joints import Rotor
from kinetree.model import Body, Inertia, Moments, Transmission
from kinetree.robot import Robot
from kinetree.spatial import RigidInertia, Sym3, Vec3

MOMENTS = ("M", "MX", "MY", "MZ", "XX", "YY", "ZZ", "XY", "XZ", "YZ")
JOINT_PARAMETERS = {"damping": "FV", "coulomb": "FS", "rotor_inertia": "IA", "stiffness": "K"}
SPRINGS = ("FVT", "KT")  # damping and stiffness of an elastic transmission
ZERO = 1e-9  # a friction, rotor inertia or stiffness this little below zero is a rounded zero


def parameter_names(robot: Robot) -> tuple[str, ...]:
    """The names of `Robot.dynamic_parameters`, such as "link1.ZZ" and "joint1.FV".

    Example:
        >>> import kinetree as kt
        >>> kt.identify.parameter_names(kt.robots.two_link())[:3]
        ('link1.M', 'link1.MX', 'link1.MY')
    """
    names = [f"{body.name}.{moment}" for body in robot.bodies for moment in MOMENTS]
    for letters in JOINT_PARAMETERS.values():
        for joint in (body.joint for body in robot.bodies):
            names += [f"{joint.name}.{letters}{'' if joint.kind.nv == 1 else k}" for k in range(joint.kind.nv)]
    elastic = (body.joint.name for body in robot.bodies if body.joint.transmission)
    return (*names, *(f"{joint}.{letters}" for joint in elastic for letters in SPRINGS))


def included(tree: Robot, include: Sequence[str]) -> list[int]:
    """The columns of the joints' own parameters that are asked for."""
    known = (*JOINT_PARAMETERS, "transmission")
    wanted = known if include == "all" else (include,) if isinstance(include, str) else tuple(include)
    for name in wanted:
        if name not in known:
            raise UnknownNameError("parameter of the joints", name, ("all", *known))
    block, start = sum(body.joint.kind.nv for body in tree.bodies), 10 * tree.nbodies
    sizes = {**dict.fromkeys(JOINT_PARAMETERS, block), "transmission": 2 * len(tree.transmissions)}
    columns: list[int] = []
    for name, size in sizes.items():
        columns += range(start, start + size) if name in wanted else ()
        start += size
    return columns


def round_parameters(tree: Robot) -> dict[int, int]:
    """Of rotors, which are round, the columns that are none of their own: each with the one whose value it has.

    Beside the axis there are no moments (-1), but for two second moments that are equal.
    """
    same: dict[int, int] = {}
    for i, kind in enumerate(body.joint.kind for body in tree.bodies):
        if isinstance(kind, Rotor) and sorted(map(abs, kind.axis)) == [0.0, 0.0, 1.0]:
            k = max(range(3), key=lambda j, axis=(*kind.axis,): abs(axis[j]))
            other, kept = (j for j in range(3) if j != k)
            same |= {10 * i + 1 + j: -1 for j in (other, kept)} | {10 * i + c: -1 for c in (7, 8, 9)}
            same[10 * i + 4 + other] = 10 * i + 4 + kept
    return same


def geometry(tree: Robot) -> Robot:
    """The robot without the numbers that the joint forces are linear in."""
    bodies: list[Body] = []
    for body in tree.bodies:
        spring = body.joint.transmission
        spring = None if spring is None else Transmission(spring.joint, 0.0)
        joint = dataclasses.replace(body.joint, transmission=spring, **dict.fromkeys(JOINT_PARAMETERS, 0.0))
        bodies.append(dataclasses.replace(body, joint=joint, inertia=Inertia()))
    return dataclasses.replace(tree, bodies=tuple(bodies), strict=False)


def check_values(tree: Robot, given: Mapping[str, Any]) -> None:
    """Refuse values of open parameters that the robot does not have, or that are not finite numbers."""
    check_names("parameter", given, tree.parameters)
    for name, x in given.items():
        if x is not None and not (isinstance(x, Real) and math.isfinite(x)):
            raise InputError(f"the value of the parameter {name!r} must be a finite number, not {x!r}")


def numbers_for(tree: Robot, given: Mapping[str, float]) -> dict[str, Any]:
    """Values for all open parameters; says which are missing."""
    check_values(tree, given)
    numbers = {name: given.get(name, p.default) for name, p in tree.parameters.items()}
    missing = [name for name, x in numbers.items() if x is None]
    if missing:
        raise InputError(f"numbers are needed for the open parameters: give {', '.join(f'{n}=...' for n in missing)}")
    return numbers


def with_standard(robot: AnyRobot, values: NDArray[np.float64], strict: bool) -> AnyRobot:
    """The robot with these numbers for its `Robot.dynamic_parameters`.

    Args:
        robot: whose geometry, limits, frames and loops stay.
        values: (nparameters,).
        strict: refuse what no body can have; inertias are stated about the centre of mass then.
    """
    tree = tree_of(robot)
    moments, joints = np.split(np.asarray(values, float), [10 * tree.nbodies])
    joints = np.where((joints < 0.0) & (joints > -ZERO), 0.0, joints)
    block = sum(body.joint.kind.nv for body in tree.bodies)
    own, springs = joints[: 4 * block].reshape(4, block), iter(joints[4 * block :].reshape(-1, 2).tolist())
    bodies: list[Body] = []
    start = 0
    for body, (m, x, y, z, *second) in zip(tree.bodies, moments.reshape(-1, 10).tolist()):
        end = start + body.joint.kind.nv
        changed: dict[str, Any] = {name: tuple(row[start:end]) for name, row in zip(JOINT_PARAMETERS, own.tolist())}
        start = end
        if (spring := body.joint.transmission) is not None:
            damping, stiffness = next(springs)
            changed["transmission"] = dataclasses.replace(spring, damping=damping, stiffness=stiffness)
        try:
            joint = dataclasses.replace(body.joint, **changed)
        except ModelError as error:
            raise InputError(f"{error}; give fit physical=True for values that a robot can have") from None
        rigid = RigidInertia(m, Vec3(x, y, z), Sym3(*second))
        inertia = Inertia.of_rigid(rigid) if strict else Moments.of_rigid(rigid)
        bodies.append(dataclasses.replace(body, joint=joint, inertia=inertia))
    return with_tree(robot, dataclasses.replace(tree, bodies=tuple(bodies), strict=strict))
