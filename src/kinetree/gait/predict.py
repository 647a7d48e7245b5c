"""`predict`: a step of walking from nothing but the body, the speed and the step length."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.gait.asymmetric import StrideGait, smooth_step, two_steps
from kinetree.gait.gait import PLACES, Gait
from kinetree.gait.phases import Timing
from kinetree.gait.step import Step
from kinetree.gait.stride import Stride
from kinetree.gait.walker import Walker
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.status import PlanStatus

Array = NDArray[np.float64]

_MARGIN, _TOLERANCE, _OPTIMALITY = 2e-5, 1e-4, 1e-6
_ROUNDS, _ITERATIONS = 10, 1200
_ROUGH = {"tolerance": 1e-2, "optimality": 1e-4, "rounds": 1}  # for a motion that is but a start
WIDTH = 0.10  # m, between the middles of the feet
_REACH = 1.0  # a step as long as the leg, twice the hip-to-ground distance times sin 30 deg
_FROUDE = 1.0  # v^2 / (g leg): above it a walker would leave the ground


def predict(
    speed: float = 1.2,
    length: float = 0.6,
    walker: Walker | None = None,
    *,
    width: float = WIDTH,
    timing: Timing | None = None,
    control_points: int = 6,
    symmetric: bool = True,
    start: Any = 0.0,
    time_limit: float = 240.0,
    tell: Any = None,
    progress: bool | None = None,
) -> Gait:
    """One step of walking, predicted by optimisation: first a motion that keeps all limits, then the least effort.

    The cost is dynamic effort, the integral of the squared joint moments over their strengths. No motion is given to
    start from: all coordinates rest at zero.

    A symmetric gait is one step, and the next is its mirror image. If the sides of the walker differ, as with a weak
    knee or a load in one hand, that image is the step of a walker with exchanged sides: take ``symmetric=False``, two
    steps as one task. It starts from a symmetric step of the same walker, with equal strengths, and its image; that
    step starts from zero.

    Args:
        speed: [m/s].
        length: of the step [m].
        walker: who walks; a man of 73 kg and 1.741 m by default.
        width: between the middles of the feet [m].
        timing: of the phases of the step.
        control_points: for each of the 55 coordinates.
        symmetric: False for a stride of two steps that may differ; it takes several times as long.
        start: another posture to start from (nv,), for studies of local optima; or a `Gait` of the same kind to start
            near, as of another speed.
        time_limit: how long the search may take [s].
        tell: gets iteration, cost and violation; says whether to go on.
        progress: whether a line with the same is shown on the terminal; by default where there is one.

    Returns:
        A `Gait`, a `StrideGait` where it is not symmetric; look at its ``status``: a walker whose limits are not kept
        is no prediction.

    Reference: [Barman] chapter V.
    """
    walker = Walker() if walker is None else walker
    check(walker, speed, length, width)
    kind = Step if symmetric else Stride
    step = kind(walker, float(speed), float(length), float(width), timing or Timing(), control_points)
    if isinstance(step, Stride):
        return _stride(step, start, time_limit, tell, progress)
    return Gait.of(step, _solved(step.problem(), start, time_limit, tell, progress))


def _stride(stride: Stride, start: Any, time_limit: float, tell: Any, progress: bool | None) -> Gait:
    """A stride from a gait given, or from the symmetric step of the walker with equal strengths."""
    problem, began = stride.problem(), 0.0
    if not isinstance(start, Gait):
        _, smooth = smooth_step(stride)
        first = _solved(smooth, start, time_limit, tell, progress, **_ROUGH)
        start, began = two_steps(stride, first.points), first.seconds
        if first.status in (PlanStatus.INTERRUPTED, PlanStatus.INTERRUPTED_EARLY):
            tell = _no_more
    plan = _solved(problem, start, max(1.0, time_limit - began), tell, progress)
    return StrideGait.of(stride, replace(plan, seconds=began + plan.seconds))


def _no_more(*_: Any) -> bool:
    return False


def _solved(problem: Problem, start: Any, time_limit: float, tell: Any, progress: bool | None, **options: Any) -> Plan:
    """From a posture, or near a motion."""
    guess = _resampled(problem, start) if isinstance(start, Gait) else np.asarray(start, float)
    return problem.solve(
        guess if guess.ndim == 2 else np.broadcast_to(guess, (problem.width,)),
        yielding=True,
        **{"tolerance": _TOLERANCE, "optimality": _OPTIMALITY, "rounds": _ROUNDS} | options,
        places=PLACES,
        margin=_MARGIN,
        iterations=_ITERATIONS,
        time_limit=time_limit,
        tell=tell,
        progress=progress,
    )


def _resampled(problem: Problem, gait: Gait) -> Array:
    """The control points of a gait on the spline of a task."""
    if isinstance(gait, StrideGait) != (problem.mirror is None):
        raise InputError("a step starts from the gait of a step, and a stride from that of a stride")
    s = problem.spline.averages
    same = len(gait.points) == problem.spline.points
    return gait.points if same else problem.spline.through(s, gait.motion(s)[0])


def check(walker: Walker, speed: float, length: float, width: float = WIDTH) -> None:
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
