"""An oracle for simulations of closed loops: Lagrange multipliers over all joints of the tree, no independent ones.

    M qdd + h = tau + J^T lam,      J qdd = -Jd qd

Nothing is taken from the code of closed chains: loops are points of two bodies that stay together (pins of plane
linkages, balls), by the poses and the Jacobians of frames. After each step of the classical Runge-Kutta method the
positions and the velocities go to the nearest closed ones, over all joints alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.simulation.interpolation import QuaternionCoordinates, normalised, rates

Array = np.ndarray
STEP = 1e-6  # s, of a difference: errors are its square
RANK = 1e-5  # of the largest singular value: equations that others imply have those of loops that are a little open
Forces = Callable[[float, Array, Array], Array]


class Lagrange:
    """A robot whose loops hold points together; forces(t, q, qd) act on all joints."""

    def __init__(self, robot: kt.Robot, forces: Forces | None = None) -> None:
        ends = {f"{loop.name} {side}": getattr(loop, side) for loop in robot.loops
                for side in ("predecessor", "successor")}  # fmt: skip
        self.robot = replace(robot, loops=(), named_frames=tuple(ends.items()))
        self.pairs = [(f"{loop.name} predecessor", f"{loop.name} successor") for loop in robot.loops]
        self.quaternions = QuaternionCoordinates.of(robot)
        self.forces = forces or (lambda t, q, qd: np.zeros(robot.nv))

    def jacobian(self, q: Array) -> Array:
        J = self.robot.jacobian
        return np.concatenate([(J(q, b) - J(q, a))[3:] for a, b in self.pairs])

    def rate(self, q: Array, qd: Array) -> Array:
        """Jd qd, by a difference."""
        way = STEP * rates(q, qd, self.quaternions)
        return (self.jacobian(q + way) - self.jacobian(q - way)) @ qd / (2 * STEP)

    def gaps(self, q: Array) -> Array:
        return np.concatenate([(self.robot.pose(q, b) - self.robot.pose(q, a))[:3, 3] for a, b in self.pairs])

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        M, h, J, rate = self.robot.mass_matrix(q), self.robot.bias_forces(q, qd), self.jacobian(q), self.rate(q, qd)
        U, sizes, _ = np.linalg.svd(J)
        kept = U[:, : int((sizes > RANK * sizes[0]).sum())].T
        J, rate = kept @ J, kept @ rate
        A = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
        return np.linalg.solve(A, np.concatenate([self.forces(t, q, qd) - h, -rate]))[: len(qd)]

    def closed(self, q: Array, qd: Array) -> tuple[Array, Array]:
        for _ in range(2):
            J = self.jacobian(q)
            step = -np.linalg.lstsq(J, self.gaps(q), rcond=RANK)[0]
            q = normalised(q + rates(q, step, self.quaternions), self.quaternions)
        J = self.jacobian(q)
        return q, qd - np.linalg.lstsq(J, J @ qd, rcond=RANK)[0]

    def step(self, t: float, h: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """The classical Runge-Kutta method."""

        def slope(t: float, q: Array, qd: Array) -> tuple[Array, Array]:
            return rates(q, qd, self.quaternions), self.acceleration(t, q, qd)

        v1, a1 = slope(t, q, qd)
        v2, a2 = slope(t + h / 2, q + h / 2 * v1, qd + h / 2 * a1)
        v3, a3 = slope(t + h / 2, q + h / 2 * v2, qd + h / 2 * a2)
        v4, a4 = slope(t + h, q + h * v3, qd + h * a3)
        q = normalised(q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), self.quaternions)
        return self.closed(q, qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4))

    def run(self, q: Any, qd: Any, duration: float, dt: float) -> tuple[Array, Array]:
        """Positions and velocities after each step, the start included."""
        state, steps = (np.asarray(q, float), np.asarray(qd, float)), round(duration / dt)
        states = [state]
        for k in range(steps):
            state = self.step(k * dt, dt, *state)
            states.append(state)
        return np.array([q for q, _ in states]), np.array([qd for _, qd in states])
