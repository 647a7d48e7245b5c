"""The derivatives of a parallel robot's dynamics by the pose, the twist and the acceleration of its platform.

The legs let the platform move along the columns of T, V_p = T qd_i, and a twist needs the independent velocities
qd_i = T^+ V_p: those of the platform's joint, or of the actuators. So a derivative along G of the closed chain, with
twist and acceleration of the platform held, becomes one along the six directions of a twist by T^+. Where the legs
don't allow one of them, that is the derivative along the motion next to it that they allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.closed_chain import Actuation, LoadDistribution, closed_forward_dynamics
from kinetree.algorithms.external import Loads
from kinetree.algorithms.kinematics import rates
from kinetree.algorithms.parallel_robot import Legs
from kinetree.derivatives.closed_chain_derivatives import (
    Balance,
    ChainMotion,
    Matrix,
    Nodes,
    along,
    derivatives_of_forces,
    rows,
)
from kinetree.model import Mechanism
from kinetree.scalar import dot, minimum


def parallel_inverse_dynamics_derivatives(
    robot: Mechanism,
    q: Nodes,
    twist: Nodes,
    acceleration: Nodes,
    actuation: Actuation,
    platform: int,
    external: Loads = None,
    base: Base = None,
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """d tau by pose, twist and acceleration."""
    legs = Legs(robot, q, actuation, platform)
    chain, margin = _moving(legs, q, *legs.motion(twist, acceleration), twist, acceleration), legs.margin
    if legs.led_by_platform:
        margin = minimum(margin, LoadDistribution(legs.loops, actuation).J.margin)
    of_q, of_qd, of_qdd = derivatives_of_forces(chain, actuation, external, base)
    unit = _unit_twists(legs)
    return _product(of_q, unit), _product(of_qd, unit), _product(of_qdd, unit), margin


def parallel_forward_dynamics_derivatives(
    robot: Mechanism,
    q: Nodes,
    twist: Nodes,
    tau: Nodes,
    actuation: Actuation,
    platform: int,
    external: Loads = None,
    base: Base = None,
) -> tuple[Matrix, Matrix, Matrix, Any]:
    """The derivatives of the platform's acceleration by pose, twist and tau."""
    legs = Legs(robot, q, actuation, platform)
    qd = legs.velocities(twist)
    qdd, margin = closed_forward_dynamics(robot, q, qd, tau, 0.0, actuation, external, base)
    acceleration = legs.platform.acceleration(qd, qdd)
    balance = Balance(_moving(legs, q, qd, qdd, twist, acceleration), actuation, tau, external, base)
    T = rows([*map(legs.platform.twist, balance.G)], 6)
    of_q, of_qd, of_tau = ([[dot(row, x) for row in T] for x in m] for m in balance.accelerations(actuation))
    if len(balance.G) < 6:  # what the legs allow changes with the configuration and with the twist
        for k, (g, (_, dqd, dqdd), faster) in enumerate(zip(balance.G, balance.beside, balance.faster)):
            beside = along(acceleration, (q, rates(robot, q, g)), (qd, dqd), (qdd, dqdd))
            of_q[k] = [x + y for x, y in zip(of_q[k], beside)]
            of_qd[k] = [x + y for x, y in zip(of_qd[k], along(acceleration, (qd, g), (qdd, faster)))]
    unit, margin = _unit_twists(legs), minimum(margin, legs.margin)
    return _product(rows(of_q, 6), unit), _product(rows(of_qd, 6), unit), rows(of_tau, 6), margin


def _moving(
    legs: Legs, q: Nodes, qd: Sequence[Any], qdd: Sequence[Any], twist: Sequence[Any], acceleration: Sequence[Any]
) -> ChainMotion:
    """The robot in a motion that its platform leads, with the motion of the platform held."""
    own = legs.platform.velocities(twist), legs.platform.accelerations(legs.platform.own(qd), acceleration)
    return ChainMotion(legs.robot, q, legs.loops, qd, qdd, own, (*twist, *acceleration), legs.accelerations)


def _unit_twists(legs: Legs) -> Matrix:
    """The independent velocities for a unit of each component of a twist."""
    motions = (legs.velocities([float(j == k) for j in range(6)]) for k in range(6))
    return [[qd[k] for k in legs.loops.free] for qd in motions]


def _product(matrix: Matrix, columns: Matrix) -> Matrix:
    return [[dot(row, column) for column in columns] for row in matrix]
