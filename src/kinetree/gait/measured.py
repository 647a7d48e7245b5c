"""`MeasuredWalk`: a walk that was measured, with the moments and forces of all joints.

Inverse dynamics with the forces on the feet gives the moments; what motion and forces don't balance is left over at the
pelvis, the residual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from kinetree.errors import InputError
from kinetree.files import Name
from kinetree.gait.frame_poses import frame_poses
from kinetree.gait.norms import Norms
from kinetree.gait.states import SIDES, FootForce, StrideStates
from kinetree.gait.walk import SAMPLES, AnyNorms, Walk
from kinetree.gait.walker import Walker
from kinetree.runtime.arrays import Array

_LOADED = 0.05  # of the weight: a foot with more is on the ground


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredWalk(Walk):
    """A measured walk; its curves are those of one leg, from its heel strike to the next.

    Args:
        who: walks.
        t: times (k,) [s], evenly spaced.
        motion: positions, velocities and accelerations of the coordinates that move (k, nv) each.
        feet: the forces on both feet at these times.
        belt: the speed of the treadmill [m/s].
        fit: how far markers were from those of the model, root of the mean square [m]; NaN where angles were given.
        side: whose curves, "left" or "right"; ``walk.left`` and ``walk.right`` are the same walk seen from each.
    """

    who: Walker
    t: Array
    motion: tuple[Array, Array, Array]
    feet: Mapping[str, FootForce]
    belt: float = 0.0
    fit: float = float("nan")
    side: str = "left"

    def __repr__(self) -> str:
        strides = " and ".join(f"{max(0, len(at) - 1)} of the {name} leg" for name, at in self.strikes.items())
        return f"MeasuredWalk of {self.t[-1] - self.t[0]:.4g} s at {self.states().speed:.3g} m/s; strides: {strides}"

    @property
    def walker(self) -> Walker:
        return self.who

    @property
    def described(self) -> str:
        return f"A measured stride at {self.states().speed:.3g} m/s"

    @property
    def leg(self) -> str:
        return "L" if self.side == "left" else "R"

    @property
    def left(self) -> MeasuredWalk:
        """With the curves of the left leg."""
        return replace(self, side="left")

    @property
    def right(self) -> MeasuredWalk:
        """With the curves of the right leg."""
        return replace(self, side="right")

    @property
    def legs(self) -> Mapping[str, Walk]:
        """The legs of which there is a whole stride."""
        both = {"Left leg": self.left, "Right leg": self.right}
        return {name: walk for name, walk in both.items() if len(self.strikes[walk.side]) > 1}

    @cached_property
    def strikes(self) -> dict[str, Array]:
        """When the heels strike [s], by "left" and "right"."""
        found = {}
        for side, name in zip(SIDES, ("left", "right")):
            above = self.feet[side].force[:, 1] - _LOADED * self.who.weight
            k = np.flatnonzero((above[:-1] <= 0.0) & (above[1:] > 0.0))
            found[name] = self.t[k] + (self.t[1] - self.t[0]) * above[k] / (above[k] - above[k + 1])
        return found

    @property
    def interval(self) -> tuple[float, float]:
        """From and to when the stride of the leg goes [s]: the one in the middle, as filters know least at the ends."""
        strikes = self.strikes[self.side]
        if len(strikes) < 2:
            raise InputError(
                f"the {self.side} foot comes down {len(strikes)} times in this recording, and a stride needs two: "
                f"its force must rise above {_LOADED:.0%} of the weight twice; give a longer recording"
            )
        strides = list(zip(strikes.tolist(), strikes[1:].tolist()))
        return min(strides, key=lambda x: abs(x[0] + x[1] - self.t[0] - self.t[-1]))

    def states(self, count: int = SAMPLES) -> StrideStates:
        """Motion, ground forces and joint moments at so many times of the stride of the leg."""
        at = np.linspace(*self.interval, count)
        q, qd, qdd = (interpolated(at, self.t, x) for x in self.motion)
        feet = {side: foot_at(at, self.t, foot) for side, foot in self.feet.items()}
        loads = _loads(self.who, q, feet)
        moments = np.asarray(self.who.robot.inverse_dynamics(q, qd, qdd, external=loads), np.float64)
        forward = self.who.robot.joint_names.index("global_tz_forward")
        speed = float(q[-1, forward] - q[0, forward]) / float(at[-1] - at[0]) + self.belt
        return StrideStates(self.who, speed, at - at[0], q, qd, qdd, moments, loads)

    def residuals(self) -> dict[str, float]:
        """What motion and ground forces leave unexplained at the pelvis over a stride, root mean square and largest.

        Returns:
            ``force rms`` and ``force peak`` [body weights], ``moment rms`` and ``moment peak`` [N m for each kilogram
            of mass and metre of stature].
        """
        states = self.states()
        base = states.moments[:, :6]
        parts = {"force": base[:, :3] / self.who.weight, "moment": base[:, 3:] / (self.who.mass * self.who.stature)}
        sizes = {name: np.linalg.norm(x, axis=1) for name, x in parts.items()}
        return {f"{name} {what}": float(x) for name, size in sizes.items()
                for what, x in (("rms", np.sqrt(np.mean(size**2))), ("peak", size.max()))}  # fmt: skip

    def report(self, path: Name, *, norms: AnyNorms = None) -> Path:
        """Write a self-contained HTML page with the walker, its curves and residuals; gives the absolute path.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.
            norms: as for `plot`; those of `Norms.at_speed` by default.
        """
        from kinetree.gait.report import add_stride
        from kinetree.view import Report

        page = Report("A measured walk", repr(self))
        page.add_facts({name: f"{x:.2g}" for name, x in self.residuals().items()})
        add_stride(page, self, Norms.of(norms))
        return page.write(path)


def interpolated(at: Array, t: Array, values: Array) -> Array:
    """Rows of values (k, n) at times t, linearly between them at other times."""
    return np.stack([np.interp(at, t, x) for x in values.T], axis=-1)


def foot_at(at: Array, t: Array, foot: FootForce) -> FootForce:
    """Between samples: forces, and moments of forces, so that a centre of pressure does not jump to an empty foot's."""
    force = interpolated(at, t, np.asarray(foot.force, float))
    pushed = interpolated(at, t, np.asarray(foot.point, float) * np.asarray(foot.force, float)[:, 1:2])
    loaded = force[:, 1:2] > 0.0
    point = np.where(loaded, pushed / np.where(loaded, force[:, 1:2], 1.0), 0.0)
    return FootForce(force, point, np.interp(at, t, np.asarray(foot.moment, float)))


def _loads(walker: Walker, q: Array, feet: Mapping[str, FootForce]) -> Array:
    """The forces on the feet as wrenches on bodies; on the forefoot where they act ahead of the ball."""
    robot, loads = walker.robot, np.zeros((len(q), walker.robot.nbodies, 6))
    for side, foot in feet.items():
        hind, fore = (robot.frame(f"{side}_{name}")[0] for name in ("foot", "forefoot"))
        origins = frame_poses(robot, q, [robot.bodies[hind].name, robot.bodies[fore].name])[..., 3]
        ahead = (foot.point[:, 2] > origins[:, 1, 2])[:, None]
        loads[:, hind] += np.where(ahead, 0.0, foot.wrench(origins[:, 0]))
        loads[:, fore] += np.where(ahead, foot.wrench(origins[:, 1]), 0.0)
    return loads
