"""`predict`: a step of walking from nothing but the body and the speed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.gait.checks import check_possible
from kinetree.gait.continuation import coarse_to_fine
from kinetree.gait.gait import Gait
from kinetree.gait.limits import COLLOCATION
from kinetree.gait.step import Step, Stride
from kinetree.gait.stride import StrideGait
from kinetree.gait.walker import Walker
from kinetree.nlp.solution import Termination
from kinetree.plan import Options, Plan
from kinetree.runtime.arrays import Array

_OPTIONS: dict[str, Any] = {"elastic": True, "iterations": 1200, "time_limit": 240.0}
# by the formulation
_OWN_OPTIONS: dict[str, dict[str, Any]] = {
    "thesis": {"tolerance": 1e-4, "optimality": 1e-6, "collocation": COLLOCATION, "margin": 2e-5, "rounds": 10},
    "natural": {"tolerance": 1e-3, "optimality": 5e-6, "collocation": 8, "margin": 3e-4, "rounds": 6},
}
_ROUGHLY = {"tolerance": 1e-2, "optimality": 1e-4, "rounds": 1}  # for a motion that another search starts from
_STEP = ("width", "timing", "control_points", "formulation")  # keywords of a step
_REACH = 1.0  # a step as long as the leg, twice the hip-to-ground distance times sin 30 deg
_FROUDE = 1.0  # v^2 / (g leg): above it a walker would leave the ground


def predict(
    speed: float = 1.2,
    length: float | None = None,
    walker: Walker | None = None,
    *,
    symmetric: bool = True,
    start: Gait | ArrayLike = 0.0,
    **options: Any,
) -> Gait:
    """One step of walking, predicted by optimisation from the body and the speed.

    What it costs and what limits it is in `kinetree.gait.formulation`. No motion is given to start from: all
    coordinates rest at zero. A walk with few control points is sought first, then one with all of them.

    A symmetric gait is one step, and the next is its mirror image. If the sides of the walker differ, as with a weak
    knee or a load in one hand, that image is the step of a walker with exchanged sides: take ``symmetric=False``, two
    steps as one task. It starts from a symmetric step of the same walker, with equal strengths, and its mirror image;
    that step starts from zero.

    Args:
        speed: [m/s].
        length: of the step [m]; the usual one at the speed by default.
        walker: who walks; a man of 73 kg and 1.741 m by default.
        symmetric: False for a stride of two steps that may differ; it takes several times as long.
        start: another configuration to start from (nv,), for studies of local optima; or a `Gait` of the same kind to
            start near, as of another speed.
        options: those of `Step`: ``width``, ``timing``, ``control_points``, and ``formulation``, "natural" or "thesis";
            and those of `kinetree.plan.Options`: ``time_limit``, how long the search may take (240 s), ``callback``,
            ``progress``, ...

    Returns:
        A `Gait`, a `StrideGait` where it is not symmetric; look at its ``status``: a motion that violates constraints
        is no prediction. Where the search ended early it may have fewer control points than were asked for.

    Reference: [Barman] chapter V.
    """
    walker = Walker() if walker is None else walker
    task = {name: options.pop(name) for name in _STEP if name in options}
    check(walker, speed, length, task.get("width"))
    if isinstance(start, Gait) and isinstance(start, StrideGait) == symmetric:
        raise InputError("a step starts from the gait of a step, and a stride from that of a stride")
    task |= {} if length is None else {"length": float(length)}
    step = (Step if symmetric else Stride)(walker, float(speed), **task)
    options = _OPTIONS | _OWN_OPTIONS[step.formulation] | options
    Options.of(options)  # refuses unknown ones before any work
    given = start.plan if isinstance(start, Gait) else np.asarray(start, float)
    if isinstance(step, Stride):
        return StrideGait(*_solve_stride(step, given, options))
    return Gait(*_solve(step, given, options))


def _solve(step: Step, start: Plan | Array, options: dict[str, Any]) -> tuple[Step, Plan]:
    """From a configuration, control points, or near a motion."""
    if step.rules.nested:
        return coarse_to_fine(step, start, options)
    problem = step.problem()
    if not isinstance(start, Plan) and start.ndim < 2:
        start = np.broadcast_to(start, (problem.coordinates.size,))
    return step, problem.solve(start, **options)


def _solve_stride(stride: Stride, start: Plan | Array, options: dict[str, Any]) -> tuple[Stride, Plan]:
    """A stride from a motion, or from a symmetric step of the walker with equal strengths."""
    problem = stride.problem()
    if isinstance(start, Plan):
        return stride, problem.solve(start, **(stride.near_options | options))
    first = symmetric_step(stride)
    _, step = _solve(first, start, options | _ROUGHLY)
    left: dict[str, Any] = {"time_limit": max(1.0, options["time_limit"] - step.seconds)}
    if step.termination is Termination.USER_STOP:
        left["callback"] = lambda *_: False
    plan = problem.solve(two_steps(stride, step), **(stride.near_options | options | left))
    return stride, replace(plan, seconds=step.seconds + plan.seconds)


def even(walker: Walker) -> Walker:
    """A walker without the factors of strength that only one side has."""
    return replace(walker, strength={part: x for part, x in walker.strength.items() if part[:2] not in ("L_", "R_")})


def symmetric_step(stride: Stride) -> Step:
    """The symmetric step whose motion and its mirror image together are a motion on the spline of the stride."""
    return replace(stride.first, walker=even(stride.walker), control_points=stride.of_each, smooth=True)


def two_steps(stride: Stride, step: Plan) -> Array:
    """The control points of a stride: a step, then its mirror image one step ahead."""
    spline, walker = stride.spline, stride.walker
    s = spline.greville
    second = s > 0.5
    q = step.spline.curve(step.control_points, np.where(second, 2.0 * s - 1.0, 2.0 * s), 0)[0]
    image = q @ walker.mirror.T + walker.advance(stride.length)
    return spline.interpolate(s, np.where(second[:, None], image, q))


def check(walker: Walker, speed: float, length: float | None = None, width: float | None = None) -> None:
    """Refuse what no leg can do."""
    for what, value in (("speed", speed), ("step length", length)):
        if value is not None and not (isinstance(value, int | float) and 0.0 < value < np.inf):
            raise InputError(f"the {what} is a positive number, got {value!r}")
    if width is not None and not (isinstance(width, int | float) and 0.0 <= width < np.inf):
        raise InputError(f"the step width is a number not below 0, got {width!r}")
    leg = -walker.ground
    longest, fastest = _REACH * leg, (_FROUDE * 9.81 * leg) ** 0.5
    if length is not None and length > longest:
        raise InputError(f"no leg of {leg:.2f} m takes steps of {length:g} m; the longest here are {longest:.2f} m")
    if speed > fastest:
        raise InputError(f"at {speed:g} m/s one runs on legs of {leg:.2f} m; walking ends at {fastest:.2f} m/s")
    check_possible(walker, speed, length)
