"""The XML elements of URDF text, with numbers that the reader turns into those of the model bit for bit.

Numbers are written with all their digits. Where the reader computes with them (angles become a rotation, an axis is
normalised), neighbouring numbers are tried until the model's own come out; the reader itself is the judge.
URDF has no infinity: a limit that must be there and is infinite is the largest number.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from xml.sax.saxutils import quoteattr

from kinetree.errors import ModelError
from kinetree.joints import Fixed, Free, JointKind, Planar, Prismatic, Revolute
from kinetree.joints.axis import rotation_about
from kinetree.model import Body, Joint, Limits
from kinetree.model.urdf.joints import placed_kind
from kinetree.model.urdf.rpy import Angles, angles_of
from kinetree.model.urdf.tree import read_urdf
from kinetree.spatial import Transform, Vec3

_SAME = (Revolute, Prismatic, Planar, Fixed)  # called the same in URDF
TYPES: dict[type[JointKind], str] = {Free: "floating", **{kind: kind.__name__.lower() for kind in _SAME}}
LARGEST = sys.float_info.max
_ULPS = (0, 1, -1)
_SCALES = (1.0, 0.7, 0.6, 0.9)
_ROUNDS = 3  # of writing and reading until nothing changes

Lines = list[str]


def element(tag: str, children: Sequence[str | Lines] = (), **attributes: Any) -> Lines:
    """The lines of an element; numbers as Python writes them, words escaped."""
    start = "<" + " ".join([tag, *(f"{name}={_quoted(value)}" for name, value in attributes.items())])
    if not children:
        return [start + "/>"]
    if isinstance(children[0], str):
        return [f"{start}>{children[0]}</{tag}>"]
    return [start + ">", *("  " + line for child in children for line in child), f"</{tag}>"]


def link(name: str, body: Body | None = None) -> Lines:
    """A link: that of a body with its inertia, or one for the frame alone."""
    inertia = body.inertia if body else None
    if inertia is None or not any((inertia.mass, *inertia.about_com)):
        return element("link", name=name)
    J = inertia.about_com
    origin = [element("origin", xyz=[*inertia.com])] if any(inertia.com) else []
    mass = element("mass", value=inertia.mass)
    moments = element("inertia", ixx=J.xx, ixy=J.xy, ixz=J.xz, iyy=J.yy, iyz=J.yz, izz=J.zz)
    return element("link", [element("inertial", [*origin, mass, moments])], name=name)


def fixed_joint(name: str, parent: str, child: str, pose: Transform) -> Lines:
    """The fixed joint that holds the link of a frame."""
    ends = [element("parent", link=parent), element("child", link=child)]
    return element("joint", ends + _origin(pose.p, angles_of(pose.R)), name=name, type="fixed")


def joint(joint: Joint, parent: str, child: str) -> Lines:
    """A joint of the model."""
    kind, limits = joint.kind, joint.limits
    unlimited = isinstance(kind, Revolute) and limits.lower == -math.inf and limits.upper == math.inf
    type_ = "continuous" if unlimited else TYPES[type(kind)]
    parts = [element("parent", link=parent), element("child", link=child), *_place(joint)]
    if kind.nv:
        parts += _limits(limits, type_)
        resistance = {"damping": joint.damping[0], "friction": joint.coulomb[0]}
        parts += [element("dynamics", **resistance)] if any(resistance.values()) else []
    if joint.mimic:
        mimic = joint.mimic
        parts.append(element("mimic", joint=mimic.joint, multiplier=mimic.multiplier, offset=mimic.offset))
    return element("joint", parts, name=joint.name, type=type_)


def transmission(joint: Joint) -> Lines:
    """The drive of a joint; its rotor inertia is stated on the motor's side."""
    n, reflected = float(joint.gear_ratio), joint.rotor_inertia[0]
    rotor = reflected / (n * n)  # times n * n, as the reader has it, a product comes back bit for bit
    parts = [element("mechanicalReduction", [repr(n)])]
    parts += [element("rotorInertia", [repr(rotor)])] if reflected else []
    drive = element("actuator", parts, name=f"{joint.name}_motor")
    kind = element("type", ["transmission_interface/SimpleTransmission"])
    return element("transmission", [kind, element("joint", name=joint.name), drive], name=f"{joint.name}_transmission")


