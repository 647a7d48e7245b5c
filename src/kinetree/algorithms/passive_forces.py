"""Passive joint forces: springs, friction and elastic transmissions; and the reflected inertia of drives.

The signs are those of tau: what a drive must give to overcome them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kinetree.model import Mechanism
from kinetree.scalar import Vector

Matrix = list[list[Any]]


def passive_forces(robot: Mechanism, q: Vector, qd: Vector) -> list[Any]:
    """The joint forces that overcome springs and friction, one for each velocity."""
    own = zip(robot.bodies, robot.q_slices, robot.v_slices)
    forces = _added_up(robot, (body.joint.passive_forces(q[qs], qd[vs]) for body, qs, vs in own))
    for spring, motor, joint in robot.transmissions:
        force = spring.stiffness * (q[motor.q] - q[joint.q]) + spring.damping * (qd[motor.v] - qd[joint.v])
        forces[motor.v], forces[joint.v] = forces[motor.v] + force, forces[joint.v] - force  # [Hua] (28), (29)
    return forces


def passive_force_derivatives(robot: Mechanism, q: Vector) -> tuple[Matrix, Matrix]:
    """Their derivatives with respect to the positions and to the velocities, nv x nv each."""
    of_q, of_qd = ([[0.0] * robot.nv for _ in range(robot.nv)] for _ in range(2))
    for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices):
        own = range(robot.nv)[vs]
        springs, damping = body.joint.passive_force_derivatives(q[qs])
        for r, row, viscous in zip(own, springs, damping):
            of_qd[r][r] = of_qd[r][r] + viscous
            for c, spring in zip(own, row):
                of_q[r][c] = of_q[r][c] + spring
    for spring, motor, joint in robot.transmissions:
        for r, c, sign in ((motor, motor, 1.0), (joint, joint, 1.0), (motor, joint, -1.0), (joint, motor, -1.0)):
            of_q[r.v][c.v] = of_q[r.v][c.v] + sign * spring.stiffness
            of_qd[r.v][c.v] = of_qd[r.v][c.v] + sign * spring.damping
    return of_q, of_qd


def reflected_inertias(robot: Mechanism) -> list[Any]:
    """The inertias of the drives, seen from the coordinates: a diagonal of the mass matrix."""
    return _added_up(robot, (body.joint.reflected_inertia for body in robot.bodies))


def _added_up(robot: Mechanism, numbers: Iterable[Sequence[Any]]) -> list[Any]:
    """Numbers for the velocities of each joint, added up where joints share a coordinate."""
    total: list[Any] = [0.0] * robot.nv
    for own, vs in zip(numbers, robot.v_slices):
        for k, x in zip(range(robot.nv)[vs], own):
            total[k] = total[k] + x
    return total


def spring_energy(robot: Mechanism, q: Vector) -> Any:
    """1/2 K x^2 of all springs."""
    total = sum((body.joint.spring_energy(q[qs]) for body, qs in zip(robot.bodies, robot.q_slices)), 0.0)
    for spring, motor, joint in robot.transmissions:
        stretch = q[motor.q] - q[joint.q]
        total = total + 0.5 * spring.stiffness * stretch * stretch
    return total
