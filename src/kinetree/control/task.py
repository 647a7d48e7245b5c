"""The motion of a frame for task-space control, and the dynamics reduced to the actuated joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.hybrid_dynamics import factorised_from_the_leaves
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.control.actuation import ActuatedJoints
from kinetree.model import Mechanism
from kinetree.scalar import Vector, dot
from kinetree.spatial import Motion, Rotation, Transform, Vec3

Matrix = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class FrameMotion:
    """Pose, velocity, and the acceleration without any qdd (Jd qd), in world axes and of the frame's origin."""

    pose: Transform
    velocity: Motion
    bias: Motion


def frame_motion(robot: Mechanism, q: Vector, qd: Vector, frame: str) -> FrameMotion:
    """The motion of a named frame. [Khalil2010] (18)-(21), with no acceleration at the joints."""
    tip, X_tip = robot.frame(frame)
    X_W, w, wd, v, a = Transform.identity, Vec3.zero, Vec3.zero, Vec3.zero, Vec3.zero
    for i in robot.path(tip):
        joint, qs, vs = robot.bodies[i].joint, robot.q_slices[i], robot.v_slices[i]
        X, vJ, aJ = joint.pose(q[qs]), joint.velocity(q[qs], qd[vs]), joint.bias(q[qs], qd[vs])
        v, a = (X.R.T @ x for x in _moved(w, wd, v, a, X.p))
        w, wd = X.R.T @ w, X.R.T @ wd
        a = a + aJ.lin + (2.0 * w + vJ.ang).cross(vJ.lin)  # (21)
        wd = wd + aJ.ang + w.cross(vJ.ang)  # (20)
        v, w = v + vJ.lin, w + vJ.ang  # (18), (19)
        X_W = X_W @ X
        X_W = Transform(Rotation.of(X_W.R.matrix), X_W.p)
    v, a = _moved(w, wd, v, a, X_tip.p)
    R = X_W.R
    return FrameMotion(X_W @ X_tip, Motion(R @ w, R @ v), Motion(R @ wd, R @ a))


def _moved(w: Vec3, wd: Vec3, v: Vec3, a: Vec3, p: Vec3) -> tuple[Vec3, Vec3]:
    """Velocity and acceleration of another point of the body."""
    return v + w.cross(p), a + wd.cross(p) + w.cross(w.cross(p))


@dataclass(frozen=True)
class ActuatedDynamics:
    """M qdd + h = tau and xdd = J qdd + b of the actuated joints; the accelerations of the passive ones are eliminated.

    Reference: [Umetani1989], the generalised Jacobian of a robot on a free base.
    """

    M: list[list[Any]]
    h: list[Any]
    J: list[list[Any]]
    b: list[Any]

    @staticmethod
    def of(actuated: ActuatedJoints, q: Vector, qd: Vector, J: Matrix, b: Vector) -> ActuatedDynamics:
        """Eliminates qdd_u = -M_uu^-1 (M_ua qdd_a + h_u) of the passive joints."""
        robot, own = actuated.robot, actuated.indices
        M, h = mass_matrix(robot, q), inverse_dynamics(robot, q, qd, [0.0] * robot.nv)
        rest = [k for k in range(robot.nv) if k not in own]
        M_aa, J_a = [[M[i][j] for j in own] for i in own], [[row[j] for j in own] for row in J]
        h_a, b = [h[i] for i in own], [*b]
        if not rest:
            return ActuatedDynamics(M_aa, h_a, J_a, b)
        solver = factorised_from_the_leaves([[M[i][j] for j in rest] for i in rest], "a joint without an actuator")
        W = [solver.solve([M[i][j] for i in rest]) for j in own]  # columns of M_uu^-1 M_ua
        falling = solver.solve([h[i] for i in rest])
        for rows, constants, coupling in ((M_aa, h_a, [M[i] for i in own]), (J_a, b, J)):
            for i, row in enumerate(coupling):
                u = [row[j] for j in rest]
                rows[i] = [x - dot(u, column) for x, column in zip(rows[i], W)]
                constants[i] = constants[i] - dot(u, falling)
        return ActuatedDynamics(M_aa, h_a, J_a, b)
