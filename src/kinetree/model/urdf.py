"""The mechanism of a URDF file.

Every link that moves is a body in its own URDF link frame. Coordinates stand depth first, the joints of one
link in alphabetical order: the order of urdfdom, hence of Pinocchio. Links on fixed (or locked) joints are
welded to the body that carries them; their frames keep the links' names. The name "world" is the world's:
a root link of that name on a fixed base *is* the world, any other is called "world_link".

A turn of the joint frame about the joint's own axis is an offset of the joint, not a rotation of its own:
Rz(yaw) Ry(pitch) Rx(roll) Rx(q) = Rz(yaw) Ry(pitch) Rx(roll + q), and so on with fewer angles for y and z.
"""

from __future__ import annotations

import math
import numbers
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinetree.errors import InertiaError, ModelError, ModelWarning, UnknownNameError
from kinetree.joints import Fixed, Free, JointKind, Planar, Prismatic, Revolute
from kinetree.model.inertia import Inertia
from kinetree.model.joint import Joint
from kinetree.model.mechanism import Body, Frame, Mechanism, gravity_vector
from kinetree.model.urdf_tree import UrdfJoint, UrdfLink, UrdfTree, read_urdf, rotation_of_rpy
from kinetree.scalar import Real, Scalar
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

BASE_JOINT = "base"
_ROUNDING = 4 * 2.0**-52  # how far an angle may be from a quarter turn that it is meant to be


def mechanism_from_urdf(
    source: str | os.PathLike[str],
    *,
    base: str = "fixed",
    name: str | None = None,
    gravity: Sequence[Real] = (0.0, 0.0, -9.81),
    lock: Mapping[str, Any] | None = None,
    strict: bool = True,
) -> Mechanism:
    """The mechanism of a URDF file.

    Args:
        source: the path of the file, or URDF text (a str that begins with "<").
        base: "fixed": the root link is the world; "floating": it is the first body, on the free joint "base".
        name: of the robot; the file's own where left out.
        gravity: the acceleration of free fall in world axes [m/s^2].
        lock: joints to be held at a value, by name: {"finger_joint": 0.04}. One number for each coordinate.
        strict: refuse inertias that no body can have, and limits that leave no room.

    Mimic joints are read as joints of their own, with a warning. Meshes are not opened.
    """
    if base not in ("fixed", "floating"):
        raise ModelError(f"base {base!r} is not one of 'fixed', 'floating'")
    tree = read_urdf(source)
    held = dict(lock or {})
    _check_joints(tree, base, held, strict)
    _check_masses(tree, strict)
    parts = _Parts(tree)
    root = tree.links[tree.root]
    if base == "fixed":
        parts.weld(root, None, Transform.identity)
    else:
        parts.hang(root, Joint(BASE_JOINT, Free()), None)
    for joint in tree.outward():
        parts.attach(joint, held)
    try:
        return Mechanism(
            parts.bodies(), name or tree.name or "robot", gravity_vector(gravity), tuple(parts.frames), strict=strict
        )
    except InertiaError as error:
        raise InertiaError(f"{root.element.file}: {error}") from None


