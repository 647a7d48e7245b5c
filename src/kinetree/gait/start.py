"""What the search for a stride starts from: a symmetric step of the walker with equal sides, and its mirror image."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinetree.gait.step import Stride
from kinetree.gait.walker import Walker
from kinetree.plan import Plan, Problem
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline


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
