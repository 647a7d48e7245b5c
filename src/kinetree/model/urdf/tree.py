"""What a URDF file says: its links and joints, each checked, together a tree with one root.

Nothing is interpreted here beyond the format's own conventions: rpy angles are about the fixed x, y, z axes,
R = Rz(yaw) Ry(pitch) Rx(roll); the inertia matrix is about the centre of mass, in the axes of the inertial
origin; an axis need not be of length one and is (1, 0, 0) where none is given; quat_xyzw may stand for rpy, as
in version 1.2 of the format.
Reference: wiki.ros.org/urdf/XML.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kinetree.joints import quaternion
from kinetree.model import Inertia, Limits, Mimic
from kinetree.model.text.file import Source
from kinetree.model.text.xml import Element, by_name, read_xml
from kinetree.model.validation import cycle_above
from kinetree.spatial import Rotation, Sym3, Transform, Vec3

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_ROUNDING = 4 * 2.0**-52  # an axis such as (0, 1, 6e-17) is a coordinate axis that went through a sine
_UNIT = 1e-4  # a quaternion written with four digits is still meant to be of length one
_ZERO = (0.0, 0.0, 0.0)
_PRODUCTS = ("ixy", "ixz", "iyz")
_SHOWN = 5  # elements that a note names
_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Origin:
    """The place of a frame as the file gives it: a displacement, and roll, pitch, yaw or a quaternion x, y, z, w."""

    xyz: Vec3 = Vec3.zero
    rpy: tuple[float, ...] = _ZERO
    quaternion: tuple[float, ...] | None = None

    @property
    def transform(self) -> Transform:
        if self.quaternion is not None:
            return Transform(quaternion.rotation(self.quaternion), self.xyz)
        return Transform(rotation_of_rpy(*self.rpy), self.xyz)


@dataclass(frozen=True)
class UrdfLink:
    """A link; its inertia is in the link frame, zero where the file gives none."""

    name: str
    inertia: Inertia
    element: Element


@dataclass(frozen=True)
class UrdfJoint:
    """A joint between two links; the axis is a unit vector in the joint frame."""

    name: str
    type: str
    parent: str
    child: str
    origin: Origin
    axis: Vec3
    damping: float
    friction: float
    limits: Limits
    mimic: Mimic | None
    element: Element


@dataclass(frozen=True)
class UrdfTree:
    """The links and joints of a file by name; joints in alphabetical order."""

    name: str
    root: str
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    element: Element

    def outward(self) -> Iterator[UrdfJoint]:
        """The joints from the root outward: depth first, those of one link alphabetically."""
        children: dict[str, list[UrdfJoint]] = {}
        for joint in self.joints.values():
            children.setdefault(joint.parent, []).append(joint)
        waiting = children.get(self.root, [])[::-1]
        while waiting:
            joint = waiting.pop()
            yield joint
            waiting += children.get(joint.child, [])[::-1]


def rotation_of_rpy(roll: float, pitch: float, yaw: float) -> Rotation:
    """Rz(yaw) Ry(pitch) Rx(roll); quarter turns are exact."""
    return Rotation.about(2, yaw).then(Rotation.about(1, pitch)).then(Rotation.about(0, roll))


def read_urdf(source: Source, strict: bool = True, notes: list[str] | None = None) -> UrdfTree:
    """The links and joints of a URDF file, or of URDF text that begins with "<".

    Args:
        source: the path, or the text.
        strict: refuse a mass without an inertia and an inertia without a mass, an inertia without its products,
            equal elements where one is meant, and what is left of a xacro file. Else the mass is a point and the
            inertia counts as none, which is what urdfdom makes of them; products are zero; elements are left out.
        notes: where that is said.
    """
    notes = [] if notes is None else notes
    robot = read_xml(source, root="robot")
    if strict:
        for element in (x for x in robot.children if x.tag.startswith("xacro:")):
            remedy = "read it by Robot.from_xacro, or expand it first: xacro model.xacro > model.urdf"
            raise element.error(f"<{element.tag}> belongs to a xacro file; {remedy}")
    else:
        robot = _forgiven(robot, notes)
    links = {name: _link(name, x, strict, notes) for name, x in by_name(robot.all("link")).items()}
    joints = {name: _joint(name, x) for name, x in by_name(robot.all("joint")).items()}
    if not links:
        raise robot.error("the robot has no <link>; expected one at least")
    root = _root(links, joints)
    return UrdfTree(robot.attributes.get("name", ""), root, links, dict(sorted(joints.items())), robot)


# -- elements ------------------------------------------------------------------------------------------------


def _link(name: str, element: Element, strict: bool, notes: list[str]) -> UrdfLink:
    inertial = element.child("inertial")
    if inertial is None:
        return UrdfLink(name, Inertia(), element)
    weight, moments = (_part(inertial, tag, strict, notes) for tag in ("mass", "inertia"))
    mass = weight.number("value") if weight else 0.0
    about_com = Sym3.zero
    if weight and moments:
        products = [key for key in _PRODUCTS if key not in moments.attributes]
        if products and not strict:
            notes.append(f"line {moments.line}, {moments.owner}: {', '.join(products)} counts as 0")
        about_com = Sym3(
            *(moments.number(key) for key in ("ixx", "iyy", "izz")),
            *(moments.number(key, None if strict else 0.0) for key in _PRODUCTS),
        )
    if mass == 0 and about_com == Sym3.zero:
        return UrdfLink(name, Inertia(), element)
    return UrdfLink(name, Inertia(mass, Vec3.zero, about_com).moved(origin_of(inertial).transform), element)


def _part(inertial: Element, tag: str, strict: bool, notes: list[str]) -> Element | None:
    if strict:
        return inertial.required(tag)
    part = inertial.child(tag)
    if part is None:
        meaning = {"mass": "counts as none", "inertia": "is a point mass"}[tag]
        notes.append(f"line {inertial.line}, {inertial.owner}: <inertial> without <{tag}> {meaning}")
    return part


def _joint(name: str, element: Element) -> UrdfJoint:
    type_ = element.string("type")
    if type_ not in TYPES:
        raise element.error(f"joint type {type_!r} is not one of {', '.join(map(repr, TYPES))}")
    mimic, dynamics = element.child("mimic"), element.child("dynamics")
    parent, child = (element.required(end).string("link") for end in ("parent", "child"))
    damping, friction = (dynamics.nonnegative(key) if dynamics else 0.0 for key in ("damping", "friction"))
    origin, limits = origin_of(element), _limits(element.child("limit"), type_)
    axis = Vec3(1.0, 0.0, 0.0) if type_ in ("fixed", "floating") else _axis(element)
    leader = mimic and Mimic(mimic.string("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    return UrdfJoint(name, type_, parent, child, origin, axis, damping, friction, limits, leader, element)


def origin_of(element: Element) -> Origin:
    origin = element.child("origin")
    if origin is None:
        return Origin()
    xyz = Vec3.of(origin.numbers("xyz", 3, _ZERO))
    if "quat_xyzw" not in origin.attributes:
        return Origin(xyz, origin.numbers("rpy", 3, _ZERO))
    if "rpy" in origin.attributes:
        raise origin.error('<origin> has both rpy="..." and quat_xyzw="..."; remove one of them')
    values = origin.numbers("quat_xyzw", 4)
    length = math.hypot(*values)
    if abs(length - 1.0) > _UNIT:
        raise origin.error(f"the quaternion {values} has length {length:g}; expected x, y, z, w of length 1")
    return Origin(xyz, quaternion=tuple(x / length for x in values))


def _axis(element: Element) -> Vec3:
    axis = element.child("axis")
    if axis is None:
        return Vec3(1.0, 0.0, 0.0)
    values = axis.numbers("xyz", 3)
    largest = max(map(abs, values))
    if largest == 0:
        raise axis.error("the axis is zero; expected a direction such as 0 0 1")
    values = tuple(x / largest if abs(x / largest) > _ROUNDING else 0.0 for x in values)
    length = math.hypot(*values)
    return Vec3(*(x / length for x in values))


def _limits(limit: Element | None, type_: str) -> Limits:
    if limit is None:
        return Limits()
    bounded = type_ in ("revolute", "prismatic")
    lower, upper = (limit.number(x, 0.0) for x in ("lower", "upper")) if bounded else (-math.inf, math.inf)
    numbers = (lower, upper, limit.number("velocity", math.inf), limit.number("effort", math.inf))
    # the largest number is how a URDF says "no limit" where it must say something
    return Limits(*(math.copysign(math.inf, x) if abs(x) >= _LARGEST else x for x in numbers))


# -- what is forgiven ----------------------------------------------------------------------------------------


def _forgiven(robot: Element, notes: list[str]) -> Element:
    """The file without what is left of xacro, and without links, joints and parts of them that are there twice."""
    xacro = [x for x in robot.walk() if x.tag.startswith("xacro:")]
    if xacro:
        found = ", ".join(f"<{x.tag}> in line {x.line}" for x in xacro[:_SHOWN]) + (", ..." if xacro[_SHOWN:] else "")
        notes.append(f"what belongs to a xacro file is left out: {found}")
    twice: list[Element] = []
    result = _once(robot, ("link", "joint"), twice)
    if twice:
        found = ", ".join(f"<{x.tag}> in line {x.line}" for x in twice[:_SHOWN]) + (", ..." if twice[_SHOWN:] else "")
        notes.append(f"elements that are there twice count once: {found}")
    return result


def _once(element: Element, tags: Collection[str] | None, twice: list[Element]) -> Element:
    """The element, its children of these tags (None: all) once each, and likewise below them."""
    children: list[Element] = []
    contents: set[Any] = set()
    for child in element.children:
        if tags is not None and child.tag not in tags:
            children += [] if child.tag.startswith("xacro:") else [child]
        elif (content := _content(child)) in contents:
            twice.append(child)
        elif not child.tag.startswith("xacro:"):
            contents.add(content)
            children.append(_once(child, None, twice))
    return replace(element, children=tuple(children))


def _content(element: Element) -> Any:
    """What an element says, wherever it stands."""
    return element.tag, element.text, tuple(sorted(element.attributes.items())), tuple(map(_content, element.children))


# -- the tree ------------------------------------------------------------------------------------------------


def _root(links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]) -> str:
    """The link that is nobody's child; raises where links and joints are not a tree."""
    above: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            joint.element.check_name(f"{role} link", link, links)
        if joint.child in above:
            given = f"link {joint.child!r} is already the child of joint {above[joint.child].name!r}"
            raise joint.element.error(f"{given}; a URDF is a tree, a link has one parent")
        above[joint.child] = joint
    parents, sound = {link: joint.parent for link, joint in above.items()}, set[str]()
    for link in above:
        if cycle := cycle_above(link, parents, sound):
            circle = " -> ".join([*reversed(cycle), cycle[-1]])
            raise above[cycle[0]].element.error(f"the links form a cycle: {circle}; a URDF is a tree")
    first, *others = [link for link in links if link not in above]
    if others:
        remedy = "a URDF has one root; add a joint between"
        raise links[others[0]].element.error(f"two links have no parent: {first!r} and {others[0]!r}; {remedy}")
    return first
