"""The kinds of URDF joints: the joint frame in the parent link, and how the child link moves in it.

A turn of the joint frame about the joint's own axis is an offset of the joint, not a rotation of its own:
Rz(yaw) Ry(pitch) Rx(roll) Rx(q) = Rz(yaw) Ry(pitch) Rx(roll + q), and so on with fewer angles for y and z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kinetree.joints import Fixed, Free, JointKind, Planar, Prismatic, Revolute
from kinetree.model.urdf.tree import UrdfJoint, rotation_of_rpy
from kinetree.spatial import Rotation, Transform, Vec3

_ROUNDING = 4 * 2.0**-52  # how far an angle may be from a quarter turn that it is meant to be


def placed_kind(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    """The joint frame in the parent link, and the kind of the joint."""
    return _KINDS[joint.type](joint)


def _revolute(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    if joint.origin.quaternion is not None:
        return joint.origin.transform, Revolute(joint.axis)
    rest, offset = _without_turn_about(joint.axis, joint.origin.rpy)
    return Transform(rotation_of_rpy(*rest), joint.origin.xyz), Revolute(joint.axis, offset)


def _without_turn_about(axis: Vec3, rpy: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """Roll, pitch, yaw without the innermost turn where that is about the axis, and its signed angle."""
    innermost = next((k for k in range(3) if Rotation.about(k, rpy[k]).factors), None)
    if innermost is None or abs([*axis][innermost]) != 1.0:
        return tuple(rpy), 0.0
    rest = tuple(0.0 if k == innermost else angle for k, angle in enumerate(rpy))
    return rest, [*axis][innermost] * _whole_quarters(rpy[innermost])


def _whole_quarters(angle: float) -> float:
    """The angle; one within rounding of a quarter turn is made that quarter turn."""
    quarters = round(angle / (math.pi / 2)) * (math.pi / 2)
    return quarters if abs(angle - quarters) <= _ROUNDING * max(1.0, abs(angle)) else angle


def _prismatic(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    return joint.origin.transform, Prismatic(joint.axis)


def _planar(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    # Pinocchio moves along x and y of the joint frame whatever the axis: just with z both say the same
    if joint.axis != Vec3(0.0, 0.0, 1.0):
        raise joint.element.error(
            f"a planar joint with axis {tuple(joint.axis)} is not read: a URDF does not say where its two "
            'displacements point; turn the joint frame so that <axis xyz="0 0 1"/> is the normal of the plane'
        )
    return joint.origin.transform, Planar()


def _floating(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    return joint.origin.transform, Free()


def _fixed(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    return joint.origin.transform, Fixed()


_KINDS: Mapping[str, Callable[[UrdfJoint], tuple[Transform, JointKind]]] = {
    "revolute": _revolute,
    "continuous": _revolute,
    "prismatic": _prismatic,
    "planar": _planar,
    "floating": _floating,
    "fixed": _fixed,
}
