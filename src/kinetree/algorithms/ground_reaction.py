"""The ground reaction that a motion needs, and the joint forces with it: the two-step active-passive algorithm.

First, without the ground: the wrench (M, F) that moves the whole body, and the point of the ground about which it has
no moment but along the vertical, the zero-moment point Z. With y up and the ground at height h

    Z = ((M_z + h F_x) / F_y, h, (h F_z - M_x) / F_y),        M' = M_y - (Z_z F_x - Z_x F_z).

Then this wrench acts on the contacts: contact k at P_k takes the share w_k of F and of M', at P_k + e with
e = Z - sum w_k P_k, so that the parts add up to the whole. The forces on the base then vanish. With one contact it is
the force at Z; with two feet e is the offset of Z from the line between them.

So all contacts are pushed in one direction. Feet that stand apart push against each other too, the leading one ahead
and the trailing one back [Donelan2002]. Where the forces on all contacts meet at a height a above the ground, as far as
the whole lets them, these are forces between the contacts that cancel, and have no moment:

    w_k F_y (P - P_k) / a,        P = sum w_k P_k.

Reference: [Barman] section 5.1 after [Xiang2009]; the shares are those of [Xiang2019].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from kinetree.algorithms.joint_wrench_derivatives import joint_wrench_derivatives
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.algorithms.kinematics import world_poses
from kinetree.errors import InputError, ModelError
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Real, Vector, maximum
from kinetree.spatial import Transform, Vec3


@dataclass(frozen=True, slots=True)
class GroundReaction:
    """The ground's force F [N], the zero-moment point Z [m], the moment M' [N m], e [m], and all joint forces."""

    force: Vec3
    point: Vec3
    moment: Any
    offset: Vec3
    shares: Sequence[Any]  # of each contact
    forces: list[Vec3]  # on each contact
    loads: list[list[Any]]  # on each body, in world axes about its origin
    joint_forces: list[Any]

    def numbers(self) -> list[Any]:
        """F, Z_x, Z_z, M', e_x, e_z, then the joint forces."""
        F, Z, e = self.force, self.point, self.offset
        return [F.x, F.y, F.z, Z.x, Z.z, self.moment, e.x, e.z, *self.joint_forces]


OF_GROUND = 8  # of the numbers above
ROOT = 0  # the body that carries all others


def ground_reaction(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, contacts: Sequence[str],
    shares: Vector | Callable[[Vec3, Sequence[Vec3]], Vector], height: Real = 0.0, apex: Real | None = None,
) -> GroundReaction:  # fmt: skip
    """The ground reaction of a tree with one root and a free base, at frames with shares that add up to 1.

    Args:
        robot, q, qd, qdd: the motion.
        contacts: the frames.
        shares: given, or from the zero-moment point and the positions of the contacts.
        height: of the ground.
        apex: how high above the ground the forces on the contacts meet; by default all have one direction.
    """
    _check_root(robot)
    X = world_poses(robot, q)
    moment, F = _in_world(X[ROOT], joint_wrenches(robot, q, qd, qdd)[ROOT])
    Z = Vec3((moment.z + height * F.x) / F.y, height, (height * F.z - moment.x) / F.y)
    vertical = moment.y - (Z.z * F.x - Z.x * F.z)
    points = [_point(robot, X, frame) for frame in contacts]
    shares = shares(Z, points) if callable(shares) else shares
    if len(contacts) != len(shares):
        raise InputError(f"each contact has a share: {len(contacts)} contacts, {len(shares)} shares")
    middle = _weighted(points, shares)
    e, steep = Z - middle, None if apex is None else F.y * (1.0 / apex) / _excess(shares)
    forces = [(F if steep is None else F + (middle - P) * steep) * share for P, share in zip(points, shares)]
    loads: list[list[Any]] = [[0.0] * 6 for _ in robot.bodies]
    for frame, P, share, force in zip(contacts, points, shares, forces):
        body = robot.frame(frame)[0]
        about = (P + e - X[body].p).cross(force) + Vec3(0.0, share * vertical, 0.0)
        loads[body] = [a + b for a, b in zip(loads[body], (*about, *force))]
    return GroundReaction(F, Z, vertical, e, shares, forces, loads, inverse_dynamics(robot, q, qd, qdd, loads))


def _check_root(robot: Mechanism) -> None:
    roots = [body.name for body, parent in zip(robot.bodies, robot.parents) if parent == WORLD]
    if len(roots) != 1:
        raise ModelError(f"the ground carries a tree with one root; {', '.join(map(repr, roots))} stand on the world")


def _in_world(X: Transform, wrench: Sequence[Any]) -> tuple[Vec3, Vec3]:
    """The moment about the world's origin, and the force, of a wrench about the origin of a body in its axes."""
    force = X.R @ Vec3.of(wrench[3:])
    return X.R @ Vec3.of(wrench[:3]) + X.p.cross(force), force


def _point(robot: Mechanism, X: dict[int, Transform], frame: str) -> Vec3:
    body, place = robot.frame(frame)
    return (X[body] @ place).p


