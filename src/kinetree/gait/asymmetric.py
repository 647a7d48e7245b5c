"""Gaits of walkers whose sides differ: what a stride is started from, and its curves for either leg."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.gait.gait import Gait
from kinetree.gait.step import Step
from kinetree.gait.stride import Stride
from kinetree.gait.walker import Walker
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.spline import Spline

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class StrideGait(Gait):
    """A predicted stride; its curves are those of one leg, from its own heel strike to the next.

    Args:
        side: whose curves, "left" or "right"; ``gait.left`` and ``gait.right`` are the same stride seen from each.

    The others are those of `Gait`; ``effort`` is that of both steps.
    """

    side: str = "left"

    @classmethod
    def of(cls, step: Step, plan: Plan) -> StrideGait:
        """From a plan of the stride."""
        one = super().of(step, plan)
        m, walker = len(plan.points), step.walker
        counts = one.counts | {"unknowns": m * walker.body.nv, "free unknowns": m * walker.robot.nv}
        return replace(one, counts=counts)  # type: ignore[return-value]

    @property
    def left(self) -> StrideGait:
        """With the curves of the left leg."""
        return replace(self, side="left")

    @property
    def right(self) -> StrideGait:
        """With the curves of the right leg."""
        return replace(self, side="right")

    def _stride(self, of_left: Any, of_right: Any, count: int) -> tuple[Array, Array]:
        """Percent of the stride, and a curve of one side: the right heel strikes at s = 1/2."""
        s = np.linspace(0.0, 1.0, count)
        curve = of_left(s) if self.side == "left" else of_right((s + 0.5) % 1.0)
        return 100.0 * s, curve


def even(walker: Walker) -> Walker:
    """A walker without the strengths that only one side has."""
    return replace(walker, strength={part: x for part, x in walker.strength.items() if part[:2] not in ("L_", "R_")})


def smooth_step(stride: Stride) -> tuple[Step, Problem]:
    """The symmetric step whose motion and its image are together a motion on the spline of the stride."""
    step = replace(stride.first, walker=even(stride.walker), control_points=stride.control_points + 2)
    problem = step.problem()
    problem.periodic(2, problem.advance, problem.mirror)
    return step, problem


def two_steps(stride: Stride, points: Array) -> Array:
    """The control points of a stride from those of a step (m, nv): the step, then its image one step ahead."""
    robot, spline = stride.walker.robot, Spline(stride.points, 3)
    s = spline.averages
    second = s > 0.5
    q = Spline(len(points), 3).derivatives(points, np.where(second, 2.0 * s - 1.0, 2.0 * s), 0)[0]
    ahead = np.array([stride.length * (name == "global_tz_forward") for name in robot.joint_names])
    return spline.through(s, np.where(second[:, None], q @ stride.walker.mirror.T + ahead, q))
