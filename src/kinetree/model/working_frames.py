"""Working frames: the axes in which the recursions express the quantities of each body.

A recursion relates vectors of one state, so each body may be expressed in any axes about the origin of its body
frame. Three choices are in use:

    BODY      the axes of the body frame, as in textbooks
    JOINT     the axes of the joint frame, which don't turn with the joint
    PARENT    the axes of the parent's working frame, so that nothing is rotated between the two bodies

Rotors take JOINT: they are round, so that their inertia is the same in these axes. Revolute joints about parallel
coordinate axes, one behind the other, may take JOINT (the first) and PARENT (the others): then each inertia is rotated
once, by the sum of the angles, instead of every velocity, acceleration and wrench between the bodies. A count of
multiplications decides; it affects the cost of the code alone. `algorithms/links.py` evaluates the frames at q.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from kinetree.joints import Revolute, Rotor
from kinetree.model import WORLD, Joint, Mechanism
from kinetree.scalar import is_zero
from kinetree.spatial import ElementaryRotation, RigidInertia, Vec3


class WorkingFrame(Enum):
    """The axes of a body's working frame; its origin is that of the body frame."""

    BODY = "body"
    JOINT = "joint"
    PARENT = "parent"


def working_frames(robot: Mechanism) -> tuple[WorkingFrame, ...]:
    """The working frame of each body that makes the recursions cheap."""
    first = _parallel_groups(robot)

    def choice(i: int) -> WorkingFrame:
        if isinstance(robot.bodies[i].joint.kind, Rotor) or first.get(i) == i:
            return WorkingFrame.JOINT
        return WorkingFrame.PARENT if i in first else WorkingFrame.BODY

    return tuple(map(choice, range(robot.nbodies)))


def _parallel_groups(robot: Mechanism) -> dict[int, int]:
    """The bodies that share the axes of a working frame, each with the first body of its group."""
    first: dict[int, int] = {}
    for i, p in enumerate(robot.parents):
        if _is_parallel_to_parent(robot, i):
            first[i] = first.setdefault(p, p)
    groups = {k: [i for i in first if first[i] == k] for k in set(first.values())}
    return {i: k for k, group in groups.items() if _extra_multiplications(robot, group) < 0 for i in group}


def _is_parallel_to_parent(robot: Mechanism, i: int) -> bool:
    """Whether a joint is revolute about the same coordinate axis as the one before it, for good."""
    joint, p = robot.bodies[i].joint, robot.parents[i]
    axis = _axis(joint)
    if p == WORLD or axis is None or axis != _axis(robot.bodies[p].joint):
        return False
    return all(isinstance(turn, ElementaryRotation) and turn.axis == axis for turn in joint.placement.R.factors)


def _axis(joint: Joint) -> int | None:
    """The coordinate axis about which a revolute joint turns, if it is one."""
    if not isinstance(joint.kind, Revolute):
        return None
    return next((k for k, e in enumerate(joint.kind.axis) if isinstance(e, float) and abs(e) == 1.0), None)


# -- the cost ----------------------------------------------------------------------------------------------------------

_ROTATION = 20  # multiplications that the recursions spend on one rotation between two bodies
_ON_WORLD = 60  # a rotation right on the world costs nothing, and often its sine and cosine are not needed either


def _extra_multiplications(robot: Mechanism, group: Sequence[int]) -> int:
    """What common axes for a group cost more than body axes: negative where they pay."""
    members, cost = set(group), 0
    for i, p in enumerate(robot.parents):
        joint, follows = robot.bodies[i].joint, p in members
        if i in members:
            axis = _axis(joint) or 0
            cost += _rotating(robot.bodies[i].inertia.rigid, axis) - _ROTATION
            if follows:
                cost += 4 + 2 * _nonzero(_across(joint.placement.p, axis))
            elif p == WORLD:
                cost += _ON_WORLD
        elif follows:  # it leaves the group
            axis = _axis(robot.bodies[p].joint) or 0
            cost += _ROTATION + 2 * _nonzero(_across(joint.placement.p, axis))
    return cost


def _rotating(rigid: RigidInertia, axis: int) -> int:
    """The multiplications that it takes to rotate an inertia about a coordinate axis."""
    rows = [list(row) for row in rigid.J.full]
    j, k = (m for m in range(3) if m != axis)
    inside = 4 if _nonzero([rows[j][k]]) or rows[j][j] != rows[k][k] else 0
    return inside + 2 * _nonzero([rows[axis][j], rows[axis][k], *_across(rigid.ms, axis)])


def _across(v: Vec3, axis: int) -> list[Any]:
    """The components of a vector across a coordinate axis."""
    return [x for k, x in enumerate(v) if k != axis]


def _nonzero(values: Sequence[Any]) -> int:
    return sum(not is_zero(x) for x in values)
