"""Robots of published descriptions: their numbers in tables, a row for each joint, each body and each frame.

Placements are as in a URDF: x, y, z [m] and roll, pitch, yaw [rad] in the frame of the parent. Masses [kg], centres of
mass [m] and inertias about them [kg m^2] are in the frame of the body. Friction is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kinetree.joints import Free
from kinetree.joints.axis import X_AXIS, Y_AXIS, Z_AXIS
from kinetree.model import Body, Frame, Inertia, Joint, Limits
from kinetree.model.inertia import symmetric
from kinetree.model.urdf.joints import placed_revolute
from kinetree.model.urdf.tree import rotation_of_rpy
from kinetree.robot import Robot
from kinetree.spatial import Transform, Vec3

Triple = tuple[float, float, float]
# joint, parent (None for the world), body, xyz, rpy, axis, and lower, upper, velocity, effort [rad, rad/s, N m]
JointRow = tuple[str, str | None, str, Triple, Triple, str, tuple[float, float, float, float]]
BodyRow = tuple[
    float, Triple, tuple[float, ...]
]  # mass, centre, inertia xx, yy, zz and xy, xz, yz unless they are zero
FrameRow = tuple[str | None, Triple, Triple]  # body, xyz, rpy

ZERO: Triple = (0.0, 0.0, 0.0)
_AXES = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS, "-x": -X_AXIS, "-y": -Y_AXIS, "-z": -Z_AXIS}


def described(
    name: str,
    joints: Sequence[JointRow],
    bodies: Mapping[str, BodyRow],
    frames: Mapping[str, FrameRow],
    welded: Mapping[str, BodyRow] = {},
    floating: str | None = None,
) -> Robot:
    """The robot of its tables.

    Args:
        name: of the robot.
        joints: revolute ones, in the order of the coordinates.
        bodies: by name.
        frames: by name.
        welded: parts that are fixed at frames, by the name of the frame.
        floating: the body that is free to move and carries all others; by default the base is fixed.
    """
    inertias = {body: _inertia(row) for body, row in bodies.items()}
    named = {
        frame: Frame(body, Transform(rotation_of_rpy(*rpy), Vec3(*xyz))) for frame, (body, xyz, rpy) in frames.items()
    }
    for frame, row in welded.items():
        inertias[str(named[frame].body)] += _inertia(row).moved(named[frame].pose)
    made = [Body(floating, Joint("base", Free(), actuated=False), inertias[floating])] if floating else []
    for joint, parent, body, xyz, rpy, axis, limits in joints:
        placement, kind = placed_revolute(_AXES[axis], Vec3(*xyz), rpy)
        made.append(Body(body, Joint(joint, kind, placement, limits=Limits(*limits)), inertias[body], parent))
    return Robot(tuple(made), name, named_frames=tuple(named.items()))


def _inertia(row: BodyRow) -> Inertia:
    mass, com, inertia = row
    return Inertia(mass, Vec3(*com), symmetric(inertia))
