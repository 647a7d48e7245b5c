"""Inverse kinematics: one step of the search for a configuration at which tasks are fulfilled.

With e the errors of all tasks, distances divided by the robot's own length, and J their Jacobian, a step is that of
Levenberg and Marquardt in the space of the tasks,

    dq = z + S J^T (J S J^T + lambda 1)^-1 (e - J z),      lambda = c |e|^2 + floor,

where the damping follows the squared error [Sugihara2011]: far away no step is longer than 1 / (2 sqrt(c)), and at the
end the convergence is quadratic. S leaves out joints at a limit that the gradient J^T e would push further, and z pulls
towards a preferred configuration in the null space of the tasks. Positions are clamped after the step, so that limits
are kept exactly.

Where the error stops falling, the search starts again from another configuration: the next point of an additive
low-discrepancy sequence [Roberts2018]. The last start is the best configuration of all, for targets out of reach.
Everything that the search decides is in the step, so that compiled code repeats it without asking anyone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from kinetree.algorithms.kinematics import difference, integrate
from kinetree.algorithms.loop_closure import Equation, closure
from kinetree.algorithms.symmetric import Factorisation
from kinetree.algorithms.tasks import KinematicTask, Residual, Rows
from kinetree.model import Mechanism
from kinetree.scalar import Real, Vector, dot, is_zero, maximum, minimum, rint, select, sqrt

DAMPING, FLOOR = 0.05, 1e-12  # of the squared error, and what is left at the end
POSITIONS = 2.0  # how much an error as long as the robot counts, against one of a radian
GAIN, STALLS = 0.9, 5.0  # a search that leaves more than this part of its error so many times in a row has stalled
LAST_GAIN, LAST_DAMPING = 0.9999, 1.0  # the same for the last start, and damping of the error itself
PULL, PULLED = 0.5, 4.0  # of the way to the preferred configuration, in one step of the first starts
SETTLED = 1e-6  # the squared step [rad, m] at which that configuration is as near as it gets
FAR = 1e300


@dataclass(frozen=True)
class TargetSearch:
    """What stays the same for all steps of a search.

    Args:
        targets: of the tasks.
        centre, span: the middle of the configurations to start from, and how wide they are spread.
        lower, upper: the limits of the positions.
        preferred: a configuration to stay near, if there is one.
        tolerance: of distances, angles and loops.
        iterations, starts: the most steps, and the most starts.
        seed: of the starts.
    """

    targets: Sequence[Any]
    centre: Vector
    span: Vector
    lower: Vector
    upper: Vector
    preferred: Vector | None
    tolerance: Vector
    iterations: Real
    starts: Real
    seed: Real


@dataclass(frozen=True)
class SearchState:
    """What a step changes.

    Args:
        q: the configuration to look at.
        best: the best so far.
        error: its largest distance and angle, and how far its loops are open.
        solved: whether these are within the tolerances, 1.0 or 0.0.
        count: how many steps lie behind.
        start: how many starts.
        merit: the weighted square error of the best.
        least: that of this start.
        stalled: for how many steps it has hardly fallen.
    """

    q: Vector
    best: Vector
    error: Vector
    solved: Any
    count: Any
    start: Any
    merit: Any
    least: Any
    stalled: Any


def inverse_kinematics_step(
    robot: Mechanism, tasks: Sequence[KinematicTask], loops: bool, search: TargetSearch, state: SearchState
) -> tuple[SearchState, Any]:
    """The state after one step, and whether to go on: 1.0 or 0.0."""
    q = state.q
    length = length_of(robot, tasks)
    residuals = [task.residual(robot, q, target) for task, target in zip(tasks, search.targets)]
    equations = closure(robot, q) if loops else []
    scale = POSITIONS / length
    e, J = rows([(t.weight, r, t.jacobian(robot, q)) for t, r in zip(tasks, residuals)], scale)
    for equation in equations:
        weight = 1.0 if all(map(is_zero, equation.wrench.lin)) else scale
        e.append(-(weight * equation.error))
        J.append([weight * x for x in equation.row])
    error, merit = _errors(residuals, equations), dot(e, e)
    solved = reduce(lambda a, b: a & b, [x <= t for x, t in zip(error, search.tolerance) if not is_zero(x)])

    # the best so far; a solution is better than anything
    better = solved | (merit < state.merit)
    was_solved = select(better, select(solved, 1.0, 0.0), state.solved)
    best, least_of_all = _either(better, q, state.best), select(better, merit, state.merit)
    error = _either(better, error, state.error)

    # whether this start has stalled, or led to no number; if the first did, the target is none
    final = state.start >= search.starts
    gained = merit < select(final, LAST_GAIN, GAIN) * state.least
    least = select(gained, merit, state.least)
    stalled = select(gained, 0.0, state.stalled + 1.0)
    broken = ~(merit < FAR)
    restart = (stalled >= STALLS) | broken
    hopeless = broken & ~(state.merit < FAR)

    damping = select(final, LAST_DAMPING * sqrt(merit), DAMPING * merit) + FLOOR
    pull = select(state.start < PULLED, PULL, 0.0)
    dq, settled = _step(robot, search, q, e, J, damping, pull, length)
    count = state.count + 1.0
    reached = solved if settled is None else solved & (settled | restart)
    done = reached | (restart & final) | (count >= search.iterations) | hopeless
    start = select(restart, state.start + 1.0, state.start)
    last = start >= search.starts
    base = _either(restart, _either(last, best, search.centre), q)
    move = [select(restart, select(last, 0.0, s * x), d) for s, x, d in zip(_point(start, search), search.span, dq)]
    q = [maximum(minimum(x, u), l) for x, l, u in zip(integrate(robot, base, move, 1.0), search.lower, search.upper)]
    least, stalled = select(restart, FAR, least), select(restart, 0.0, stalled)
    after = SearchState(q, best, error, was_solved, count, start, least_of_all, least, stalled)
    return after, select(done, 0.0, 1.0)


def length_of(robot: Mechanism, tasks: Sequence[KinematicTask]) -> Any:
    """The length that distances are measured by: of the longest chain; 1 m for a robot without any."""
    lengths = [task.reach(robot) for task in tasks]
    length = max(lengths) if all(isinstance(x, float) for x in lengths) else lengths[0]
    return 1.0 if is_zero(length) else length


def rows(tasks: Iterable[tuple[float, Residual, tuple[Rows, Rows]]], scale: Any) -> tuple[list[Any], list[list[Any]]]:
    """The weighted errors of tasks, and the rows of their Jacobian; distances are scaled to be comparable to angles."""
    e: list[Any] = []
    J: list[list[Any]] = []
    for weight, residual, (J_lin, J_ang) in tasks:
        for k, errors, rows in ((weight * scale, residual.lin, J_lin), (weight, residual.ang, J_ang)):
            e += [k * x for x in errors]
            J += [[k * x for x in row] for row in rows]
    return e, J


def _errors(residuals: Sequence[Residual], equations: Sequence[Equation]) -> list[Any]:
    """The largest distance of all tasks, the largest angle, and how far the loops are open."""
    groups = [[r.lin for r in residuals if r.lin], [r.ang for r in residuals if r.ang]]
    groups.append([[x for e in equations for x in (e.error, e.flipped)]] if equations else [])
    squares = [[dot(x, x) for x in group] for group in groups]
    return [sqrt(reduce(maximum, group)) if group else 0.0 for group in squares]


def _step(
    robot: Mechanism,
    search: TargetSearch,
    q: Vector,
    e: Vector,
    J: Sequence[Vector],
    damping: Any,
    pull: Any,
    length: Any,
) -> tuple[list[Any], Any]:
    """dq, and whether it hardly moves any more; None where there is no preferred configuration."""
    columns = [*zip(*J)]
    scales, blocked = scales_of(robot, length), _blocked(robot, search, q, [dot(c, e) for c in columns])
    z = _pull(robot, search, q, pull) if search.preferred is not None else None
    if z is not None:
        e = [x - dot(row, z) for x, row in zip(e, J)]
    free = [[s * select(b, 0.0, x) if b is not None else s * x for x in column]
            for s, b, column in zip(scales, blocked, columns)]  # fmt: skip
    rows = [*zip(*free)]
    if len(rows) <= len(free):
        y = Factorisation(damped(rows, damping)).solve(e)
        dq = [s * dot(column, y) for s, column in zip(scales, free)]
    else:
        x = Factorisation(damped(free, damping)).solve([dot(column, e) for column in free])
        dq = [s * y for s, y in zip(scales, x)]
    if z is None:
        return dq, None
    dq = [a + b for a, b in zip(dq, z)]
    return dq, dot(dq, dq) < SETTLED


def damped(rows: Sequence[Vector], damping: Any) -> list[list[Any]]:
    """A A^T + damping, of the rows of A."""
    product = [[dot(a, b) for b in rows[: i + 1]] for i, a in enumerate(rows)]
    n = range(len(rows))
    return [[product[max(i, j)][min(i, j)] + (damping if i == j else 0.0) for j in n] for i in n]


def scales_of(robot: Mechanism, length: Any) -> list[Any]:
    """What a unit of each velocity counts: a radian one, a metre as part of the robot's length."""
    own = [body.joint.kind for body in robot.bodies if not body.joint.mimic]
    return [1.0 if any(not is_zero(x) for x in s.ang) else length for kind in own for s in kind.subspace(kind.neutral)]


