"""Goals in space: a pose of a frame, or a region of poses, and the configurations in which a robot reaches them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.kinematics import pose
from kinetree.algorithms.tasks import Axis, KinematicTask, Orientation, Pose, Position
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.forces import Force
from kinetree.plan.frames import OfFrame
from kinetree.plan.obstacles.shapes import axes_along, numbers
from kinetree.plan.quantity import Derivative
from kinetree.robot.inverse.inverse_kinematics import InverseKinematics
from kinetree.runtime.arrays import Array
from kinetree.scalar import dot

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

_GUESSES = 32  # configurations that inverse kinematics starts from
_SAME = 1e-3  # how near configurations count as one [rad, m]
_ROTATION = 1e-6


@dataclass(frozen=True)
class Goal:
    """A region of poses of a frame.

    Args:
        frame: its name.
        position: of its origin in the world (3,) [m]; anywhere by default.
        axes: its orientation, a rotation matrix (3, 3), world from frame; or
        axis: the direction of its z axis in the world (3,), about which it may turn; any orientation without both.
        size: of a box about the position, along the axes of the world, in which its origin may be (3,) [m].

    Example:
        >>> import kinetree as kt
        >>> above = kt.plan.Goal("tcp", position=[0.5, 0.0, 0.3], axis=[0.0, 0.0, -1.0], size=[0.1, 0.1, 0.0])
    """

    frame: str
    position: ArrayLike | None = None
    axes: ArrayLike | None = None
    axis: ArrayLike | None = None
    size: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if self.position is None and self.axes is None and self.axis is None:
            raise InputError(f"a goal of frame {self.frame!r} has a position, axes or an axis")
        if self.axes is not None and self.axis is not None:
            raise InputError("a goal has axes, or the direction of one axis, not both")
        if self.position is not None:
            object.__setattr__(self, "position", numbers(self.position, 3, f"the position of {self.frame!r}"))
        if self.axis is not None:
            n = np.array(numbers(self.axis, 3, f"the axis of {self.frame!r}"))
            if not np.linalg.norm(n) > 0.0:
                raise InputError("the axis of a goal must not be zero")
            object.__setattr__(self, "axis", tuple((n / np.linalg.norm(n)).tolist()))
        size = np.array(numbers(self.size, 3, "the size of the box of a goal"))
        if (size < 0.0).any() or (size.any() and self.position is None):
            raise InputError("the size of a goal is three lengths not below 0, about a position")
        object.__setattr__(self, "size", tuple(size.tolist()))
        if self.axes is not None:
            R = np.asarray(self.axes, float)
            good = R.shape == (3, 3) and np.isfinite(R).all() and np.abs(R @ R.T - np.eye(3)).max() < _ROTATION
            if not good or np.linalg.det(R) < 0.0:
                raise InputError(f"the axes of a goal are a rotation matrix (3, 3), got {self.axes!r:.80}")
            object.__setattr__(self, "axes", tuple(map(tuple, R.tolist())))

    @staticmethod
    def of(given: Any) -> Goal:
        """From itself, or a pair of a frame and a pose (4, 4) or a position (3,)."""
        if isinstance(given, Goal):
            return given
        try:
            frame, where = given
            target = np.asarray(where, float)
        except (TypeError, ValueError):
            frame, target = "", np.zeros(0)
        if isinstance(frame, str) and target.shape == (3,):
            return Goal(frame, target)
        last = target.shape == (4, 4) and np.array_equal(target[3], [0.0, 0.0, 0.0, 1.0])
        if not isinstance(frame, str) or not last:
            raise InputError(
                f"a pose is a pair (frame, T) with T a homogeneous matrix (4, 4) or a position (3,), or a Goal; "
                f"got {given!r:.80}"
            )
        return Goal(frame, target[:3, 3], target[:3, :3])

    @property
    def is_exact(self) -> bool:
        """Whether it is one pose."""
        return self.position is not None and self.axes is not None and not np.any(self.size)

    def tasks(self) -> tuple[list[KinematicTask], list[Any]]:
        """Of inverse kinematics, and their targets."""
        if self.position is not None and self.axes is not None:
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = self.axes, self.position
            return [Pose(self.frame)], [T]
        tasks: list[KinematicTask] = [] if self.position is None else [Position(self.frame)]
        targets: list[Any] = [] if self.position is None else [np.array(self.position)]
        if self.axes is not None or self.axis is not None:
            tasks.append(Orientation(self.frame) if self.axes is not None else Axis(self.frame))
            targets.append(np.array(self.axes if self.axes is not None else self.axis))
        return tasks, targets

    def rotation(self) -> Array:
        """World from a frame that fulfils it; the z axis alone counts where it has an axis."""
        if self.axes is not None:
            return np.array(self.axes)
        if self.axis is None:
            return np.eye(3)
        x, y, z = axes_along(np.array(self.axis)).T
        return np.column_stack([y, z, x])


@dataclass(frozen=True)
class GoalOrientation(OfFrame):
    """How the axes of a frame lie in desired ones, which are parameters of the sample: of C = A^T R the numbers
    C21 - C12, C02 - C20, C10 - C01 and the trace; or, of the z axis alone, C02, C12 and C22."""

    axis_only: bool = False
    order, label, needs_parameters = 0, "orientation", True

    def names(self, robot: Mechanism) -> list[str]:
        return [f"orientation {k} of {self.frame}" for k in ("xyz" if self.axis_only else "xyzw")]

    def values(self, robot: Mechanism, q: Any, qd: Any, qdd: Any, qddd: Any, parameters: Any = ()) -> list[Any]:  # type: ignore[override]
        R = [row[:3] for row in pose(robot, q, self.frame)[:3]]
        A = [parameters[3 * i : 3 * i + 3] for i in range(3)]
        C = [[dot([row[i] for row in A], [row[j] for row in R]) for j in range(3)] for i in range(3)]
        if self.axis_only:
            return [C[0][2], C[1][2], C[2][2]]
        turned = [C[2][1] - C[1][2], C[0][2] - C[2][0], C[1][0] - C[0][1]]
        return [*turned, C[0][0] + C[1][1] + C[2][2]]

    @property
    def bounds(self) -> tuple[list[float], list[float]]:
        return ([0.0, 0.0, 0.5], [0.0, 0.0, 2.0]) if self.axis_only else ([0.0] * 3 + [1.0], [0.0] * 3 + [4.0])


def configurations(problem: Problem, goal: Goal, guess: Array, seed: int = 0) -> Array:
    """Configurations (k, nq) that reach a goal inside all limits and touch nothing, the likely quickest first.

    Args:
        problem: with its limits and obstacles.
        goal: to be reached.
        guess: where the robot is (nq,).
        seed: of the configurations that the search starts from.
    """
    robot = problem.robot
    tasks, targets = goal.tasks()
    random, k = np.random.default_rng(seed), 0 if goal.position is None else _GUESSES
    if k and np.any(goal.size):  # places in the box, the nearest one first
        half, here = 0.5 * np.array(goal.size), np.array(goal.position)
        near = np.clip(robot.pose(guess, goal.frame)[:3, 3], here - half, here + half)
        places = np.concatenate([near[None], here + random.uniform(-1.0, 1.0, (k - 1, 3)) * half])
        if tasks[0].shape == (4, 4):
            targets[0] = np.broadcast_to(targets[0], (k, 4, 4)).copy()
            targets[0][:, :3, 3] = places
        else:
            targets[0] = places
    guesses = np.concatenate([guess[None], robot.random(_GUESSES - 1, seed=seed)])
    found = InverseKinematics(robot, tasks)(*targets, guess=guesses, starts=4, seed=seed)
    if not found.solved.any():
        k = int(np.argmin(found.error.sum(axis=1)))
        metres, radians = found.error[k]
        raise InputError(
            f"the goal of frame {goal.frame!r} can't be reached: the nearest configuration found, "
            f"{np.round(found.q[k], 4).tolist()}, is {metres:.4g} m and {radians:.4g} rad away"
        )
    inside = _allowed(problem, _distinct(np.asarray(found.q[found.solved], float)), goal)
    return inside[np.argsort([duration_estimate(problem, guess, q) for q in inside], kind="stable")]


def _distinct(q: Array) -> Array:
    kept: list[Array] = []
    for row in q:
        if all(np.abs(row - other).max() > _SAME for other in kept):
            kept.append(row)
    return np.array(kept)


def _allowed(problem: Problem, q: Array, goal: Goal) -> Array:
    """Those inside limits of positions, in which nothing touches."""
    for c in problem.constraints:
        if c.quantity == Derivative(0) and len(q):
            q = q[((q >= c.lower - _SAME) & (q <= c.upper + _SAME)).all(axis=1)]
    if not len(q):
        raise InputError(f"the goal of frame {goal.frame!r} is reached outside the limits of positions only")
    scene = problem.scene
    if scene is None or scene.moves:
        return q
    nearest = [scene.nearest(row) for row in q]
    free = np.array([distance >= scene.clearance for distance, _ in nearest])
    if not free.any():
        distance, pair = max(nearest, key=lambda found: found[0])
        raise InputError(
            f"in each of {len(q)} configurations that reach the goal of frame {goal.frame!r} shapes are nearer than "
            f"{scene.clearance:g} m; at best {pair.name[0]!r} is {distance:.4g} m from {pair.name[1]!r}"
        )
    return q[free]


def duration_estimate(problem: Problem, q0: Array, q1: Array) -> float:
    """How long a motion takes, roughly: its slowest joint, under limits of velocity, acceleration or force."""
    way, longest = np.abs(q1 - q0), 1e-3 * float(np.abs(q1 - q0).max())
    for c in problem.constraints:
        bound = np.minimum(np.abs(c.lower), np.abs(c.upper))
        if c.quantity == Derivative(1):
            longest = max(longest, float((way / bound).max()))
        elif c.quantity == Derivative(2) or type(c.quantity) is Force:
            if type(c.quantity) is Force:
                bound = bound / np.diagonal(np.asarray(problem.robot.mass_matrix(0.5 * (q0 + q1)), float))
            longest = max(longest, float(2.0 * np.sqrt(way / bound).max()))
    return longest


def constrain(problem: Problem, s: float, goal: Goal) -> None:
    """The goal as constraints of a problem at one point; orientations ask the problem's parameters for the axes."""
    from kinetree.plan.frames import FramePosition

    if goal.position is not None:
        half, here = 0.5 * np.array(goal.size), np.array(goal.position)
        problem.via(s, FramePosition(goal.frame), lower=here - half, upper=here + half)
    if goal.axes is not None or goal.axis is not None:
        wanted = GoalOrientation(goal.frame, goal.axis is not None)
        problem.via(s, wanted, lower=wanted.bounds[0], upper=wanted.bounds[1])
