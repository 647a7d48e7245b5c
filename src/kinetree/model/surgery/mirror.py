"""The mirror image of a mechanism.

The world is mirrored by M = 1 - 2 n n^T. A mirrored frame would be left-handed, so one of its axes is turned round: S
is the mirror of the coordinate plane nearest to the one of M, and a frame with orientation R and origin p becomes
M R S, M p. Inside of the mechanism, where frames are seen from frames, everything is mirrored by S alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kinetree import joints
from kinetree.errors import ModelError
from kinetree.joints.axis import unit
from kinetree.model import Frame, Inertia, Joint, Mechanism, Moments
from kinetree.model.surgery.frames import moved, rule_for
from kinetree.scalar import Scalar, Vector
from kinetree.spatial import ElementaryRotation, Mat3, Rotation, Sym3, Transform, Vec3


def mirror(mechanism: Mechanism, normal: Vector = (0.0, 1.0, 0.0)) -> Mechanism:
    """The mirror image in the plane through the world's origin; gravity is mirrored too.

    A frame with orientation R and origin p becomes M R S, M p: M mirrors the world, and S turns the axis round that
    is nearest to the normal, because frames are right-handed. For a normal along a coordinate axis S = M.

    The image is that of the same motion for these coordinates, with (sx, sy, sz) the signs of S, one of them -1:

    - revolute, prismatic, helical, universal: the same;
    - cylindrical: the same angle, the opposite displacement;
    - planar: sx x, sy y, -sz angle;
    - spherical: the quaternion (-sx x, -sy y, -sz z, w), the angular velocity (-sx, -sy, -sz) times its own;
    - free: the position (sx, sy, sz) times its own, the quaternion and the angular velocity as above, the linear
      velocity (sx, sy, sz) times its own.

    Forces have the signs of the velocities.

    Args:
        mechanism: to be mirrored.
        normal: of the plane, a unit vector in world axes.
    """
    if any(isinstance(x, Scalar) for x in normal):
        raise ModelError(f"the normal of a mirror must be three numbers, got {tuple(normal)}")
    n = unit(normal)
    image = _Image(max(range(3), key=lambda k: abs([*n][k])))
    # M = Q S: the part of the mirror that is a rotation is the world's
    rows = [[float(i == j) - 2.0 * x * y for j, y in enumerate(n)] for i, x in enumerate(n)]
    Q = Transform(Rotation.of(Mat3(*(image.vector(Vec3.of(row)) for row in rows))))

    def move(frame: Frame) -> Frame:
        pose = image.transform(frame.pose)
        return Frame(frame.body, Q @ pose if frame.body is None else pose)

    bodies = []
    for body in mechanism.bodies:
        place = move(Frame(body.parent, body.joint.placement))
        joint = replace(image.joint(body.joint), placement=place.pose)
        bodies.append(replace(body, joint=joint, inertia=image.inertia(body.inertia)))
    flipped = tuple(shape.times(image.signs) for shape in mechanism.shapes)
    whole = moved(replace(mechanism, shapes=flipped), bodies, move, lambda kind: image.kind(kind, "a loop")[0])
    return replace(whole, gravity=Q.R @ image.vector(mechanism.gravity))


@dataclass(frozen=True)
class _Image:
    """What S makes of things; it turns one axis (0, 1, 2) round."""

    axis: int

    @property
    def signs(self) -> tuple[float, ...]:
        return tuple(-1.0 if k == self.axis else 1.0 for k in range(3))

    def vector(self, v: Vec3) -> Vec3:
        """S v."""
        return Vec3(*(_signed(s, x) for s, x in zip(self.signs, v)))

    def turn_axis(self, a: Vec3) -> Vec3:
        """-S a: a turn about a is seen in the mirror as one by the same angle about this axis."""
        return Vec3(*(_signed(-s, x) for s, x in zip(self.signs, a)))

    def rotation(self, R: Rotation) -> Rotation:
        """S R S, factor by factor."""
        factors = []
        for factor in R.factors:
            if isinstance(factor, ElementaryRotation):
                factors.append(factor if factor.axis == self.axis else factor.T)
            else:
                rows = zip(self.signs, factor.matrix)
                factors += Rotation.of(Mat3(*(self.vector(row) * s for s, row in rows))).factors
        return Rotation(tuple(factors))

    def transform(self, X: Transform) -> Transform:
        return Transform(self.rotation(X.R), self.vector(X.p))

    def inertia(self, inertia: Inertia | Moments) -> Inertia | Moments:
        if isinstance(inertia, Moments):
            return Moments(inertia.mass, self.vector(inertia.first), self.symmetric(inertia.second))
        return Inertia(inertia.mass, self.vector(inertia.com), self.symmetric(inertia.about_com))

    def symmetric(self, J: Sym3) -> Sym3:
        """S J S."""
        x, y, z = self.signs
        return Sym3(*(_signed(s, e) for s, e in zip((1.0, 1.0, 1.0, x * y, x * z, y * z), J)))

    def kind(self, kind: joints.JointKind, owner: str) -> Mirrored:
        """The mirrored kind, and the signs of its coordinates."""
        return rule_for(MIRRORED, kind, owner, "mirrored")(self, kind)

    def joint(self, joint: Joint) -> Joint:
        kind, signs = self.kind(joint.kind, f"joint {joint.name!r}")
        lower, upper = joint.limits.lower, joint.limits.upper
        if -1.0 in signs and lower != -upper:
            raise ModelError(
                f"joint {joint.name!r}: mirrored, some coordinates of a {type(kind).__name__} joint change their sign, "
                f"but its limits from {lower} to {upper} hold for all of them; make them symmetric or take them away"
            )
        return replace(joint, kind=kind, rest=tuple(_signed(s, x) for s, x in zip(signs, joint.rest)))


def _signed(sign: float, x: Any) -> Any:
    return x if sign > 0 else 0.0 - x  # a zero stays 0.0


def _ball_signs(image: _Image) -> tuple[float, ...]:
    return (*(-s for s in image.signs), 1.0)


Mirrored = tuple[joints.JointKind, tuple[float, ...]]  # a joint type, and the signs of its coordinates
MIRRORED: Mapping[type[joints.JointKind], Callable[[_Image, Any], Mirrored]] = {
    joints.Revolute: lambda image, kind: (joints.Revolute(image.turn_axis(kind.axis), kind.offset), (1.0,)),
    joints.Prismatic: lambda image, kind: (joints.Prismatic(image.vector(kind.axis)), (1.0,)),
    # the axis of the turn is opposite to the way of the advance
    joints.Helical: lambda image, kind: (joints.Helical(image.turn_axis(kind.axis), 0.0 - kind.pitch), (1.0,)),
    joints.Cylindrical: lambda image, kind: (joints.Cylindrical(image.turn_axis(kind.axis)), (1.0, -1.0)),
    joints.Universal: lambda image, kind: (
        joints.Universal(*map(image.turn_axis, (kind.first, kind.second))),
        (1.0, 1.0),
    ),
    joints.Planar: lambda image, kind: (kind, (*image.signs[:2], -image.signs[2])),
    joints.Spherical: lambda image, kind: (kind, _ball_signs(image)),
    joints.Free: lambda image, kind: (kind, (*image.signs, *_ball_signs(image))),
    joints.Fixed: lambda image, kind: (kind, ()),
    joints.Rotor: lambda image, kind: (joints.Rotor(image.turn_axis(kind.axis), kind.gear_ratio), (1.0,)),
}
