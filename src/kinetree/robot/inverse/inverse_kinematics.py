"""`InverseKinematics`: configurations at which several tasks are fulfilled at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.tasks import KinematicTask
from kinetree.compile import compile, compiled
from kinetree.errors import InputError, ModelError
from kinetree.model import Mechanism
from kinetree.robot import configuration
from kinetree.robot.functions import Array, check_keywords, parameter_values
from kinetree.robot.inverse.on_gpu import Arguments, solution
from kinetree.robot.inverse.region import Regions
from kinetree.robot.inverse.solution import KinematicsSolution
from kinetree.robot.inverse.standalone import StandaloneSearch
from kinetree.robot.inverse.step import NUMBERS, InverseKinematicsStep, InverseVelocityStep
from kinetree.robot.inverse.targets import motion_of, target_of
from kinetree.robot.kinematics import STARTS
from kinetree.runtime.cuda.arrays import is_on_gpu
from kinetree.runtime.function import Function

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot

ITERATIONS, TOLERANCE = 2000, 1e-6
DAMPING = 1e-6  # of joint velocities
LOOPS = 1e-10  # [m, rad], at which loops count as closed


class InverseKinematics:
    """Positions of a robot's joints at which tasks are fulfilled, inside the limits of the joints.

    Called with a target for each task, in their order, of any leading dimensions that broadcast. Each row is solved on
    its own: the same target gives the same configuration in every batch. It starts from the guess, or from the middle
    of the limits, and where it stalls from other configurations spread over the limits.

    Args:
        robot: a `Robot`; with a `ClosedChain` or a `ParallelRobot` the loops are closed besides.
        tasks: of `kinetree.tasks`: ``Pose``, ``Position``, ``Orientation``, ``Axis`` of named frames, ``CenterOfMass``.
        preferred: a configuration (nq,) that is kept near where the tasks leave a choice.

    Example:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.robots.iiwa14()
        >>> drill = kt.InverseKinematics(arm, [kt.tasks.Position("flange"), kt.tasks.Axis("flange")])
        >>> found = drill([0.5, 0.1, 0.4], [0.0, 0.0, -1.0])
        >>> bool(found.solved), found.q.shape
        (True, (7,))
    """

    def __init__(
        self, robot: Any, tasks: Sequence[KinematicTask] | KinematicTask, *, preferred: ArrayLike | None = None
    ) -> None:
        self._chain = None if isinstance(robot, Mechanism) else getattr(robot, "chain", robot)
        given: Any = robot if self._chain is None else self._chain.robot
        self.robot: Robot = given
        self.tasks = (tasks,) if isinstance(tasks, KinematicTask) else tuple(tasks)
        if not self.tasks or not all(isinstance(task, KinematicTask) for task in self.tasks):
            raise ModelError(f"tasks is a list of kinetree.tasks, such as [kt.tasks.Pose('tool0')]; got {tasks!r:.80}")
        if not self.robot.nv:
            raise ModelError(f"robot {self.robot.name!r} has no joints that move")
        for task in self.tasks:
            task.check(self.robot)
        neutral = np.array(self.robot.neutral_coordinates) if self._chain is None else self._chain.neutral
        self._regions = Regions(self.robot, neutral)
        self.preferred = None if preferred is None else self._regions.configurations(preferred, "preferred")
        self.step = InverseKinematicsStep(self.tasks, self._chain is not None, preferred is not None)
        self._stops: dict[Any, Array] = {}

    def __repr__(self) -> str:
        return f"<InverseKinematics of {self.robot.name!r}: {', '.join(map(str, self.tasks))}>"

    def __call__(
        self,
        *targets: Any,
        guess: ArrayLike | None = None,
        limits: bool | tuple[ArrayLike, ArrayLike] = True,
        starts: int = STARTS,
        seed: int = 0,
        tolerance: float | tuple[float, float] = TOLERANCE,
        iterations: int = ITERATIONS,
        **parameters: ArrayLike,
    ) -> KinematicsSolution:
        """The configurations for targets.

        Args:
            targets: one for each task, in their order: poses (..., 4, 4), positions (..., 3) [m], rotations
                (..., 3, 3), directions (..., 3). Where one is on a GPU, the search runs there.
            guess: configurations (..., nq) to start from; those outside the limits are moved inside.
            limits: True for those of the robot, False for none, or a pair of arrays (..., nq), lower and upper.
            starts: how many configurations to start from at the most, the guess included.
            seed: another number gives other starts.
            tolerance: the distance [m] and the angle [rad] at which a task is fulfilled, one number or two.
            iterations: the most steps of a row, over all its starts.

        Returns:
            A `KinematicsSolution` with ``q`` (..., nq), ``solved`` and ``error`` (..., 2) for each row.
        """
        if len(targets) != len(self.tasks):
            wanted = ", ".join(f"{task.quantity} of {task}" for task in self.tasks)
            raise InputError(f"give {len(self.tasks)} targets: {wanted}; got {len(targets)}")
        region = self._regions.of(limits)
        if any(map(is_on_gpu, targets)):
            numbers = self._stop(starts, seed, tolerance, iterations)
            listed = Arguments(targets, guess, region, self._nothing).listed(self.preferred, numbers)
            return solution(self._function(*listed, *parameter_values(self.robot, parameters)), self.robot.nq)
        given = [target_of(task, x) for task, x in zip(self.tasks, targets)]
        if guess is None:
            centre, state = region.centre, self._first if limits is True else self._before(region.centre)
        else:
            first, centre = region.about(self._regions.configurations(guess, "the guess"))
            state = self._before(first)
        args = [*given, centre, region.span, region.lower, region.upper]
        if self.preferred is not None:
            args.append(self.preferred)
        args += [self._stop(starts, seed, tolerance, iterations), state]
        if parameters or self.robot.parameters:
            check_keywords(self.robot, parameters, type(self).__call__)
            args += [np.asarray(x, float) for x in parameter_values(self.robot, parameters)]
        return self._solution(self._function(*args), given[0].dtype)

    def function(
        self,
        *,
        limits: bool | tuple[ArrayLike, ArrayLike] = True,
        starts: int = STARTS,
        seed: int = 0,
        tolerance: float | tuple[float, float] = TOLERANCE,
        iterations: int = ITERATIONS,
    ) -> Function:
        """The whole search as one function with these options built in, for `kinetree.export.code`.

        In C its arguments are the targets, the guess and named parameters, its results q, the distance and the angle
        that are left (zeros where the target is reached), and whether it is reached.

        Example:
            >>> import kinetree as kt
            >>> solver = kt.InverseKinematics(kt.robots.puma560(), kt.tasks.Position("link6"))
            >>> code = kt.export.code(solver.function(starts=8), target="c", name="reach")
            >>> code.header.split("void ")[1].split(";")[0]
            'reach(const double target[3], const double guess[6], double q[6], double error[2], double solved[1])'
        """
        region = self._regions.of(limits)
        if self.preferred is not None:
            raise InputError("a search with a preferred configuration is not exported")
        numbers = [region.centre, region.span, region.lower, region.upper, stop(starts, seed, tolerance, iterations)]
        if any(x.ndim > 1 for x in numbers):
            raise InputError("limits of a function are one array for all targets")
        inside = np.clip(configuration.random(self.robot, 3, seed=0), region.lower, region.upper)
        reached = inside if self._chain is None else self._chain.neutral[None]
        centre, span, lower, upper, end = (tuple(x.tolist()) for x in numbers)
        examples = tuple(map(tuple, reached.tolist()))
        return compile(StandaloneSearch(self.step, centre, span, lower, upper, end, examples), self.robot)

    def velocity(
        self,
        q: ArrayLike,
        *motions: ArrayLike,
        dt: float | None = None,
        limits: bool = True,
        damping: float = DAMPING,
        **parameters: ArrayLike,
    ) -> Array:
        """The joint velocities with which the tasks move as wanted, as nearly as limits allow.

        The least sum of squares of what is left of the motions, distances counted in lengths of the robot, with a
        little damping; towards the preferred configuration, in a second or so, where the tasks leave a choice.

        Args:
            q: positions (..., nq) [rad, m].
            motions: the velocity of each task, in their order and in world axes: for ``Pose`` a twist (..., 6), angular
                part first; for ``Position`` and ``CenterOfMass`` (..., 3) [m/s]; for ``Orientation`` and ``Axis`` an
                angular velocity (..., 3) [rad/s].
            dt: a time step [s], after which the positions shall be inside their limits; they don't count by default.
            limits: whether limits of velocities and positions are kept.
            damping: of the squares of joint velocities; more of it keeps them smaller near singular configurations.

        Returns:
            qd (..., nv) [rad/s, m/s]. No limit of a velocity is exceeded. A joint that is outside its limits comes
            back as fast as it may.

        Example:
            >>> import kinetree as kt
            >>> arm = kt.robots.panda()
            >>> tool = kt.InverseKinematics(arm, kt.tasks.Position("tcp"))
            >>> q = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8]
            >>> qd = tool.velocity(q, [0.1, 0.0, 0.0], dt=0.01)
            >>> (arm.jacobian(q, "tcp") @ qd)[3:].round(4) + 0.0
            array([0.1, 0. , 0. ])
        """
        if self._chain is not None:
            raise InputError("velocity is for trees; for closed chains see ClosedChain.velocities")
        if len(motions) != len(self.tasks):
            raise InputError(f"give {len(self.tasks)} motions, one for each task; got {len(motions)}")
        if (dt is not None and not dt > 0) or not damping > 0:
            raise InputError(f"dt {dt!r} and damping {damping!r} must be above 0")
        robot, kept = self.robot, bool(limits)
        region = self._regions.of(kept and dt is not None)
        speed = self._speeds if kept else np.full(robot.nv, np.inf)
        args = [self._regions.configurations(q, "q")]
        args += [motion_of(task, x) for task, x in zip(self.tasks, motions)]
        args += [region.lower, region.upper, speed, np.array(1.0 if dt is None else dt), np.array(float(damping))]
        args += [] if self.preferred is None else [self.preferred]
        args.append(np.zeros(2 * robot.nv + 1))
        if parameters or robot.parameters:
            check_keywords(robot, parameters, type(self).velocity)
            args += [np.asarray(x, float) for x in parameter_values(robot, parameters)]
        kind = np.float32 if all(np.asarray(x).dtype == np.float32 for x in (q, *motions)) else float
        return self._velocity_function(*args)[..., : robot.nv].astype(kind, copy=False)

    @cached_property
    def _speeds(self) -> Array:
        return configuration.velocity_limits(self.robot)

    @cached_property
    def _velocity_function(self) -> Any:
        function = compiled(InverseVelocityStep(self.tasks, self.preferred is not None), self.robot)
        return function.direct(function)

    @cached_property
    def _function(self) -> Any:
        function = compiled(self.step, self.robot)
        return function.direct(function)

    @cached_property
    def _first(self) -> Array:
        return self._before(self._regions.of(True).centre)

    def _before(self, guess: Array) -> Array:
        """The state before the first step: nothing found yet."""
        n = self.robot.nq
        state = np.empty((*guess.shape[:-1], 2 * n + NUMBERS))
        state[..., :n], state[..., n:] = guess, self._nothing
        return state

    @cached_property
    def _nothing(self) -> Array:
        return np.array([np.nan] * (self.robot.nq + 3) + [0.0, 0.0, 0.0, np.inf, np.inf, 0.0])

    def _stop(self, starts: Any, seed: Any, tolerance: Any, iterations: Any) -> Array:
        """When a search ends, as an operand of the step."""
        given = starts, seed, tolerance if isinstance(tolerance, float) else (*np.ravel(tolerance),), iterations
        if given not in self._stops:
            self._stops = {given: stop(*given)}
        return self._stops[given]

    def _solution(self, state: Array, kind: Any) -> KinematicsSolution:
        n = self.robot.nq
        q, error = state[..., n : 2 * n], state[..., 2 * n : 2 * n + 2]
        if kind == np.float32 or state.ndim > 1:  # a large batch does not keep the rest of its states
            q, error = (np.array(x, np.float32 if kind == np.float32 else float) for x in (q, error))
        solved, count = state[..., 2 * n + 3] > 0.0, state[..., 2 * n + 4]
        return KinematicsSolution(q, solved, error, count.astype(np.int64))


def stop(starts: Any, seed: Any, tolerance: Any, iterations: Any) -> Array:
    """Three tolerances, the most iterations and starts, and the seed, checked."""
    for name, x, least in (("starts", starts, 1), ("seed", seed, 0), ("iterations", iterations, 1)):
        if isinstance(x, bool) or not isinstance(x, int | np.integer) or x < least:
            raise InputError(f"{name} is an integer not below {least}, got {x!r}")
    try:
        metres, radians = tolerance if np.size(tolerance) == 2 else (tolerance, tolerance)
        limits = np.array([metres, radians, LOOPS], float)
    except (TypeError, ValueError):
        limits = np.array([np.nan])
    if not ((limits > 0) & np.isfinite(limits)).all():
        raise InputError(f"tolerance is a distance [m] and an angle [rad], both above 0, got {tolerance!r}")
    return np.array([*limits, float(iterations), float(starts), float(seed % 1_000_003)])
