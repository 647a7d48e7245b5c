"""The joints of MJCF: hinge, slide, ball and free.

A hinge and a ball turn the body about an anchor fixed in it, a slide shifts it along an axis. Positions are
MuJoCo's: ``ref`` is the position in which the body is where its own ``pos`` puts it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kinetree.joints import Free, JointKind, Prismatic, Revolute, Spherical
from kinetree.model import Joint, Limits
from kinetree.model.mjcf.orientation import unit_vector
from kinetree.model.mjcf.settings import Settings
from kinetree.model.mjcf.unread import Unread
from kinetree.model.text.xml import Element
from kinetree.spatial import Transform, Vec3

_ZERO = (0.0, 0.0, 0.0)
_LIMITED = ("auto", "true", "false")
_TYPES = ("hinge", "slide", "ball", "free")


@dataclass(frozen=True)
class MjcfJoint:
    """One joint of a body.

    Args:
        joint: without its placement.
        before: from the body's frame before the joint moves to the joint frame.
        after: from the frame that the joint moves to the body's frame.
        ref: the position in which the body has not moved.
        springdamper: the time constant [s] and the damping ratio of its spring, instead of numbers of its own.
        element: where it stands.
    """

    joint: Joint
    before: Transform
    after: Transform
    ref: tuple[float, ...]
    springdamper: tuple[float, ...]
    element: Element

    @property
    def name(self) -> str:
        return self.joint.name


def read_joint(
    name: str, given: Element, around: Transform, body: Transform, settings: Settings, unread: Unread
) -> MjcfJoint:
    """The joint of an element.

    Args:
        name: of the joint.
        given: the element with its class.
        around: the frame around the element, in the body.
        body: the pose of the body in its parent, at which the spring of a free joint rests.
        settings: units and flags.
        unread: is told what is not honoured.
    """
    type_ = "free" if given.tag == "freejoint" else given.choice("type", _TYPES, "hinge")
    made = _made(type_, given, around, settings)
    damping, stiffness = _spring(name, given, settings, unread)
    coulomb = given.nonnegative("frictionloss") if settings.friction else 0.0
    rotor, limits = given.nonnegative("armature"), _limits(given, made, settings)
    rest = (*body.p, *_quaternion(body)) if type_ == "free" else made.rest
    rest = rest if stiffness or given.has("springdamper") else None
    joint = Joint(name, made.kind, Transform.identity, damping, coulomb, rotor, limits, stiffness, rest)
    if type_ == "free" and any(joint.rotor_inertia):
        unread.add("armature of a free joint", name)
    if type_ == "ball" and _is_limited(given, "limited", "range", settings):
        unread.add("range of a ball joint", name)
    anchor = Vec3.zero if type_ in ("slide", "free") else around.p + around.R @ Vec3.of(given.numbers("pos", 3, _ZERO))
    springdamper = given.numbers("springdamper", 2, (0.0, 0.0))
    if any(springdamper) and min(springdamper) <= 0:
        wrong = f"<joint springdamper=...>: both numbers must be above 0, got {springdamper}"
        raise given.speaker("springdamper").error(wrong)
    return MjcfJoint(joint, _shift(anchor - made.back), _shift(-anchor), made.ref, springdamper, given)


# -- the types -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Made:
    """How a type of joint moves; ``back`` is the way that a slide has gone at position zero."""

    kind: JointKind
    ref: tuple[float, ...]
    rest: tuple[float, ...] | None = None
    back: Vec3 = Vec3.zero
    unit: float | None = None  # of its range: rad or m


def _made(type_: str, given: Element, around: Transform, settings: Settings) -> _Made:
    if type_ in ("ball", "free"):
        kind = Spherical() if type_ == "ball" else Free()
        return _Made(kind, kind.neutral)
    speaker, unit = given.speaker("axis"), settings.angle if type_ == "hinge" else 1.0
    axis = around.R @ unit_vector(speaker.numbers("axis", 3, (0.0, 0.0, 1.0)), speaker, "axis")
    ref, rest = (given.number(key, 0.0) * unit for key in ("ref", "springref"))
    if type_ == "hinge":
        return _Made(Revolute(axis, -ref + 0.0), (ref,), (rest,), unit=unit)
    return _Made(Prismatic(axis), (ref,), (rest,), axis * ref, unit)


def _shift(p: Vec3) -> Transform:
    return Transform(p=Vec3(*(x + 0.0 for x in p)))


def _quaternion(pose: Transform) -> tuple[float, ...]:
    """The unit quaternion x, y, z, w of an orientation, by that of four ways that does not cancel."""
    (a, b, c), (d, e, f), (g, h, i) = pose.R.matrix
    ways = (
        (1 + a - e - i, b + d, c + g, h - f),
        (b + d, 1 - a + e - i, f + h, c - g),
        (c + g, f + h, 1 - a - e + i, d - b),
        (h - f, c - g, d - b, 1 + a + e + i),
    )
    q = max(ways, key=lambda way: math.hypot(*way))
    length = math.hypot(*q)
    return tuple(x / length for x in q)


# -- what resists --------------------------------------------------------------------------------------------


def _spring(name: str, given: Element, settings: Settings, unread: Unread) -> tuple[float, float]:
    """Damping and stiffness; each may be a polynomial, of which the linear part is read."""
    values = []
    for key, present in (("damping", settings.dampers), ("stiffness", settings.springs)):
        linear, *higher = given.leading(key, _ZERO)
        given.check_nonnegative(key, linear)
        if present and any(higher):
            unread.add(f"nonlinear {key}", name)
        values.append(linear if present else 0.0)
    if given.has("springyield"):
        unread.add("yielding spring", name)
    return values[0], values[1]


def _limits(given: Element, made: _Made, settings: Settings) -> Limits:
    if made.unit is None:
        return Limits()
    lower, upper, effort = -math.inf, math.inf, math.inf
    if _is_limited(given, "limited", "range", settings):
        lower, upper = (x * made.unit for x in given.numbers("range", 2, (0.0, 0.0)))
    if _is_limited(given, "actuatorfrclimited", "actuatorfrcrange", settings):
        effort = max(map(abs, given.numbers("actuatorfrcrange", 2, (0.0, 0.0))))
    return Limits(lower, upper, effort=effort)


def _is_limited(given: Element, key: str, range_: str, settings: Settings) -> bool:
    said = given.choice(key, _LIMITED, "auto")
    return said == "true" or (said == "auto" and settings.autolimits and any(given.numbers(range_, 2, (0.0, 0.0))))
