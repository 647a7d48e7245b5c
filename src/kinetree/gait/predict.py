"""`predict`: a step of walking from nothing but the body, the speed and the step length."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.gait.gait import Gait
from kinetree.gait.phases import Timing
from kinetree.gait.step import Step
from kinetree.gait.walker import Walker

_PLACES, _MARGIN, _TOLERANCE, _OPTIMALITY = 8, 2e-4, 1e-3, 1e-4
_ROUNDS, _ITERATIONS = 6, 300
_REACH = 1.0  # a step as long as the leg, twice the hip-to-ground distance times sin 30 deg
_FROUDE = 1.0  # v^2 / (g leg): above it a walker would leave the ground


def predict(
    speed: float = 1.2,
    length: float = 0.6,
    walker: Walker | None = None,
    *,
    width: float = 0.10,
    timing: Timing | None = None,
    control_points: int = 6,
    start: Any = 0.0,
    tell: Any = None,
    progress: bool | None = None,
) -> Gait:
    """One step of walking, predicted by optimisation: first a motion that keeps all limits, then the least effort.

    The cost is dynamic effort, the integral of the squared joint moments over their strengths. No motion is given to
    start from: all coordinates rest at zero.

    Args:
        speed: [m/s].
        length: of the step [m].
        walker: who walks; a man of 73 kg and 1.741 m by default.
        width: between the middles of the feet [m].
        timing: of the phases of the step.
        control_points: for each of the 55 coordinates.
        start: another posture to start from (nv,), for studies of local optima.
        tell: gets iteration, cost and violation; says whether to go on.
        progress: whether a line with the same is shown on the terminal; by default where there is one.

    Returns:
        A `Gait`; look at its ``status``: a walker whose limits are not kept is no prediction.

    Reference: [Barman] chapter V.
    """
    walker = Walker() if walker is None else walker
    _check(walker, speed, length, width)
    step = Step(walker, float(speed), float(length), float(width), timing or Timing(), control_points)
    problem = step.problem()
    guess = np.broadcast_to(np.asarray(start, float), (problem.width,))
    plan = problem.solve(
        guess,
        tolerance=_TOLERANCE,
        optimality=_OPTIMALITY,
        places=_PLACES,
        margin=_MARGIN,
        feasible_first=True,
        iterations=_ITERATIONS,
        rounds=_ROUNDS,
        tell=tell,
        progress=progress,
    )
    return Gait.of(step, plan)


def _check(walker: Walker, speed: float, length: float, width: float) -> None:
    """Refuse what no leg can do."""
    for what, value in (("speed", speed), ("step length", length)):
        if not (isinstance(value, int | float) and 0.0 < value < np.inf):
            raise InputError(f"the {what} is a positive number, got {value!r}")
    if not (isinstance(width, int | float) and 0.0 <= width < np.inf):
        raise InputError(f"the step width is a number not below 0, got {width!r}")
    leg = -walker.ground
    if length > _REACH * leg:
        raise InputError(
            f"no leg of {leg:.2f} m takes steps of {length:g} m; the longest here are {_REACH * leg:.2f} m"
        )
    if speed**2 > _FROUDE * 9.81 * leg:
        fastest = (_FROUDE * 9.81 * leg) ** 0.5
        raise InputError(f"at {speed:g} m/s one runs on legs of {leg:.2f} m; walking ends at {fastest:.2f} m/s")
