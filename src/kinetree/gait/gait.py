"""`Gait`: a predicted step, and the stride that two of them make."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.ground_reaction import OF_GROUND, ground_reaction
from kinetree.compile import compile
from kinetree.gait.counts import counted
from kinetree.gait.phases import CONTACTS
from kinetree.gait.step import Step
from kinetree.plan.plan import Plan
from kinetree.plan.spline import Spline
from kinetree.plan.status import PlanStatus
from kinetree.view.picture import Picture

if TYPE_CHECKING:
    from kinetree.gait.norms import Norms
    from kinetree.gait.realism import Realism

Array = NDArray[np.float64]
PLACES = 8  # in each span of the splines where limits are set at first
_STRIDE = 201  # places of a stride at which curves are given by default


@dataclass(frozen=True, eq=False, repr=False)
class Gait:
    """A predicted step.

    Args:
        step: the task: walker, speed, length, phases.
        points: control points (m, nv) of the coordinates that move [rad, m].
        status: how the prediction ended.
        effort: the integral of squared joint moments over their strengths.
        violation: of the worst limit on a dense grid, in units of its scale (0.1 m, 100 N m, 1 rad, body weight).
        worst: that limit in words.
        iterations, seconds: what it took.
        counts: unknowns, and limits by kind at the places where they were set.
    """

    step: Step
    points: Array
    status: PlanStatus
    effort: float
    violation: float
    worst: str
    iterations: int
    seconds: float
    counts: dict[str, int]

    @classmethod
    def of(cls, step: Step, plan: Plan) -> Gait:
        """From a plan of the step."""
        return cls(
            step, plan.points, plan.status, plan.cost, plan.violation, plan.worst, plan.iterations, plan.seconds,
            counted(step, PLACES),
        )  # fmt: skip

    @property
    def ok(self) -> bool:
        """Whether all limits are kept."""
        return self.status in (PlanStatus.OPTIMAL, PlanStatus.STOPPED, PlanStatus.INTERRUPTED)

    def __repr__(self) -> str:
        step = self.step
        said = f"{step.speed:g} m/s, steps of {step.length:g} m, effort {self.effort:.4g}: {self.status.value}"
        return f"<Gait of {said}{'' if self.ok else f' ({self.worst})'}>"

    # -- one step --------------------------------------------------------------------------------------------------

    @cached_property
    def spline(self) -> Spline:
        return Spline(len(self.points), 3)

    def motion(self, places: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd of the coordinates that move, at places s from 0 to 1 of the step: (k, nv) each."""
        s, T = np.atleast_1d(np.asarray(places, float)), self.step.duration
        q, qd, qdd = self.spline.derivatives(self.points, s, 2)
        return q, qd / T, qdd / T**2

    @cached_property
    def _reaction(self) -> Any:
        robot, ground = self.step.walker.robot, self.step.walker.ground

        def reaction(robot: Any, q: Any, qd: Any, qdd: Any, shares: Any) -> Any:
            now = ground_reaction(robot, q, qd, qdd, CONTACTS, shares, ground)
            return now.numbers(), now.loads

        n, m = robot.nv, robot.nbodies
        signature = f"q({n}), qd({n}), qdd({n}), shares(6) -> numbers({n + OF_GROUND}), loads({m},6)"
        return compile(reaction, robot, signature=signature)

    def reaction(self, places: ArrayLike) -> dict[str, Array]:
        """What the ground does at places of the step.

        Returns:
            ``force`` on the whole body (k, 3) [N] (x to the left, y up, z forward), ``left`` and ``right`` on the feet
            (k, 3), ``point``, the zero-moment point (k, 2) [m] (x, z), ``moments`` of all coordinates (k, nv) [N m],
            zero at the base, and ``loads`` on the bodies (k, nbodies, 6).
        """
        s = np.atleast_1d(np.asarray(places, float))
        shares = self.step.timing.shares(s)
        numbers, loads = self._reaction(*self.motion(s), shares)
        force = numbers[:, :3]
        return {
            "force": force,
            "right": force * shares[:, :3].sum(axis=1, keepdims=True),
            "left": force * shares[:, 3:].sum(axis=1, keepdims=True),
            "point": numbers[:, 3:5],
            "moments": numbers[:, OF_GROUND:],
            "loads": loads,
        }

    def stride(self, count: int = _STRIDE) -> tuple[Array, Array]:
        """Times [s] and positions (k, nv) [rad, m] of two steps: this one, then its mirror image one step ahead."""
        from kinetree.gait.stride import Stride

        step, half = self.step, (count + 1) // 2
        times = np.linspace(0.0, 2.0 * step.length / step.speed, 2 * half - 1)
        if isinstance(step, Stride):
            return times, self.motion(np.linspace(0.0, 1.0, len(times)))[0]
        q = self.motion(np.linspace(0.0, 1.0, half))[0]
        ahead = np.array([step.length * (name == "global_tz_forward") for name in step.walker.robot.joint_names])
        return times, np.concatenate([q[:-1], q @ step.walker.mirror.T + ahead])

    # -- a stride of one leg ---------------------------------------------------------------------------------------

    def _stride(self, of_left: Any, of_right: Any, count: int) -> tuple[Array, Array]:
        """Percent of the stride, and a curve: the left side in this step, then the right side, mirrored."""
        s = np.linspace(0.0, 1.0, (count + 1) // 2)
        return np.linspace(0.0, 100.0, 2 * len(s) - 1), np.concatenate([of_left(s)[:-1], of_right(s)])

    def angles(self, count: int = _STRIDE) -> dict[str, Array]:
        """Hip and knee flexion and ankle dorsiflexion over a stride from heel strike [deg], and ``percent``."""
        names, curves = self.step.walker.robot.joint_names, {}
        for key, name in (("hip", "hip_flexion"), ("knee", "knee_flexion"), ("ankle", "ankle_dorsiflexion")):
            k, m = names.index(f"L_{name}"), names.index(f"R_{name}")
            percent, q = self._stride(
                lambda s, k=k: self.motion(s)[0][:, k], lambda s, m=m: self.motion(s)[0][:, m], count
            )
            curves[key] = np.degrees(q)
        return {"percent": percent, **curves}

    def ground_forces(self, count: int = _STRIDE) -> dict[str, Array]:
        """On one foot over a stride, in body weights: ``lateral`` (toward the midline), ``vertical``, ``fore_aft``."""
        percent, force = self._stride(
            lambda s: self.reaction(s)["left"] * [-1.0, 1.0, 1.0], lambda s: self.reaction(s)["right"], count
        )
        force = force / self.step.walker.weight
        return {"percent": percent, "lateral": force[:, 0], "vertical": force[:, 1], "fore_aft": force[:, 2]}

    def joint_forces(self, count: int = _STRIDE) -> dict[str, Array]:
        """Norms of the forces that hip, knee and ankle carry over a stride, in body weights, and ``percent``."""
        robot = self.step.walker.robot
        bodies = [body.name for body in robot.bodies]

        def norms(side: str, key: str) -> Any:
            place = bodies.index(f"{side}_{key}")

            def at(s: Array) -> Array:
                wrenches = robot.joint_wrenches(*self.motion(s), external=self.reaction(s)["loads"])
                return np.linalg.norm(wrenches[:, place, 3:], axis=-1)

            return at

        curves = {}
        for joint, key in (("hip", "thigh"), ("knee", "shank"), ("ankle", "foot")):
            percent, force = self._stride(norms("L", key), norms("R", key), count)
            curves[joint] = force / self.step.walker.weight
        return {"percent": percent, **curves}

    def moments(self, count: int = _STRIDE) -> dict[str, Array]:
        """Moments over a stride in N m/kg, positive for hip extension, knee extension, plantarflexion; ``percent``."""
        names, curves = self.step.walker.robot.joint_names, {}
        for key, name, sign in (
            ("hip", "hip_flexion", -1.0),
            ("knee", "knee_flexion", -1.0),
            ("ankle", "ankle_dorsiflexion", -1.0),
        ):
            k, m = names.index(f"L_{name}"), names.index(f"R_{name}")
            percent, moment = self._stride(
                lambda s, k=k: self.reaction(s)["moments"][:, k],
                lambda s, m=m: self.reaction(s)["moments"][:, m],
                count,
            )
            curves[key] = sign * moment / self.step.walker.mass
        return {"percent": percent, **curves}

    def realism(self, norms: Norms | str | os.PathLike[str] | None = None) -> Realism:
        """How near the gait is to how people walk: a table to print, each number with a goal and whether it is met.

        Args:
            norms: `Norms`, or a CSV file with them, for correlations of the angles; without them there are none.
        """
        from kinetree.gait.norms import given
        from kinetree.gait.realism import realism

        return realism(self.angles(), self.ground_forces(), given(norms))

    # -- pictures and files ----------------------------------------------------------------------------------------

    def plot(self, *names: str, norms: Norms | str | os.PathLike[str] | None = None, title: str = "") -> Picture:
        """Curves of a stride, as a picture that ``.save("gait.svg")`` writes.

        Args:
            names: of "angles", "ground_forces", "joint_forces" and "moments"; all by default.
            norms: `Norms`, or a CSV file with them, to be drawn as bands.
            title: of the picture.
        """
        from kinetree.gait.norms import given
        from kinetree.gait.pictures import plot

        return plot(self, names, given(norms), title)

    def snapshots(self, count: int = 9) -> Picture:
        """The walker at several times of a stride beside each other, seen from the right."""
        from kinetree.gait.figure import snapshots

        return snapshots(self, count)

    def report(self, path: str | os.PathLike[str], norms: Norms | str | os.PathLike[str] | None = None) -> Path:
        """Write a self-contained HTML page with an animated walker, curves and counts; gives the absolute path."""
        from kinetree.gait.norms import given
        from kinetree.gait.report import report

        return report(self, given(norms)).write(path)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the gait with its step and walker to a JSON file, the whole of it or nothing, with all digits."""
        from kinetree.gait.files import save

        return save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Gait:
        """The gait of a file that `save` wrote; nothing in the file is run."""
        from kinetree.gait.files import load

        return load(path)

    def write_csv(self, path: str | os.PathLike[str], count: int = _STRIDE) -> Path:
        """Write the curves of a stride as a table, a column for each with its unit; gives the absolute path."""
        from kinetree.gait.files import write_csv

        return write_csv(self, path, count)
