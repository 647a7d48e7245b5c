"""The links of a mechanism, each read in axes that make the recursions short.

Bodies on parallel revolute joints, one behind the other, are read in common axes: those that the first of them would
have if its joint did not turn. Nothing needs to be turned between them; each inertia is turned once instead, where
that is cheaper. Rotors are read in axes that don't turn with them. Any axes will do, because the recursions are
relations between vectors at one instant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.joints import Revolute, Rotor
from kinetree.model.joint import Joint
from kinetree.model.mechanism import WORLD, Mechanism
from kinetree.scalar import Real, is_zero
from kinetree.spatial.inertia import RigidInertia
from kinetree.spatial.motion import Motion
from kinetree.spatial.rotation import Rotation, Turn
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3


@dataclass(frozen=True, slots=True)
class Link:
    """A body at one instant, in its reading axes.

    Args:
        X: the reading frame in that of the parent; its origin is the body frame's.
        S: the columns of the joint's motion.
        inertia: of the body.
        axes: the orientation of the body frame in the reading frame.
    """

    X: Transform
    S: tuple[Motion, ...]
    inertia: RigidInertia
    axes: Rotation


def links(robot: Mechanism, q: Sequence[Real]) -> Iterator[Link]:
    """The links at the positions q, one after the other."""
    leader = _groups(robot)
    axes = {WORLD: Rotation.identity}
    for i, (body, p, qs) in enumerate(zip(robot.bodies, robot.parents, robot.q_slices)):
        joint, rigid = body.joint, body.inertia.rigid
        place, motion = joint.placement, joint.motion(q[qs])
        if isinstance(joint.kind, Rotor):  # round, so that its own turn changes nothing
            axes[i] = motion.R
            yield Link(Transform(axes[p]) @ place, joint.subspace(q[qs]), rigid, axes[i])
            continue
        if i not in leader:
            axes[i] = Rotation.identity
            X = Transform(axes[p]) @ place @ motion
        elif leader[i] == i:
            axes[i] = motion.R
            X = Transform(axes[p]) @ place
        else:
            axes[i] = _one_turn(axes[p].then(place.R).then(motion.R))
            X = Transform(Rotation.identity, axes[p] @ place.p)
        turned = RigidInertia(rigid.m, axes[i] @ rigid.ms, axes[i].similar_symmetric(rigid.J))
        yield Link(X, joint.subspace(q[qs]), turned, axes[i])


def _groups(robot: Mechanism) -> dict[int, int]:
    """The bodies that are read in common axes, and the first body of the group of each."""
    leader: dict[int, int] = {}
    for i in range(robot.nbodies):
        if _continues(robot, i):
            p = robot.parents[i]
            leader[i] = leader.setdefault(p, p)
    groups = {first: [i for i in leader if leader[i] == first] for first in set(leader.values())}
    return {i: first for first, group in groups.items() if _pays(robot, group) for i in group}


def _continues(robot: Mechanism, i: int) -> bool:
    """Whether a joint is revolute about the same coordinate axis as the one before it."""
    joint, p = robot.bodies[i].joint, robot.parents[i]
    axis = _axis(joint)
    if p == WORLD or axis is None or axis != _axis(robot.bodies[p].joint):
        return False
    return all(isinstance(turn, Turn) and turn.axis == axis for turn in joint.placement.R.factors)


def _axis(joint: Joint) -> int | None:
    """The coordinate axis about which a joint turns, if it is one."""
    if not isinstance(joint.kind, Revolute):
        return None
    return next((k for k, e in enumerate(joint.kind.axis) if isinstance(e, float) and abs(e) == 1.0), None)


_TURN = 20  # multiplications that the recursions spend on one turn between two bodies
_FIRST = 60  # a turn right on the world costs nothing, and often its sine and cosine are not needed either


def _pays(robot: Mechanism, group: list[int]) -> bool:
    """Whether turning the inertias and places of a group costs less than the turns between its bodies."""
    members, cost = set(group), 0
    for i, p in enumerate(robot.parents):
        body, first = robot.bodies[i], robot.parents[i] not in members
        if i in members:
            axis = _axis(body.joint) or 0
            cost += _cost_of_turning(body.inertia.rigid, axis) - _TURN
            cost += (_FIRST if p == WORLD else 0) if first else 4 + 2 * _nonzero(_plane(body.joint.placement.p, axis))
        elif not first:  # it leaves the group
            axis = _axis(robot.bodies[p].joint) or 0
            cost += _TURN + 2 * _nonzero(_plane(body.joint.placement.p, axis))
    return cost < 0


def _cost_of_turning(rigid: RigidInertia, axis: int) -> int:
    """The multiplications that an inertia takes when it is turned about a coordinate axis."""
    rows = [list(row) for row in rigid.J.full]
    j, k = (m for m in range(3) if m != axis)
    inside = 4 if _nonzero([rows[j][k]]) or rows[j][j] != rows[k][k] else 0
    return inside + 2 * _nonzero([rows[axis][j], rows[axis][k], *_plane(rigid.ms, axis)])


def _plane(v: Vec3, axis: int) -> list[Any]:
    return [x for k, x in enumerate(v) if k != axis]


def _nonzero(values: Sequence[Any]) -> int:
    return sum(not is_zero(x) for x in values)


def _one_turn(R: Rotation) -> Rotation:
    """Turns about one axis, added up: cos and sin of the sum of the angles."""
    turns = [factor for factor in R.factors if isinstance(factor, Turn)]
    if not turns:
        return Rotation.identity
    first, *others = turns
    for other in others:
        c, s = first.c * other.c - first.s * other.s, first.s * other.c + first.c * other.s
        first = Turn(first.axis, c, s)
    return Rotation((first,))
