"""Kinetic and potential energy."""

from __future__ import annotations

from typing import Any

from kinetree.algorithms.base_motion import Base
from kinetree.algorithms.kinematics import velocities, world_poses
from kinetree.algorithms.passive_forces import reflected_inertias, spring_energy
from kinetree.model import Mechanism
from kinetree.scalar import Vector


def kinetic_energy(robot: Mechanism, q: Vector, qd: Vector, base: Base = None) -> Any:
    """T = 1/2 sum v . I v, and of the rotors 1/2 Ia qd^2."""
    moving = zip(robot.bodies, velocities(robot, q, qd, base))
    bodies = sum((v.dot(body.inertia.rigid @ v) for body, v in moving), 0.0)
    return 0.5 * sum((rotor * x * x for rotor, x in zip(reflected_inertias(robot), qd)), bodies)


def potential_energy(robot: Mechanism, q: Vector) -> Any:
    """V = - sum m g . c + 1/2 K (q - rest)^2; zero height is that of the world's origin."""
    X = world_poses(robot, q)
    total = spring_energy(robot, q)
    for i, body in enumerate(robot.bodies):
        rigid = body.inertia.rigid
        total = total - robot.gravity.dot(rigid.m * X[i].p + X[i].R @ rigid.ms)
    return total
