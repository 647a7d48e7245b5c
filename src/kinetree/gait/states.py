"""The states of a walker over a stride: motion, forces on either foot and joint moments, predicted or measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kinetree.errors import InputError
from kinetree.gait.frame_poses import frame_poses
from kinetree.gait.phases import CONTACTS
from kinetree.gait.walker import Walker
from kinetree.runtime.arrays import Array

SIDES = ("L", "R")
_UNLOADED = 1e-9  # N: a foot with less is off the ground
_MIRRORED = np.array([1.0, -1.0, -1.0, -1.0, 1.0, 1.0])  # moment and force with left and right exchanged


@dataclass(frozen=True)
class FootForce:
    """What the ground exerts on a foot.

    Args:
        force: (k, 3) [N], x to the left, y up, z forward.
        point: the centre of pressure (k, 3) [m], where the force has no moment but about the vertical; zeros where
            there is no force.
        moment: about the vertical through that point (k,) [N m].
    """

    force: Array
    point: Array
    moment: Array

    @classmethod
    def of_wrench(cls, wrench: Array, height: float) -> FootForce:
        """From a wrench about the world's origin (k, 6) [N m, N] on a foot that stands at a height [m]."""
        moment, force = wrench[:, :3], wrench[:, 3:]
        up = force[:, 1]
        loaded = up > _UNLOADED
        safe = np.where(loaded, up, 1.0)
        x, z = (moment[:, 2] + height * force[:, 0]) / safe, (height * force[:, 2] - moment[:, 0]) / safe
        vertical = moment[:, 1] - (z * force[:, 0] - x * force[:, 2])
        point = np.stack([x, np.full(len(x), height), z], axis=-1) * loaded[:, None]
        return cls(force * loaded[:, None], point, vertical * loaded)

    def wrench(self, about: Array) -> Array:
        """The moment about points (k, 3) and the force, in world axes: (k, 6) [N m, N]."""
        turned = np.cross(self.point - about, self.force)
        turned[:, 1] += self.moment
        return np.concatenate([turned, self.force], axis=1)


