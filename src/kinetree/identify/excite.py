"""The motion from which the base parameters of a robot are identified best, under constraints.

A finite Fourier series in each joint is optimised by the interior-point method of `kinetree.nlp`, from several random
starts. Constraints are enforced at collocation points, checked everywhere, and tightened where violated.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.closed import ClosedChain
from kinetree.errors import ClosureError, InputError
from kinetree.identify.base_parameters import BaseParameters, base_parameters
from kinetree.identify.chains import AnyRobot, all_positions, columns_of, tree_of
from kinetree.identify.excitation import Excitation, generator
from kinetree.identify.information import Exciting, Information, observation
from kinetree.identify.limits import add_limits
from kinetree.identify.linear import joint_parameters
from kinetree.nlp.interior import Interior
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.solution import Callback, Solution, Start, Termination
from kinetree.plan import PlanStatus, Problem
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.progress import ProgressLine
from kinetree.plan.transcriber import Transcriber
from kinetree.runtime.arrays import Array
from kinetree.runtime.blas import one_blas_thread
from kinetree.transcribe.constraints import BoundedBlock
from kinetree.transcribe.fourier import Fourier
from kinetree.transcribe.refinement import Refinement, carried

Bounds = ArrayLike | str | None
_OPTIMAL = 1e-3  # the residual of the conditions of optimality; below it the cost changes by less than 1e-3
_BARRIER = 1e-4  # of warm starts
_SMALL, _SMALLER, _SHRINKS = 0.3, 0.8, 40  # rad/s, m/s of a first guess; how it is made smaller, and how often
_SLOW = 0.02  # of the largest velocity, over which Coulomb friction is smoothed in the search
_ROUNDS = 8  # of tightening constraints
_DENSE = 1000  # samples of the condition number
_PHASES = 256  # random states, for the sizes of forces without limits


def excite(
    robot: AnyRobot,
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
    configuration: ArrayLike | None = None,
    starts: int = 3,
    seed: int = 0,
    tolerance: float = 1e-6,
    iterations: int = 300,
    progress: bool | None = None,
    callback: Callback | None = None,
) -> Excitation:
    """The periodic motion from which the base parameters of a robot are identified best.

    Each joint follows a finite Fourier series, q = q0 + sum a_k sin(k w t) + b_k cos(k w t), w = 2 pi / duration. It is
    chosen for small variances of the parameters and a small condition number, see `kinetree.identify.information`. The
    constraints hold everywhere, not only at collocation points.

    Args:
        robot: a `Robot` without quaternions among its coordinates, or a `ClosedChain` of one, whose independent joints
            are moved; with numbers for all its parameters. Limits on forces are satisfied as far as its inertias are
            right.
        duration: of one period [s].
        harmonics: how many terms the series has.
        position_limits: "model" for the model's own, within half a turn where a joint has none; one number for -bound
            to bound, or lower and upper, each one number or one for each joint [rad, m].
        velocity_limits: "model", or the largest [rad/s, m/s].
        acceleration_limits: the largest [rad/s^2, m/s^2].
        force_limits: "model", or the largest joint forces [N m, N].
        keep: further constraints, quantities of `kinetree.plan` with their lower and upper bounds: for a tool that must
            stay above a table ``{kt.plan.FramePosition("tool0"): ([-inf, -inf, 0.1], None)}``.
        include: what is to be identified besides "inertia": "friction", "rotor", "stiffness"; as for `fit`.
        rest: whether it starts and ends without velocity and acceleration.
        configuration: of a closed chain, a closed one (nq) in whose assembly it moves; ``chain.neutral`` by default.
        starts: how many random guesses are tried; the best motion is kept.
        seed: of the guesses.
        tolerance: how far constraints may be violated anywhere, relative to their bounds.
        iterations: of the solver for each guess, at the most.
        progress: whether a line is shown; by default on a terminal and in a notebook. Ctrl-C gives the best so far.
        callback: gets iteration, cost and violation; says whether to go on.

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
    problem = _problem(robot, duration, configuration)
    if not isinstance(starts, int) or isinstance(starts, bool) or starts < 1:
        raise InputError(f"the number of starts is 1 or more, got {starts!r}")
    rngs = generator(seed).spawn(starts)
    add_limits(problem, position_limits, velocity_limits, acceleration_limits, force_limits)
    for quantity, (lower, upper) in (keep or {}).items():
        problem.limit(quantity, lower=lower, upper=upper)
        if problem.constraints[-1].equality.any():
            raise InputError(f"the lower and the upper limit of {quantity.title} are equal")
    base = base_parameters(robot, joint_parameters(include), configuration=configuration)
    search = _Search(problem, base, basis, tolerance, iterations)
    found: list[Solution] = []
    with interruptions() as stopped, one_blas_thread(), ProgressLine(progress, callback) as line:
        for rng in rngs:
            found.append(search.run(search.guess(rng), line.callback))
            if stopped() or found[-1].termination is Termination.USER_STOP:
                break
    best = min(found, key=lambda x: (x.violation > tolerance, x.objective if x.violation <= tolerance else x.violation))
    return search.excitation(best, sum(x.iterations for x in found), time.perf_counter() - began)


