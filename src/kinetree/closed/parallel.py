"""`ParallelRobot`: a platform on several legs, commanded by the motion of the platform."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.closed_chain import Actuation
from kinetree.closed import kinematics, parallel_dynamics
from kinetree.closed.catalogue import ALGORITHMS
from kinetree.closed.chain import ClosedChain
from kinetree.closed.closure import CLOSED, Closure, ClosureStatus, Search
from kinetree.closed.legs import Leg, assembled
from kinetree.closed.on_gpu import PoseReached, refuse_on_gpu
from kinetree.closed.platform import PlatformKinematics, as_given, condition_numbers, platform_index
from kinetree.compile import compiled
from kinetree.errors import InputError, SingularConfigurationWarning, printable
from kinetree.model import Body
from kinetree.robot import Robot
from kinetree.robot.functions import Array
from kinetree.runtime.cuda.arrays import is_on_gpu
from kinetree.runtime.function import Function


class ParallelRobot:
    """A platform on several legs: inverse dynamics from the platform's motion, forward dynamics, Jacobian.

    The pose of the platform is a homogeneous matrix (..., 4, 4), world from platform; its twist and acceleration are
    those of its origin in world axes, angular part first (..., 6), the acceleration the rate of the twist. Where the
    legs leave the platform less than six degrees of freedom, motions of other kinds are refused. ``external``,
    ``base_velocity`` and ``base_acceleration`` are those of a `Robot`: on a moving base, the motion of the platform is
    relative to the base, in its axes.

    Every function finds the joints of the legs by itself, from the neutral configuration on, or takes them as ``q=``
    from an earlier `close`, and then does not read the pose. Rows with poses out of reach and singular ones are NaN;
    the latter with a `SingularConfigurationWarning`.

    Args:
        platform: a `Body` on a joint from the world, `Free` or less (`Planar`), that says how it can move.
        legs: `Leg` descriptions; the names of a leg's bodies, joints and frames get ``leg1_``, ... before them.
        gravity: the acceleration of free fall in world axes [m/s^2].
        name: for titles and messages.
        weights: of the squares of the actuators' forces, as for a `ClosedChain`.

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
        weights: Sequence[float] | None = None,
    ) -> None:
        robot, actuated = assembled(platform, legs, gravity, name)
        self._set(robot, platform.name, actuated, weights)

    @staticmethod
    def of(
        robot: Robot, platform: str, actuated: Sequence[str] | None = None, *, weights: Sequence[float] | None = None
    ) -> ParallelRobot:
        """A robot whose loops join its legs to a platform, as a parallel robot.

        Args:
            robot: with ``loops``.
            platform: the name of the body that is the platform, on a joint from the world.
            actuated: the names of the driven joints; those marked as ``actuated`` by default.
            weights: of the squares of the actuators' forces, as for a `ClosedChain`.

        Example:
            >>> import kinetree as kt
            >>> kt.ParallelRobot.of(kt.robots.delta(), "platform").mobility
            3
        """
        made = ParallelRobot.__new__(ParallelRobot)
        made._set(robot, platform, actuated, weights)
        return made

    def _set(
        self, robot: Robot, platform: str, actuated: Sequence[str] | None, weights: Sequence[float] | None
    ) -> None:
        self.index = platform_index(robot, platform)
        self.robot, self.platform = robot, platform
        self.chain = ClosedChain(robot, actuated, weights=weights)
        indices = tuple(robot.velocities_of(robot.bodies[self.index].joint.name))
        self._held = Actuation(indices, indices, (1.0,) * len(indices))
        self.kinematics = PlatformKinematics(robot, self.index, self.chain.actuation)

    def __repr__(self) -> str:
        joints = printable(", ".join(self.actuated))
        return f"<ParallelRobot {self.robot.name!r}: {self.mobility} degrees of freedom, driven by {joints}>"

    @property
    def actuated(self) -> tuple[str, ...]:
        """The names of the driven joints."""
        return self.chain.actuated

    @property
    def mobility(self) -> int:
        """The degrees of freedom."""
        return self.chain.mobility

    def close(
        self, pose: ArrayLike, guess: ArrayLike | None = None, *, tolerance: float = CLOSED, **parameters: ArrayLike
    ) -> Closure:
        """The positions of all joints for a pose of the platform.

        Args:
            pose: of the platform (..., 4, 4).
            guess: a configuration (..., nq) with the legs in the same assembly; ``chain.neutral`` by default.
            tolerance: the error at which loops count as closed [m, rad].

        Returns:
            A `Closure` with ``q`` (..., nq) and a status for each row: OPEN for a pose out of reach, and for one that
            the platform can't take. On a GPU poses are not checked, and q is NaN in such rows.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.ParallelRobot.of(kt.robots.delta(), "platform")
            >>> pose = robot.robot.pose(robot.robot.neutral, "platform")
            >>> pose[2, 3] -= 0.05
            >>> robot.close(pose).check().shape
            (22,)
        """
        joints, search = [self.kinematics.joint.name], Search(tolerance)
        if is_on_gpu(pose):
            target, gap = self.kinematics.read(pose, parameters)
            found = self.chain.close_at(self._held, joints, target, guess, search, parameters)
            q, error, status = compiled(PoseReached(), self.robot)(found.q, found.error, found.status, gap)
            return Closure(q, status, error, found.iterations)
        start = np.asarray(self.chain.neutral if guess is None else guess, float)
        target, gap = self.kinematics.coordinates(pose, start, parameters)
        result = self.chain.close_at(self._held, joints, target, start, search, parameters)
        status = np.where((gap > 0) & result.closed, ClosureStatus.OPEN, result.status)
        return replace(result, status=status, error=np.asarray(np.hypot(result.error, gap)))

    def function(self, name: str, *, external: bool = False, base: bool = False) -> Function:
        """A compiled function of this robot, to keep, or to export: of the positions q of all joints, closed.

        Args:
            name: of the method; or of one of its ``chain``. "close" takes the coordinates of the platform's joint.
            external, base: as for a `ClosedChain`.

        Example:
            >>> import kinetree as kt
            >>> kt.ParallelRobot.of(kt.robots.delta(), "platform").function("inverse_dynamics").signature
            '(22),(6),(6)->(3),()'
        """
        if name == "close":
            return self.chain.closing(self._held, [self.kinematics.joint.name])
        if (own := f"platform_{name}") in ALGORITHMS:
            return self.chain.function(own, external=external, base=base, platform=self.index)
        return self.chain.function(name, external=external, base=base)

    inverse_kinematics = kinematics.inverse_kinematics
    inverse_dynamics = parallel_dynamics.inverse_dynamics
    forward_dynamics = parallel_dynamics.forward_dynamics
    joint_wrenches = parallel_dynamics.joint_wrenches
    inverse_dynamics_derivatives = parallel_dynamics.inverse_dynamics_derivatives
    forward_dynamics_derivatives = parallel_dynamics.forward_dynamics_derivatives

    def jacobian(self, pose: ArrayLike | None, *, q: ArrayLike | None = None, **parameters: ArrayLike) -> Array:
        """J_p: the twist of the platform is J_p qd, for the velocities of the independent actuators.

        Args:
            pose, q: as in `inverse_dynamics`.

        Returns:
            J_p (..., 6, mobility), angular rows first, world axes.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.ParallelRobot.of(kt.robots.delta(), "platform")
            >>> J = robot.jacobian(robot.robot.pose(robot.robot.neutral, "platform"))
            >>> J.shape, bool(abs(J[:3]).max() < 1e-12)  # it does not turn
            ((6, 3), True)

        Reference: [Khalil2010] (60).
        """
        args = (self.configuration(pose, q, parameters),)
        return as_given(self.chain.call("platform_jacobian", args, parameters, platform=self.index), pose)

    def condition_number(
        self, pose: ArrayLike | None, *, length: float = 1.0, q: ArrayLike | None = None, **parameters: ArrayLike
    ) -> Array:
        """The ratio of the largest to the smallest singular value of the Jacobian: 1 is best, infinity singular.

        Args:
            pose, q: as in `inverse_dynamics`.
            length: the length that counts as much as a radian [m], such as the radius of the platform.

        Returns:
            (...); infinity at a singular pose, NaN at one out of reach.

        Example:
            >>> import kinetree as kt
            >>> robot = kt.ParallelRobot.of(kt.robots.gough_stewart(), "platform")
            >>> float(robot.condition_number(robot.robot.pose(robot.robot.neutral, "platform"), length=0.3).round(2))
            2.68
        """
        if not length > 0:
            raise InputError(f"the length {length!r} must be above 0")
        if is_on_gpu(pose) or is_on_gpu(q):
            refuse_on_gpu("condition_number")
        configuration = self.configuration(pose, q, parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularConfigurationWarning)  # infinity says it
            jacobians = self.jacobian(None, q=configuration, **parameters)
        found = condition_numbers(jacobians, length, self.mobility)
        return as_given(np.where(np.isfinite(configuration).all(axis=-1), found, np.nan), pose)[()]

    def configuration(self, pose: Any, q: Any, parameters: dict[str, Any]) -> Array:
        """The positions of all joints, as given or for a pose; NaN where it is out of reach."""
        if q is not None:
            return q if is_on_gpu(q) else np.asarray(q)
        result = self.close(pose, **parameters)
        if is_on_gpu(pose):
            return result.q
        return np.where(np.asarray(result.closed)[..., None], result.q, np.nan)
