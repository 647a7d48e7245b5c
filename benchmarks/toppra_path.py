"""The same path and limits for toppra: reachability analysis along a path (Pham and Pham, 2018)."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np
import toppra
from toppra import algorithm, constraint
from toppra.interpolator import AbstractGeometricPath

import kinetree as kt
from kinetree.plan import Path

GRID = 1000  # of points where toppra enforces its limits


class SamePath(AbstractGeometricPath):
    """A path of Kinetree as toppra takes it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, path_positions: Any, order: int = 0) -> Any:
        at = np.atleast_1d(np.asarray(path_positions, float))
        values = self.path.spline.curve(self.path.points, at, order)[order]
        return values if np.ndim(path_positions) else values[0]

    @property
    def dof(self) -> int:
        return self.path.points.shape[1]

    @property
    def path_interval(self) -> Any:
        return np.array([0.0, 1.0])

    @property
    def waypoints(self) -> None:
        return None


def shortest(robot: kt.Robot, path: Path, effort: Any, acceleration: Any) -> tuple[float, float]:
    """The final time of toppra, NaN where it finds no motion, and how long it takes [s]."""
    toppra.setup_logging(logging.ERROR)
    both = [np.stack([-x, x], axis=1) for x in (effort, acceleration)]
    same, scheme = SamePath(path), constraint.DiscretizationType.Interpolation
    limits = [
        constraint.JointTorqueConstraint(robot.inverse_dynamics, both[0], np.zeros(robot.nv), scheme),
        constraint.JointAccelerationConstraint(both[1], scheme),
    ]
    began = time.perf_counter()
    s = np.linspace(0.0, 1.0, GRID)
    instance = algorithm.TOPPRA(limits, same, gridpoints=s, solver_wrapper="seidel")
    _, speeds, _ = instance.compute_parameterization(0.0, 0.0)
    seconds = time.perf_counter() - began
    if speeds is None:
        return np.nan, seconds
    duration = float(np.sum(2.0 * np.diff(s) / (speeds[1:] + speeds[:-1])))
    return duration, seconds
