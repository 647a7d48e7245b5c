"""The kinds of URDF joints: the joint frame in the parent link, and how the child link moves in it.

A turn of the joint frame about the joint's own axis is an offset of the joint, not a rotation of its own:
Rz(yaw) Ry(pitch) Rx(roll) Rx(q) = Rz(yaw) Ry(pitch) Rx(roll + q), and so on with fewer angles for y and z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kinetree.joints import Fixed, Free, JointKind, Planar, Prismatic, Revolute
from kinetree.model.urdf.tree import UrdfJoint, rotation_of_rpy
from kinetree.spatial import Rotation, Transform, Vec3

_ROUNDING = 4 * 2.0**-52  # how far an angle may be from a quarter turn that it is meant to be


def placed_kind(joint: UrdfJoint) -> tuple[Transform, JointKind]:
    """The joint frame in the parent link, and the type of the joint."""
    origin = joint.origin
    if joint.type in ("revolute", "continuous"):
        if origin.quaternion is not None:
            return origin.transform, Revolute(joint.axis)
        return placed_revolute(joint.axis, origin.xyz, origin.rpy)
    # Pinocchio moves along x and y of the joint frame whatever the axis: just with z both say the same
    if joint.type == "planar" and joint.axis != Vec3(0.0, 0.0, 1.0):
        raise joint.element.error(
            f"a planar joint with axis {tuple(joint.axis)} is not read: a URDF does not say where its two "
            'displacements point; turn the joint frame so that <axis xyz="0 0 1"/> is the normal of the plane'
        )
    kind = Prismatic(joint.axis) if joint.type == "prismatic" else _WITHOUT_AXIS[joint.type]
    return origin.transform, kind


def placed_revolute(axis: Vec3, xyz: Vec3, rpy: Sequence[float]) -> tuple[Transform, Revolute]:
    """A joint frame by its place [m] and its roll, pitch, yaw [rad], and the joint that turns there about an axis."""
    rest, offset = _without_turn_about(axis, rpy)
    return Transform(rotation_of_rpy(*rest), xyz), Revolute(axis, offset)


_WITHOUT_AXIS: Mapping[str, JointKind] = {"planar": Planar(), "floating": Free(), "fixed": Fixed()}


def _without_turn_about(axis: Vec3, rpy: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """Roll, pitch, yaw without the innermost turn where that is about the axis, and its signed angle."""
    innermost = next((k for k in range(3) if Rotation.about(k, rpy[k]).factors), None)
    if innermost is None or abs([*axis][innermost]) != 1.0:
        return tuple(rpy), 0.0
    rest = tuple(0.0 if k == innermost else angle for k, angle in enumerate(rpy))
    return rest, [*axis][innermost] * _exact_quarters(rpy[innermost])


def _exact_quarters(angle: float) -> float:
    """The angle; one within rounding of a quarter turn is made that quarter turn."""
    quarters = round(angle / (math.pi / 2)) * (math.pi / 2)
    return quarters if abs(angle - quarters) <= _ROUNDING * max(1.0, abs(angle)) else angle