# -- places and axes ---------------------------------------------------------------------------------------------------


def _place(joint: Joint) -> list[Lines]:
    """The origin and axis of a joint, such that writing what is read from them gives the same text."""
    placement, kind = joint.placement, joint.kind
    axis = _axis(kind)
    parts = _origin(placement.p, _angles(placement, kind)) + axis
    for _ in range(_ROUNDS if isinstance(kind, Revolute) else 0):
        placement, kind = _read(parts)
        again = _origin(joint.placement.p, _angles(placement, kind)) + axis
        if again == parts:
            break
        parts = again
    return parts


def _angles(placement: Transform, kind: JointKind) -> Angles:
    """Roll, pitch, yaw of the joint frame with the offset of the joint folded in."""
    angles = angles_of(placement.R)
    if not isinstance(kind, Revolute):
        return angles
    k = next((k for k, e in enumerate(kind.axis) if abs(e) == 1.0), None)
    if k is not None and not any(angles[: k + 1]):  # the offset is the innermost turn, as the reader has it
        return tuple([*kind.axis][k] * kind.offset if i == k else angle for i, angle in enumerate(angles))
    return angles_of(placement.R.then(rotation_about(kind.axis, 0.0, kind.offset)))


def _origin(p: Vec3, angles: Angles) -> list[Lines]:
    return [element("origin", xyz=[*p], rpy=[*angles])] if any((*p, *angles)) else []


def _axis(kind: JointKind) -> list[Lines]:
    if isinstance(kind, Planar):
        return [element("axis", xyz=[0.0, 0.0, 1.0])]
    if not isinstance(kind, Revolute | Prismatic):
        return []
    axis = kind.axis
    for _ in range(_ROUNDS):
        # what the reader does to it is undone, up to rounding
        undone = [x * x / y if y else x for x, y in zip(axis, _read_axis([*axis]))]
        tries = (values for start in ([*axis], undone) for values in _neighbours(start))
        found = next((values for values in tries if _read_axis(values) == axis), None)
        if found:
            return [element("axis", xyz=found)]
        axis = _read_axis(undone)
    return [element("axis", xyz=[*axis])]


def _neighbours(axis: Sequence[float]) -> Iterator[list[float]]:
    """The axis and vectors beside it; one of another length is the same axis, rounded otherwise."""
    for scale, *steps in product(_SCALES, *([_ULPS if x else _ULPS[:1] for x in axis])):
        yield [scale * (x + k * math.ulp(x)) for x, k in zip(axis, steps)]


def _read_axis(values: Sequence[float]) -> Vec3:
    kind = _read([element("axis", xyz=[*values])])[1]
    return kind.axis if isinstance(kind, Revolute) else Vec3.zero


def _read(parts: Sequence[Lines]) -> tuple[Transform, JointKind]:
    """What the reader makes of the origin and axis of a revolute joint."""
    ends = [element("parent", link="a"), element("child", link="b")]
    links = [element("link", name="a"), element("link", name="b")]
    lines = element("robot", [*links, element("joint", [*ends, *parts], name="j", type="continuous")])
    return placed_kind(read_urdf("\n".join(lines)).joints["j"])


# -- numbers and words -------------------------------------------------------------------------------------------------


def _limits(limits: Limits, type_: str) -> list[Lines]:
    """URDF readers want velocity and effort in every <limit>, and a <limit> in revolute and prismatic joints."""
    stated = {"effort": limits.effort, "velocity": limits.velocity}
    if type_ in ("revolute", "prismatic"):
        stated = {"lower": limits.lower, "upper": limits.upper, **stated}
    elif all(x == math.inf for x in stated.values()):
        return []
    return [element("limit", (), **{name: min(max(x, -LARGEST), LARGEST) for name, x in stated.items()})]


def _quoted(value: Any) -> str:
    if not isinstance(value, str):
        numbers = [float(x) for x in (value if isinstance(value, list) else [value])]
        if not all(map(math.isfinite, numbers)):
            raise ModelError(f"a URDF has finite numbers only, got {numbers}")
        return '"' + " ".join(map(repr, numbers)) + '"'
    return quoteattr(value, {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}).encode("ascii", "xmlcharrefreplace").decode()
