"""`Gait`: a predicted step, and the stride that it makes with its mirror image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.ground_reaction import OF_GROUND, ground_reaction
from kinetree.compile import compile
from kinetree.files import Name
from kinetree.gait.norms import Norms
from kinetree.gait.phases import CONTACTS
from kinetree.gait.realism import Realism, realism
from kinetree.gait.step import Step, counted
from kinetree.plan import Plan, PlanStatus
from kinetree.runtime.arrays import Array
from kinetree.scene import View
from kinetree.view import Picture

AnyNorms = Norms | Name | None
SAMPLES = 201  # of a stride at which curves are given by default
# coordinates and bodies below the joints of a leg, without their sides
_ANGLES = {"hip": "hip_flexion", "knee": "knee_flexion", "ankle": "ankle_dorsiflexion"}
_BODIES = {"hip": "thigh", "knee": "shank", "ankle": "foot"}
_DIRECTIONS = ("lateral", "vertical", "fore_aft")


@dataclass(frozen=True, eq=False, repr=False)
class Gait:
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
        """The dynamic effort: the integral of the squared joint moments over their strengths [s]."""
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

        def reaction(robot: Any, q: Any, qd: Any, qdd: Any, distribution: Any) -> Any:
            now = ground_reaction(robot, q, qd, qdd, CONTACTS, distribution, ground)
            return now.numbers(), now.loads

        n, m = robot.nv, robot.nbodies
        signature = f"q({n}), qd({n}), qdd({n}), distribution(6) -> numbers({n + OF_GROUND}), loads({m},6)"
        return compile(reaction, robot, signature=signature)

    def reaction(self, s: ArrayLike) -> dict[str, Array]:
        """The ground reaction at s from 0 to 1.

        Returns:
            ``force`` on the whole body (k, 3) [N] (x to the left, y up, z forward), ``left`` and ``right`` on the feet
            (k, 3), ``point``, the zero-moment point (k, 2) [m] (x, z), ``moments`` of all coordinates (k, nv) [N m],
            zero at the base, and ``loads`` on the bodies (k, nbodies, 6).
        """
        s = np.atleast_1d(np.asarray(s, float))
        distribution = self.step.load_distribution(s)
        numbers, loads = self._reaction(*self.motion(s), distribution)
        force = numbers[:, :3]
        return {
            "force": force,
            "right": force * distribution[:, :3].sum(axis=1, keepdims=True),
            "left": force * distribution[:, 3:].sum(axis=1, keepdims=True),
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

    # -- curves of one leg over a stride -------------------------------------------------------------------------------

    @property
    def legs(self) -> Mapping[str, Gait]:
        """The gait with the curves of each leg whose curves differ, by the name of the leg."""
        return {"": self}

    def _stride(self, count: int, values: Callable[[str, Array], Array]) -> tuple[Array, Array]:
        """Percent of the stride, and values of a side at s: the left side in this step, then the right, mirrored."""
        s = np.linspace(0.0, 1.0, (count + 1) // 2)
        return np.linspace(0.0, 100.0, 2 * len(s) - 1), np.concatenate([values("L", s)[:-1], values("R", s)])

    def _curves(self, count: int, names: Iterable[str], values: Callable[[str, Array], Array]) -> dict[str, Array]:
        percent, curves = self._stride(count, values)
        return {"percent": percent, **dict(zip(names, curves.T))}

    def _angles(self, side: str) -> list[int]:
        names = self.step.walker.robot.joint_names
        return [names.index(f"{side}_{name}") for name in _ANGLES.values()]

    def angles(self, count: int = SAMPLES) -> dict[str, Array]:
        """Hip and knee flexion and ankle dorsiflexion over a stride from heel strike [deg], and ``percent``."""
        return self._curves(count, _ANGLES, lambda side, s: np.degrees(self.motion(s)[0][:, self._angles(side)]))

    def ground_forces(self, count: int = SAMPLES) -> dict[str, Array]:
        """On one foot over a stride, in body weights: ``lateral`` (toward the midline), ``vertical``, ``fore_aft``."""

        def force(side: str, s: Array) -> Array:
            found = self.reaction(s)
            inward = found["left"] * [-1.0, 1.0, 1.0] if side == "L" else found["right"]
            return inward / self.step.walker.weight

        return self._curves(count, _DIRECTIONS, force)

    def joint_forces(self, count: int = SAMPLES) -> dict[str, Array]:
        """Norms of the forces that hip, knee and ankle transmit over a stride, in body weights, and ``percent``."""
        robot = self.step.walker.robot
        bodies = [body.name for body in robot.bodies]

        def norms(side: str, s: Array) -> Array:
            below = [bodies.index(f"{side}_{name}") for name in _BODIES.values()]
            wrenches = robot.joint_wrenches(*self.motion(s), external=self.reaction(s)["loads"])
            return np.linalg.norm(wrenches[:, below, 3:], axis=-1) / self.step.walker.weight

        return self._curves(count, _BODIES, norms)

    def moments(self, count: int = SAMPLES) -> dict[str, Array]:
        """Moments over a stride in N m/kg, positive for hip extension, knee extension, plantarflexion; ``percent``."""
        mass = self.step.walker.mass
        return self._curves(count, _ANGLES, lambda side, s: -self.reaction(s)["moments"][:, self._angles(side)] / mass)

    def realism(self, norms: AnyNorms = None) -> Realism:
        """How near the gait is to how people walk: a table to print, each number with a goal and whether it is met.

        Args:
            norms: `Norms`, or a CSV file with them, for correlations of the angles; without them there are none.
        """
        return realism(self.angles(), self.ground_forces(), Norms.of(norms))

    # -- pictures and files --------------------------------------------------------------------------------------------

    def plot(self, *names: str, title: str = "", norms: AnyNorms = None) -> Picture:
        """Curves of a stride, as a picture that notebooks show and ``.save("gait.svg")`` writes.

        Args:
            names: of curves, such as "knee angle", "vertical ground force", "hip joint force" or "ankle moment", or of
                families of them: "angles", "ground_forces", "joint_forces", "moments"; all by default.
            title: of the picture.
            norms: `Norms`, or a CSV file with them, to be drawn as bands.
        """
        from kinetree.gait.pictures import plot

        return plot(self, names, title, Norms.of(norms))

    def snapshots(self, count: int = 9) -> Picture:
        """The walker at several times of a stride beside each other, seen from the right."""
        from kinetree.gait.figure import snapshots

        return snapshots(self, count)

    def view(self) -> View:
        """The walker in three dimensions over a stride, to be played, with plots that follow it."""
        from kinetree.gait.report import view

        return view(self)

    def report(self, path: Name, *, norms: AnyNorms = None) -> Path:
        """Write a self-contained HTML page with an animated walker, curves and counts; gives the absolute path.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            norms: as for `plot`.
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

    def to_csv(self, path: Name, count: int = SAMPLES) -> Path:
        """Write the curves of a stride as a table, a column for each with its unit; gives the absolute path."""
        from kinetree.gait.files import to_csv

        return to_csv(self, path, count)
