"""The equations of closed loops: where the two sides of a cut joint are, and how they move against each other.

For each cut joint, X is the pose of the successor frame seen from the predecessor frame. The equations are the
components of the difference between X and the nearest pose that the joint can take, along the constraint wrenches T of
the joint: 6 - nv for a joint with nv velocities. Their derivative along the velocities of the tree is

    J qd = T . (velocity of the successor relative to the predecessor).

Couplings between coordinates are one equation each. Equations that no motion of the mechanism can violate, such as
those out of the plane of a planar linkage, are left out. Reference: [Khalil2010] (3), (4), for any type of cut joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.symmetric import Factorisation
from kinetree.model import Coupling, Frame, Loop, Mechanism
from kinetree.scalar import Vector, is_zero, maximum, sqrt
from kinetree.spatial import Force, Motion, Transform, Vec3


@dataclass(frozen=True)
class Equation:
    """One equation of closure.

    Args:
        error: its residual [m, or twice the sine of half an angle].
        row: its derivative along the velocities, nv numbers.
        bias: what the velocities alone add to the second derivative of the error.
        loop: the number of the loop; None for a coupling.
        wrench: what the cut joint transmits with it, about the successor's origin in the successor's axes.
        flipped: minus the cosine of the angle between the two sides where that is beyond 90 degrees, else zero.
    """

    error: Any
    row: list[Any]
    bias: Any
    loop: int | None
    wrench: Force
    flipped: Any


def closure(robot: Mechanism, q: Vector, qd: Vector | None = None) -> list[Equation]:
    """The equations of all loops and couplings that a motion can violate; without qd their bias is zero."""
    return [e for e in all_equations(robot, q, qd) if not all(map(is_zero, e.row))]


def all_equations(robot: Mechanism, q: Vector, qd: Vector | None = None) -> list[Equation]:
    """The same with those that no motion changes, which hold always or never."""
    equations = [e for k, loop in enumerate(robot.loops) for e in _of_loop(robot, k, loop, q, qd)]
    return equations + [_of_coupling(robot, coupling, q, qd) for coupling in robot.couplings]


def _of_loop(robot: Mechanism, number: int, loop: Loop, q: Vector, qd: Vector | None) -> list[Equation]:
    one, other = (robot.path(robot.index_of(frame.body)) for frame in (loop.predecessor, loop.successor))
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]  # what carries both sides does not move them against each other
    before, after = _side(robot, one, loop.predecessor, q, qd), _side(robot, other, loop.successor, q, qd)
    X = before.X.inverse @ after.X
    kind, qc = loop.kind, loop.kind.coordinates(X)
    error, flipped = _small_motion(kind.transform(qc).inverse @ X)
    bias = _rate(before, after, X, loop, qc) if qd is not None else Motion.zero
    equations = []
    for T in kind.constraint_wrenches(qc):
        row: list[Any] = [0.0] * robot.nv
        _add_forces(robot, other, loop.successor, q, T, row)
        _add_forces(robot, one, loop.predecessor, q, -X.force_from(T), row)
        equations.append(Equation(error.dot(T), row, bias.dot(T), number, T, flipped))
    return equations


def _of_coupling(robot: Mechanism, coupling: Coupling, q: Vector, qd: Vector | None) -> Equation:
    """q = c0 + c1 x + c2 x^2 + ..."""
    index, row = robot.coordinate_index(coupling.joint), [0.0] * robot.nv
    error, bias = q[index.q] - coupling.coefficients[0], 0.0
    row[index.v] = 1.0
    if coupling.leader is not None:
        leader = robot.coordinate_index(coupling.leader)
        x, value, slope, curvature = q[leader.q], 0.0, 0.0, 0.0
        for c in reversed(coupling.coefficients):  # Horner's scheme and its derivatives
            curvature = curvature * x + 2.0 * slope
            slope = slope * x + value
            value = value * x + c
        error = q[index.q] - value
        row[leader.v] = row[leader.v] - slope
        bias = 0.0 if qd is None else -(curvature * qd[leader.v] * qd[leader.v])
    return Equation(error, row, bias, None, Force.zero, 0.0)


@dataclass(frozen=True)
class _Side:
    """A frame of a loop, seen from the body that carries both sides; velocities and accelerations in its own axes."""

    X: Transform
    w: Vec3
    u: Vec3
    wd: Vec3
    a: Vec3


def _side(robot: Mechanism, path: Sequence[int], frame: Frame, q: Vector, qd: Vector | None) -> _Side:
    X, w, u, wd, a = Transform.identity, Vec3.zero, Vec3.zero, Vec3.zero, Vec3.zero
    for i in path:
        joint, qs, vs = robot.bodies[i].joint, robot.q_slices[i], robot.v_slices[i]
        pose = joint.pose(q[qs])
        X = X @ pose
        if qd is not None:
            w, u, wd, a = _carried(pose, w, u, wd, a)
            vJ, cJ = joint.velocity(q[qs], qd[vs]), joint.bias(q[qs], qd[vs])
            a = a + cJ.lin + (2.0 * w + vJ.ang).cross(vJ.lin)
            wd = wd + cJ.ang + w.cross(vJ.ang)
            w, u = w + vJ.ang, u + vJ.lin
    return _Side(X @ frame.pose, *_carried(frame.pose, w, u, wd, a))


def _carried(X: Transform, w: Vec3, u: Vec3, wd: Vec3, a: Vec3) -> tuple[Vec3, Vec3, Vec3, Vec3]:
    """Velocity and acceleration of a frame fixed in another one, in its own axes."""
    R = X.R.T
    across = w.cross(X.p)
    return R @ w, R @ (u + across), R @ wd, R @ (a + wd.cross(X.p) + w.cross(across))


def _rate(before: _Side, after: _Side, X: Transform, loop: Loop, qc: Sequence[Any]) -> Motion:
    """The rate of the relative velocity, in the successor's axes, that neither qdd nor the cut joint explains."""
    R = X.R.T
    w, u = R @ before.w, R @ (before.u + before.w.cross(X.p))
    turning, moving = after.w - w, after.u - u
    ang = after.wd - R @ before.wd + turning.cross(w)
    carried = before.a - before.w.cross(before.u) + before.wd.cross(X.p) + before.w.cross(X.R @ moving)
    lin = after.a - after.w.cross(after.u) - R @ carried + turning.cross(u)
    S = loop.kind.subspace(qc)
    along = [s.ang.dot(turning) + s.lin.dot(moving) for s in S]
    squares = [[s.ang.dot(t.ang) + s.lin.dot(t.lin) for t in S] for s in S]
    own = loop.kind.bias(qc, Factorisation(squares).solve(along)) if S else Motion.zero
    return Motion(ang - own.ang, lin - own.lin)


def _small_motion(E: Transform) -> tuple[Motion, Any]:
    """A small displacement as a motion, which grows with the turn up to half of one; and how far it is turned over."""
    m = E.R.matrix
    sine = 0.5 * Vec3(m.z.y - m.y.z, m.x.z - m.z.x, m.y.x - m.x.y)
    cosine = 0.5 * (m.x.x + m.y.y + m.z.z - 1.0)
    half = sqrt(maximum(0.5 + 0.5 * cosine, _HALF_TURN))
    return Motion((1.0 / half) * sine, E.p), maximum(-cosine, 0.0)


_HALF_TURN = 1e-12  # the squared cosine of half an angle, at which the sine counts no more


def _add_forces(robot: Mechanism, path: Sequence[int], frame: Frame, q: Vector, T: Force, forces: list[Any]) -> None:
    """The joint forces of a wrench T on a frame, about its origin in its axes."""
    f = frame.pose.force_from(T)
    for i in reversed(path):
        joint, qs = robot.bodies[i].joint, robot.q_slices[i]
        for k, s in zip(range(robot.nv)[robot.v_slices[i]], joint.subspace(q[qs])):
            forces[k] = forces[k] + s.dot(f)
        f = joint.pose(q[qs]).force_from(f)
