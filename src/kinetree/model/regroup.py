"""Inertial parameters regrouped towards the base: the same joint forces from fewer numbers.

A rod on the axis of a revolute joint moves in the same way whether it is fixed in the body or in its parent, and so
does the inertia of a body that only slides on its parent. Such parts are taken from each body and given to its parent,
from the tips to the base; what no motion can show is dropped. Kinetic and potential energy stay what they are, up to
a constant, at every state and whatever drives the joints; so do all joint forces. The wrenches inside the joints don't.
Reference: [Gautier1990], [Khalil2010] section 3.2; stated here without DH frames, for any axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kinetree.joints import Fixed, Helical, Prismatic, Revolute, Rotor, Spherical, Universal
from kinetree.model import WORLD, Joint, Mechanism, Moments
from kinetree.scalar import Scalar
from kinetree.spatial import RigidInertia, Sym3, Vec3

PARALLEL = 1e-12  # axes and points are numbers of a file, turned a few times; what is left of a zero is rounding


class _Any:
    """In the place of a direction: every direction is possible."""


ANY: Final = _Any()


@dataclass(frozen=True)
class Freedom:
    """How a body can move, in its own axes, seen from a world that stands still.

    Args:
        turns: the axis about which it turns; None where it doesn't turn.
        drifts: the direction in which its origin moves; None where it rests.
        gravity: where that does not change in these axes; None where it does.
    """

    turns: Vec3 | _Any | None
    drifts: Vec3 | _Any | None
    gravity: Vec3 | None

    @property
    def hides_first_moments(self) -> bool:
        """Whether a mass beside the origin, and beside the axis of turning, has no effect."""
        if self.gravity is None or isinstance(self.drifts, _Any):
            return False
        if isinstance(self.turns, _Any):
            return self.drifts is None and _parallel(self.gravity, ANY)
        return self.turns is None or self.drifts is None or _parallel(self.drifts, self.turns)


def freedoms(robot: Mechanism, base_moves: bool = False) -> list[Freedom]:
    """How each body can move."""
    world = Freedom(ANY, ANY, None) if base_moves else Freedom(None, None, robot.gravity)
    found: list[Freedom] = []
    for body, p in zip(robot.bodies, robot.parents):
        found.append(_freedom_behind(body.joint, world if p == WORLD else found[p]))
    return found


def _freedom_behind(joint: Joint, parent: Freedom) -> Freedom:
    """How the body of a joint can move when the parent can move so."""
    R = joint.placement.R.T
    turns, drifts = (R @ x if isinstance(x, Vec3) else x for x in (parent.turns, parent.drifts))
    gravity = None if parent.gravity is None else R @ parent.gravity
    if turns is not None and not _parallel(R @ joint.placement.p, turns):
        drifts = ANY
    for kind in joint.kind.factors:
        if type(kind) is Prismatic or type(kind) is Helical:
            drifts = _common(drifts, kind.axis)
        if type(kind) is Revolute or type(kind) is Rotor or type(kind) is Helical:
            turns = _common(turns, kind.axis)
        elif type(kind) is not Prismatic and type(kind) is not Fixed:
            turns, drifts = ANY, drifts if type(kind) is Spherical else ANY
    if turns is not None:
        if gravity is not None and not _parallel(gravity, turns):
            gravity = None
        if isinstance(drifts, Vec3) and not (isinstance(turns, Vec3) and _parallel(drifts, turns)):
            drifts = ANY
    return Freedom(turns, drifts, gravity)


def _common(first: Vec3 | _Any | None, second: Vec3) -> Vec3 | _Any:
    if first is None:
        return second
    return first if isinstance(first, Vec3) and _parallel(first, second) else ANY


def _parallel(a: Vec3, b: Vec3 | _Any) -> bool:
    """Whether a vector is known to be along another one (along any: to be zero)."""
    return not any(isinstance(x, Scalar) or abs(x) > PARALLEL for x in (a.cross(b) if isinstance(b, Vec3) else a))


# -- one body ----------------------------------------------------------------------------------------------------------


def identifiable_part(freedom: Freedom, inertia: RigidInertia) -> RigidInertia:
    """The part of the inertia of a body with this freedom that affects its motion."""
    m, ms, J, turns = inertia.m, inertia.ms, inertia.J, freedom.turns
    if turns is None:
        J, ms = Sym3.zero, Vec3.zero
    elif isinstance(turns, Vec3) and (k := _main(turns)) is not None:
        u = list(turns)
        about = turns.dot(J @ turns) * (1.0 / (u[k] * u[k]))
        J = Sym3.diagonal(*(about if j == k else 0.0 for j in range(3)))
        ms = _without(ms, turns, k)[0]
    if freedom.hides_first_moments:
        ms = Vec3.zero
    return RigidInertia(0.0 if freedom.drifts is None else m, ms, J)


def split(joint: Joint, freedom: Freedom, inertia: RigidInertia) -> tuple[RigidInertia, RigidInertia]:
    """What has to stay in a body, and what may as well be fixed in its parent, as it is at the joint's zero."""
    kind, m, ms, J = joint.kind, inertia.m, inertia.ms, inertia.J
    if type(kind) is Fixed:
        return RigidInertia.zero, inertia
    if type(kind) is Spherical or type(kind) is Universal:
        return RigidInertia(0.0, ms, J), RigidInertia(m, Vec3.zero, Sym3.zero)
    if type(kind) is Prismatic:
        beside = Vec3.zero  # a mass beside an axis that it slides along, and that all turning is about
        if isinstance(freedom.turns, Vec3) and _parallel(kind.axis, freedom.turns):
            ms, beside = beside, ms
        return RigidInertia(m, ms, Sym3.zero), RigidInertia(0.0, beside, J)
    if type(kind) is Revolute or type(kind) is Rotor:
        return _off_axis(kind.axis, inertia)
    return inertia, RigidInertia.zero


