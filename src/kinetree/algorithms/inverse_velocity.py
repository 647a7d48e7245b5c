"""Differential inverse kinematics: joint velocities for wanted velocities of frames, under limits.

The least of |J v - w|^2 + mu |v - v0|^2 over lo <= v <= hi, where the limits are those of the velocities and of the
positions after a time step, and v0 leads to a preferred configuration. A strictly convex problem, solved by a primal
active-set method [Nocedal2006] 16.5: from a v inside the limits, a step goes to the minimum over the joints that are
free, or as far as the first limit, where that joint is held; at the minimum the joint whose limit pulls the wrong way
most is freed. With J_f and J_h the columns of free and held joints, the minimum is at

    v_f = v0 + J_f^T (J_f J_f^T + mu 1)^-1 (w - J_h v_h - J_f v0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from kinetree.algorithms.inverse_kinematics import POSITIONS, damped, length_of, positions_of, rows, scales_of
from kinetree.algorithms.kinematics import difference
from kinetree.algorithms.symmetric import Factorisation
from kinetree.algorithms.tasks import KinematicTask
from kinetree.model import Mechanism
from kinetree.scalar import Real, Vector, dot, maximum, minimum, select

TURNS = 5  # steps for each joint, at the most; two are many
ROUNDING = 1e-9  # of a pull against a limit


@dataclass(frozen=True)
class VelocityProblem:
    """What the velocities shall fulfil.

    Args:
        q: the positions.
        motions: the wanted velocities of the tasks.
        lower, upper: limits of the positions.
        speed: of the velocities, both ways.
        dt: the time after which the positions shall be inside their limits.
        damping: mu.
        preferred: a configuration to go to where the tasks leave a choice, if there is one.
    """

    q: Vector
    motions: Sequence[Any]
    lower: Vector
    upper: Vector
    speed: Vector
    dt: Real
    damping: Real
    preferred: Vector | None


@dataclass(frozen=True)
class ActiveSet:
    """Velocities inside the limits, which joints are held at a limit (-1 lower, 1 upper, 0 free), and steps so far."""

    v: Vector
    held: Vector
    count: Any


def inverse_velocity_step(
    robot: Mechanism, tasks: Sequence[KinematicTask], problem: VelocityProblem, state: ActiveSet
) -> tuple[ActiveSet, Any]:
    """The active set after one step, and whether to go on: 1.0 or 0.0."""
    q, mu = problem.q, problem.damping
    length = length_of(robot, tasks)
    wanted = [(t.weight, t.velocity(robot, q, m), t.jacobian(robot, q)) for t, m in zip(tasks, problem.motions)]
    w, J = rows(wanted, POSITIONS / length)
    scales, (low, high) = scales_of(robot, length), bounds(robot, problem)
    v = [_inside(x, lo, hi) for x, lo, hi in zip(state.v, low, high)]
    home = [0.0] * robot.nv
    if problem.preferred is not None:
        home = difference(robot, q, problem.preferred)

    # the minimum over the free joints; a unit of a velocity counts as in inverse kinematics
    is_held = [(h < 0.0) | (h > 0.0) for h in state.held]
    columns = [[s * select(b, 0.0, x) for x in column] for s, b, column in zip(scales, is_held, zip(*J))]
    fixed = [select(b, x, h) for b, x, h in zip(is_held, v, home)]
    missing = [x - dot(row, fixed) for x, row in zip(w, J)]
    y = Factorisation(damped([*zip(*columns)], mu)).solve(missing)
    way = [select(b, 0.0, h + s * dot(c, y) - x) for b, h, s, c, x in zip(is_held, home, scales, columns, v)]

    # as far as the first limit
    ratios = [_ratio(d, x, lo, hi) for d, x, lo, hi in zip(way, v, low, high)]
    part = reduce(minimum, ratios, 1.0)
    stopped = [(r <= part) & (r < 1.0) for r in ratios]
    moved = [x + part * d for x, d in zip(v, way)]
    v = [select(b, select(d < 0.0, lo, hi), _inside(x, lo, hi))
         for b, d, x, lo, hi in zip(stopped, way, moved, low, high)]  # fmt: skip
    held = [select(b, select(d < 0.0, -1.0, 1.0), h) for b, d, h in zip(stopped, way, state.held)]

    # at the minimum: free the joint that is held against its pull most
    left = [x - dot(row, v) for x, row in zip(w, J)]
    pulls = [s * dot(column, left) - mu * (x - h) / s for s, column, x, h in zip(scales, zip(*J), v, home)]
    wrong = [-(h * p) for h, p in zip(state.held, pulls)]
    worst = reduce(maximum, wrong)
    arrived = ~(part < 1.0)
    held = [select(arrived & (x >= worst) & (x > ROUNDING), 0.0, h) for x, h in zip(wrong, held)]
    count = state.count + 1.0
    again = (~arrived | (worst > ROUNDING)) & (count < float(TURNS * robot.nv))
    return ActiveSet(v, held, count), select(again, 1.0, 0.0)


def bounds(robot: Mechanism, problem: VelocityProblem) -> tuple[list[Any], list[Any]]:
    """The least and the largest velocities: back inside the limits of the positions as fast as is allowed."""
    low, high = [], []
    for k, speed in zip(positions_of(robot), problem.speed):
        for limits, ends, side in ((problem.lower, low, -1.0), (problem.upper, high, 1.0)):
            if k is None:
                ends.append(side * speed)
            else:
                ends.append(_inside((limits[k] - problem.q[k]) / problem.dt, -speed, speed))
    return low, high


def _inside(x: Any, low: Any, high: Any) -> Any:
    """The nearest number inside limits; NaN stays NaN."""
    return select(x > high, high, select(x < low, low, x))


def _ratio(way: Any, x: Any, low: Any, high: Any) -> Any:
    """The part of the way at which a limit is; 1 where it is not on the way."""
    end = select(way < 0.0, low, high)
    beyond = ((way < 0.0) & (x + way < low)) | ((way > 0.0) & (x + way > high))
    return select(beyond, (end - x) / select(beyond, way, 1.0), 1.0)