def _excess(shares: Vector) -> Any:
    """1 where shares are from 0 to 1; as large as their squares where a search has gone astray, with a Z far away."""
    return maximum(1.0, sum((share * share for share in shares), 0.0))


def _weighted(points: Sequence[Vec3], weights: Vector) -> Vec3:
    return sum((P * w for P, w in zip(points, weights)), Vec3.zero)


# -- derivatives -------------------------------------------------------------------------------------------------------


def ground_reaction_derivatives(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, contacts: Sequence[str], shares: Vector, height: Real = 0.0
) -> list[list[Any]]:
    """A row for each of `GroundReaction.numbers`: its derivatives with respect to q, qd and qdd, 3 nv columns.

    All contacts are pushed in one direction.

    The joint forces change as with constant loads, and by the change of the loads: -J^T dw at each loaded body.
    Joints of all types, but none that mimics another.
    """
    for name in (body.joint.name for body in robot.bodies if body.joint.mimic):
        raise ModelError(f"joint {name!r} mimics another one; a ground reaction has no derivatives with such joints")
    now = ground_reaction(robot, q, qd, qdd, contacts, shares, height)
    chain = _Derivatives(robot, q, contacts, shares, height, now)
    of_wrench = joint_wrench_derivatives(robot, q, qd, qdd)
    of_forces = inverse_dynamics_derivatives(robot, q, qd, qdd, now.loads)
    columns = []
    for k, (wrenches, forces) in enumerate(zip(of_wrench, of_forces)):
        for j in range(robot.nv):
            change = [row[j] for row in wrenches[ROOT]]
            columns.append(chain.column(j if k == 0 else None, change, [row[j] for row in forces]))
    return [list(row) for row in zip(*columns)]


class _Derivatives:
    """The derivatives of the ground reaction from those of the wrench that moves the body, column by column."""

    def __init__(
        self, robot: Mechanism, q: Vector, contacts: Sequence[str], shares: Vector, height: Real, now: GroundReaction
    ) -> None:
        self.robot, self.shares, self.height, self.now = robot, shares, height, now
        self.X = world_poses(robot, q)
        self.bodies = [robot.frame(frame)[0] for frame in contacts]
        self.points = [_point(robot, self.X, frame) for frame in contacts]
        self.upright = 1.0 / now.force.y
        self.screws: list[tuple[int, Vec3, Vec3]] = []  # of each velocity: its body, its axis, its pitch at the origin
        for i, body in enumerate(robot.bodies):
            R, p = self.X[i].R, self.X[i].p
            for s in body.joint.subspace(q[robot.q_slices[i]]):
                self.screws.append((i, R @ s.ang, R @ s.lin + p.cross(R @ s.ang)))
        self.path = [set(robot.path(i)) for i in range(robot.nbodies)]

    def column(self, j: int | None, wrench: Sequence[Any], forces: list[Any]) -> list[Any]:
        """The derivatives with respect to position j, or (None) to a velocity or an acceleration."""
        now, h, F, Z = self.now, self.height, self.now.force, self.now.point
        dM, dF = self._needed(j, wrench)
        # of Z and of the moment about the vertical there
        x = (dM.z + h * dF.x - Z.x * dF.y) * self.upright
        z = (h * dF.z - dM.x - Z.z * dF.y) * self.upright
        vertical = dM.y - (z * F.x + Z.z * dF.x - x * F.z - Z.x * dF.z)
        moved = [self._moved(P, body, j) for P, body in zip(self.points, self.bodies)]
        de = Vec3(x, 0.0, z) - _weighted(moved, self.shares)
        forces = [*forces]
        for body, P, dP, share in zip(self.bodies, self.points, moved, self.shares):
            origin = self.X[body].p
            lever, turned = P + now.offset - origin, dP + de - self._moved(origin, body, j)
            about = turned.cross(F) + lever.cross(dF) + Vec3(0.0, vertical, 0.0)
            moment, force = (about + origin.cross(dF)) * share, dF * share
            for r, (i, axis, pitch) in enumerate(self.screws):
                if i in self.path[body]:
                    forces[r] = forces[r] - (axis.dot(moment) + pitch.dot(force))
        return [dF.x, dF.y, dF.z, x, z, vertical, de.x, de.z, *forces]

    def _needed(self, j: int | None, wrench: Sequence[Any]) -> tuple[Vec3, Vec3]:
        """Of the moment about the world's origin and of the force that move the body."""
        root, F = self.X[ROOT], self.now.force
        dM, dF = _in_world(root, wrench)
        if j is None or self.screws[j][0] != ROOT:
            return dM, dF
        # the axes and the origin of the root move with its own joint
        axis, moved = self.screws[j][1], self._moved(root.p, ROOT, j)
        about = self.now.point.cross(F) + Vec3(0.0, self.now.moment, 0.0) - root.p.cross(F)
        turned = axis.cross(F)
        return dM + axis.cross(about) + moved.cross(F) + root.p.cross(turned), dF + turned

    def _moved(self, point: Vec3, body: int, j: int | None) -> Vec3:
        """How a point of a body moves with a joint."""
        if j is None:
            return Vec3.zero
        of, axis, pitch = self.screws[j]
        return axis.cross(point) + pitch if of in self.path[body] else Vec3.zero
