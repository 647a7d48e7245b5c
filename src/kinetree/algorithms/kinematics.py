"""Poses and Jacobians of named frames, and the velocities of all bodies."""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base, BaseMotion
from kinetree.joints import JointKind
from kinetree.model import WORLD, Mechanism
from kinetree.scalar import Vector, sqrt
from kinetree.spatial import Motion, Rotation, Transform


def pose(robot: Mechanism, q: Vector, frame: str) -> list[list[Any]]:
    """The homogeneous matrix of a frame in the world: [R, p; 0, 1]."""
    body, X = robot.frame(frame)
    X = world_poses(robot, q, body)[body] @ X
    return [[*row, x] for row, x in zip(X.R.matrix, X.p)] + [[0.0, 0.0, 0.0, 1.0]]


def jacobian(robot: Mechanism, q: Vector, frame: str) -> list[list[Any]]:
    """J(q): angular, then linear velocity of the frame's origin in world axes is J qd."""
    body, X = robot.frame(frame)
    X_W = world_poses(robot, q, body)
    tip = (X_W[body] @ X).p
    columns: list[list[Any]] = [[0.0] * 6 for _ in range(robot.nv)]
    for i in reversed(robot.path(body)):
        X_WB, joint, qs = X_W[i], robot.bodies[i].joint, robot.q_slices[i]
        for k, s in zip(range(robot.nv)[robot.v_slices[i]], joint.subspace(q[qs])):
            ang = X_WB.R @ s.ang
            column = (*ang, *(X_WB.R @ s.lin + ang.cross(tip - X_WB.p)))
            columns[k] = [a + b for a, b in zip(columns[k], column)]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in range(6)]


def world_poses(robot: Mechanism, q: Vector, tip: int | None = None) -> dict[int, Transform]:
    """The pose of each body in the world, or only of those from the base to one body."""
    X = {WORLD: Transform.identity}
    for i in range(robot.nbodies) if tip is None else robot.path(tip):
        pose = X[robot.parents[i]] @ robot.bodies[i].joint.pose(q[robot.q_slices[i]])
        X[i] = Transform(Rotation.of(pose.R.matrix), pose.p)
    return X


def body_poses(robot: Mechanism, q: Vector) -> list[list[list[Any]]]:
    """The pose of each body in the world as the rows of [R, p]."""
    X = world_poses(robot, q)
    return [[[*row, p] for row, p in zip(X[i].R.matrix, X[i].p)] for i in range(robot.nbodies)]


def velocities(robot: Mechanism, q: Vector, qd: Vector, base: Base = None) -> list[Motion]:
    """The velocity of each body, of its origin in its own axes. [Khalil2010] (13)."""
    v = {WORLD: (base or BaseMotion.fixed(robot)).velocity}
    for i, (body, p, qs, vs) in enumerate(zip(robot.bodies, robot.parents, robot.q_slices, robot.v_slices)):
        v[i] = body.joint.pose(q[qs]).motion_to(v[p]) + body.joint.velocity(q[qs], qd[vs])
    return [v[i] for i in range(robot.nbodies)]


def rates(robot: Mechanism, q: Vector, qd: Vector) -> list[Any]:
    """dq/dt: qd itself but for quaternions and floating positions."""
    return [x for joint, qs, vs in _owners(robot) for x in joint.rates(q[qs], qd[vs])]


def integrate(robot: Mechanism, q: Vector, v: Vector, dt: Any) -> list[Any]:
    """The positions after moving from q for the time dt with constant velocities v."""
    return [x for joint, qs, vs in _owners(robot) for x in joint.integrate(q[qs], [dt * e for e in v[vs]])]


def difference(robot: Mechanism, q0: Vector, q1: Vector) -> list[Any]:
    """The constant velocities that move it from q0 to q1 in one second: the inverse of `integrate`."""
    return [x for joint, qs, _ in _owners(robot) for x in joint.difference(q0[qs], q1[qs])]


def _owners(robot: Mechanism) -> list[tuple[JointKind, slice, slice]]:
    """The joint types that have coordinates of their own, and where these are."""
    own = zip(robot.bodies, robot.q_slices, robot.v_slices)
    return [(body.joint.kind, qs, vs) for body, qs, vs in own if not body.joint.mimic]


def normalised(robot: Mechanism, q: Vector) -> list[Any]:
    """The positions with quaternions of length one."""
    q = [*q]
    for _, start in robot.quaternions:
        length = sqrt(sum((x * x for x in q[start : start + 4]), 0.0))
        q[start : start + 4] = [x / length for x in q[start : start + 4]]
    return q
