"""Several guesses of one motion: how many are worth trying, and which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kinetree.joints import Prismatic
from kinetree.plan.constraints import ALWAYS, position_limits
from kinetree.plan.coordinates import JointCoordinates
from kinetree.plan.guess import first_guess, timed
from kinetree.plan.options import Options
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.basis import Array

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

_GUESSES, _FEWER = 24, 8  # by default, at the most: under limits of force alone; of velocities, where an end moves
_BENT, _PUSHED = 1.5, 0.3  # rad, m, how far joints are bent to a side
_FIRST, _PER_JOINT = 0.3, 0.35  # of that, the first joint, and from joint to joint further out
_SIZES = (1.0, 0.6)  # of all that, in turn
_SWAYS = 4  # every so many guesses one sways


def guesses_of(problem: Problem, options: Options) -> int:
    """How many guesses are tried: one where only one can be, or where other optima are rare."""
    orders = {c.quantity.order for c in problem.constraints}
    least, most = problem.durations
    short = problem.time_weight > 0.0 and not problem.costs and least < most and problem.periodic_order is None
    exact = any(c.equality.any() for c in problem.constraints)
    several = problem.coordinates.size > 1 and isinstance(problem.coordinates, JointCoordinates)
    moves = problem.scene is not None and problem.scene.moves
    if not (short and several and orders) or exact or moves or options.elastic:
        return 1
    if options.guesses is not None:
        return options.guesses
    forces_alone = max(orders) > 1 and 1 not in orders
    return _GUESSES if forces_alone else _FEWER if _ends_move(problem) else 1


def _ends_move(problem: Problem) -> bool:
    """Whether the start or the goal has a velocity."""
    ends = [c for c in problem.point_constraints if c.s in ALWAYS and c.quantity == problem.coordinates.linear(1)]
    return any(c.equality and c.lower.any() for c in ends)


def several_guesses(transcriber: Transcriber, count: int, seed: int) -> Iterator[Array]:
    """The usual one; others that bend each joint to one side or the other, far or less far, or that sway at random."""
    usual, random, n = first_guess(transcriber), np.random.default_rng(seed), transcriber.shape[1]
    yield usual
    P, bump = usual[:-1].reshape(-1, n), np.sin(np.pi * transcriber.spline.greville[:, None]) ** 2
    far = _reaches(transcriber.problem) * np.minimum(1.0, _FIRST + _PER_JOINT * np.arange(n))
    lower, upper = position_limits(transcriber.problem.constraints, n)
    for k in range(1, count):
        if k % _SWAYS == 0:
            yield first_guess(transcriber, random)
        else:
            bent = P + bump * far * random.choice((-1.0, 1.0), n) * _SIZES[k % 2]
            yield timed(transcriber, np.clip(bent, np.minimum(lower, P), np.maximum(upper, P)))


def _reaches(problem: Problem) -> Array:
    """How far each coordinate is bent [rad, m]."""
    kinds = [body.joint.kind for body in problem.robot.bodies if body.joint.kind.nv]
    if len(kinds) != problem.coordinates.size:  # joints of several coordinates, or mimics
        return np.full(problem.coordinates.size, _BENT)
    return np.array([_PUSHED if isinstance(kind, Prismatic) else _BENT for kind in kinds])


def within(transcriber: Transcriber, P: Array, duration: float) -> Array:
    """Variables with the ends where the problem wants them."""
    bounds = transcriber.bounds
    return transcriber.completed(np.clip(np.append(P, duration), bounds.lower, bounds.upper))