def _off_axis(axis: Vec3, inertia: RigidInertia) -> tuple[RigidInertia, RigidInertia]:
    """An inertia without a rod on an axis through the origin, chosen for zeros; and the rod."""
    k = _main(axis)
    if k is None:
        return inertia, RigidInertia.zero
    e = list(axis)
    ms, along = _without(inertia.ms, axis, k)
    # YY for the axis z, as in the papers
    d = max((j for j in range(3) if j != k), key=lambda j: (-abs(e[j]), j))
    thickness = _diagonal(inertia.J)[d] * (1.0 / (1.0 - e[d] * e[d]))
    rod = (Sym3.diagonal(1.0, 1.0, 1.0) - Sym3.outer(axis)) * thickness
    J = inertia.J - rod
    J = replace(J, **{("xx", "yy", "zz")[d]: 0.0})
    return RigidInertia(0.0, ms, J), RigidInertia(inertia.m, along, rod)


def _without(v: Vec3, axis: Vec3, k: int) -> tuple[Vec3, Vec3]:
    """A vector without its part along an axis, measured so that coordinate k becomes zero; and that part."""
    along = axis * (list(v)[k] * (1.0 / list(axis)[k]))
    return Vec3(*(0.0 if j == k else x for j, x in enumerate(v - along))), along


def _main(axis: Vec3) -> int | None:
    """The largest coordinate of an axis; None where that is open."""
    return max(range(3), key=lambda j: (abs(list(axis)[j]), j)) if _known(*axis) else None


def _diagonal(J: Sym3) -> tuple[Any, Any, Any]:
    return J.xx, J.yy, J.zz


# -- the tree ----------------------------------------------------------------------------------------------------------


def regroup(
    robot: Mechanism, inertias: Sequence[RigidInertia], base_moves: bool = False, saving: bool = False
) -> list[RigidInertia]:
    """The inertias of the bodies with everything regrouped that can be.

    Args:
        robot: its geometry; numbers or open parameters.
        inertias: one for each body, of any scalars.
        base_moves: whether the base has a motion of its own, which shows more of the inertias.
        saving: only where it saves operations; not where it would take arithmetic on open parameters.
    """
    left, free = list(inertias), freedoms(robot, base_moves)
    for i in reversed(range(robot.nbodies)):
        p = robot.parents[i]
        if saving and not all(_known(left[k].m, *left[k].ms, *left[k].J) for k in (i, p) if k != WORLD):
            continue
        joint, X = robot.bodies[i].joint, robot.bodies[i].joint.placement
        left[i] = _shown(joint, free[i], left[i])
        stays, moved = split(joint, free[i], left[i])
        if p == WORLD:
            left[i] = stays
        elif not saving or _known(*X.p, *(x for row in X.R.matrix for x in row)):
            both = left[p] + moved.transformed(X)
            parent = robot.bodies[p].joint, free[p]
            if not saving or _cost(stays) + _later(*parent, both) <= _cost(left[i]) + _later(*parent, left[p]):
                left[i], left[p] = stays, both
    return left


def _shown(joint: Joint, freedom: Freedom, inertia: RigidInertia) -> RigidInertia:
    return inertia if type(joint.kind) is Rotor else identifiable_part(freedom, inertia)  # a rotor has to stay round


def _later(joint: Joint, freedom: Freedom, inertia: RigidInertia) -> int:
    """What an inertia will cost when its own turn to be regrouped has come."""
    shown = _shown(joint, freedom, inertia)
    return min(_cost(shown), _cost(split(joint, freedom, shown)[0]))


def _cost(inertia: RigidInertia) -> int:
    """The multiplications of Newton's and Euler's laws for the numbers that are not zero."""
    J = inertia.J
    beside = (J.xy, J.xz, J.yz)
    differences = (J.zz - J.yy, J.xx - J.zz, J.yy - J.xx)
    parts = ((3, (inertia.m,)), (5, inertia.ms), (1, _diagonal(J)), (1, differences), (3, beside))
    return sum(weight * sum(x != 0 for x in numbers) for weight, numbers in parts)


def regrouped(robot: Mechanism, base_moves: bool = False) -> Mechanism:
    """The mechanism with regrouped inertias: the same joint forces, but not the same joint wrenches or energies.

    Only what saves operations is regrouped. Bodies whose inertia or place is not made of numbers keep theirs, so that
    open parameters cost nothing more.
    """
    left = regroup(robot, [body.inertia.rigid for body in robot.bodies], base_moves, saving=True)
    bodies = tuple(replace(body, inertia=Moments.of_rigid(rigid)) for body, rigid in zip(robot.bodies, left))
    return replace(robot, bodies=bodies, strict=False)


def _known(*numbers: Any) -> bool:
    return not any(isinstance(x, Scalar) for x in numbers)