def _problem(robot: Any, duration: float, configuration: ArrayLike | None) -> Problem:
    """A planning problem without constraints and costs yet."""
    if not (isinstance(duration, int | float | np.number) and np.isfinite(duration) and duration > 0.0):
        raise InputError(f"a duration is a positive number of seconds, got {duration!r}")
    tree = tree_of(robot)
    if tree.quaternions:
        raise InputError(
            f"robot {tree.name!r} has quaternions among its coordinates, and can't be excited: hold its base, or give "
            "it joints with angles"
        )
    if tree.transmissions:
        raise InputError(f"robot {tree.name!r} has elastic transmissions: excite the robot with rigid joints")
    columns_of(robot)  # refuses more actuators than degrees of freedom
    problem = Problem(robot, configuration=configuration if isinstance(robot, ClosedChain) else None)
    passive = [body.joint.name for body in tree.bodies if body.joint.kind.nv and not body.joint.actuated]
    if passive and tree is robot:
        raise InputError(f"joint {passive[0]!r} is not actuated and can't be excited: lock it")
    problem.duration(duration)
    return problem


class _Search:
    """Searches for one robot under the same constraints."""

    def __init__(
        self, problem: Problem, base: BaseParameters, basis: Fourier, tolerance: float, iterations: int
    ) -> None:
        self.problem, self.robot, self.base, self.basis = problem, base.robot, base, basis
        self.transcriber, self.duration = Transcriber(problem, basis), problem.durations[0]
        self.tolerance, self.iterations, self.n = tolerance, iterations, problem.coordinates.size
        self.chain = problem.coordinates if isinstance(problem.coordinates, LoopCoordinates) else None
        self.sizes, speeds = self._sizes()
        slow = speeds if self.chain is None else np.full(problem.robot.nv, speeds.max())
        self.what = observation(base, self.sizes.tolist(), (_SLOW * slow).tolist())

    def _limit(self, title: str) -> tuple[Array, Array]:
        """The limits of positions, velocities or forces of the joints that are moved."""
        own = [x for x in self.problem.constraints if x.quantity.title == title and len(x.lower) == self.n]
        low = np.max([np.full(self.n, -np.inf), *(x.lower for x in own)], axis=0)
        return low, np.min([np.full(self.n, np.inf), *(x.upper for x in own)], axis=0)

    def _sizes(self) -> tuple[Array, Array]:
        """Of the forces, their limits or those of the model at random states; and of the velocities."""
        rng = np.random.default_rng(0)
        low, high = self._limit("position")
        speeds = np.abs(self._limit("velocity")[1])
        travelled = 2.0 * np.pi * self.basis.harmonics / self.duration * 0.5 * (high - low)
        speeds = np.where(np.isfinite(speeds), speeds, travelled)
        q = rng.uniform(low, high, (_PHASES, self.n))
        qd, qdd = speeds * rng.uniform(-0.5, 0.5, (2, _PHASES, self.n))
        if self.chain is not None:
            q = self.chain.closed(q)
            q = np.where(np.isfinite(q).all(axis=1, keepdims=True), q, self.chain.configuration)
        needed = np.sqrt(np.median(np.asarray(self.robot.inverse_dynamics(q, qd, qdd)) ** 2, axis=0))
        forces = np.minimum(*np.abs(self._limit("force")))
        forces = np.where(np.isfinite(forces) & (forces > 0.0), forces, needed)
        return np.where(forces > 0.0, forces, 1.0), speeds

    def guess(self, rng: np.random.Generator) -> Array:
        """A random motion around the middle of the limits of positions, small enough for all limits if it can be.

        That of a closed chain is around a configuration that is known to be closed.
        """
        low, high = self._limit("position")
        points = rng.normal(size=(self.basis.size, self.n)) * _SMALL * self.duration / 2.0
        points[0] = 0.5 * (low + high) + rng.uniform(-0.25, 0.25, len(low)) * (high - low)
        if self.chain is not None:
            points[0] = np.clip(self.chain.rest(), low, high)
        x = np.r_[points.ravel(), self.duration]
        constraints = self.transcriber.path_constraints(self.basis.samples(4))
        for _ in range(_SHRINKS):
            if (constraints is None or constraints.violation(x).max() <= 0.0) and self._closes(x):
                break
            x = self._smaller(x, _SMALLER)
        return x

    def _closes(self, x: Array) -> bool:
        """Whether the loops of a closed chain can be closed along a motion."""
        if self.chain is None:
            return True
        q = self.basis.curve(x[:-1].reshape(self.basis.size, -1), self.basis.samples(4), 0)[0]
        return bool(np.isfinite(self.chain.closed(q)).all())

    def _smaller(self, x: Array, by: float) -> Array:
        """The motion about its middle, made smaller."""
        smaller = x.copy()
        smaller[self.n : -1] *= by
        return smaller

    def run(self, x: Array, callback: Callback) -> Solution:
        """The best motion from a guess."""
        information = Information(self.base, self.basis, self.what, self.problem.coordinates)
        refinement, count, rounds, start, before = self.transcriber.refinement(), 0, 0, Start(x), list[BoundedBlock]()
        while True:
            constraints = self.transcriber.path_constraints(refinement.s)
            blocks = [] if constraints is None else [constraints.tightened(refinement.margins)]
            if before and start.multipliers is not None:
                y = carried(start.multipliers.constraints, before[0], blocks[0])
                start = replace(start, multipliers=start.multipliers._replace(constraints=y))
            solver = Interior(_OPTIMAL, max(1, self.iterations - count))
            best = solver.solve(Exciting(self.transcriber.bounds, blocks, information), start, callback)
            count, rounds, x = count + best.iterations, rounds + 1, best.x
            violation = refinement.tighten(x, 0.5 * self.tolerance)
            done = not best.termination.solved or count >= self.iterations or rounds == _ROUNDS
            if violation <= self.tolerance or done:
                x, violation = self._within(refinement, x, violation)
                return replace(best, x=x, objective=information.value(x), violation=violation, iterations=count)
            start, before = Start(x, best.multipliers, _BARRIER), blocks

    def _within(self, refinement: Refinement, x: Array, violation: float) -> tuple[Array, float]:
        """A motion that violates constraints a little is made smaller until it satisfies them, if that helps."""
        smaller, left = x, violation
        for _ in range(_SHRINKS):
            if left <= self.tolerance:
                return smaller, left
            smaller = self._smaller(smaller, max(0.5, 1.0 - 1.5 * left))
            left = refinement.violation(smaller)
        return x, violation

    def excitation(self, best: Solution, iterations: int, seconds: float) -> Excitation:
        """The result, with the condition number on a dense grid."""
        optimal = PlanStatus.OPTIMAL if best.termination.solved else PlanStatus.FEASIBLE
        status = optimal if best.violation <= self.tolerance else PlanStatus.NOT_FOUND
        worst = self.transcriber.refinement().worst(best.x)[1]
        points = best.x[:-1].reshape(self.basis.size, -1).copy()
        number = self._condition(points)
        if number is None:
            status, worst = PlanStatus.NOT_FOUND, "the loops can't be closed along it: give narrower position_limits"
        return Excitation(self.robot, self.base, self.basis, points, self.duration, number or np.inf, status,
                          best.objective, best.violation, best.termination, worst, iterations, seconds,
                          tuple(self.problem.constraints),
                          configuration=None if self.chain is None else self.chain.configuration)  # fmt: skip

    def _condition(self, points: Array) -> float | None:
        """Of the observation matrix: rows over the sizes of the forces, columns of length 1; None with open loops."""
        z = self.basis.curve(points, np.arange(_DENSE) / _DENSE, 2)
        try:
            q = all_positions(self.robot, z[0], None if self.chain is None else self.chain.configuration)
        except ClosureError:
            return None
        rows = self.base.regressor(q, z[1] / self.duration, z[2] / self.duration**2) / self.sizes[:, None]
        rows = rows.reshape(-1, len(self.base))
        length = np.linalg.norm(rows, axis=0)
        return float(np.linalg.cond(rows / length)) if (length > 0.0).all() else float("inf")
