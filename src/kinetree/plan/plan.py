"""`Plan`: a motion that was planned, and how good it is."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.plan.spline import Spline
from kinetree.robot import Robot

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]


class PlanStatus(enum.Enum):
    """How planning ended; the value is the sentence."""

    OPTIMAL = "the motion is (locally) optimal and keeps all limits"
    BETWEEN = "optimal, but limits are broken between the places where they were set; allow more rounds"
    STOPPED = "stopped before it was optimal; the motion keeps all limits"
    INTERRUPTED = "interrupted; the best motion so far keeps all limits"
    INTERRUPTED_EARLY = "interrupted before a motion that keeps all limits was found"
    INFEASIBLE = "no motion was found that keeps all limits"
    FAILED = "the solver failed"


@dataclass(frozen=True)
class Plan:
    """A planned motion.

    Args:
        robot: what moves.
        spline: the space of its motions.
        points: control points (m, nv) [rad, m].
        duration: [s].
        status: how planning ended.
        cost: what was minimised.
        violation: the largest violation of a limit on a dense grid, relative to it.
        iterations, seconds: what it took.
        worst: the limit that is nearest to being broken, or most broken.
    """

    robot: Robot
    spline: Spline
    points: Array
    duration: float
    status: PlanStatus
    cost: float
    violation: float
    iterations: int
    seconds: float
    worst: str = ""

    @staticmethod
    def of(
        problem: Problem, x: Array, status: PlanStatus, cost: float, violation: float, iterations: int, seconds: float
    ) -> Plan:
        points = x[:-1].reshape(problem.spline.points, problem.robot.nv).copy()
        return Plan(problem.robot, problem.spline, points, float(x[-1]), status, cost, violation, iterations, seconds)

    @property
    def ok(self) -> bool:
        """Whether the motion keeps all limits."""
        return self.status in (PlanStatus.OPTIMAL, PlanStatus.STOPPED, PlanStatus.INTERRUPTED)

    def unknowns(self, problem: Problem) -> Array:
        """The plan as a start for another problem, on its own spline."""
        at = np.array([
            problem.spline.knots[k + 1 : k + problem.spline.degree + 1].mean() for k in range(problem.spline.points)
        ])  # fmt: skip
        same = self.spline == problem.spline
        P = self.points if same else self.motion(at * self.duration)[0]
        return np.r_[P.ravel(), self.duration]

    def motion(self, t: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and jerks at times (...), each (..., nv).

        Before the start and after the end the robot rests at the ends.
        """
        t = np.asarray(t, float)
        s = np.clip(t.ravel() / self.duration, 0.0, 1.0)
        table, numbers = self.spline.local(s, 3)
        powers = self.duration ** np.arange(4)
        z = np.einsum("kra,kan->rkn", table, self.points[numbers]) / powers[:, None, None]
        z[1:, (t.ravel() < 0.0) | (t.ravel() > self.duration)] = 0.0
        q, qd, qdd, qddd = (part.reshape(*t.shape, -1) for part in z)
        return q, qd, qdd, qddd

    def forces(self, t: ArrayLike) -> Array:
        """The joint forces at times (...): (..., nv) [N m, N]."""
        return self.robot.inverse_dynamics(*self.motion(t)[:3])
