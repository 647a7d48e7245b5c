"""The same planning problem as a user of CasADi writes it: its own graph of the same equations, and its IPOPT.

The algorithms are generic over the scalar, so CasADi's symbols pass through the very same inverse dynamics and force
rates. They become one function of a sample, mapped over the collocation points; CasADi takes sparse exact first
and second derivatives. Splines, collocation points, bounds, start and tolerances are those of Kinetree's first round.
"""

from __future__ import annotations

import time
from typing import Any

import casadi
import numpy as np

import kinetree as kt
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.scalar import Scalar
from kinetree.transcribe.bspline import BSpline

PER_INTERVAL = 4  # collocation points in each knot interval, as in Kinetree's first round
OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": casadi.sin,
    "cos": casadi.cos,
    "sqrt": casadi.sqrt,
}
OPTIONS = {
    "ipopt.print_level": 0,
    "print_time": False,
    "ipopt.sb": "yes",
    "ipopt.tol": 1e-7,
    "ipopt.constr_viol_tol": 1e-8,
    "ipopt.mu_strategy": "adaptive",
    "ipopt.fixed_variable_treatment": "make_parameter",
    "ipopt.max_iter": 400,
}


class Symbol(Scalar):
    """A symbol of CasADi as a scalar of Kinetree."""

    __slots__ = ("sx",)

    def __init__(self, sx: Any) -> None:
        self.sx = sx

    def apply(self, op: str, *args: Any) -> Symbol:
        return Symbol(OPERATIONS[op](*(x.sx if isinstance(x, Symbol) else x for x in args)))


class CasadiPlan:
    """A minimum-time problem from rest to rest, built once.

    Args:
        robot, q0, q1: whose motion, from where to where.
        limits: bounds by name: "force", "force_rate" and "velocity", one number for each joint.
        points: control points of each joint.
        expand: whether CasADi makes scalar expressions of the whole problem.
    """

    def __init__(self, robot: kt.Robot, q0: Any, q1: Any, limits: dict[str, Any], points: int, expand: bool) -> None:
        n, spline = robot.nv, BSpline(points)
        s_points = spline.samples(PER_INTERVAL)
        table, numbers = spline.evaluate(s_points, 3)
        B = np.zeros((4, len(s_points), points))
        for k, own in enumerate(numbers):
            B[:, k, own] = table[k]
        x = casadi.MX.sym("x", points * n + 1)
        P, T = casadi.reshape(x[:-1], n, points), x[-1]
        z = [P @ casadi.sparsify(casadi.DM(B[r].T)) / T**r for r in range(4)]  # each (n, points)
        rows = []
        if "velocity" in limits:
            rows.append((z[1], limits["velocity"]))
        sample = _sample(robot, "force_rate" in limits).map(len(s_points))
        found = sample(*z[: sample.n_in()])
        for name, value in zip(("force", "force_rate"), found if isinstance(found, tuple) else (found,)):
            rows.append((value, limits[name]))
        g = casadi.vertcat(*(casadi.vec(value / np.broadcast_to(by, n)[:, None]) for value, by in rows))
        began = time.perf_counter()
        self.solver = casadi.nlpsol("plan", "ipopt", {"x": x, "f": T, "g": g}, {**OPTIONS, "expand": expand})
        self.building = time.perf_counter() - began
        s = np.array([spline.knots[k + 1 : k + 4].mean() for k in range(points)])
        guess = np.asarray(q0) + (s**3 * (10 - 15 * s + 6 * s**2))[:, None] * (np.asarray(q1) - np.asarray(q0))
        lower, upper = np.full((points, n), -np.inf), np.full((points, n), np.inf)
        for k, q in ((0, q0), (1, q0), (-2, q1), (-1, q1)):
            lower[k] = upper[k] = q
        self.given = {
            "x0": np.clip(np.r_[guess.ravel(), 1.0], np.r_[lower.ravel(), 1e-3], np.r_[upper.ravel(), 1e3]),
            "lbx": np.r_[lower.ravel(), 1e-3],
            "ubx": np.r_[upper.ravel(), 1e3],
            "lbg": -1.0,
            "ubg": 1.0,
        }

    def solve(self, duration: float) -> tuple[float, int, bool]:
        """From a straight line of this duration: the time found, the iterations, and whether it is optimal."""
        start = self.given["x0"].copy()
        start[-1] = duration
        found = self.solver(**{**self.given, "x0": start})
        stats = self.solver.stats()
        return float(found["f"]), int(stats["iter_count"]), bool(stats["success"])


def _sample(robot: kt.Robot, rates: bool) -> casadi.Function:
    """Joint forces, and their rates, as a function of one sample of the motion."""
    given = [casadi.SX.sym(name, robot.nv) for name in ("q", "qd", "qdd", "qddd")[: 4 if rates else 3]]
    motion = [[Symbol(x) for x in casadi.vertsplit(sx)] for sx in given]
    results = forces_and_rates(robot, *motion) if rates else [inverse_dynamics(robot, *motion)]
    outputs = [casadi.vertcat(*(x.sx if isinstance(x, Symbol) else x for x in result)) for result in results[:2]]
    return casadi.Function("sample", given, outputs)
