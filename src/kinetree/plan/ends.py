"""How motions start and end: so that a robot at rest can follow them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from kinetree.errors import InputError, PlanWarning
from kinetree.plan.constraints import ALWAYS, ROUNDING, PointConstraint
from kinetree.plan.coordinates import OrientationCharts
from kinetree.plan.forces import Force
from kinetree.plan.quantity import Derivative
from kinetree.transcribe.block import CollocationBlock

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem
    from kinetree.plan.transcriber import Transcriber


def settle_ends(problem: Problem) -> None:
    """With limits of jerks or force rates a motion from or to rest has no acceleration there, unless told."""
    if not any(c.quantity.order > 2 for c in problem.constraints):
        return
    coordinates = problem.coordinates
    velocity, acceleration = coordinates.linear(1), coordinates.linear(2)
    for s in {*ALWAYS} - problem.jerky_ends:
        here = {c.quantity: c for c in problem.point_constraints if c.s == s}
        if velocity not in here or acceleration in here or Derivative(2) in here:
            continue
        still = (here[velocity].lower == 0.0) & (here[velocity].upper == 0.0)
        if isinstance(coordinates, OrientationCharts) and not problem.base_driven:
            still[list(coordinates.base)] = False  # its acceleration follows from all forces
        if still.any():
            bound = np.where(still, 0.0, np.inf)
            problem.point_constraints.append(PointConstraint(acceleration, s, -bound, bound))


def check_rest(transcriber: Transcriber) -> None:
    """Warn where a robot can't rest at the start or the goal, because gravity needs more than the limits of force.

    Where the motion must start or end there without acceleration, it is refused.
    """
    for s, points in transcriber.fixed.items():
        bounded = transcriber.path_constraints(np.array([s])) if len(points) > 1 else None
        if bounded is None or not isinstance(bounded.block, CollocationBlock):
            continue
        x = np.append(np.tile(points[0], transcriber.shape[0]), 1.0)  # at rest there
        robot, quantities = transcriber.problem.robot, (*bounded.block.linear, *bounded.block.nonlinear)
        forces = np.repeat([isinstance(q, Force) for q in quantities], [q.size(robot) for q in quantities])
        violation = np.where(forces, bounded.violation(x)[0], -np.inf)
        if violation.max() > ROUNDING:
            k = int(np.argmax(violation))
            where, name = "start" if s == 0.0 else "goal", bounded.block.names()[k]
            told = (
                f"at rest at the {where} the {name} is {bounded.block.values(x)[0, k]:.6g}, allowed: "
                f"{bounded.lower[0, k]:g} to {bounded.upper[0, k]:g}"
            )
            if len(points) > 2:
                raise InputError(f"{told}; no motion can {'start' if s == 0.0 else 'end'} there without acceleration")
            warnings.warn(f"{told}; the robot can pass there, but not stay", PlanWarning, stacklevel=5)
