"""`Walker`: the body that walks, without the joints that a study of gait holds still, and its mirror image."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError, UnknownNameError
from kinetree.gait import limits
from kinetree.model.inertia import Inertia
from kinetree.robot import Robot
from kinetree.robots.human import human55
from kinetree.robots.human_body import FROZEN, UPPER_NECK
from kinetree.robots.human_table import PROPORTIONS, STATURE
from kinetree.spatial.matrix3 import Sym3
from kinetree.spatial.vec3 import Vec3

Array = NDArray[np.float64]
_TURNED = ("lat_bend", "axial", "obliquity", "pelvis_rotation", "tx_lateral")  # change sign in a mirror
# 36 joints move if what the text names is frozen; its count of 38 leaves the upper neck free
# where loads are carried: on which body, their centre in it [m], and their side [m]
PLACES: dict[str, tuple[str, tuple[float, float, float], float]] = {
    "backpack": ("thorax", (0.0, 0.05, -0.22), 0.30),
    "left hand": ("L_hand", (0.0, -0.25, 0.0), 0.25),
    "right hand": ("R_hand", (0.0, -0.25, 0.0), 0.25),
}
PLAUSIBLE = (("stature", "m", (0.5, 2.5)), ("mass", "kg", (5.0, 400.0)))
FROZEN_SETS = {36: FROZEN, 38: tuple(name for name in FROZEN if name not in UPPER_NECK)}


@dataclass(frozen=True)
class Walker:
    """A human body for walking.

    Args:
        stature: body height [m]; that of the tables for the sex by default.
        mass: of the body [kg], without loads; that of the tables by default.
        sex: "male" or "female": whose proportions it has.
        active: 36 or 38 coordinates that move; or give ``frozen``, the names of the joints held at zero.
        strength: factors for the strength of joints, by a part of their names: {"L_knee": 0.5}.
        loads: masses that are carried [kg], by where: "backpack", "left hand", "right hand".

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

    def __post_init__(self) -> None:
        own = PROPORTIONS.get(self.sex)
        for name in ("stature", "mass") if own is not None else ():
            value = getattr(self, name)
            if not isinstance(value, int | float):
                raise InputError(f"the {name} of a walker is a number, got {value!r}")
            if math.isnan(value):
                object.__setattr__(self, name, getattr(own, name))
        for name, unit, (low, high) in PLAUSIBLE if own is not None else ():
            if not low <= getattr(self, name) <= high:
                raise InputError(
                    f"a human who walks has a {name} of {low:g} to {high:g} {unit}, got {getattr(self, name)!r}"
                )
        if self.frozen is None and self.active not in FROZEN_SETS:
            raise InputError(f"the sets of frozen joints leave 36 or 38 coordinates, got active={self.active!r}")
        names = self.body.joint_names
        for name in self.frozen or ():
            if name not in names:
                raise UnknownNameError("joint", name, names)
        for part, factor in self.strength.items():
            if not any(part in name for name in names):
                raise UnknownNameError("joint, or part of its name", part, names)
            if not 0.0 < factor < np.inf:
                raise InputError(f"the strength of {part!r} is scaled by a positive number, got {factor!r}")

    @cached_property
    def body(self) -> Robot:
        """All 55 coordinates, with what is carried."""
        body = human55(self.stature, self.mass, self.sex)
        for name, mass in self.loads.items():
            if name not in PLACES:
                raise UnknownNameError("place for a load", name, PLACES)
            if not 0.0 <= mass < np.inf:
                raise InputError(f"a load is a mass in kg, not below 0; {name!r} carries {mass!r}")
            scale = self.stature / STATURE
            frame, place, size = PLACES[name]
            solid = mass * (size * scale) ** 2 / 6.0  # of a cube
            load = Inertia(mass, Vec3(*place) * scale, Sym3.diagonal(solid, solid, solid))
            body = body.attach(load, frame) if mass else body
        return body

    @cached_property
    def robot(self) -> Robot:
        """What moves: the frozen joints are fixed."""
        held = FROZEN_SETS[self.active] if self.frozen is None else self.frozen
        return self.body.lock(dict.fromkeys(held, 0.0))

    @cached_property
    def mirror(self) -> Array:
        """The image of a posture or velocity with left and right exchanged, as a matrix (nv, nv)."""
        names = self.robot.joint_names
        image = np.zeros((len(names), len(names)))
        for row, name in enumerate(names):
            other = {"L_": "R_", "R_": "L_"}.get(name[:2], name[:2]) + name[2:]
            if other not in names:
                raise InputError(f"{name!r} moves but {other!r} is frozen: a symmetric step needs both, or none")
            image[row, names.index(other)] = -1.0 if any(part in name for part in _TURNED) else 1.0
        return image

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """The lowest and highest positions [rad]."""
        return limits.ranges(self.robot)

    @cached_property
    def strengths(self) -> tuple[Array, Array]:
        """The lowest and highest moments of the joints [N m]."""
        low, high = limits.strengths(self.robot, self.mass, self.stature)
        factors = np.ones(len(low))
        for part, factor in self.strength.items():
            factors[[part in name for name in self.robot.joint_names]] *= factor
        return low * factors, high * factors

    @property
    def weight(self) -> float:
        """Of the body with its loads [N]."""
        return 9.81 * sum(float(body.inertia.mass) for body in self.body.bodies)

    @cached_property
    def ground(self) -> float:
        """The height of the soles in posture zero, where the ground is [m]; the middle of the hips is the origin."""
        return float(self.body.pose(self.body.neutral, "R_heel")[1, 3])

    def coordinates(self, q: Array) -> Array:
        """Positions or derivatives of all 55 coordinates from those that move: (..., nv) -> (..., 55)."""
        full = np.zeros((*q.shape[:-1], self.body.nv))
        names = self.body.joint_names
        full[..., [names.index(name) for name in self.robot.joint_names]] = q
        return full
