"""Velocity and acceleration of a named frame, and the rate of its Jacobian, in world axes."""

from __future__ import annotations

import dataclasses
from typing import Any

from kinetree.algorithms.inverse_dynamics import moving_links
from kinetree.algorithms.kinematics import velocities, world_poses
from kinetree.model import WORLD, Mechanism
from kinetree.model.composite_joints import split_composite_joints
from kinetree.scalar import Vector
from kinetree.spatial import Motion, Vec3


def frame_velocity(robot: Mechanism, q: Vector, qd: Vector, frame: str) -> list[Any]:
    """Angular velocity, and the velocity of the frame's origin: J qd."""
    body, X = robot.frame(frame)
    v = world_velocities(robot, q, qd, body)[body]
    r = world_poses(robot, q, body)[body].R @ X.p
    return [*v.ang, *(v.lin + v.ang.cross(r))]


def frame_acceleration(robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, frame: str) -> list[Any]:
    """The rate of the frame's velocity: J qdd + Jd qd, free fall not counted."""
    body, X = robot.frame(frame)
    if body == WORLD:
        return [0.0] * 6
    link, angular, a = [*moving_links(dataclasses.replace(robot, gravity=Vec3.zero), q, qd, qdd)][body]
    R = world_poses(robot, q, body)[body].R
    wd, a = (link.body_axes.T @ x for x in (angular.wd, a + angular @ (link.body_axes @ X.p)))
    return [*(R @ wd), *(R @ a)]


def jacobian_rate(robot: Mechanism, q: Vector, qd: Vector, frame: str) -> list[list[Any]]:
    """dJ/dt: each column turns with its body, and its lever changes."""
    robot, _ = split_composite_joints(robot)  # now every S is constant in its body
    body, X = robot.frame(frame)
    poses, v = world_poses(robot, q, body), world_velocities(robot, q, qd, body)
    r = poses[body].R @ X.p
    tip, tip_velocity = poses[body].p + r, v[body].lin + v[body].ang.cross(r)
    columns: list[list[Any]] = [[0.0] * 6 for _ in range(robot.nv)]
    for i in robot.path(body):
        pose, w = poses[i], v[i].ang
        for k, s in zip(range(robot.nv)[robot.v_slices[i]], robot.bodies[i].joint.subspace(q[robot.q_slices[i]])):
            ang = pose.R @ s.ang
            turned = w.cross(ang)
            lever = turned.cross(tip - pose.p) + ang.cross(tip_velocity - v[i].lin)
            column = (*turned, *(w.cross(pose.R @ s.lin) + lever))
            columns[k] = [a + b for a, b in zip(columns[k], column)]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in range(6)]


def world_velocities(robot: Mechanism, q: Vector, qd: Vector, tip: int) -> dict[int, Motion]:
    """The velocities of the bodies from the base to one of them, of their origins in world axes."""
    X, v = world_poses(robot, q, tip), velocities(robot, q, qd)
    turned = {i: Motion(X[i].R @ v[i].ang, X[i].R @ v[i].lin) for i in robot.path(tip)}
    return {WORLD: Motion.zero, **turned}
