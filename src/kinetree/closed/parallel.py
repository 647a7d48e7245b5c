"""`ParallelRobot`: a platform on several legs, commanded by the motion of the platform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.closed_chain import Drives
from kinetree.closed.chain import ClosedChain
from kinetree.closed.closing import Closure
from kinetree.closed.legs import Leg, assembled
from kinetree.closed.looped import CLOSED
from kinetree.closed.mobility import neutral
from kinetree.errors import InputError, ModelError, UnknownNameError
from kinetree.model.mechanism import Body
from kinetree.robot import Robot
from kinetree.robot.functions import Array
from kinetree.spatial.rotation import Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

_ORTHONORMAL = 1e-6  # how far the orientation of a pose may be from a rotation


class ParallelRobot:
    """A platform on several legs: inverse dynamics from the platform's motion, direct dynamics, Jacobian.

    The pose of the platform is a homogeneous matrix (..., 4, 4), world from platform; its twist and acceleration are
    those of its origin in world axes, angular part first (..., 6), the acceleration the rate of the twist. Every
    function finds the joints of the legs by itself, or takes them as ``q=`` from an earlier `close`. Rows whose loops
    don't close, and singular ones, are NaN, with a warning for the latter.

    Args:
        platform: a `Body` on a joint from the world, `Free` or less (`Planar`), that says how it can move.
        legs: `Leg` descriptions; the names of a leg's bodies, joints and frames get "leg1_", "leg2_", ... before them.
        gravity: the acceleration of free fall in world axes [m/s^2].
        name: for titles and messages.

    Example:
        >>> import kinetree as kt
        >>> robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), platform="platform")
        >>> pose = robot.robot.pose(robot.robot.neutral, "platform")
        >>> robot.inverse_dynamics(pose, [0.0] * 6, [0.0] * 6).shape
        (6,)

    Reference: [Khalil2010] section 5.
    """

    def __init__(
        self,
        platform: Body,
        legs: Sequence[Leg],
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        name: str = "parallel robot",
    ) -> None:
        robot, actuated = assembled(platform, legs, gravity, name)
        self._set(robot, platform.name, actuated)

    @staticmethod
    def of(robot: Robot, platform: str, actuated: Sequence[str] | None = None) -> ParallelRobot:
        """A robot whose loops join its legs to a platform, as a parallel robot.

        Args:
            robot: with ``loops``.
            platform: the name of the body that is the platform, on a joint from the world.
            actuated: the names of the driven joints; those marked as ``actuated`` by default.

        Example:
            >>> import kinetree as kt
            >>> kt.ParallelRobot.of(kt.robots.delta(), "platform").mobility
            3
        """
        made = ParallelRobot.__new__(ParallelRobot)
        made._set(robot, platform, actuated)
        return made

    def _set(self, robot: Robot, platform: str, actuated: Sequence[str] | None) -> None:
        names = [body.name for body in robot.bodies]
        if platform not in names:
            raise UnknownNameError("body", platform, names)
        self.index = names.index(platform)
        if robot.parents[self.index] >= 0:
            raise ModelError(f"the platform {platform!r} must be on a joint from the world, {platform!r} is carried")
        self.robot, self.platform = robot, platform
        self.chain = ClosedChain(robot, actuated)
        places = tuple(range(robot.nv)[robot.v_slices[self.index]])
        self._held = Drives(places, places, (1.0,) * len(places))

    def __repr__(self) -> str:
        return f"<ParallelRobot {self.robot.name!r}: {self.mobility} degrees of freedom, {', '.join(self.actuated)}>"

    @property
    def actuated(self) -> tuple[str, ...]:
        """The names of the driven joints."""
        return self.chain.actuated

    @property
    def mobility(self) -> int:
        """The degrees of freedom."""
        return self.chain.mobility

    def close(
        self, pose: ArrayLike, guess: ArrayLike | None = None, *, tolerance: float = CLOSED, **parameters: Any
    ) -> Closure:
        """The positions of all joints for a pose of the platform.

        Args:
            pose: of the platform (..., 4, 4).
            guess: a posture (..., nq) with the legs in the same assembly; the neutral one by default.
            tolerance: the error at which loops count as closed [m, rad].

        Returns:
            A `Closure` with ``q`` (..., nq) and a status for each row.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.ParallelRobot.of(kt.robots.delta(), "platform")
            >>> pose = robot.robot.pose(robot.robot.neutral, "platform")
            >>> pose[2, 3] -= 0.05
            >>> bool(robot.close(pose).closed)
            True
        """
        target = self._coordinates(pose)
        start = neutral(self.robot) if guess is None else guess
        joint = self.robot.bodies[self.index].joint.name
        return self.chain.close_at(joint, self._held, target, start, tolerance, parameters)

    def inverse_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        *,
        q: ArrayLike | None = None,
        external: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The forces of the actuators for a motion of the platform.

        Args:
            pose: of the platform (..., 4, 4).
            twist, acceleration: of the platform (..., 6), world axes, angular part first.
            q: the joints of the legs at this pose (..., nq), if known.
            external: a wrench on each body (..., nbodies, 6), as for a `Robot`; the platform is a body.

        Returns:
            tau (..., actuated) [N m, N].

        Reference: [Khalil2010] (59)-(66).
        """
        args = (self._posture(pose, q, parameters), twist, acceleration)
        return self.chain.call("platform_inverse_dynamics", args, external, parameters, self.index)

    def forward_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        tau: ArrayLike,
        *,
        q: ArrayLike | None = None,
        external: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """The acceleration of the platform that the forces of the actuators cause.

        Args:
            pose, twist, q, external: as in `inverse_dynamics`.
            tau: forces of the actuators (..., actuated) [N m, N].

        Returns:
            The acceleration (..., 6), world axes, angular part first. For simulation see `ClosedChain`.
        """
        args = (self._posture(pose, q, parameters), twist, tau)
        return self.chain.call("platform_forward_dynamics", args, external, parameters, self.index)

    def jacobian(self, pose: ArrayLike, *, q: ArrayLike | None = None, **parameters: ArrayLike) -> Array:
        """J_p: the twist of the platform is J_p qd, for the velocities of the independent actuators.

        Args:
            pose, q: as in `inverse_dynamics`.

        Returns:
            J_p (..., 6, mobility), angular rows first, world axes.

        Reference: [Khalil2010] (60).
        """
        args = (self._posture(pose, q, parameters),)
        return self.chain.call("platform_jacobian", args, None, parameters, self.index)

    def condition_number(
        self, pose: ArrayLike, *, length: float = 1.0, q: ArrayLike | None = None, **parameters: ArrayLike
    ) -> Array:
        """The ratio of the largest to the smallest singular value of the Jacobian: 1 is best, infinity singular.

        Args:
            pose, q: as in `inverse_dynamics`.
            length: the length that counts as much as a radian [m], such as the radius of the platform.

        Returns:
            (...); rows of no motion (a delta robot's platform does not turn) don't count.
        """
        if not length > 0:
            raise InputError(f"the length {length!r} must be above 0")
        matrices = self.jacobian(pose, q=q, **parameters) * np.array([length] * 3 + [1.0] * 3)[:, None]
        known = np.asarray(np.isfinite(matrices).all(axis=(-1, -2)))
        matrices = np.where(known[..., None, None], matrices, 0.0)
        values = np.linalg.svd(matrices, compute_uv=False)[..., : self.mobility]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(known, values[..., 0] / values[..., -1], np.inf)[()]

    def joint_wrenches(
        self,
        pose: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        *,
        q: ArrayLike | None = None,
        external: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]:
        """What the joints carry in a motion of the platform, passive joints and those at the platform too.

        Args:
            pose, twist, acceleration, q, external: as in `inverse_dynamics`.

        Returns:
            The wrench that each body receives from its parent (..., nbodies, 6) as in `Robot.joint_wrenches`, and
            those that the platform receives from the legs (..., loops, 6) as in `ClosedChain.loop_wrenches`.
        """
        posture = self._posture(pose, q, parameters)
        motion = self.chain.call("platform_motion", (posture, twist, acceleration), None, parameters, self.index)
        args = (posture, *motion)
        whole = self.chain.joint_wrenches(*args, external=external, **parameters)
        return whole, self.chain.loop_wrenches(*args, external=external, **parameters)

    def _posture(self, pose: Any, q: Any, parameters: dict[str, Any]) -> Any:
        if q is not None:
            return q
        result = self.close(pose, **parameters)
        return np.where(np.asarray(result.closed)[..., None], result.q, np.nan)

    def _coordinates(self, pose: Any) -> Array:
        """The coordinates of the platform's joint at poses."""
        poses = np.asarray(pose, float)
        if poses.shape[-2:] != (4, 4):
            raise InputError(f"a pose is a homogeneous matrix (..., 4, 4), got an array of shape {poses.shape}")
        turned = poses[..., :3, :3]
        gap = np.abs(turned @ np.swapaxes(turned, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
        if (gap > _ORTHONORMAL).any():
            wrong = turned[gap > _ORTHONORMAL][0].tolist()
            raise InputError(f"the pose of the platform has an orientation that is no rotation: {wrong}")
        return self._reader()(poses)

    def _reader(self) -> Any:
        """From poses to coordinates, compiled."""
        from kinetree.compile import compile

        joint = self.robot.bodies[self.index].joint
        if "_read" not in self.__dict__:
            placement = joint.placement.inverse

            def coordinates(rows: Any) -> list[Any]:
                turned, place = Rotation.of_rows([row[:3] for row in rows[:3]]), Vec3(*(row[3] for row in rows[:3]))
                return [*joint.kind.coordinates(placement @ Transform(turned, place))]

            self.__dict__["_read"] = compile(coordinates, signature=f"(4,4)->({joint.kind.nq})", name="coordinates")
        return self.__dict__["_read"]