@dataclass(frozen=True, eq=False)
class StrideStates:
    """The states of a stride, from a heel strike to the next of the same foot.

    Args:
        walker: who walks.
        speed: over the ground, or over the belt of a treadmill [m/s].
        t: times from the heel strike on (k,) [s], evenly spaced.
        q, qd, qdd: the motion of the coordinates that move (k, nv) [rad, m].
        moments: of all coordinates (k, nv) [N m, N]; at the base what the ground forces leave over.
        loads: external wrenches on the bodies (k, nbodies, 6), in world axes about their origins.
    """

    walker: Walker
    speed: float
    t: Array
    q: Array
    qd: Array
    qdd: Array
    moments: Array
    loads: Array

    @property
    def percent(self) -> Array:
        """Of the stride, at each time (k,)."""
        return np.linspace(0.0, 100.0, len(self.t))

    def column(self, values: Array, joint: str) -> Array:
        """The numbers (k,) of one coordinate; zeros where it is locked."""
        names = self.walker.robot.joint_names
        return values[:, names.index(joint)] if joint in names else np.zeros(len(values))

    def total(self, values: Array, *parts: str) -> Array:
        """The sum (k,) over all coordinates with these in their names."""
        return values[:, [all(part in name for part in parts) for name in self.walker.robot.joint_names]].sum(axis=1)

    @cached_property
    def powers(self) -> Array:
        """Of all coordinates (k, nv) [W]; none at the base, which no joint drives."""
        driven = [not name.startswith("global") for name in self.walker.robot.joint_names]
        return self.moments * self.qd * driven

    @cached_property
    def centre_of_mass(self) -> Array:
        """(k, 3) [m], above the ground."""
        return np.asarray(self.walker.robot.center_of_mass(self.q), np.float64) - [0.0, self.walker.ground, 0.0]

    @cached_property
    def feet(self) -> dict[str, FootForce]:
        """The forces on the left foot "L" and on the right foot "R"."""
        robot, found = self.walker.robot, {}
        for side in SIDES:
            bodies = sorted({robot.frame(name)[0] for name in CONTACTS if name[0] == side})
            origins = frame_poses(robot, self.q, [robot.bodies[i].name for i in bodies])[..., 3]
            wrench = self.loads[:, bodies].sum(axis=1)
            wrench[:, :3] += np.cross(origins, self.loads[:, bodies, 3:]).sum(axis=1)
            found[side] = FootForce.of_wrench(wrench, self.walker.ground)
        return found

    @cached_property
    def _poses(self) -> Array:
        """Of the points of the feet, and of the thorax."""
        return frame_poses(self.walker.robot, self.q, (*CONTACTS, "thorax"))

    @cached_property
    def soles(self) -> dict[str, Array]:
        """Where the points of the feet are, above the ground (k, 3) [m]."""
        return dict(zip(CONTACTS, (self._poses[:, :-1, :, 3] - [0.0, self.walker.ground, 0.0]).swapaxes(0, 1)))

    @property
    def width(self) -> float:
        """Between the heels of the loaded feet [m]."""
        left, right = (
            float(np.average(self.soles[f"{side}_heel"][:, 0], weights=np.maximum(self.feet[side].force[:, 1], 0.0)))
            for side in SIDES
        )
        return left - right

    @cached_property
    def trunk(self) -> Array:
        """How far the thorax leans forward, to the left and is turned to the left, in the world (k, 3) [rad]."""
        R = self._poses[:, -1, :, :3]
        up, ahead = R[:, :, 1], R[:, :, 2]
        angles = (up[:, 2], up[:, 1]), (up[:, 0], up[:, 1]), (ahead[:, 0], ahead[:, 2])
        return np.stack([np.arctan2(a, b) for a, b in angles], axis=-1)

    def mirrored(self, advance: Array) -> StrideStates:
        """With left and right exchanged, moved on by an advance of the coordinates (nv,)."""
        S, robot = self.walker.mirror, self.walker.robot
        names = [body.name for body in robot.bodies]
        other = [names.index({"L_": "R_", "R_": "L_"}.get(name[:2], name[:2]) + name[2:]) for name in names]
        q, qd, qdd, moments = (x @ S.T for x in (self.q, self.qd, self.qdd, self.moments))
        return replace(self, q=q + advance, qd=qd, qdd=qdd, moments=moments, loads=self.loads[:, other] * _MIRRORED)

    def then(self, after: StrideStates) -> StrideStates:
        """These and others after them; where both meet, the others."""
        t = np.concatenate([self.t[:-1], self.t[-1] + after.t - after.t[0]])
        joined = {name: np.concatenate([getattr(self, name)[:-1], getattr(after, name)])
                  for name in ("q", "qd", "qdd", "moments", "loads")}  # fmt: skip
        return replace(self, t=t, **joined)

    def repeated(self, strides: int) -> StrideStates:
        """So many strides one after another: each begins where the one before ended."""
        if strides < 1:
            raise InputError(f"one stride or more, got {strides!r}")
        found = self
        for k in range(1, strides):
            found = found.then(replace(self, q=self.q + k * (self.q[-1] - self.q[0])))
        return found

    @property
    def distance(self) -> float:
        """That the walker has gone [m]."""
        return self.speed * float(self.t[-1] - self.t[0])

    def work(self) -> tuple[float, float]:
        """Positive and negative work of all joints, for each kilogram and metre [J/kg/m]."""
        scale = self.walker.mass * self.distance
        powers = (np.maximum(self.powers, 0.0), np.minimum(self.powers, 0.0))
        plus, minus = (float(np.trapezoid(x.sum(axis=1), self.t)) / scale for x in powers)
        return plus, minus