@dataclass
class _Parts:
    """The mechanism as it grows from the root outward."""

    tree: UrdfTree
    # link -> the body that it is part of, its pose there; body -> its joint, its parent
    places: dict[str, tuple[str | None, Transform]] = field(default_factory=dict)
    joints: dict[str, tuple[Joint, str | None]] = field(default_factory=dict)
    inertias: dict[str, Inertia] = field(default_factory=dict)
    frames: list[tuple[str, Frame]] = field(default_factory=list)

    def attach(self, joint: UrdfJoint, held: Mapping[str, Any]) -> None:
        """Add a joint and its child link to the parent link, which is there already."""
        link = self.tree.links[joint.child]
        body, X = self.places[joint.parent]
        placement, kind = _KINDS[joint.type](joint)
        if joint.name in held:
            placement = placement @ _pose_at(kind, held[joint.name], joint.name)
            kind = Fixed()
        if isinstance(kind, Fixed):
            self.weld(link, body, X @ placement)
        else:
            made = Joint(joint.name, kind, X @ placement, joint.damping, joint.friction, 0.0, joint.limits)
            self.hang(link, made, body)

    def weld(self, link: UrdfLink, body: str | None, X: Transform) -> None:
        """The link becomes a part of the body (None: of the world, where its inertia does not matter)."""
        self.places[link.name] = (body, X)
        if body is not None and link.inertia != Inertia():
            self.inertias[body] += link.inertia.moved(X)
        if not (link.name == "world" and link.name == self.tree.root):
            self.frames.append((self.frame_name(link), Frame(body, X)))

    def hang(self, link: UrdfLink, joint: Joint, parent: str | None) -> None:
        """The link becomes a body of its own."""
        body = self.frame_name(link)
        self.places[link.name] = (body, Transform.identity)
        self.joints[body] = (joint, parent)
        self.inertias[body] = link.inertia

    def frame_name(self, link: UrdfLink) -> str:
        name = link.name if link.name != "world" else "world_link"
        while name != link.name and name in self.tree.links:
            name += "_"
        return name

    def bodies(self) -> tuple[Body, ...]:
        return tuple(Body(name, joint, self.inertias[name], up) for name, (joint, up) in self.joints.items())


# -- the kinds of joints: the joint frame in the parent link, and how the child moves in it --------------


def _revolute(joint: UrdfJoint) -> tuple[Transform, JointKind]:
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


# -- options ------------------------------------------------------------------------------------------------


def _check_joints(tree: UrdfTree, base: str, held: Mapping[str, Any], strict: bool) -> None:
    moving = {name: joint for name, joint in tree.joints.items() if joint.type != "fixed"}
    for name in held:
        if name not in moving:
            raise UnknownNameError("moving joint", name, moving)
    for name, joint in moving.items():
        if base == "floating" and name == BASE_JOINT and name not in held:
            raise joint.element.error(f"{BASE_JOINT!r} is the joint of the floating base; rename this one")
        if strict and joint.limits.lower > joint.limits.upper:
            raise joint.element.error(
                f"the lower limit {joint.limits.lower:g} is above the upper limit {joint.limits.upper:g}; "
                "swap them, or pass strict=False to use them as they are"
            )
    if mimics := [name for name, joint in moving.items() if joint.mimic and name not in held]:
        file = tree.links[tree.root].element.file
        listed = ", ".join(map(repr, mimics))
        warnings.warn(f"{file}: mimic is not honoured yet; joints of their own: {listed}", ModelWarning, stacklevel=4)


def _check_masses(tree: UrdfTree, strict: bool) -> None:
    """The mass of every link, because a negative one may hide in the body that it is welded to."""
    for link in tree.links.values():
        if strict and link.inertia.mass < 0:
            raise InertiaError(str(link.element.error(f"the mass {link.inertia.mass:g} kg is below 0")))


def _pose_at(kind: JointKind, value: Any, name: str) -> Transform:
    """The pose of the body in the joint frame, with the joint held at a value."""
    q = _coordinates(kind, value, name)
    if isinstance(kind, Revolute):  # quarter turns about coordinate axes are exact
        for k, e in enumerate(kind.axis):
            if abs(e) == 1.0:
                return Transform(Rotation.about(k, e * (q[0] + kind.offset)))
    return kind.transform(q)


def _coordinates(kind: JointKind, value: Any, name: str) -> tuple[Any, ...]:
    given = f"lock: joint {name!r} can't be held at {value!r}"
    expected = f"expected {kind.nq} finite number{'s' * (kind.nq > 1)}"
    try:
        values = (value,) if isinstance(value, (numbers.Real, Scalar)) else tuple(value)
        q = tuple(x if isinstance(x, Scalar) else float(x) for x in values)
    except (TypeError, ValueError):
        raise ModelError(f"{given}; {expected}") from None
    if len(q) != kind.nq or not all(isinstance(x, Scalar) or math.isfinite(x) for x in q):
        raise ModelError(f"{given}; {expected}")
    i = kind.quaternion
    if i is not None and all(not isinstance(x, Scalar) and x * x == 0 for x in q[i:]):
        raise ModelError(f"{given}: its quaternion is zero; without rotation it is 0, 0, 0, 1")
    return q
