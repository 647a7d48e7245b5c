"""The motion that shows the base parameters of a robot best, under limits.

A finite Fourier series in each joint is optimised by the interior-point method of `kinetree.plan`, from several random
starts. Limits are set at some places, looked at on a dense grid, and tightened where the motion breaks them in between.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.closed import ClosedChain
from kinetree.errors import ClosureError, InputError
from kinetree.identify.base_parameters import BaseParameters, base_parameters
from kinetree.identify.columns import columns_of
from kinetree.identify.excitation import Excitation, all_positions, generator
from kinetree.identify.fourier import Fourier
from kinetree.identify.information import Exciting, Information, observation
from kinetree.identify.wanted import limit_all, wanted
from kinetree.plan import PlanStatus, Problem
from kinetree.plan.grid import Grid, carried, largest
from kinetree.plan.interior import solve
from kinetree.plan.progress import Line, Tell
from kinetree.plan.solver import Ending, interruptions
from kinetree.plan.spline import Spline
from kinetree.robot import Robot

Array = NDArray[np.float64]
Bounds = ArrayLike | str | None
_OPTIMAL = 1e-3  # the residual of the conditions of optimality; below it the cost changes by less than 1e-3
_NEAR = 1e-4  # the barrier with which a solution is gone on from
_SMALL, _SMALLER, _SHRINKS = 0.3, 0.8, 40  # rad/s, m/s of a first guess, how it shrinks into limits, and how often
_SLOW = 0.02  # of the largest velocity, over which dry friction is smoothed in the search
_ROUNDS = 8  # of tightening limits
_DENSE = 1000  # instants of the condition number
_PHASES = 256  # random states, for the sizes of forces without limits


def excite(
    robot: Robot | ClosedChain,
    duration: float = 10.0,
    harmonics: int = 5,
    *,
    position_limits: tuple[ArrayLike, ArrayLike] | Bounds = "model",
    velocity_limits: Bounds = "model",
    acceleration_limits: ArrayLike | None = None,
    force_limits: Bounds = "model",
    keep: Mapping[Any, tuple[Any, Any]] | None = None,
    include: Sequence[str] = ("inertia", "friction", "rotor"),
    rest: bool = True,
    posture: ArrayLike | None = None,
    starts: int = 3,
    seed: int = 0,
    tolerance: float = 1e-6,
    iterations: int = 300,
    progress: bool | None = None,
    tell: Tell | None = None,
) -> Excitation:
    """The periodic motion from which the base parameters of a robot are seen best.

    Each joint follows a finite Fourier series, q = q0 + sum a_k sin(k w t) + b_k cos(k w t), w = 2 pi / duration. It is
    chosen for small variances of the parameters and a small condition number, see `kinetree.identify.information`. The
    limits hold everywhere, not only at the places where they are set.

    Args:
        robot: a `Robot` without quaternions among its coordinates, or a `ClosedChain` of one, whose independent joints
            are moved; with numbers for all its parameters. Limits on forces are kept as far as its inertias are right.
        duration: of one period [s].
        harmonics: how many terms the series has.
        position_limits: "model" for the model's own, within half a turn where a joint has none; one number for -bound
            to bound, or lower and upper, each one number or one for each joint [rad, m].
        velocity_limits: "model", or the largest [rad/s, m/s].
        acceleration_limits: the largest [rad/s^2, m/s^2].
        force_limits: "model", or the largest joint forces [N m, N].
        keep: further limits, quantities of `kinetree.plan` with their lower and upper bounds: for a tool that must stay
            above a table ``{kt.plan.FramePosition("tool0"): ([-inf, -inf, 0.1], None)}``.
        include: what is to be identified besides "inertia": "friction", "rotor", "stiffness"; as for `fit`.
        rest: whether it starts and ends without velocity and acceleration.
        posture: of a closed chain, a closed one (nq) in whose assembly it moves; ``chain.neutral`` by default.
        starts: how many random guesses are tried; the best motion is kept.
        seed: of the guesses.
        tolerance: how far limits may be broken anywhere, relative to themselves.
        iterations: of the solver for each guess, at the most.
        progress: whether a line is shown on the terminal; by default where there is one. Ctrl-C gives the best so far.
        tell: gets iteration, cost and violation; says whether to go on.

    Returns:
        An `Excitation`.

    Example:
        >>> import kinetree as kt
        >>> arm = kt.robots.two_link()
        >>> swing = kt.identify.excite(arm, 5.0, harmonics=3, velocity_limits=4.0, force_limits=10.0)
        >>> len(swing.base), swing.violation < 1e-6
        (9, True)
    """
    began = time.perf_counter()
    basis = Fourier(harmonics, rest)
    problem = _problem(robot, duration, basis, posture)
    if not isinstance(starts, int) or isinstance(starts, bool) or starts < 1:
        raise InputError(f"the number of guesses is 1 or more, got {starts!r}")
    rngs = generator(seed).spawn(starts)
    limit_all(problem, position_limits, velocity_limits, acceleration_limits, force_limits)
    for quantity, (lower, upper) in (keep or {}).items():
        problem.limit(quantity, lower=lower, upper=upper)
        if (problem.limits[-1].lower == problem.limits[-1].upper).any():
            raise InputError(f"the limits of {quantity.title} leave no room")
    base = base_parameters(robot, wanted(include), posture=posture)
    search = _Search(problem, robot, base, basis, float(duration), tolerance, iterations)
    found: list[_Found] = []
    with interruptions() as stopped, Line(progress, tell) as line:
        for rng in rngs:
            found.append(search.run(search.guess(rng), line.tell))
            if stopped() or found[-1].ending is Ending.INTERRUPTED:
                break
    best = min(found, key=lambda x: (x.broken > tolerance, x.cost if x.broken <= tolerance else x.broken))
    count = sum(x.iterations for x in found)
    interrupted = stopped() or found[-1].ending is Ending.INTERRUPTED
    return search.excitation(best, count, time.perf_counter() - began, interrupted)


def _problem(robot: Any, duration: float, basis: Fourier, posture: ArrayLike | None) -> Problem:
    """A planning problem on the series, without limits and costs yet."""
    if not (isinstance(duration, int | float | np.number) and np.isfinite(duration) and duration > 0.0):
        raise InputError(f"a duration is a positive number of seconds, got {duration!r}")
    tree = robot.robot if isinstance(robot, ClosedChain) else robot
    if isinstance(tree, Robot) and tree.quaternions:
        raise InputError(
            f"robot {tree.name!r} has quaternions among its coordinates, and can't be excited: hold its base, or give "
            "it joints with angles"
        )
    if isinstance(tree, Robot) and tree.transmissions:
        raise InputError(f"robot {tree.name!r} has elastic transmissions: excite the robot with rigid joints")
    if isinstance(robot, ClosedChain):
        columns_of(robot)  # refuses more drives than degrees of freedom
    problem = Problem(robot, posture=posture) if isinstance(robot, ClosedChain) else Problem(robot)
    passive = [body.joint.name for body in tree.bodies if body.joint.kind.nv and not body.joint.actuated]
    if passive and tree is robot:
        raise InputError(f"joint {passive[0]!r} is not driven and can't be excited: lock it")
    problem.spline = cast(Spline, basis)  # which has the same face
    return problem


@dataclass
class _Found:
    """Where a search from one guess ended."""

    x: Array
    cost: float
    broken: float
    iterations: int
    ending: Ending


class _Search:
    """Searches for one robot under the same limits."""

    def __init__(
        self,
        problem: Problem,
        robot: Robot | ClosedChain,
        base: BaseParameters,
        basis: Fourier,
        duration: float,
        tolerance: float,
        iterations: int,
    ) -> None:
        self.problem, self.robot, self.base, self.basis, self.duration = problem, robot, base, basis, duration
        self.tolerance, self.iterations, self.n = tolerance, iterations, problem.width
        self.posture = None if problem.closed is None else problem.closed.posture
        self.sizes, speeds = self._sizes()
        slow = speeds if problem.closed is None else np.full(problem.robot.nv, speeds.max())
        self.what = observation(base, self.sizes.tolist(), (_SLOW * slow).tolist())
        size = problem.size
        self.lower, self.upper = np.full(size, -np.inf), np.full(size, np.inf)
        self.lower[-1] = self.upper[-1] = duration

    def _limit(self, title: str) -> tuple[Array, Array]:
        """What holds positions, velocities or forces of the joints that are moved."""
        own = [x for x in self.problem.limits if x.quantity.title == title and len(x.lower) == self.n]
        low = np.max([np.full(self.n, -np.inf), *(x.lower for x in own)], axis=0)
        return low, np.min([np.full(self.n, np.inf), *(x.upper for x in own)], axis=0)

    def _sizes(self) -> tuple[Array, Array]:
        """Of the forces, their limits or what the model needs at random states; and of the velocities."""
        rng = np.random.default_rng(0)
        low, high = self._limit("position")
        speeds = np.abs(self._limit("velocity")[1])
        travelled = 2.0 * np.pi * self.basis.harmonics / self.duration * 0.5 * (high - low)
        speeds = np.where(np.isfinite(speeds), speeds, travelled)
        q = rng.uniform(low, high, (_PHASES, self.n))
        qd, qdd = speeds * rng.uniform(-0.5, 0.5, (2, _PHASES, self.n))
        if self.problem.closed is not None:
            q = self.problem.closed.postures(q)
            q = np.where(np.isfinite(q).all(axis=1, keepdims=True), q, self.problem.closed.posture)
        needed = np.sqrt(np.median(np.asarray(self.robot.inverse_dynamics(q, qd, qdd)) ** 2, axis=0))
        forces = np.minimum(*np.abs(self._limit("force")))
        forces = np.where(np.isfinite(forces) & (forces > 0.0), forces, needed)
        return np.where(forces > 0.0, forces, 1.0), speeds

    def guess(self, rng: np.random.Generator) -> Array:
        """A random motion around the middle of the limits of positions, small enough for all limits if it can be.

        That of a closed chain is around a posture that is known to be closed.
        """
        low, high = self._limit("position")
        points = rng.normal(size=(self.basis.points, self.n)) * _SMALL * self.duration / 2.0
        points[0] = 0.5 * (low + high) + rng.uniform(-0.25, 0.25, len(low)) * (high - low)
        if self.problem.closed is not None:
            points[0] = np.clip(self.problem.closed.rest(), low, high)
        x = np.r_[points.ravel(), self.duration]
        rows = self.problem.limit_rows(self.basis.even(4))
        for _ in range(_SHRINKS):
            if (rows is None or rows.excess(x).max() <= 0.0) and self._closes(x):
                break
            x = self._smaller(x, _SMALLER)
        return x

    def _closes(self, x: Array) -> bool:
        """Whether the loops of a closed chain can be closed along a motion."""
        if self.problem.closed is None:
            return True
        q = self.basis.derivatives(x[:-1].reshape(self.basis.points, -1), self.basis.even(4), 0)[0]
        return bool(np.isfinite(self.problem.closed.postures(q)).all())

    def _smaller(self, x: Array, by: float) -> Array:
        """The motion about its middle, made smaller."""
        smaller = x.copy()
        smaller[self.n : -1] *= by
        return smaller

    def run(self, x: Array, tell: Tell) -> _Found:
        """The best motion from a guess."""
        information = Information(self.base, self.basis, self.what, self.problem.way)
        grid, count, rounds, multipliers, before = Grid(self.problem), 0, 0, None, None
        while True:
            limits = self.problem.limit_rows(grid.places)
            rows = [] if limits is None else [limits.moved_inwards(grid.inwards)]
            if before and rows and multipliers is not None:
                multipliers = carried(multipliers[0], before[0], rows[0]), *multipliers[1:]
            exciting = Exciting(self.problem.size, rows, information)
            left = max(1, self.iterations - count)
            best = solve(exciting, x, self.lower, self.upper, tolerance=_OPTIMAL, iterations=left, tell=tell,
                         multipliers=multipliers, nearness=_NEAR)  # fmt: skip
            count, rounds, x = count + best.iterations, rounds + 1, best.x
            broken = grid.tighten(x, 0.5 * self.tolerance)
            done = best.ending is not Ending.OPTIMAL or count >= self.iterations or rounds == _ROUNDS
            if broken <= self.tolerance or done:
                x, broken = self._within(grid, x, broken)
                return _Found(x, information.value(x), broken, count, best.ending)
            multipliers, before = best.multipliers, rows

    def _within(self, grid: Grid, x: Array, broken: float) -> tuple[Array, float]:
        """What breaks limits a little is made smaller until it keeps them, if that helps."""
        smaller, left = x, broken
        for _ in range(_SHRINKS):
            if left <= self.tolerance:
                return smaller, left
            smaller = self._smaller(smaller, max(0.5, 1.0 - 1.5 * left))
            left = max(0.0, float(grid.excess(smaller).max()))
        return x, broken

    def excitation(self, best: _Found, iterations: int, seconds: float, interrupted: bool) -> Excitation:
        """The result, with the condition number on a dense grid."""
        kept = best.broken <= self.tolerance
        optimal = PlanStatus.OPTIMAL if best.ending is Ending.OPTIMAL else PlanStatus.STOPPED
        broken = PlanStatus.INTERRUPTED_EARLY if interrupted else PlanStatus.INFEASIBLE
        status = (PlanStatus.INTERRUPTED if interrupted else optimal) if kept else broken
        dense = Grid(self.problem).dense
        worst = "" if dense is None else largest([dense], best.x)
        points = best.x[:-1].reshape(self.basis.points, -1).copy()
        number = self._condition(points)
        if number is None:
            status, worst = PlanStatus.INFEASIBLE, "the loops can't be closed along it: give narrower position_limits"
        return Excitation(self.robot, self.base, self.basis, points, self.duration, number or np.inf, status,
                          best.cost, best.broken, worst, iterations, seconds, tuple(self.problem.limits),
                          posture=self.posture)  # fmt: skip

    def _condition(self, points: Array) -> float | None:
        """Of the observation matrix: rows over the sizes of the forces, columns of length 1; None with open loops."""
        z = self.basis.derivatives(points, np.arange(_DENSE) / _DENSE, 2)
        try:
            q = all_positions(self.robot, z[0], self.posture)
        except ClosureError:
            return None
        rows = self.base.regressor(q, z[1] / self.duration, z[2] / self.duration**2) / self.sizes[:, None]
        rows = rows.reshape(-1, len(self.base))
        length = np.linalg.norm(rows, axis=0)
        return float(np.linalg.cond(rows / length)) if (length > 0.0).all() else float("inf")
