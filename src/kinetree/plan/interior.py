"""A primal-dual interior-point method whose steps need a small dense matrix only, however many rows there are.

Rows l <= g(x) <= u get slacks s; their distances d = (s - l, u - s) from the limits have multipliers z; equations
c(x) = 0 have multipliers y. What belongs to the rows is eliminated, and each step to products d z = t solves

    (H + J^T S J) dx + J_c^T y = - grad f - J^T (t_u / d_u - t_l / d_l + S (g - s)),      J_c dx = - c,
    S = z_l / d_l + z_u / d_u,      ds = J dx + g - s,      dz = t / d - z - (z / d) dd,

in as many unknowns as there are control points. The matrix is put together from the small ones of the places of a
motion. A multiple of the identity makes it positive definite where it is not. A first solution with t = 0 says how low
the barrier mu may be, and how much products bend: t = mu - dd dz ([Mehrotra1992]). A filter and a
second-order correction choose the length of a step. Where that does not get nearer, the barrier falls step by step.
Reference: [Waechter2006] sections 2 and 3.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.condensed import Sides, Solve, View, positive
from kinetree.plan.solver import Ending, Solution, interruptions
from kinetree.plan.starting import Point, started
from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]
_ARMIJO, _GAIN, _HALVINGS = 1e-4, 1e-5, 25
_FEW = 3  # lengths that are tried with bent products
_FEASIBLE, _FAR = 1e-6, 0.1  # relative violation up to which a point may be kept, and where none is looked for
_PATIENCE = 6  # steps without progress after which the barrier falls step by step
_SHORT, _NEAR, _BEND = 0.1, 3.0, 10.0  # no bending after so short a first step, so near the end; how much at the most
_LEARNT = 0.2  # of the barrier, what is left at least in a step with second derivatives that are learnt
_sum, _min, _max = np.add.reduce, np.minimum.reduce, np.maximum.reduce  # quicker than methods of short arrays
_APART = 1e10  # how far multipliers may be from those of the barrier, as a factor


class _Step(NamedTuple):
    """A direction: of unknowns, slacks, distances relative to themselves, and multipliers of equations."""

    dx: Array
    ds: Array
    closer: Array
    y: Array


class _Method:
    """The state of the method between its steps."""

    def __init__(self, view: View, sides: Sides, at: Point, mu: float, tolerance: float) -> None:
        self.view, self.sides, self.at, self.mu = view, sides, at, mu
        self.tolerance, self.least = tolerance, tolerance / 10.0
        self.following = True  # whether the barrier follows the complementarity, or falls step by step
        self.filter: list[tuple[float, float]] = []
        self.shift, self.equations = 0.0, np.zeros((0, view.sizes[0]))
        self.errors: list[float] = []
        self.widest = max(1.0, at.gap)
        self._differentiate()

    def _differentiate(self) -> None:
        """All derivatives here: J^T times multipliers, times 1 / d, and times S (g - s)."""
        at, sides = self.at, self.sides
        self.inverse = 1.0 / at.d
        self.S = sides.summed(at.z * self.inverse)
        z = sides.pulled(at.z)
        self.found = self.view.derivatives(at.x, z, at.y, self.S)
        vectors = np.empty((3, len(z)))
        vectors[0], vectors[1], vectors[2] = z, sides.pulled(self.inverse), self.S * at.missing
        self.pulls = self.view.transposed(self.found.slopes, vectors, 0.0)
        self.uphill = self.found.gradient + self.pulls[2]
        self.products = at.d * at.z
        self.total = float(_sum(self.products))
        if len(at.y):
            self.equations = self.view.equation_rows(self.found.slopes)

    def error(self) -> float:
        """The largest residual of the conditions of optimality."""
        at, found = self.at, self.found
        residual = found.gradient + self.pulls[0]
        if len(at.y):
            residual = residual + self.equations.T @ at.y
        size = float(_sum(at.z)) + (float(np.abs(at.y).sum()) if len(at.y) else 0.0)
        scale = max(1.0, size / (100.0 * max(1, len(at.g) + len(at.c))))
        others = max(_largest(residual) / scale, at.farthest, _largest(at.c))
        self.mean = self.total / max(1, len(self.products))
        error = max(others, float(_max(self.products, initial=0.0)) / scale)
        if self.following:
            self.errors.append(error)
            if len(self.errors) >= _PATIENCE and error >= max(self.errors[-_PATIENCE:-1]):
                self._fall_back()
        elif len(self.products):
            self._lower_barrier(others, scale)
        return error

    def _lower_barrier(self, others: float, scale: float) -> None:
        while self.mu > self.least:
            if max(others, _largest(self.products - self.mu) / scale) > 10.0 * self.mu:
                break
            self.mu = max(self.least, min(0.2 * self.mu, self.mu**1.5))
            self.filter = []

    def _fall_back(self) -> None:
        """From here on the barrier falls step by step."""
        self.following, self.mu, self.filter = False, max(10.0 * self.mu, 0.8 * self.mean, self.least), []

    # -- a step --------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """One step; says whether there was one."""
        factored = positive(self.found.matrix, self.equations, self.shift, self.view.pattern)
        if factored is None:
            return False
        solve, self.shift = factored
        bend = None
        if self.following:
            self.filter = []
            bend = self._looked_ahead(solve)
        found = None if bend is None else self._searched(solve, bend, _FEW)
        found = found or self._searched(solve, None, _HALVINGS)
        if found is None:
            if not self.following:
                return False
            self._fall_back()
            return True
        there, way, bend = found
        at, near = self.at, self.mu / there.d
        target = self.mu if bend is None else self.mu - bend
        dz = target * self.inverse - at.z * (1.0 + way.closer)
        a = _longest(dz / at.z, max(0.99, 1.0 - self.mu))
        there.z = np.minimum(np.maximum(at.z + a * dz, near / _APART), near * _APART)
        self.at = there
        self._differentiate()
        return True

    def _looked_ahead(self, solve: Solve) -> Array | None:
        """How much products bend on the way to zero, where that says something; the barrier is chosen by it.

        On that way dz / z = -1 - dd / d.
        """
        at = self.at
        if self.mean <= _NEAR * self.least:
            self.mu = self.least
            return None
        way = self._direction(solve, 0.0, None, at.missing, at.c)
        other = -1.0 - way.closer
        a, b = _longest(way.closer, 1.0), _longest(other, 1.0)
        with_d = self.products * way.closer  # dd z, and d dz = - d z - dd z
        with_both = with_d * other  # dd dz
        change = float(_sum(with_d))
        left = self.mean + (a * change - b * (self.total + change) + a * b * float(_sum(with_both))) / len(other)
        self.mu = max(self.least, min(0.8, max(left / self.mean, 0.0)) ** 3 * self.mean)
        if self.view.other_objective:  # second derivatives that are learnt on the way are not good enough for more
            self.mu = max(self.mu, _LEARNT * self.mean)
            return None
        if min(a, b) <= _SHORT:
            return None
        return np.minimum(np.maximum(with_both, -_BEND * self.mean), _BEND * self.mean)

    def _direction(self, solve: Solve, mu: float, bend: Array | None, missing: Array, c: Array) -> _Step:
        """To products of the barrier less the bend."""
        at, view, found = self.at, self.view, self.found
        downhill = -mu * self.pulls[1] - self.uphill
        if missing is not at.missing:
            downhill -= view.transposed(found.slopes, self.S * (missing - at.missing), 0.0)
        if bend is not None:
            downhill += view.transposed(found.slopes, self.sides.pulled(bend * self.inverse), 0.0)
        dx, y = solve(downhill, -c)
        ds = view.times(found.slopes, dx) + missing
        return _Step(dx, ds, self.sides.changes(ds) * self.inverse, y)

    # -- the length of a step ----------------------------------------------------------------------------------------

    def _searched(self, solve: Solve, bend: Array | None, most: int) -> tuple[Point, _Step, Array | None] | None:
        """The first point on the way that is better in one sense and worse in none, the way, and the bend."""
        at, mu, room = self.at, self.mu, max(0.99, 1.0 - self.mu)
        way = self._direction(solve, mu, bend, at.missing, at.c)
        cost = self._cost(at)
        slope = float(self.found.gradient @ way.dx - mu * _sum(way.closer))
        a = _longest(way.closer, room)
        for trial in range(most):
            there = self._moved(way, a)
            if there is not None and self._accepted(there, cost, slope, a):
                return there, way, bend
            if trial == 0 and there is not None and there.gap >= at.gap:
                missing, c = there.missing + a * at.missing, there.c + a * at.c
                corrected = self._direction(solve, mu, bend, missing, c)
                there = self._moved(corrected, _longest(corrected.closer, room))
                if there is not None and self._accepted(there, cost, slope, a):
                    return there, way, bend
            a *= 0.5
        return None

    def _moved(self, way: _Step, a: float) -> Point | None:
        at = self.at
        x = at.x.copy()
        x[self.view.free] += a * way.dx
        if not x[-1] > 0.0:  # a duration
            return None
        values = self.view.values(x)
        y = at.y + a * (way.y - at.y) if len(at.y) else at.y
        there = Point(x, at.s + a * way.ds, at.d * (1.0 + a * way.closer), at.z, y, *values)
        return there if math.isfinite(there.f) and math.isfinite(there.gap) else None

    def _cost(self, at: Point) -> float:
        return at.f - self.mu * at.logs

    def _accepted(self, there: Point, cost: float, slope: float, a: float) -> bool:
        gap, new_gap, new_cost = self.at.gap, there.gap, self._cost(there)
        barred = any(new_gap >= g and new_cost >= c for g, c in self.filter)
        if barred or not math.isfinite(new_cost) or new_gap > 1e4 * self.widest:
            return False
        if gap <= 1e-4 * self.widest and slope < 0.0 and a * (-slope) ** 2.3 > gap**1.1:
            return new_cost <= cost + _ARMIJO * a * slope + 1e-13 * abs(cost)
        resting = new_gap <= 1e-9 and abs(new_cost - cost) <= 1e-11 * (1.0 + abs(cost))
        if new_gap <= (1.0 - _GAIN) * gap or new_cost <= cost - _GAIN * gap or resting:
            self.filter.append(((1.0 - _GAIN) * gap, cost - _GAIN * gap))
            return True
        return False


def _longest(relative: Array, room: float) -> float:
    """How much of a change, relative to what shall stay above zero, takes at most a part of that; at most all of it."""
    fall = -float(_min(relative, initial=0.0))
    return 1.0 if fall <= room else room / fall


def _largest(values: Array) -> float:
    return float(_max(np.abs(values))) if len(values) else 0.0


def solve(
    problem: Transcription,
    start: Array,
    lower: Array,
    upper: Array,
    *,
    tolerance: float = 1e-7,
    iterations: int = 400,
    multipliers: tuple[Array, Array, Array] | None = None,
    nearness: float = 1e-7,
    enough: float = 0.0,
    tell: Callable[[int, float, float], bool] | None = None,
) -> Solution:
    """Solve a problem from a start, or go on from a solution; arguments as for `kinetree.plan.solver.solve`.

    ``enough`` is a larger tolerance that ends it, for a solution from which another search goes on.
    """
    began = time.perf_counter()
    view = View(problem, lower, upper, packed=True)
    sides = Sides(view)
    method = _Method(view, sides, *started(view, sides, start, lower, upper, multipliers, nearness), tolerance)
    ending, count, error, kept = Ending.LIMIT, 0, math.inf, _Kept(sides)
    with interruptions() as stopped, np.errstate(all="ignore"):
        for count in range(iterations + 1):
            error = method.error()
            kept.look_at(method.at)
            if error <= max(tolerance, enough):
                ending = Ending.OPTIMAL
                break
            told = tell is None or tell(count, method.at.f, method.at.farthest)
            if stopped() or not told:
                ending = Ending.INTERRUPTED
                break
            if count == iterations or not method.step():
                ending = Ending.LIMIT if count == iterations else Ending.FAILED
                break
    at = method.at
    x = at.x if ending is Ending.OPTIMAL or kept.x is None else kept.x
    seconds = time.perf_counter() - began
    of_all = view.multipliers(sides.pulled(at.z), at.y)
    is_rough = ending is Ending.OPTIMAL and error > tolerance
    return Solution(x, ending, problem.objective(x), problem.violation(x), count, seconds, of_all, is_rough)


@dataclass
class _Kept:
    """The best point so far that keeps all limits."""

    sides: Sides
    x: Array | None = None
    f: float = math.inf

    def look_at(self, at: Point) -> None:
        if at.f >= self.f or at.farthest > _FAR:  # to the slacks, which are inside their limits
            return
        near = at.farthest <= _FEASIBLE
        if (near or self.sides.broken(at.g) <= _FEASIBLE) and _largest(at.c) <= _FEASIBLE:
            self.x, self.f = at.x, at.f
