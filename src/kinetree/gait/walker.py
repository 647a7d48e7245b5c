"""`Walker`: the body that walks, without the joints that are locked in a study of gait, and its mirror image."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinetree.algorithms.kinematics import pose
from kinetree.errors import InputError, UnknownNameError, check_names
from kinetree.gait import joints
from kinetree.model import Inertia
from kinetree.robot import Robot
from kinetree.robots.human import human55
from kinetree.robots.human_table import MASS, PROPORTIONS, STATURE
from kinetree.runtime.arrays import Array
from kinetree.spatial import Sym3, Vec3

_SIGN_CHANGES = ("lat_bend", "axial", "obliquity", "pelvis_rotation", "tx_lateral")  # in a mirror
_FORWARD = "global_tz_forward"  # the coordinate that advances from step to step
STEEPEST = 0.3  # slope
PLAUSIBLE = (("stature", "m", (0.5, 2.5)), ("mass", "kg", (5.0, 400.0)))


class CarriedLoad(NamedTuple):
    """Where a load is carried by a man of the tables: a cube, its centre in a frame, and the length of its edges."""

    frame: str
    centre: tuple[float, float, float]  # m
    edge: float  # m


LOADS = {
    "backpack": CarriedLoad("thorax", (0.0, 0.05, -0.22), 0.30),
    "left hand": CarriedLoad("L_hand", (0.0, -0.25, 0.0), 0.25),
    "right hand": CarriedLoad("R_hand", (0.0, -0.25, 0.0), 0.25),
}


@dataclass(frozen=True)
class Walker:
    """A human body for walking.

    Args:
        stature: body height [m]; that of the tables for the sex by default.
        mass: of the body [kg], without loads; that of the tables by default.
        sex: "male" or "female": whose proportions it has.
        active: 36 or 38 coordinates that move; or give ``frozen``, the names of the joints that are locked at zero.
        strength: factors for the strength of joints, by a part of their names: {"L_knee": 0.5}.
        loads: masses that are carried [kg], by where: "backpack", "left hand", "right hand".
        slope: how steeply the ground rises ahead, height over length; below 0 it falls. The axes are those of the
            ground: y at right angles to it, z uphill.

    Example:
        >>> walker = Walker()
        >>> walker.body.nv, walker.robot.nv
        (55, 36)
    """

    stature: float = math.nan
    mass: float = math.nan
    sex: str = "male"
    active: int = 36
    frozen: tuple[str, ...] | None = None
    strength: Mapping[str, float] = field(default_factory=dict)
    loads: Mapping[str, float] = field(default_factory=dict)
    slope: float = 0.0

    def __post_init__(self) -> None:
        for name in ("strength", "loads"):
            object.__setattr__(self, name, dict(getattr(self, name)))
        own = PROPORTIONS.get(self.sex)
        for name, unit, (low, high) in PLAUSIBLE if own is not None else ():
            value = getattr(self, name)
            if not isinstance(value, int | float):
                raise InputError(f"the {name} of a walker is a number, got {value!r}")
            if math.isnan(value):
                object.__setattr__(self, name, getattr(own, name))
            elif not low <= value <= high:
                raise InputError(f"a human who walks has a {name} of {low:g} to {high:g} {unit}, got {value!r}")
        if self.frozen is None and self.active not in joints.LOCKED_SETS:
            known = " or ".join(map(str, joints.LOCKED_SETS))
            raise InputError(f"the sets of locked joints leave {known} coordinates, got active={self.active!r}")
        if not (isinstance(self.slope, int | float) and abs(self.slope) <= STEEPEST):
            raise InputError(f"one walks on slopes of {-STEEPEST:g} to {STEEPEST:g}, got {self.slope!r}")
        names = self.body.joint_names
        check_names("joint", self.frozen or (), names)
        for part, factor in self.strength.items():
            if not any(part in name for name in names):
                raise UnknownNameError("joint, or part of its name", part, names)
            if not 0.0 < factor < np.inf:
                raise InputError(f"the strength of {part!r} is scaled by a positive number, got {factor!r}")

    # -- the body ------------------------------------------------------------------------------------------------------

    @property
    def size(self) -> float:
        """The stature over that of the tables' man."""
        return self.stature / STATURE

    @cached_property
    def body(self) -> Robot:
        """All 55 coordinates, with what is carried."""
        body = human55(self.stature, self.mass, self.sex)
        check_names("load", self.loads, LOADS)
        for name, mass in self.loads.items():
            if not 0.0 <= mass < np.inf:
                raise InputError(f"a load is a mass in kg, not below 0; {name!r} carries {mass!r}")
            frame, centre, edge = LOADS[name]
            inertia = mass * (edge * self.size) ** 2 / 6.0  # of a cube
            load = Inertia(mass, Vec3(*centre) * self.size, Sym3.diagonal(inertia, inertia, inertia))
            body = body.attach(load, frame) if mass else body
        if not self.slope:
            return body
        angle = math.atan(self.slope)
        return replace(body, gravity=Vec3(0.0, -9.81 * math.cos(angle), -9.81 * math.sin(angle)))

    @cached_property
    def robot(self) -> Robot:
        """What moves: the body with its locked joints fixed."""
        locked = joints.locked(self.active) if self.frozen is None else self.frozen
        return self.body.lock(dict.fromkeys(locked, 0.0))

    @property
    def weight(self) -> float:
        """Of the body with its loads [N]."""
        return 9.81 * sum(float(body.inertia.mass) for body in self.body.bodies)

    def standing(self, frame: str) -> Array:
        """Where a frame is in the neutral configuration, upright with all coordinates at zero: x, y, z [m]."""
        return np.array([float(row[3]) for row in pose(self.body, [0.0] * self.body.nv, frame)[:3]])

    @cached_property
    def ground(self) -> float:
        """The height of the soles of the standing body, where the ground is [m]; the middle of the hips is at 0."""
        return float(self.standing("R_heel")[1])

    # -- its coordinates -----------------------------------------------------------------------------------------------

    @cached_property
    def mirror(self) -> Array:
        """The matrix (nv, nv) that exchanges left and right in positions or velocities."""
        names = self.robot.joint_names
        image = np.zeros((len(names), len(names)))
        for row, name in enumerate(names):
            other = {"L_": "R_", "R_": "L_"}.get(name[:2], name[:2]) + name[2:]
            if other not in names:
                raise InputError(f"{name!r} moves but {other!r} is locked: a symmetric step needs both, or none")
            image[row, names.index(other)] = -1.0 if any(part in name for part in _SIGN_CHANGES) else 1.0
        return image

    def advance(self, length: float) -> Array:
        """The change of the coordinates (nv,) that moves the whole body forward by a length [m]."""
        return np.array([length * (name == _FORWARD) for name in self.robot.joint_names])

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """The lowest and highest positions [rad]."""
        return joints.ranges(self.robot)

    @cached_property
    def strengths(self) -> tuple[Array, Array]:
        """The lowest and highest moments of the joints [N m]."""
        low, high = joints.strengths(self.robot, self.mass, self.stature)
        return low * self.strength_factors, high * self.strength_factors

    @cached_property
    def strength_factors(self) -> Array:
        """The factors of the strength of each joint."""
        factors = np.ones(self.robot.nv)
        for part, factor in self.strength.items():
            factors[[part in name for name in self.robot.joint_names]] *= factor
        return factors

    @property
    def strength_scale(self) -> float:
        """Mass times stature over those of the tables' man: what moments are in proportion to."""
        return self.mass * self.stature / (MASS * STATURE)

    def coordinates(self, q: Array) -> Array:
        """Positions or derivatives of all 55 coordinates from those that move: (..., nv) -> (..., 55)."""
        full = np.zeros((*q.shape[:-1], self.body.nv))
        names = self.body.joint_names
        full[..., [names.index(name) for name in self.robot.joint_names]] = q
        return full
