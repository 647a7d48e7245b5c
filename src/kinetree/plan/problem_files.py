"""The task of a plan in its file: all that made it, so that it can be planned again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.plan.constraints import PathConstraint, PointConstraint
from kinetree.plan.coordinates import LoopCoordinates, PathCoordinate, PlanCoordinates
from kinetree.plan.obstacles.scene_files import read_scene, written_scene
from kinetree.plan.problem import Problem
from kinetree.plan.quantity import Quantity
from kinetree.plan.splines import KNOTS
from kinetree.runtime.arrays import Array

_SAMPLES = 401  # of parameters that are a function of s
_PLAIN = ("time_weight", "durations", "periodic_order", "mirror", "advance", "base_driven", "hessian", "knots")


def written_problem(problem: Problem | None, written: Callable[[Quantity], Any]) -> dict[str, Any] | None:
    """A problem for a file, with its obstacles; None where a function of the user's own is in it.

    Parameters that are a function of s are written as samples of it.
    """
    if problem is None:
        return None
    costs = [(written(quantity), weight) for quantity, weight in problem.costs]
    points = [(written(c.quantity), c.s, c.lower, c.upper) for c in problem.point_constraints]
    if any(x[0] is None for x in (*costs, *points)) or any(written(c.quantity) is None for c in problem.constraints):
        return None
    samples = None if problem.parameters is None else problem.parameters(np.linspace(0.0, 1.0, _SAMPLES))
    scene = None if problem.scene is None else written_scene(problem.scene)
    if scene is None and problem.scene is not None:
        return None
    return {
        **{name: getattr(problem, name) for name in _PLAIN},
        "size": problem.spline.size, "degree": problem.spline.degree, "inner": list(problem.spline.inner or ()),
        "costs": costs, "points": points, "parameters": samples, "jerky_ends": sorted(problem.jerky_ends),
        "scene": scene,
    }  # fmt: skip


def read_problem(
    given: dict[str, Any], coordinates: PlanCoordinates, external: Any, constraints: Sequence[PathConstraint],
    read: Callable[[dict[str, Any]], Quantity],
) -> Problem:  # fmt: skip
    """The problem of a file, of a plan with these coordinates and constraints; it is untrusted."""
    special: dict[str, Any] = {}
    if isinstance(coordinates, PathCoordinate):
        special["path"] = coordinates.path
    elif isinstance(coordinates, LoopCoordinates):
        special["configuration"] = coordinates.configuration
    samples = None if given["parameters"] is None else np.array(given["parameters"], float)
    if samples is not None and (samples.ndim != 2 or len(samples) < 2 or not np.isfinite(samples).all()):
        raise InputError("the parameters of its problem are no table of numbers")
    problem = Problem(
        coordinates.system, control_points=int(given["size"]), degree=int(given["degree"]),
        knots=given["knots"] if given["knots"] in KNOTS else [float(x) for x in given["inner"]], external=external,
        base="driven" if given["base_driven"] else None, hessian=given["hessian"],
        parameters=None if samples is None else _Table(samples), **special,
    )  # fmt: skip
    problem.coordinates, problem.constraints = coordinates, [*constraints]
    problem.point_constraints = [_point(problem, read(x[0]), *x[1:]) for x in given["points"]]
    problem.costs = [(read(q).under(problem.dynamics), float(weight)) for q, weight in given["costs"]]
    problem.jerky_ends = {float(s) for s in given["jerky_ends"]}
    problem.time_weight = float(given["time_weight"])
    problem.duration(*(float(x) for x in given["durations"]))
    if given["periodic_order"] is not None:
        problem.periodic(int(given["periodic_order"]), given["advance"], given["mirror"])
    if given.get("scene") is not None:  # files of older versions have none
        problem.scene = read_scene(problem.robot, given["scene"], problem.coordinates.rest_of_joints)
    return problem


def _point(problem: Problem, quantity: Quantity, s: Any, lower: Any, upper: Any) -> PointConstraint:
    wanted = quantity.under(problem.dynamics)
    wanted.check(problem.robot)
    low, high = (np.array(x, float) for x in (lower, upper))
    if not (low.shape == high.shape == (wanted.size(problem.robot),) and 0.0 <= float(s) <= 1.0):
        raise InputError(f"a constraint at a point, on {wanted.title}, has bounds that don't fit it")
    return PointConstraint(wanted, float(s), low, high)


class _Table:
    """Samples (k, m) at even s from 0 to 1 as a function."""

    def __init__(self, samples: Array) -> None:
        self.samples = samples

    def __call__(self, s: Array) -> Array:
        at = np.linspace(0.0, 1.0, len(self.samples))
        return np.stack([np.interp(s, at, column) for column in self.samples.T], axis=1)
