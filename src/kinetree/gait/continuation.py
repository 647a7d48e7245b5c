"""From coarse to fine: a walk with few control points first, then with more, from the motion that was found.

The first splines are cubic: from far away those of a higher degree oscillate. Coarse motions are sought roughly, with a
large barrier. The knots of fewer control points are some of those of more, so what is best with more is not worse.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.gait.step import COARSE, Step
from kinetree.nlp.solution import Termination
from kinetree.plan import Plan, PlanStatus

_ROUGHLY: dict[str, Any] = {"tolerance": 1e-1, "optimality": 1e-2, "barrier": 0.03, "collocation": 4, "rounds": 1}
_FINELY: dict[str, Any] = {"barrier": 3e-3}


def coarse_to_fine(step: Step, start: Plan | ArrayLike, options: dict[str, Any]) -> tuple[Step, Plan]:
    """The best motion from a motion, or from a configuration by way of a coarse one.

    Returns:
        The step with as many control points as the motion has: fewer where the search ended early.
    """
    problem = step.problem()
    if isinstance(start, Plan) or np.ndim(start) == 2:
        return step, problem.solve(start, **(_FINELY | options))
    rest = np.broadcast_to(np.asarray(start, float), (problem.coordinates.size,))
    if step.control_points <= COARSE:
        return step, problem.solve(rest, **(options | {"barrier": _ROUGHLY["barrier"]}))
    began, coarse = time.perf_counter(), replace(step, control_points=COARSE)
    first = coarse.problem().solve(rest, **(options | _ROUGHLY))
    left = options["time_limit"] - (time.perf_counter() - began)
    if first.termination is Termination.USER_STOP or left <= 0.0:
        return coarse, _stopped(first, options["tolerance"])
    plan = problem.solve(first, **(_FINELY | options | {"time_limit": left}))
    compiling = first.compile_seconds + plan.compile_seconds
    return step, replace(
        plan, seconds=first.seconds + plan.seconds, iterations=first.iterations + plan.iterations,
        compile_seconds=compiling,
    )  # fmt: skip


def _stopped(coarse: Plan, tolerance: float) -> Plan:
    """A coarse motion as what it is where the search ends with it."""
    status = PlanStatus.FEASIBLE if coarse.violation <= tolerance else PlanStatus.NOT_FOUND
    return replace(coarse, status=status, termination=Termination.USER_STOP)
