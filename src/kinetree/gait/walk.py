"""`Walk`: a stride of a walker, predicted or measured, with its curves, how real they are, pictures and files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from kinetree.files import Name
from kinetree.gait.norms import Norms
from kinetree.gait.realism import Realism
from kinetree.gait.states import StrideStates
from kinetree.gait.walker import Walker
from kinetree.runtime.arrays import Array
from kinetree.scene import View
from kinetree.view import Picture

AnyNorms = Norms | Name | None
Table = Literal["coordinates", "ground_forces", "moments"]
SAMPLES = 201  # of a stride at which curves are given by default
# coordinates and bodies below the joints of a leg, without their sides
_ANGLES = {"hip": "hip_flexion", "knee": "knee_flexion", "ankle": "ankle_dorsiflexion"}
_BODIES = {"hip": "thigh", "knee": "shank", "ankle": "foot"}
_DIRECTIONS = ("lateral", "vertical", "fore_aft")
_ARMS = ("shoulder_flexion", "shoulder_abduction", "elbow_flexion")
POSTURE = ("hip adduction", "pelvis tilt", "pelvis obliquity", "pelvis rotation", "trunk lean", "trunk bend",
           "trunk turn", "shoulder flexion", "shoulder abduction", "elbow flexion")  # fmt: skip
PATHS = ("clearance", "centre of mass sideways", "centre of mass up")


class Walk(ABC):
    """A stride of a walker. Curves are those of one leg, from its heel strike to the next."""

    @property
    @abstractmethod
    def walker(self) -> Walker:
        """Who walks."""

    @abstractmethod
    def states(self, count: int = SAMPLES) -> StrideStates:
        """Motion, ground forces and joint moments at so many times of a stride."""

    @property
    @abstractmethod
    def described(self) -> str:
        """What it is, in a few words."""

    @property
    def remark(self) -> str:
        """What files say of it beside its numbers; empty where there is nothing to say."""
        return ""

    @property
    def leg(self) -> str:
        """Whose curves: "L" or "R"."""
        return "L"

    @property
    def legs(self) -> Mapping[str, Walk]:
        """The walk with the curves of each leg whose curves differ, by the name of the leg."""
        return {"": self}

    @property
    def toe_off(self) -> float:
        """When the foot leaves the ground [% of the stride]."""
        states = self.states()
        loaded = np.flatnonzero(states.feet[self.leg].force[:-1, 1] > 1e-9 * self.walker.weight)
        return float(states.percent[loaded.max(initial=-1) + 1])

    @property
    def jump(self) -> float:
        """By how much the ground force jumps at a heel strike, in body weights; NaN where that is not known."""
        return float("nan")

    # -- curves of one leg ---------------------------------------------------------------------------------------------

    def _curves(
        self, count: int, names: Iterable[str], of: Callable[[StrideStates], Iterable[Array]]
    ) -> dict[str, Array]:
        states = self.states(count)
        return {"percent": states.percent, **dict(zip(names, of(states)))}

    def _of_leg(self, states: StrideStates, values: Array) -> list[Array]:
        """Of hip and knee flexion and ankle dorsiflexion."""
        return [states.column(values, f"{self.leg}_{name}") for name in _ANGLES.values()]

    def angles(self, count: int = SAMPLES) -> dict[str, Array]:
        """Hip and knee flexion and ankle dorsiflexion over a stride from heel strike [deg], and ``percent``."""
        return self._curves(count, _ANGLES, lambda states: self._of_leg(states, np.degrees(states.q)))

    def posture(self, count: int = SAMPLES) -> dict[str, Array]:
        """Angles beside those of the leg over a stride [deg], and ``percent``.

        ``hip adduction``; of the pelvis ``tilt`` forward, ``obliquity``, up on the side of the leg, and ``rotation``,
        forward on that side; of the trunk ``lean``, forward from the vertical, and ``bend`` to this side and ``turn``
        of this side forward against the pelvis; ``shoulder flexion``, ``shoulder abduction`` and ``elbow flexion`` of
        the arm on this side.
        """
        return self._curves(count, POSTURE, lambda states: np.degrees(self._posture(states)))

    def _posture(self, states: StrideStates) -> list[Array]:
        q, side = states.q, self.leg
        left = 1.0 if side == "L" else -1.0
        return [
            states.column(q, f"{side}_hip_adduction"),
            states.column(q, "global_pelvis_tilt"),
            left * states.column(q, "global_pelvis_obliquity"),
            -left * states.column(q, "global_pelvis_rotation"),
            states.trunk[:, 0],
            -left * states.total(q, "spine", "lat_bend"),
            -left * states.total(q, "spine", "axial"),
            *(states.column(q, f"{side}_{name}") for name in _ARMS),
        ]

    def ground_forces(self, count: int = SAMPLES) -> dict[str, Array]:
        """On one foot over a stride, in body weights: ``lateral`` (toward the midline), ``vertical``, ``fore_aft``."""
        inward = [-1.0 if self.leg == "L" else 1.0, 1.0, 1.0]
        weight = self.walker.weight
        return self._curves(count, _DIRECTIONS, lambda x: (x.feet[self.leg].force * inward / weight).T)

    def joint_forces(self, count: int = SAMPLES) -> dict[str, Array]:
        """Norms of the forces that hip, knee and ankle transmit over a stride, in body weights, and ``percent``."""
        robot = self.walker.robot
        bodies = [body.name for body in robot.bodies]
        below = [bodies.index(f"{self.leg}_{name}") for name in _BODIES.values()]

        def norms(states: StrideStates) -> Array:
            wrenches = robot.joint_wrenches(states.q, states.qd, states.qdd, external=states.loads)
            return np.linalg.norm(wrenches[:, below, 3:], axis=-1).T / self.walker.weight

        return self._curves(count, _BODIES, norms)

    def moments(self, count: int = SAMPLES) -> dict[str, Array]:
        """Moments over a stride in N m/kg, positive for hip extension, knee extension, plantarflexion; ``percent``.

        ``hip abduction`` is that of the hip in the frontal plane.
        """

        def of(states: StrideStates) -> list[Array]:
            abduction = states.column(states.moments, f"{self.leg}_hip_adduction")
            return [-x / self.walker.mass for x in (*self._of_leg(states, states.moments), abduction)]

        return self._curves(count, (*_ANGLES, "hip abduction"), of)

    def powers(self, count: int = SAMPLES) -> dict[str, Array]:
        """Powers of the moments of hip, knee and ankle in the sagittal plane over a stride [W/kg], and ``percent``."""
        mass = self.walker.mass
        return self._curves(count, _ANGLES, lambda x: [p / mass for p in self._of_leg(x, x.powers)])

    def paths(self, count: int = SAMPLES) -> dict[str, Array]:
        """Over a stride [mm]: ``clearance``, the height of the lowest point of the foot; and how far the centre of mass
        is ``sideways``, toward this leg, and ``up`` from where it is on average; ``percent``."""

        def of(states: StrideStates) -> list[Array]:
            lowest = np.min([p[:, 1] for name, p in states.soles.items() if name[0] == self.leg], axis=0)
            sideways, up = (x - x[:-1].mean() for x in states.centre_of_mass.T[:2])
            return [1e3 * x for x in (lowest, sideways if self.leg == "L" else -sideways, up)]

        return self._curves(count, PATHS, of)

    def realism(self, norms: AnyNorms = None) -> Realism:
        """How near the walk is to how people walk: a table to print, each number with a goal and whether it is met.

        Args:
            norms: `Norms`, or a CSV file with them, to compare angles with; those of `Norms.at_speed` by default.
        """
        from kinetree.gait.realism import realism

        return realism(self, Norms.of(norms))

    def metabolic_power(self) -> dict[str, float]:
        """What walking costs the body by an estimate from the moments of the joints [W/kg]: ``rest``, ``activation and
        maintenance`` and ``shortening and lengthening`` of muscles, and ``work``. See `kinetree.gait.metabolism`.
        """
        from kinetree.gait.metabolism import metabolic_power

        return metabolic_power(self.states())

    @property
    def cost_of_transport(self) -> float:
        """The sum of `metabolic_power` over the speed [J/kg/m]."""
        return sum(self.metabolic_power().values()) / self.states().speed

    # -- pictures and files --------------------------------------------------------------------------------------------

    def plot(self, *names: str, title: str = "", norms: AnyNorms = None) -> Picture:
        """Curves of a stride, as a picture that notebooks show and ``.save("gait.svg")`` writes.

        Args:
            names: of curves, such as "knee angle", "vertical ground force", "hip joint force" or "ankle moment", or of
                families of them: "angles", "posture", "ground_forces", "joint_forces", "moments", "powers", "paths";
                by default angles, ground forces, joint forces and moments.
            title: of the picture.
            norms: `Norms`, or a CSV file with them, to be drawn as bands.
        """
        from kinetree.gait.pictures import plot

        return plot(self, names, title, Norms.of(norms))

    def snapshots(self, count: int = 9) -> Picture:
        """The walker at several times of a stride beside each other, seen from the right, with the ground forces."""
        from kinetree.gait.snapshots import snapshots

        return snapshots(self, count)

    def view(self) -> View:
        """The walker in three dimensions over a stride, to be played, with ground forces and plots that follow it."""
        from kinetree.gait.report import view

        return view(self)

    def to_csv(self, path: Name, count: int = SAMPLES) -> Path:
        """Write the curves of a stride as a table, a column for each with its unit; gives the absolute path."""
        from kinetree.gait.files import to_csv

        return to_csv(self, path, count)

    def to_mot(self, path: Name, what: Table = "coordinates", *, count: int = SAMPLES, strides: int = 1) -> Path:
        """Write strides as a .mot or .sto file of OpenSim; gives the absolute path.

        Axes are OpenSim's: x forward, y up, z to the right. Coordinates have the names and signs of the full-body model
        Rajagopal2016, in degrees and metres; where that model has one joint for the back, this one has several, and
        their angles are added.

        Args:
            path: of the file; its name ends in .mot or .sto.
            what: "coordinates"; "ground_forces", for ``ExternalLoads``: force, centre of pressure and moment of the
                right foot, then ``1_`` of the left; or "moments" of the coordinates, as of ``InverseDynamicsTool``.
            count: of times in a stride, both ends among them.
            strides: one after another, each where the one before ended.
        """
        from kinetree.gait.opensim import to_mot

        return to_mot(self, path, what, count, strides)

    def to_trc(self, path: Name, *, count: int = SAMPLES, strides: int = 1) -> Path:
        """Write markers as a .trc file, x forward, y up, z to the right [mm]; gives the absolute path.

        The markers are those of `kinetree.gait.markers.MARKERS`, on joints and landmarks of the model.

        Args:
            path: of the file; its name ends in .trc.
            count, strides: as for `to_mot`.
        """
        from kinetree.gait.opensim import to_trc

        return to_trc(self, path, count, strides)
