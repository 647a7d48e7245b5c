"""What a task has before anything is said: ends of a path, no force on a base that nothing drives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.plan.floating import free_base
from kinetree.plan.quantity import Parameter

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem


def begun(problem: Problem) -> None:
    """A path goes from end to end, from rest to rest and forwards; an undriven base gets no force."""
    if problem.path is not None:
        for place in (0.0, 1.0):
            problem.via(place, Parameter(0), place)
            problem.via(place, Parameter(1), 0.0)
        problem.limit(Parameter(1), lower=0.0)
    base = [k for name in free_base(problem.robot) for k in problem.robot.velocities_of(name)]
    if base and not problem.base_driven:
        bound = np.full(problem.robot.nv, np.inf)
        bound[base] = 0.0
        problem.limit("force", lower=-bound, upper=bound)


def at_rest(problem: Problem, derivatives: Sequence[Any]) -> list[Any]:
    """Positions and derivatives at an end; a robot with elastic joints rests where its motors rest too."""
    lift = 0 if problem.way is None else problem.way.lift
    still = lift and derivatives[1] is not None and not np.any(derivatives[1]) and derivatives[2] is None
    return [*derivatives[:2], *[0.0] * lift] if still else [*derivatives]
