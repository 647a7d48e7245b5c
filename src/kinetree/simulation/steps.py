"""Integrators, over scalars: each method is one step, a function of the system, the time, the step and the state.

The state is (q, qd); forces(t, q, qd) gives the actuator forces at any state, or those that are held. Quaternions are
integrated by their rates and normalised after the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from kinetree.algorithms.hybrid_dynamics import factorised
from kinetree.algorithms.kinematics import normalised, rates
from kinetree.algorithms.mass_matrix import mass_matrix
from kinetree.algorithms.passive_forces import passive_force_derivatives
from kinetree.algorithms.symmetric import Factorisation
from kinetree.scalar import Vector, dot, maximum, select
from kinetree.simulation.system import System

Forces = Callable[[Any, Vector, Vector], Vector]
State = tuple[list[Any], list[Any]]


def _plus(x: Vector, *terms: tuple[Any, Vector]) -> list[Any]:
    """x and the sum of factors times vectors."""
    total = [*x]
    for factor, y in terms:
        total = [a + factor * b for a, b in zip(total, y)]
    return total


def rk4(system: System, t: Any, h: Any, q: Vector, qd: Vector, forces: Forces, external: Any = None) -> State:
    """The classical Runge-Kutta method of order 4. Reference: [Hairer1993] II.1, table 1.2."""

    def slope(t: Any, q: Vector, qd: Vector) -> State:
        return rates(system.robot, q, qd), system.acceleration(t, q, qd, forces(t, q, qd), external)

    half, middle = 0.5 * h, t + 0.5 * h
    v1, a1 = slope(t, q, qd)
    v2, a2 = slope(middle, _plus(q, (half, v1)), _plus(qd, (half, a1)))
    v3, a3 = slope(middle, _plus(q, (half, v2)), _plus(qd, (half, a2)))
    v4, a4 = slope(t + h, _plus(q, (h, v3)), _plus(qd, (h, a3)))
    sixth, third = h * (1.0 / 6.0), h * (1.0 / 3.0)
    q_next = _plus(q, (sixth, _plus(v1, (1.0, v4))), (third, _plus(v2, (1.0, v3))))
    qd_next = _plus(qd, (sixth, _plus(a1, (1.0, a4))), (third, _plus(a2, (1.0, a3))))
    return normalised(system.robot, q_next), qd_next


def semi_implicit(system: System, t: Any, h: Any, q: Vector, qd: Vector, forces: Forces, external: Any = None) -> State:
    """The semi-implicit Euler method, order 1: velocities first, then positions with the new ones. [Hairer2006] I.1.

    It is symplectic, and the energy stays near, where the mass matrix is constant; elsewhere the energy drifts.
    """
    qd_next = _plus(qd, (h, system.acceleration(t, q, qd, forces(t, q, qd), external)))
    return system.integrated(q, qd_next, h), qd_next


_ITERATIONS = 8  # enough for rotations of 0.5 rad in a step, and for controllers as stiff as the inertia over h^2/4
_SOLVED = 1e-7  # of the velocities: the last correction; what is left after it is far less
_STILL = 1e-12  # [rad/s, m/s], for a robot that hardly moves


def implicit_midpoint(
    system: System, t: Any, h: Any, q: Vector, qd: Vector, forces: Forces, external: Any = None
) -> State:
    """The implicit midpoint rule, order 2, stable for stiff springs and dampers. Reference: [Hairer2006] II.1, VI.4.

    The acceleration at the midpoint solves the equations of motion there, by `Broyden` from the matrix
    M + h/2 D + h^2/4 K of the inertia and of all springs and dampers. A step that is not solved gives NaN.
    """
    middle, half = t + 0.5 * h, 0.5 * h
    q_m, qd_m = _plus(q, (half, rates(system.robot, q, qd))), [*qd]
    M = mass_matrix(system.robot, q_m)
    K, D = passive_force_derivatives(system.robot, q_m)
    A = [[m + half * d + half * half * k for m, d, k in zip(*rows)] for rows in zip(M, D, K)]
    solver = Broyden(factorised(A, "the mechanism", range(len(A))[::-1]))
    a: list[Any] = [0.0] * system.robot.nv
    for _ in range(_ITERATIONS):
        residual = system.residual(middle, q_m, qd_m, a, forces(middle, q_m, qd_m), external)
        a = _plus(a, (1.0, solver.correction(residual)))
        qd_m = _plus(qd, (half, a))
        # as the rates of quaternions depend on q, they converge with it; the unit length is conserved
        q_m = _plus(q, (half, rates(system.robot, q_m, qd_m)))
    qd_next = _plus(qd, (h, a))
    left, moving = h * h * dot(solver.last, solver.last), dot(qd, qd) + dot(qd_next, qd_next)
    solved = left <= _SOLVED * _SOLVED * moving + _STILL * _STILL
    q_next = normalised(system.robot, _plus(q, (h, rates(system.robot, q_m, qd_m))))
    return q_next, [select(solved, x, math.nan) for x in qd_next]


class Broyden:
    """Broyden's method from a fixed matrix, with rank-one updates from the corrections. Reference: [Kelley1995] 7.3."""

    def __init__(self, matrix: Factorisation) -> None:
        self.matrix = matrix
        self.steps: list[Vector] = []

    @property
    def last(self) -> Vector:
        return self.steps[-1]

    def correction(self, residual: Vector) -> Vector:
        """What to add to the solution."""
        z = [-x for x in self.matrix.solve(residual)]
        for one, other in pairwise(self.steps):
            z = _plus(z, (_along(one, z), other))
        if self.steps:
            # bounded, as rounding is all that is left when it has converged
            stretch = 1.0 / maximum(1.0 - _along(self.last, z), 0.1)
            z = [stretch * x for x in z]
        self.steps.append(z)
        return z


def _along(s: Vector, z: Vector) -> Any:
    return dot(s, z) / maximum(dot(s, s), 1e-300)


METHODS: dict[str, Callable[..., State]] = {
    "rk4": rk4,
    "semi_implicit": semi_implicit,
    "implicit_midpoint": implicit_midpoint,
}


# [Hairer1993] II.5, table 5.2: nodes, rows and the difference between the orders 5 and 4
_NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_ROWS = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def dormand_prince(
    system: System, t: Any, h: Any, q: Vector, qd: Vector, forces: Forces, external: Any = None
) -> tuple[list[Any], list[Any], list[Any]]:
    """The pair of Dormand and Prince of order 5 with an estimate of its error, for steps that adapt."""
    v: list[Vector] = []
    a: list[Vector] = []
    at_q, at_qd = [*q], [*qd]
    for node, row in zip(_NODES, _ROWS):
        at_q = _plus(q, *((h * c, x) for c, x in zip(row, v) if c))
        at_qd = _plus(qd, *((h * c, x) for c, x in zip(row, a) if c))
        stage = t + node * h
        v.append(rates(system.robot, at_q, at_qd))
        a.append(system.acceleration(stage, at_q, at_qd, forces(stage, at_q, at_qd), external))
    weights = [(h * c) for c in _ERROR]
    error = [sum((w * x for w, x in zip(weights, parts)), 0.0) for parts in (*zip(*v), *zip(*a))]
    return normalised(system.robot, at_q), at_qd, error  # the last stage is the result
