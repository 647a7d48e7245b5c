"""Derivatives of the dynamics by dual numbers: exact, and without any of the package's own differentiation.

The quantities run on numbers with a rate (`Dual`): along one velocity for derivatives with respect to positions, which
for quaternions is along the tangent space, along the motion for force rates.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from strategies import States, duals, rate_part, relative_error

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.kinematics import rates
from kinetree.catalogue import function_of
from kinetree.spatial.vec3 import Vec3

# sums of some hundred products of numbers up to 1e2, each rounded to 1.1e-16
ROUNDING = 1e-12
# a solution of M x = b loses the digits of the condition of M: up to 1e5 on these trees
SOLVED = 1e-9


def steps(robot: kt.Robot, s: States, row: int, input: str) -> list[list[Any]]:
    """For each velocity the arguments q, qd, x of a function, one of them moving along that velocity."""
    q, qd, x = (a[row].tolist() for a in (s.q, s.qd, s.qdd))
    found = []
    for unit in np.eye(robot.nv).tolist():
        moving = {"q": lambda u: duals(q, rates(robot, q, u)), "qd": lambda u: duals(qd, u), "x": lambda u: duals(x, u)}
        found.append(
            [moving[name](unit) if name == input else value for name, value in zip(("q", "qd", "x"), (q, qd, x))]
        )
    return found


def differentiated(robot: kt.Robot, name: str, s: States) -> tuple[np.ndarray, ...]:
    """The derivatives of a quantity of three arguments, the last axis along the velocities."""
    function, tensors = function_of(name), []
    for input in ("q", "qd", "x"):
        rows = []
        for row in range(len(s.q)):
            external = s.external[row].tolist()
            columns = [rate_part(function(robot, *args, external=external)) for args in steps(robot, s, row, input)]
            rows.append(np.moveaxis(np.array(columns), 0, -1))
        tensors.append(np.array(rows))
    return tuple(tensors)


DERIVATIVES = {
    "inverse_dynamics_derivatives": ("inverse_dynamics", ROUNDING),
    "forward_dynamics_derivatives": ("forward_dynamics", SOLVED),
    "joint_wrench_derivatives": ("joint_wrenches", ROUNDING),
}


def assert_derivatives(robot: kt.Robot, evaluate: Any, name: str, s: States) -> None:
    quantity, tolerance = DERIVATIVES[name]
    found = evaluate(name, s.q, s.qd, s.qdd, external=s.external)
    expected = differentiated(robot, quantity, s)
    assert relative_error(found, tuple(x.reshape(y.shape) for x, y in zip(expected, found))) < tolerance


def rate_by_duals(robot: kt.Robot, s: States, row: int, load_rate: np.ndarray, base: np.ndarray | None) -> np.ndarray:
    """d/dt of the joint forces along the motion, the loads and the base moving too."""
    q, qd, qdd, qddd = (a[row].tolist() for a in (s.q, s.qd, s.qdd, s.qddd))
    root, moved = None, robot
    if base is not None:
        v, a, j = base.tolist()
        gravity = np.array([*robot.gravity])
        moved = dataclasses.replace(robot)  # gravity keeps its direction in space
        object.__setattr__(moved, "gravity", Vec3(*duals(gravity, -np.cross(v[:3], gravity))))
        root = BaseMotion.prescribed(moved, duals(v, a), duals(a, j))
    motion = duals(q, rates(robot, q, qd)), duals(qd, qdd), duals(qdd, qddd)
    loads = [duals(x, dx) for x, dx in zip(s.external[row], load_rate)]
    return rate_part(function_of("inverse_dynamics")(moved, *motion, loads, root))
