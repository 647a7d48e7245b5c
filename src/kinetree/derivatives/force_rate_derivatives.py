"""The derivatives of the force rates with respect to positions, velocities, accelerations and jerks.

A total derivative along the motion and a partial one all but commute:

    d taud/dq   = d/dt (d tau/dq) + d tau/dq ad(qd)         d taud/dqd   = d/dt (d tau/dqd) + d tau/dq
    d taud/dqdd = d/dt M + d tau/dqd                        d taud/dqddd = M

so the derivatives of tau, differentiated along the motion, give those of its rate. The bracket ad is that of the
joint's group: it vanishes but for orientations, which are turned about axes that turn with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.inverse_dynamics_derivatives import Matrix, inverse_dynamics_derivatives
from kinetree.algorithms.kinematics import rates
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model import Mechanism
from kinetree.scalar import Vector
from kinetree.signature import nested


def force_rate_derivatives(
    robot: Mechanism,
    q: Sequence[Node],
    qd: Sequence[Node],
    qdd: Sequence[Node],
    qddd: Sequence[Node],
    external: Sequence[Sequence[Node]] | None = None,
    external_rate: Sequence[Sequence[Node]] | None = None,
    base: Base = None,
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """d taud/dq, d taud/dqd, d taud/dqdd, d taud/dqddd."""
    of_q, of_qd, M = inverse_dynamics_derivatives(robot, q, qd, qdd, external, base)
    moving = [*q, *qd, *qdd]
    along = [*rates(robot, q, qd), *qdd, *qddd]
    for load, rate in zip(external or (), external_rate or ()):
        moving, along = [*moving, *load], [*along, *rate]
    if base is not None:
        moving += [*base.angular.w, *base.angular.wd, *base.acceleration]
        along += [*base.angular.wd, *base.jerk.ang, *base.jerk.lin]
    values = [x for matrix in (of_q, of_qd, M) for row in matrix for x in row]
    d_of_q, d_of_qd, d_M = nested(pushforward(values, moving, along), (3, robot.nv, robot.nv))
    return _sum(d_of_q, _bracketed(robot, of_q, qd)), _sum(d_of_qd, of_q), _sum(d_M, of_qd), M


def _bracketed(robot: Mechanism, of_q: Matrix, qd: Vector) -> Matrix:
    """d tau/dq ad(qd): column k is d tau/dq along the bracket of the k-th velocity with qd."""
    result: Matrix = [[0.0] * robot.nv for _ in range(robot.nv)]
    for body, vs in zip(robot.bodies, robot.v_slices):
        own = range(robot.nv)[vs]
        for k, column in enumerate(own):
            unit = [float(k == i) for i in range(len(own))]
            for weight, other in zip(body.joint.kind.bracket(unit, qd[vs]), own):
                for i in range(robot.nv):
                    result[i][column] = result[i][column] + of_q[i][other] * weight
    return result


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return [[a + b for a, b in zip(*rows)] for rows in zip(A, B)]
