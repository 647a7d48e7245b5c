"""A primal-dual interior-point method whose steps need a small matrix only, however many constraints there are.

Rows l <= g(x) <= u get slacks s; their distances d = (s - l, u - s) from the sides have multipliers z; equalities
c(x) = 0 have multipliers y. What belongs to the rows is eliminated, and each step to products d z = t solves

    (W + J^T S J) dx + A^T y = - grad f - J^T (t_u / d_u - t_l / d_l + S (g - s)),      A dx = - c,
    S = z_l / d_l + z_u / d_u,      ds = J dx + g - s,      dz = t / d - z - (z / d) dd,

in as many variables as x has. A multiple of the identity makes the matrix positive definite where it is not. Mehrotra's
predictor, a step to t = 0, says how low the barrier mu may be, and gives the corrector t = mu - dd dz [Mehrotra1992]. A
filter and a second-order correction choose the length of a step. Where that makes no progress the barrier becomes a
monotone one. Reference: [Waechter2006] sections 2 and 3.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from kinetree.nlp.best import FEASIBLE, Best
from kinetree.nlp.filter import Filter
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.iterate import Direction, Iterate, longest
from kinetree.nlp.kkt import Solve, factorised
from kinetree.nlp.problem import Problem
from kinetree.nlp.solution import UNBOUNDED, Callback, Multipliers, Solution, Start, Termination
from kinetree.nlp.standard_form import StandardForm
from kinetree.nlp.start import initial
from kinetree.runtime.arrays import Array
from kinetree.runtime.barrier import functions
from kinetree.runtime.blas import one_blas_thread

_HALVINGS, _CORRECTED = 25, 3  # lengths of a step that are tried, and with a corrector
_FAR = 0.1  # the residual g - s from which on a point is not looked at as a feasible one
_PATIENCE = 6  # steps without progress after which the barrier becomes a monotone one
_SHORT, _NEAR, _LARGEST = 0.1, 3.0, 10.0  # no corrector after so short a predictor, so near the end; its largest size
_AWAY = 300.0  # how much larger than the error the residual may become in a step
_STEEP, _ROUGH = 10.0, 1e-2  # gradients of the Lagrangian that are no matter: in units of the gap; at the target
_QUASI_NEWTON = 0.2  # the least fall of the barrier in a step where W is not exact
_Corrector = tuple[Array, Array]  # dd dz of the predictor, and what it adds to a right side


@dataclass(frozen=True)
class Interior:
    """A primal-dual interior-point method for small or condensed problems.

    It has no restoration phase: far from feasible points it may stall, and it can't tell that there are none. `Elastic`
    and `Ipopt` can; `Fallback` asks one of them then.

    Args:
        tolerance: of the conditions of optimality.
        iterations: at the most.
        acceptable: a larger tolerance that is enough, for a solution from which another one starts.
        gap: a part of the objective that may be missing to the best one, which is enough too, where the gradient of the
            Lagrangian is no larger than ten times that.
        feasible: how far constraints may be violated for that, or for what is acceptable; as much by default.
        target: an objective that is enough: that of a solution with fewer constraints, for example.

    Example:
        >>> from kinetree.nlp import Bounds, DenseProblem
        >>> problem = DenseProblem(
        ...     Bounds(np.array([0.0, 0.0]), np.array([np.inf, 0.3])),
        ...     lambda x: x @ x - 2.0 * x.sum(),
        ...     lambda x: 2.0 * x - 2.0,
        ...     lambda x, y, weight: 2.0 * weight * np.eye(2),
        ... )
        >>> solution = Interior().solve(problem, Start(np.array([3.0, 0.1])))
        >>> solution.termination.name, solution.x.round(6), solution.multipliers.upper.round(5)
        ('CONVERGED', array([1. , 0.3]), array([0. , 1.4]))
    """

    tolerance: float = 1e-7
    iterations: int = 400
    acceptable: float = 0.0
    gap: float = 0.0
    feasible: float | None = None
    target: float = -math.inf

    def unavailable(self) -> str:
        return ""

    def _accepts(self, method: _Method, error: float) -> bool:
        most, f = max(self.acceptable, self.gap), method.at.f
        feasible = method.violation <= (most if self.feasible is None else self.feasible)
        best = abs(f - self.target) <= self.tolerance * abs(f) and method.dual <= _ROUGH
        return feasible and (best or error <= self.acceptable or method.is_within(self.gap))

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        """The solution from a start, see `kinetree.nlp.solution.Solver`."""
        began, form, best = time.perf_counter(), StandardForm(problem), Best()
        with interruptions() as interrupted, one_blas_thread(), np.errstate(all="ignore"):
            first = initial(form, start)
            if first is None or not math.isfinite(first[0].infeasibility):
                none = form.multipliers(np.zeros(form.sides.rows), np.zeros(len(form.equalities)))
                return Solution.at(start.inside(problem.bounds), problem, Termination.EVALUATION_ERROR, 0, began, none)
            method = _Method(form, *first, self.tolerance)
            count, why = 0, None
            while why is None:
                error = method.error()
                method.show(best)
                if error <= self.tolerance:
                    why = Termination.CONVERGED
                elif self._accepts(method, error):
                    why = Termination.ACCEPTABLE
                elif not (callback is None or callback(count, method.at.f, method.at.residual_max)) or interrupted():
                    why = Termination.USER_STOP
                elif count == self.iterations:
                    why = Termination.ITERATION_LIMIT
                else:
                    why = method.step()
                    count += why is None
        x = best.returned(method.at.x, why)
        return Solution.at(x, problem, why, count, began, method.multipliers(), method.mu)


class _Method:
    """The state of the method between its steps."""

    def __init__(self, form: StandardForm, at: Iterate, mu: float, tolerance: float) -> None:
        self.form, self.sides, self.at, self.mu, self.least = form, form.sides, at, mu, tolerance / 10.0
        self.adaptive = True  # whether the barrier follows the predictor, or falls monotonically
        self.filter = Filter(at.infeasibility)
        self.shift, self.A = 0.0, np.zeros((0, len(form.free)))
        self.errors: list[float] = []
        self._weigh, self._ratios, self._correct, self._move, self._renew = functions()
        self._linearise()

    def _linearise(self) -> None:
        """The derivatives here: J^T times multipliers, times 1 / d, and times S (g - s)."""
        at, sides = self.at, self.sides
        self.inverse, self.products, self.S, vectors, sums = self._weigh(at.d, at.z, at.residual, sides.open)
        self.gradient, self.J, self.K = self.form.linearise(at.x, vectors[0], at.y, self.S)
        self.JTz, self.JTd, self.uphill = self.form.transpose_product(self.J, vectors)
        self.uphill += self.gradient
        self.total, self.largest, self.multiplier_sum = sums.tolist()
        self.mean = self.total / max(1, sides.count)
        if len(at.y):
            self.A = self.J.rows(self.form.equalities)

    def error(self) -> float:
        """The largest residual of the conditions of optimality."""
        at = self.at
        dual = self.gradient + self.JTz
        if len(at.y):
            dual = dual + self.A.T @ at.y
        size = self.multiplier_sum + (float(np.abs(at.y).sum()) if len(at.y) else 0.0)
        self.scale = max(1.0, size / (100.0 * max(1, len(at.g) + len(at.c))))
        self.dual, self.violation = _norm(dual) / self.scale, max(at.residual_max, _norm(at.c))
        self.others = max(self.dual, self.violation)
        self.errors.append(max(self.others, self.largest / self.scale))
        return self.errors[-1]

    def is_within(self, gap: float) -> bool:
        """Whether no more than a part of the objective is missing: the sum of d z, in a linear program."""
        return self.total <= gap * abs(self.at.f) and self.dual <= _STEEP * gap

    def show(self, best: Best) -> None:
        """A point that may be the best feasible one; slacks are inside, so that g is where it is near to them."""
        at = self.at
        if at.f < best.objective and at.residual_max <= _FAR:
            near = at.residual_max <= FEASIBLE
            best.consider(at.x, at.f, max(0.0 if near else self.sides.violation(at.g), _norm(at.c)))

    def multipliers(self) -> Multipliers:
        return self.form.multipliers(self.sides.row_multipliers(self.at.z), self.at.y)

    def step(self) -> Termination | None:
        """One step; says why there is none."""
        if self.at.f < UNBOUNDED:
            return Termination.DIVERGED
        self._update_barrier()
        system = factorised(self.K, self.A, self.at.y, self.shift, self.form.skyline)
        found = None
        if system is not None:
            solve, self.shift = system
            corrector = self._predicted(solve) if self.adaptive else None
            found = None if corrector is None else self._line_search(solve, corrector, _CORRECTED)
            found = found or self._line_search(solve, None, _HALVINGS)
        if found is not None:
            self._accept(*found)
        elif self.adaptive and system is not None:
            self._become_monotone()
        else:
            finite = np.isfinite(self.K).all() and np.isfinite(self.uphill).all()
            return Termination.STALLED if finite else Termination.EVALUATION_ERROR
        return None

    # -- the barrier -------------------------------------------------------------------------------------------------

    def _update_barrier(self) -> None:
        if self.adaptive:
            if len(self.errors) >= _PATIENCE and self.errors[-1] >= max(self.errors[-_PATIENCE:-1]):
                self._become_monotone()
            else:
                self.filter.clear()
            return
        while self.sides.count and self.mu > self.least:
            if max(self.others, _norm((self.products - self.mu) * self.sides.open) / self.scale) > 10.0 * self.mu:
                break
            self.mu = max(self.least, min(0.2 * self.mu, self.mu**1.5))
            self.filter.clear()

    def _become_monotone(self) -> None:
        self.adaptive, self.mu = False, max(10.0 * self.mu, 0.8 * self.mean, self.least)
        self.filter.clear()

    def _predicted(self, solve: Solve) -> _Corrector | None:
        """Choose the barrier by the predictor; gives the corrector where that helps.

        Along the predictor dz / z = -1 - dd / d.
        """
        at = self.at
        if self.mean <= _NEAR * self.least:
            self.mu = self.least
            return None
        predictor = self._direction(solve, 0.0, None, at.residual, at.c)
        least, largest, _, with_d, squares = predictor.sums
        a, b = longest(least, 1.0), longest(-1.0 - largest, 1.0)
        # the sums of dd z, of d dz = - d z - dd z, and of dd dz
        change = a * with_d - b * (self.total + with_d) - a * b * (with_d + squares)
        left = self.mean + change / self.sides.count
        self.mu = max(self.least, min(0.8, max(left / self.mean, 0.0)) ** 3 * self.mean)
        if not self.form.problem.exact_hessian:
            self.mu = max(self.mu, _QUASI_NEWTON * self.mean)
            return None
        if min(a, b) <= _SHORT:
            return None
        corrector, rows = self._correct(predictor.ds, self.inverse, self.products, np.array([_LARGEST * self.mean]))
        return corrector, self.form.transpose_product(self.J, rows)

    # -- direction, length, acceptance -------------------------------------------------------------------------------

    def _direction(self, solve: Solve, mu: float, corrector: _Corrector | None, residual: Array, c: Array) -> Direction:
        """To products d z of the barrier less the corrector."""
        form = self.form
        downhill = -mu * self.JTd - self.uphill
        if residual is not self.at.residual:
            downhill -= form.transpose_product(self.J, self.S * (residual - self.at.residual))
        if corrector is not None:
            downhill += corrector[1]
        dx, y = solve(downhill, -c)
        ds = form.product(self.J, dx)
        ds += residual
        relative, sums = self._ratios(ds, self.inverse, self.products)
        return Direction(dx, ds, relative, y, sums.tolist())

    def _line_search(
        self, solve: Solve, corrector: _Corrector | None, most: int
    ) -> tuple[Iterate, Direction, _Corrector | None] | None:
        """The first point along a direction that the filter accepts, the direction, and its corrector."""
        at, mu, room = self.at, self.mu, max(0.99, 1.0 - self.mu)
        direction = self._direction(solve, mu, corrector, at.residual, at.c)
        here = at.infeasibility, at.f - mu * at.logs
        slope = float(self.gradient @ direction.dx) - mu * direction.sums[2]
        a = longest(direction.sums[0], room)

        def accepts(to: Iterate) -> bool:
            if to.residual_max > _AWAY * self.errors[-1]:  # near the end a step must not lead far from it
                return False
            return self.filter.accepts(here, (to.infeasibility, to.f - mu * to.logs), slope, a)

        for trial in range(most):
            there = self._moved(direction, a)
            if there is not None and accepts(there):
                return there, direction, corrector
            if trial == 0 and there is not None and there.infeasibility >= at.infeasibility:  # second-order correction
                residual, c = there.residual + a * at.residual, there.c + a * at.c
                corrected = self._direction(solve, mu, corrector, residual, c)
                there = self._moved(corrected, longest(corrected.sums[0], room))
                if there is not None and accepts(there):
                    return there, direction, corrector
            a *= 0.5
        return None

    def _moved(self, direction: Direction, a: float) -> Iterate | None:
        """The point at the length a; None where a function is not finite there."""
        at = self.at
        x = at.x.copy()
        x[self.form.free] += a * direction.dx
        values = self.form.values(x)
        if values is None:
            return None
        y = at.y + a * (direction.y - at.y) if len(at.y) else at.y
        s, d, *known = self._move(at.s, direction.ds, at.d, direction.relative, values[1], np.array([a]))
        there = Iterate(x, s, d, at.z, y, values, (known[0], known[1]))
        return there if math.isfinite(there.infeasibility) else None

    def _accept(self, there: Iterate, direction: Direction, corrector: _Corrector | None) -> None:
        limits = np.array([self.mu, max(0.99, 1.0 - self.mu)])
        bent = np.zeros_like(there.d) if corrector is None else corrector[0]
        there.z, _ = self._renew(self.at.z, self.inverse, direction.relative, bent, there.d, self.sides.open, limits)
        self.at = there
        self._linearise()


def _norm(values: Array) -> float:
    return float(np.maximum.reduce(np.abs(values))) if len(values) else 0.0  # quicker than a method
