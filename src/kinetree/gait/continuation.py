"""From coarse to fine: a walk with few control points first, then with more, from the motion that was found.

The first splines are cubic: from far away those of a higher degree oscillate. Coarse motions are sought roughly, with a
large barrier and few collocation points. The knots of fewer control points are some of those of more, so what is best
with more is not worse.

Where the ground force comes near to nothing there is no zero-moment point, and a search from far away may be lost: then
the coarsest starts again from nearer to rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.gait.step import COARSE, MIDDLE, Step
from kinetree.nlp.solution import Termination
from kinetree.plan import Plan, PlanStatus
from kinetree.runtime.arrays import Array

_ROUGHLY: dict[str, Any] = {
    "tolerance": 1e-1, "optimality": 3e-2, "barrier": 0.1, "collocation": 4, "rounds": 1, "iterations": 400,
}  # fmt: skip
_LESS_ROUGHLY: dict[str, Any] = _ROUGHLY | {"optimality": 6e-4, "barrier": 3e-3, "iterations": 150}
_FIRST = 0.03, 3e-3, 1.2e-4  # barriers of the search with all control points, after none, one and two coarser ones
_NEAR = 0.02  # a violation of the second of these up to which it counts
_NEARER, _LOST = (1.0, 0.5, 0.25, 0.0), 200  # parts of the way from rest; iterations after which a search is lost


def coarse_to_fine(step: Step, start: Plan | ArrayLike, options: dict[str, Any]) -> tuple[Step, Plan]:
    """The best motion from a motion, or from a configuration by way of coarser ones.

    Returns:
        The step with as many control points as the motion has: fewer where the search ended early.
    """
    problem = step.problem()
    if isinstance(start, Plan) or np.ndim(start) == 2:
        return step, problem.solve(start, **({"barrier": _FIRST[1]} | options))
    plans: list[Plan] = []
    at: Plan | Array = np.broadcast_to(np.asarray(start, float), (problem.coordinates.size,))
    coarser = [stage for stage in ((COARSE, _ROUGHLY), (MIDDLE, _LESS_ROUGHLY)) if stage[0] < step.control_points]
    for points, roughly in coarser:
        coarse = replace(step, control_points=points)
        for begin, limit in _tries(at):
            at = coarse.problem().solve(begin, **(options | roughly | limit | _left(options, plans)))
            plans.append(at)
            if at.termination is Termination.USER_STOP or _left(options, plans)["time_limit"] <= 0.0:
                return coarse, _stopped(_added(plans), options["tolerance"])
            if at.termination is not Termination.ITERATION_LIMIT:
                break
    near = len(coarser) < 2 or plans[-1].violation <= _NEAR
    first = {"barrier": _FIRST[len(coarser) if near else 1]}
    plans.append(problem.solve(at, **(first | options | _left(options, plans))))
    return step, _added(plans)


def _tries(at: Plan | Array) -> list[tuple[Plan | Array, dict[str, Any]]]:
    """Where a search starts, and starts again where it is lost, with how many iterations."""
    if isinstance(at, Plan) or not at.any():
        return [(at, {})]
    return [(part * at, {"iterations": _LOST}) for part in _NEARER]


def _left(options: dict[str, Any], plans: list[Plan]) -> dict[str, float]:
    """What is left of the time after some searches."""
    return {"time_limit": options["time_limit"] - sum(plan.seconds for plan in plans)}


def _added(plans: list[Plan]) -> Plan:
    """The last one, with the time and the iterations of all."""
    names = ("seconds", "iterations", "compile_seconds")
    return replace(plans[-1], **{name: sum(getattr(plan, name) for plan in plans) for name in names})


def _stopped(coarse: Plan, tolerance: float) -> Plan:
    """A coarse motion as what it is where the search ends with it."""
    status = PlanStatus.FEASIBLE if coarse.violation <= tolerance else PlanStatus.NOT_FOUND
    return replace(coarse, status=status, termination=Termination.USER_STOP)
