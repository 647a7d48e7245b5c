"""A primal-dual interior-point method whose steps need a small dense matrix only, however many rows there are.

Rows l <= g(x) <= u get slacks s with multipliers z_l, z_u of their limits; equations c(x) = 0 have multipliers y. What
belongs to the rows is eliminated, and each step solves

    (H + J^T S J) dx + J_c^T y = - grad f - J^T (mu / (u - s) - mu / (s - l) + S (g - s)),      J_c dx = - c,
    S = z_l / (s - l) + z_u / (u - s),      ds = J dx + g - s,

in as many unknowns as there are control points. The matrix is put together from the small ones of the places of a
motion. A multiple of the identity makes it positive definite where it is not; a filter and a second-order correction
choose the length of a step. Reference: [Waechter2006] sections 2 and 3; the barrier as in [Vanderbei1999] at first.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.condensed import Iterate, View
from kinetree.plan.solver import Ending, Solution, interruptions
from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]
_PUSH, _NEAR = 1e-2, 1e-8  # how far from their limits slacks start, at first and, at least, when going on
_ARMIJO, _GAIN, _HALVINGS = 1e-4, 1e-5, 25
_GIVE = 1e-10  # of equations
_FEASIBLE = 1e-6  # relative violation up to which a point may be kept
_PATIENCE = 6  # steps without progress after which the barrier falls step by step


@dataclass
class _Step:
    """A direction, and how far slacks and multipliers let it go."""

    dx: Array
    ds: Array
    y: Array
    length: float


class _Method:
    """The state of the method between its steps."""

    def __init__(self, view: View, at: Iterate, mu: float, tolerance: float, following: bool) -> None:
        self.view, self.at, self.mu, self.tolerance = view, at, mu, tolerance
        self.following = following  # whether the barrier follows the complementarity, or falls step by step
        self.filter: list[tuple[float, float]] = []
        self.shift = 0.0
        self.errors: list[float] = []
        self.gradient, self.J = view.slopes(at.x)
        self.widest = max(1.0, view.gap(at))

    def error(self) -> float:
        """The largest residual of the conditions of optimality; prepares the barrier for the next step."""
        view, at = self.view, self.at
        products = np.r_[(at.zl * view.below(at.s))[view.has_l], (at.zu * view.above(at.s))[view.has_u]]
        residual = self.gradient + view.transposed(self.J, at.zu - at.zl, at.y)
        rows = max(1, len(at.g) + len(at.c))
        scale = max(1.0, float(at.zl.sum() + at.zu.sum() + np.abs(at.y).sum()) / (100.0 * rows))
        dual = float(np.abs(residual).max(initial=0.0)) / scale
        primal = float(max(np.abs(at.g - at.s).max(initial=0.0), np.abs(at.c).max(initial=0.0)))
        found = max(dual, primal, float(products.max(initial=0.0)) / scale)
        self._lower_barrier(found, max(dual, primal), products, scale)
        return found

    def _lower_barrier(self, error: float, others: float, products: Array, scale: float) -> None:
        least = self.tolerance / 10.0
        if not len(products):
            self.mu = least
            return
        if self.following:
            self.errors.append(error)
            recent = self.errors[-_PATIENCE:-1]
            if len(recent) < _PATIENCE - 1 or error < max(recent):
                mean = float(products.mean())
                evenness = max(float(products.min()) / mean, 1e-12)
                self.mu = max(least, 0.1 * min(0.05 * (1.0 - evenness) / evenness, 2.0) ** 3 * mean)
                self.filter = []
                return
            self.fall_back(float(products.mean()))
        while self.mu > least and max(others, float(np.abs(products - self.mu).max()) / scale) <= 10.0 * self.mu:
            self.mu = max(least, min(0.2 * self.mu, self.mu**1.5))
            self.filter = []

    def fall_back(self, mean: float) -> None:
        """From here on the barrier falls step by step."""
        self.following, self.mu, self.filter = False, max(10.0 * self.mu, 0.8 * mean), []

    def step(self) -> bool:
        """One step; says whether there was one."""
        view, at, mu = self.view, self.at, self.mu
        below, above = view.below(at.s), view.above(at.s)
        S = at.zl / below + at.zu / above
        solve = self._factored(view.matrix(at, S))
        if solve is None:
            return False
        pull = view.has_u * mu / above - view.has_l * mu / below

        def direction(gap: Array, c: Array) -> _Step:
            dx, y = solve(-(self.gradient + view.transposed(self.J, pull + S * gap, np.zeros_like(at.y))), -c)
            ds = view.times(self.J, dx) + gap
            room = ((-ds[view.has_l], below[view.has_l]), (ds[view.has_u], above[view.has_u]))
            return _Step(dx, ds, y, min(_longest(d, r, mu) for d, r in room))

        way = direction(at.g - at.s, at.c)
        dzl = view.has_l * (mu / below - at.zl - at.zl / below * way.ds)
        dzu = view.has_u * (mu / above - at.zu + at.zu / above * way.ds)
        found = self._searched(way, direction)
        if found is None:
            if not self.following:
                return False
            self.fall_back(float(np.r_[(at.zl * below)[view.has_l], (at.zu * above)[view.has_u]].mean()))
            return True
        a = min(_longest(-dzl, at.zl, mu), _longest(-dzu, at.zu, mu))
        below, above = view.below(found.s), view.above(found.s)
        found.zl = view.has_l * np.clip(at.zl + a * dzl, mu / (1e10 * below), 1e10 * mu / below)
        found.zu = view.has_u * np.clip(at.zu + a * dzu, mu / (1e10 * above), 1e10 * mu / above)
        self.at = found
        self.gradient, self.J = view.slopes(found.x)
        return True

    def _factored(self, K: Array) -> Callable[[Array, Array], tuple[Array, Array]] | None:
        """The solution of the condensed system, made positive definite where the equations allow motion."""
        if not np.isfinite(K).all():
            return None
        n, _, k = self.view.sizes
        rows = self.view.equation_rows(self.J) if k else np.zeros((0, n))
        held = 10.0 * float(np.abs(np.diag(K)).mean()) * (rows.T @ rows) if k else 0.0
        shift = 0.0
        while True:
            shifted = K + shift * np.eye(n) if shift else K
            try:
                np.linalg.cholesky(shifted + held)
                break
            except np.linalg.LinAlgError:
                first = max(1e-10, self.shift / 3.0) if self.shift else 1e-4
                shift = first if not shift else shift * (8.0 if self.shift else 100.0)
                if not shift < 1e30:
                    return None
        self.shift = shift or self.shift
        if not k:
            return lambda r, _: (np.asarray(np.linalg.solve(shifted, r), np.float64), self.at.y)
        # a little give keeps equations that say the same twice from making it singular
        whole = np.block([[shifted, rows.T], [rows, -_GIVE * np.eye(k)]])

        def solve(r: Array, c: Array) -> tuple[Array, Array]:
            found = np.linalg.solve(whole, np.r_[r, c])
            return found[:n], found[n:]

        return solve

    # -- the length of a step ----------------------------------------------------------------------------------------

    def _searched(self, way: _Step, direction: Callable[[Array, Array], _Step]) -> Iterate | None:
        """The first point along the way that is better in one sense and worse in none."""
        view, at = self.view, self.at
        gap, cost = view.gap(at), view.barrier(at, self.mu)
        below, above = view.below(at.s), view.above(at.s)
        logs = (way.ds / below)[view.has_l].sum() - (way.ds / above)[view.has_u].sum()
        slope = float(self.gradient @ way.dx - self.mu * logs)
        a = way.length
        for trial in range(_HALVINGS):
            there = self._moved(way, a)
            if self._accepted(there, gap, cost, slope, a):
                return there
            if trial == 0 and there is not None and view.gap(there) >= gap:
                corrected = direction((there.g - there.s) + a * (at.g - at.s), there.c + a * at.c)
                there = self._moved(corrected, corrected.length)
                if self._accepted(there, gap, cost, slope, a):
                    return there
            a *= 0.5
        return None

    def _moved(self, way: _Step, a: float) -> Iterate | None:
        x = self.at.x.copy()
        x[self.view.free] += a * way.dx
        if not x[-1] > 0.0:  # a duration
            return None
        with np.errstate(all="ignore"):
            f, g, c = self.view.values(x)
        if not (math.isfinite(f) and np.isfinite(g).all() and np.isfinite(c).all()):
            return None
        y = self.at.y + a * (way.y - self.at.y)
        return Iterate(x, self.at.s + a * way.ds, self.at.zl, self.at.zu, y, f, g, c)

    def _accepted(self, there: Iterate | None, gap: float, cost: float, slope: float, a: float) -> bool:
        if there is None:
            return False
        new_gap, new_cost = self.view.gap(there), self.view.barrier(there, self.mu)
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


def _longest(change: Array, room: Array, mu: float) -> float:
    """How much of a change leaves a little of the room, at most all of it."""
    growing = change > 0.0
    return min(1.0, float((max(0.99, 1.0 - mu) * room[growing] / change[growing]).min(initial=1.0)))


def solve(
    problem: Transcription,
    start: Array,
    lower: Array,
    upper: Array,
    *,
    tolerance: float = 1e-7,
    iterations: int = 400,
    multipliers: tuple[Array, Array, Array] | None = None,
    nearness: float = 1e-8,
    tell: Callable[[int, float, float], bool] | None = None,
) -> Solution:
    """Solve a problem from a start, or go on from a solution; arguments as for `kinetree.plan.solver.solve`."""
    began = time.perf_counter()
    view = View(problem, lower, upper)
    method = _Method(view, *_started(view, start, lower, upper, multipliers, nearness), tolerance, multipliers is None)
    ending, count, kept = Ending.LIMIT, 0, _Kept()
    with interruptions() as stopped:
        for count in range(iterations + 1):
            error = method.error()
            kept.look_at(view, method.at)
            if error <= tolerance:
                ending = Ending.OPTIMAL
                break
            told = tell is None or tell(count, method.at.f, float(np.abs(method.at.g - method.at.s).max(initial=0.0)))
            if stopped() or not told:
                ending = Ending.INTERRUPTED
                break
            if count == iterations or not method.step():
                ending = Ending.LIMIT if count == iterations else Ending.FAILED
                break
    at = method.at
    x = at.x if ending is Ending.OPTIMAL or kept.x is None else kept.x
    seconds = time.perf_counter() - began
    return Solution(x, ending, problem.objective(x), problem.violation(x), count, seconds, _multipliers(view, at))


@dataclass
class _Kept:
    """The best point so far that keeps all limits."""

    x: Array | None = None
    f: float = math.inf

    def look_at(self, view: View, at: Iterate) -> None:
        if at.f < self.f and view.violation(at) <= _FEASIBLE:
            self.x, self.f = at.x, at.f


def _started(
    view: View, start: Array, lower: Array, upper: Array, multipliers: Any, nearness: float
) -> tuple[Iterate, float]:
    """The first iterate, inside its limits, and the first barrier."""
    x = np.clip(start, lower, upper)
    f, g, c = view.values(x)
    width = np.where(view.has_l & view.has_u, view.u - view.l, np.inf)
    push = (_PUSH if multipliers is None else max(_NEAR, min(_PUSH, 10.0 * nearness))) * np.minimum(1.0, width)
    s = np.where(view.has_l, np.maximum(g, view.l + push), g)
    s = np.where(view.has_u, np.minimum(s, view.u - push), s)
    if multipliers is None:
        return Iterate(x, s, view.has_l * 1.0, view.has_u * 1.0, np.zeros(len(c)), f, g, c), 0.1
    of_rows, of_lower, of_upper = multipliers
    z = np.r_[of_rows[view.limited], (of_upper - of_lower)[view.own]]
    zl = view.has_l * np.maximum(-z, nearness / view.below(s))
    zu = view.has_u * np.maximum(z, nearness / view.above(s))
    return Iterate(x, s, zl, zu, of_rows[view.equations], f, g, c), nearness


def _multipliers(view: View, at: Iterate) -> tuple[Array, Array, Array]:
    """Of all rows, of lower and of upper bounds, as the start of another solution wants them."""
    of_rows, (of_lower, of_upper) = np.zeros(len(view.problem.lower)), np.zeros((2, view.problem.size))
    n = len(view.limited)
    of_rows[view.limited], of_rows[view.equations] = (at.zu - at.zl)[:n], at.y
    of_lower[view.own], of_upper[view.own] = at.zl[n:], at.zu[n:]
    return of_rows, of_lower, of_upper