def positions_of(robot: Mechanism) -> list[int | None]:
    """For each velocity the index of the position that it is the rate of; None where it is of an orientation."""
    own = [(b.joint.kind, qs) for b, qs in zip(robot.bodies, robot.q_slices) if not b.joint.mimic]
    return [qs.start + k if kind.quaternion is None else None for kind, qs in own for k in range(kind.nv)]


def _blocked(robot: Mechanism, search: TargetSearch, q: Vector, slope: Vector) -> list[Any]:
    """Which joints are at a limit and would go further."""
    return [
        None if k is None else ((q[k] <= search.lower[k]) & (g < 0.0)) | ((q[k] >= search.upper[k]) & (g > 0.0))
        for k, g in zip(positions_of(robot), slope)
    ]


def _pull(robot: Mechanism, search: TargetSearch, q: Vector, pull: Any) -> list[Any]:
    """A part of the way to the preferred configuration; nothing beyond limits."""
    z = [pull * x for x in difference(robot, q, search.preferred or q)]
    return [x if b is None else select(b, 0.0, x) for x, b in zip(z, _blocked(robot, search, q, z))]


def _point(start: Any, search: TargetSearch) -> list[Any]:
    """A point of the low-discrepancy sequence, numbers between -1/2 and 1/2."""
    n = len(search.span)
    ratio = 2.0  # the root of x^(n+1) = x + 1: the golden ratio for n = 1
    for _ in range(100):
        ratio = (1.0 + ratio) ** (1.0 / (n + 1))
    points = [(start + 1000.0 * search.seed) * math.fmod(ratio ** -(k + 1.0), 1.0) for k in range(n)]
    return [x - rint(x) for x in points]


def _either(condition: Any, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [select(condition, x, y) for x, y in zip(a, b)]
