"""`Gait`: a predicted step, and the stride that it makes with its mirror image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.ground_reaction import OF_GROUND
from kinetree.compile import compile
from kinetree.files import Name
from kinetree.gait.costs import spent
from kinetree.gait.limits import counted
from kinetree.gait.norms import Norms
from kinetree.gait.quantities import reaction
from kinetree.gait.states import StrideStates
from kinetree.gait.step import Step
from kinetree.gait.walk import SAMPLES, AnyNorms, Walk
from kinetree.gait.walker import Walker
from kinetree.plan import Plan, PlanStatus
from kinetree.runtime.arrays import Array


@dataclass(frozen=True, eq=False, repr=False)
class Gait(Walk):
    """A predicted step.

    Args:
        step: the task: walker, speed, length, phases.
        plan: the motion that was found; its violations are in units of the scales of the constraints (0.1 m, 10 N m,
            1 rad, body weight).
    """

    step: Step
    plan: Plan

    @property
    def status(self) -> PlanStatus:
        """What was found."""
        return self.plan.status

    @property
    def ok(self) -> bool:
        """Whether all constraints are satisfied."""
        return self.plan.ok

    @property
    def message(self) -> str:
        """What was found, in words; where constraints are violated, the worst of them."""
        return self.plan.message

    @property
    def effort(self) -> float:
        """What the step costs [s], all terms of its formulation: in that of the thesis the dynamic effort (5.1)."""
        return self.plan.cost

    @property
    def violation(self) -> float:
        """Of the constraint that is violated most, in units of its scale."""
        return self.plan.violation

    @property
    def worst(self) -> str:
        """That constraint, in words."""
        return self.plan.worst

    @property
    def iterations(self) -> int:
        """Of the solver."""
        return self.plan.iterations

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self.plan.seconds

    @property
    def control_points(self) -> Array:
        """Of the coordinates that move (m, nv) [rad, m]."""
        return self.plan.control_points

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many variables there are, and how many constraints of each family at the first collocation points."""
        return counted(self.step, self.plan)

    @cached_property
    def costs(self) -> dict[str, float]:
        """What each term of the effort is [s], by its name; see `kinetree.gait.costs`."""
        return spent(self.step, self.plan)

    def __repr__(self) -> str:
        at = f"{self.step.speed:g} m/s, steps of {self.step.length:g} m"
        return f"{type(self).__name__} at {at}: effort {self.effort:.4g}; {self.message}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>\n{self.plot()._repr_html_()}"

    # -- the motion ----------------------------------------------------------------------------------------------------

    def motion(self, s: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd of the coordinates that move, at s from 0 to 1, the start and the end: (k, nv) each."""
        T = self.step.duration
        q, qd, qdd = self.plan.spline.curve(self.control_points, np.atleast_1d(np.asarray(s, float)), 2)
        return q, qd / T, qdd / T**2

    @cached_property
    def _reaction(self) -> Any:
        robot, ground = self.step.walker.robot, self.step.walker.ground

        def traced(robot: Any, q: Any, qd: Any, qdd: Any, loads: Any) -> Any:
            now = reaction(robot, q, qd, qdd, loads, ground)
            return now.numbers(), now.loads, now.shares, [list(force) for force in now.forces]

        n, m, k = robot.nv, robot.nbodies, self.step.loads([0.0]).shape[1]
        given = f"q({n}), qd({n}), qdd({n}), distribution({k})"
        return compile(
            traced, robot, signature=f"{given} -> numbers({n + OF_GROUND}), loads({m},6), shares(6), forces(6,3)"
        )

    def reaction(self, s: ArrayLike) -> dict[str, Array]:
        """The ground reaction at s from 0 to 1.

        Returns:
            ``force`` on the whole body (k, 3) [N] (x to the left, y up, z forward), ``left`` and ``right`` on the feet
            (k, 3), ``shares`` of its vertical part at each of `CONTACTS` (k, 6), ``point``, the zero-moment point
            (k, 2) [m] (x, z), ``moments`` of all coordinates (k, nv) [N m], zero at the base, and ``loads`` on the
            bodies (k, nbodies, 6).
        """
        s = np.atleast_1d(np.asarray(s, float))
        numbers, loads, shares, forces = self._reaction(*self.motion(s), self.step.loads(s))
        force = numbers[:, :3]
        return {
            "force": force,
            "right": forces[:, :3].sum(axis=1),
            "left": forces[:, 3:].sum(axis=1),
            "shares": shares,
            "point": numbers[:, 3:5],
            "moments": numbers[:, OF_GROUND:],
            "loads": loads,
        }

    def stride(self, count: int = SAMPLES) -> tuple[Array, Array]:
        """Times [s] and positions (k, nv) [rad, m] of two steps: this one, then its mirror image one step ahead."""
        step, half = self.step, (count + 1) // 2
        times = np.linspace(0.0, 2.0 * step.duration, 2 * half - 1)
        q = self.motion(np.linspace(0.0, 1.0, half))[0]
        return times, np.concatenate([q[:-1], q @ step.walker.mirror.T + step.walker.advance(step.length)])

    # -- the stride ----------------------------------------------------------------------------------------------------

    @property
    def walker(self) -> Walker:
        """Who walks."""
        return self.step.walker

    @property
    def described(self) -> str:
        """What it is, in a few words."""
        return f"A stride at {self.step.speed:g} m/s with steps of {self.step.length:.3g} m"

    @property
    def remark(self) -> str:
        """What files say of it: that it is no prediction, or not optimal."""
        return "" if self.status is PlanStatus.OPTIMAL else f"{'' if self.ok else 'no prediction: '}{self.status.value}"

    def states(self, count: int = SAMPLES) -> StrideStates:
        """Motion, ground forces and joint moments at so many times of a stride."""
        first = self._states(np.linspace(0.0, 1.0, (count + 1) // 2))
        return first.then(first.mirrored(self.walker.advance(self.step.length)))

    def _states(self, s: Array) -> StrideStates:
        """The states at s, without the forces at other times."""
        found = self.reaction(s)
        times = self.step.duration * (s - s[0])
        return StrideStates(self.walker, self.step.speed, times, *self.motion(s), found["moments"], found["loads"])

    @property
    def jump(self) -> float:
        """By how much the ground force jumps at the heel strike, in body weights."""
        before, after = self.reaction([1.0, 0.0])["force"]
        return float(np.linalg.norm(before - after * [-1.0, 1.0, 1.0])) / self.walker.weight

    # -- pictures and files --------------------------------------------------------------------------------------------

    def report(self, path: Name, *, norms: AnyNorms = None) -> Path:
        """Write a self-contained HTML page with an animated walker, curves and counts; gives the absolute path.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            norms: as for `plot`; those of `Norms.at_speed` by default.
        """
        from kinetree.gait.report import report

        return report(self, Norms.of(norms)).write(path)

    def save(self, path: Name) -> Path:
        """Write the gait with its step and walker to a JSON file, the whole of it or nothing, with all digits."""
        from kinetree.gait.files import save

        return save(self, path)

    @staticmethod
    def load(path: Name) -> Gait:
        """The gait of a file that `save` wrote; nothing in the file is run."""
        from kinetree.gait.files import load

        return load(path)
