"""`predict`: a step of walking from nothing but the body, the speed and the step length."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.gait.gait import Gait
from kinetree.gait.phases import Timing
from kinetree.gait.step import COLLOCATION, Step, Stride
from kinetree.gait.stride import StrideGait
from kinetree.gait.walker import Walker
from kinetree.nlp.solution import Termination
from kinetree.plan import Plan, Problem
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline

WIDTH = 0.10  # m, between the midlines of the feet
_OPTIONS: dict[str, Any] = {"elastic": True, "tolerance": 1e-4, "optimality": 1e-6, "collocation": COLLOCATION,
                            "margin": 2e-5, "rounds": 10, "iterations": 1200, "time_limit": 240.0}  # fmt: skip
_ROUGHLY = {"tolerance": 1e-2, "optimality": 1e-4, "rounds": 1}  # for a motion that another search starts from
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
    start: Gait | ArrayLike = 0.0,
    **options: Any,
) -> Gait:
    """One step of walking, predicted by optimisation: first a motion that satisfies all constraints, then least effort.

    The cost is dynamic effort, the integral of the squared joint moments over their strengths. No motion is given to
    start from: all coordinates rest at zero.

    A symmetric gait is one step, and the next is its mirror image. If the sides of the walker differ, as with a weak
    knee or a load in one hand, that image is the step of a walker with exchanged sides: take ``symmetric=False``, two
    steps as one task. It starts from a symmetric step of the same walker, with equal strengths, and its mirror image;
    that step starts from zero.

    Args:
        speed: [m/s].
        length: of the step [m].
        walker: who walks; a man of 73 kg and 1.741 m by default.
        width: between the midlines of the feet [m].
        timing: of the phases of the step.
        control_points: for each of the 55 coordinates.
        symmetric: False for a stride of two steps that may differ; it takes several times as long.
        start: another configuration to start from (nv,), for studies of local optima; or a `Gait` of the same kind to
            start near, as of another speed.
        options: those of `kinetree.plan.Options`: ``time_limit``, how long the search may take (240 s), ``callback``,
            ``progress``, ...

    Returns:
        A `Gait`, a `StrideGait` where it is not symmetric; look at its ``status``: a motion that violates constraints
        is no prediction.

    Reference: [Barman] chapter V.
    """
    walker = Walker() if walker is None else walker
    check(walker, speed, length, width)
    task = float(speed), float(length), float(width), timing or Timing(), control_points
    if isinstance(start, Gait) and isinstance(start, StrideGait) == symmetric:
        raise InputError("a step starts from the gait of a step, and a stride from that of a stride")
    options = _OPTIONS | options
    if symmetric:
        step = Step(walker, *task)
        return Gait(step, _solve(step.problem(), start, options))
    stride = Stride(walker, *task)
    return StrideGait(stride, _solve_stride(stride, start, options))


def _solve(problem: Problem, start: Gait | ArrayLike, options: dict[str, Any]) -> Plan:
    """From a configuration, control points, or near a gait."""
    if isinstance(start, Gait):
        return problem.solve(start.plan, **options)
    guess = np.asarray(start, float)
    return problem.solve(guess if guess.ndim == 2 else np.broadcast_to(guess, (problem.coordinates.size,)), **options)


def _solve_stride(stride: Stride, start: Gait | ArrayLike, options: dict[str, Any]) -> Plan:
    """A stride from a gait, or from a symmetric step of the walker with equal strengths."""
    problem = stride.problem()
    if isinstance(start, Gait):
        return _solve(problem, start, options)
    step = _solve(symmetric_step(stride), start, options | _ROUGHLY)
    left: dict[str, Any] = {"time_limit": max(1.0, options["time_limit"] - step.seconds)}
    if step.termination is Termination.USER_STOP:
        left["callback"] = lambda *_: False
    plan = _solve(problem, two_steps(stride, step), options | left)
    return replace(plan, seconds=step.seconds + plan.seconds)


def even(walker: Walker) -> Walker:
    """A walker without the factors of strength that only one side has."""
    return replace(walker, strength={part: x for part, x in walker.strength.items() if part[:2] not in ("L_", "R_")})


def symmetric_step(stride: Stride) -> Problem:
    """The symmetric step whose motion and its mirror image together are a motion on the spline of the stride."""
    step = replace(stride.first, walker=even(stride.walker), control_points=stride.control_points + 2)
    problem = step.problem()
    problem.periodic(stride.periodic_order, problem.advance, problem.mirror)
    return problem


def two_steps(stride: Stride, step: Plan) -> Array:
    """The control points of a stride: a step, then its mirror image one step ahead."""
    spline, walker = BSpline(stride.points), stride.walker
    s = spline.greville
    second = s > 0.5
    q = step.spline.curve(step.control_points, np.where(second, 2.0 * s - 1.0, 2.0 * s), 0)[0]
    image = q @ walker.mirror.T + walker.advance(stride.length)
    return spline.interpolate(s, np.where(second[:, None], image, q))


def check(walker: Walker, speed: float, length: float, width: float = WIDTH) -> None:
    """Refuse what no leg can do."""
    for what, value in (("speed", speed), ("step length", length)):
        if not (isinstance(value, int | float) and 0.0 < value < np.inf):
            raise InputError(f"the {what} is a positive number, got {value!r}")
    if not (isinstance(width, int | float) and 0.0 <= width < np.inf):
        raise InputError(f"the step width is a number not below 0, got {width!r}")
    leg = -walker.ground
    longest, fastest = _REACH * leg, (_FROUDE * 9.81 * leg) ** 0.5
    if length > longest:
        raise InputError(f"no leg of {leg:.2f} m takes steps of {length:g} m; the longest here are {longest:.2f} m")
    if speed > fastest:
        raise InputError(f"at {speed:g} m/s one runs on legs of {leg:.2f} m; walking ends at {fastest:.2f} m/s")
