"""Elastic mode: every constraint may be violated, at a penalty, and the barrier falls along the central path.

A distance d = g - l >= 0 may be violated by p > 0 at the penalty rho p. With a barrier mu for p and for d + p the best
p is known in closed form, and what is left is a smooth function of d alone, near zero above and near -rho d below:

    phi(d) = rho p - mu log p - mu log(d + p),      p = (2 mu - rho d + sqrt(4 mu^2 + rho^2 d^2)) / (2 rho).

So there are no slacks that could jam, and equalities are constraints with two equal sides: Newton's method with the
matrix W + J^T S J goes downhill on f + sum phi from any start, with a multiple of the identity that is as large as the
model is bad. Its multipliers z = mu / (d + p) stay below rho. Each barrier problem is solved before the next: starts
that are not far from each other meet on the path of its minima. Where the penalty weight rho is too small for a
constraint it rises; where the largest does not help, no point near here satisfies all constraints, and the multipliers
tell which of them are in conflict, see `kinetree.nlp.conflict`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from kinetree.nlp.best import Best
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.problem import Jacobian, Problem
from kinetree.nlp.solution import UNBOUNDED, Callback, Multipliers, Solution, Start, Termination
from kinetree.nlp.standard_form import StandardForm
from kinetree.runtime.arrays import Array
from kinetree.runtime.blas import Cholesky, one_blas_thread

FAR, NEAR = 0.03, 1e-4  # first barriers: where no feasible point is known, and to stay near a known one
WEIGHT, _LARGEST_WEIGHT = 10.0, 1e3  # of the penalty
_TOO_LARGE = 100.0  # barriers that the penalty of a violation may be before its weight rises
_SOLVED_VIOLATED = 1e-4  # a gain of so much of the penalty is none
_GOOD, _FAIR, _BAD = 0.75, 0.25, 0.05  # what part of a gain that the model predicted came true
_RISE, _STEEPEST_RISE, _TRIALS = 2.0, 4.0, 60  # of the shift, the steeper the more trials fail
_SHIFT, _LEAST_SHIFT = 1e-3, 1e-10
_SPREAD = 1e8  # how far multipliers may be from mu / (d + p), as a factor
_TO_BOUND = 0.995  # of the way to their bounds 0 and rho, what multipliers may go in one step


class _Pace(NamedTuple):
    """How quickly the path is followed."""

    fall: float  # of the barrier, from one to the next
    solved: float  # a gain of so many barriers is none
    shift_fall: float  # by what the shift falls where the model is good


_CAREFUL, _QUICK = _Pace(0.2, 0.1, 3.0), _Pace(0.3, 0.5, 8.0)  # steps that are corrected find back to the path


@dataclass(frozen=True)
class Elastic:
    """Interior-point method in elastic mode: from far away, to the solution or to the least violation.

    It wants a problem that is scaled: variables, objective and violations of about 1. Constraints whose multipliers are
    above 1e3, the largest penalty weight, count as impossible to satisfy. An objective that falls faster outside of the
    constraints than a penalty of weight 10 rises, as a cubic one may, leads it away without end. Its solutions are less
    exact than those of `Interior`: it stops where a step would gain less than a tenth of the last barrier, or
    half of it where steps are corrected.

    Args:
        tolerance: the last barrier.
        feasibility: the violation that is allowed in the end.
        barrier: the first one: a small one stays near the start.
        weight: of the penalty, at first.
        corrects: whether steps that leave constraints that are curved are corrected; it takes fewer steps where there
            are many such constraints.
        iterations: at the most.

    Example:
        >>> from kinetree.nlp import Bounds, DenseProblem
        >>> problem = DenseProblem(  # x^2 <= 1 and x >= 2
        ...     Bounds(np.array([2.0]), np.array([9.0])),
        ...     lambda x: x[0],
        ...     lambda x: np.ones(1),
        ...     lambda x, y, weight: np.array([[2.0 * y[0]]]),
        ...     constraints=lambda x: x**2,
        ...     jacobian=lambda x: np.array([2.0 * x]),
        ...     constraint_bounds=Bounds(np.array([-np.inf]), np.array([1.0])),
        ... )
        >>> Elastic().solve(problem, Start(np.array([5.0]))).termination.name
        'LOCALLY_INFEASIBLE'
    """

    tolerance: float = 1e-6
    feasibility: float = 1e-3
    barrier: float = FAR
    iterations: int = 400
    weight: float = WEIGHT
    corrects: bool = False

    def unavailable(self) -> str:
        return ""

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        """The solution from a start, or the least violation, see `kinetree.nlp.solution.Solver`."""
        began, best = time.perf_counter(), Best()
        barrier = self.barrier if start.barrier is None else start.barrier
        with interruptions() as interrupted, one_blas_thread(), np.errstate(all="ignore"):
            descent = _Descent(problem, start, max(barrier, self.tolerance), self.weight, self.corrects)
            count, why = 0, None if descent.finite else Termination.EVALUATION_ERROR
            while why is None:
                violation = descent.violation
                best.consider(descent.x, descent.f, violation)
                if interrupted() or not (callback is None or callback(count, descent.f, violation)):
                    why = Termination.USER_STOP
                elif count == self.iterations:
                    why = Termination.ITERATION_LIMIT
                elif descent.f < UNBOUNDED:
                    why = Termination.DIVERGED
                else:
                    count += 1
                    gain = descent.step()
                    if gain is None:
                        why = Termination.EVALUATION_ERROR
                    elif gain <= descent.least_gain:
                        why = descent.next_barrier(self.tolerance, self.feasibility)
        x = best.returned(descent.x, why)
        return Solution.at(x, problem, why, count, began, descent.multipliers(), descent.mu)


def _relaxed(d: Array, mu: float, rho: float) -> tuple[Array, Array]:
    """p and d + p, without loss of digits on either side."""
    weighted = rho * d
    large = np.sqrt(4.0 * mu * mu + weighted**2) + 2.0 * mu + np.abs(weighted)
    small = 4.0 * mu * (large - np.abs(weighted)) / large
    p, t = np.where(weighted > 0.0, small, large), np.where(weighted > 0.0, large, small)
    return p / (2.0 * rho), t / (2.0 * rho)


class _Descent:
    """The state of the method between its steps."""

    def __init__(self, problem: Problem, start: Start, barrier: float, weight: float, corrects: bool) -> None:
        self.form, self.corrects = StandardForm(problem, relaxed=True), corrects
        self.sides, self.mu, self.rho, self.shift = self.form.sides, barrier, weight, _SHIFT
        self.pace = _QUICK if corrects else _CAREFUL
        self.x, self.z = start.inside(problem.bounds), None
        values = self.form.values(self.x)
        self.finite = values is not None and bool(np.isfinite(values[1]).all())
        self.f, self.g, _ = values or (np.inf, np.zeros(self.sides.rows), None)
        if start.multipliers is not None:
            self.z = self.form.side_multipliers(start.multipliers)
            while self.z.max(initial=0.0) > 0.9 * self.rho:
                self.rho *= 10.0

    def merit(self, f: float, g: Array) -> float:
        """f + sum phi."""
        p, t = _relaxed(self.sides.distances(g), self.mu, self.rho)
        return f + float(((self.rho * p - self.mu * np.log(p * t)) * self.sides.open).sum())

    @property
    def violation(self) -> float:
        return self.sides.violation(self.g)

    @property
    def least_gain(self) -> float:
        """What is a gain: not small beside the barrier, nor beside the penalty."""
        penalty = self.rho * float(np.maximum(-self.sides.distances(self.g), 0.0).sum())
        return max(self.pace.solved * self.mu, _SOLVED_VIOLATED * penalty)

    def step(self) -> float | None:
        """One step downhill; gives how much it should gain, or would with a smaller shift, 0 where there is none.

        None where derivatives are not finite.
        """
        form, sides, mu, rho = self.form, self.sides, self.mu, self.rho
        d = sides.distances(self.g)
        p, t = _relaxed(d, mu, rho)
        central = mu * sides.open / t
        z = central if self.z is None else np.clip(self.z, central / _SPREAD, rho - (rho - central) / _SPREAD)
        D = t + z * p / (rho - z)
        gradient, J, K = form.linearise(self.x, sides.row_multipliers(z), np.zeros(0), sides.row_sums(z / D))
        gradient = gradient + form.transpose_product(J, sides.row_multipliers(central))
        if not (np.isfinite(K).all() and np.isfinite(gradient).all()):
            return None
        dx = self._moved(K, gradient, J, sides.row_sums(z / D))
        if dx is None:
            return 0.0
        dz = sides.open * (mu - z * d - z * mu / (rho - z) - z * sides.of_rows(form.product(J, dx))) / D
        self.z = np.clip(z + dz, (1.0 - _TO_BOUND) * z, rho - (1.0 - _TO_BOUND) * (rho - z))
        return -float(gradient @ dx) * max(1.0, self.shift)

    def _moved(self, K: Array, gradient: Array, J: Jacobian, weights: Array) -> Array | None:
        """Go where the model K predicts a gain, as far as it is to be trusted."""
        now, raised = self.merit(self.f, self.g), 1.0
        rounding, diagonal = 1e-13 * abs(now), np.arange(len(K)) * (len(K) + 1)
        for trial in range(_TRIALS):
            shifted = K.copy()
            shifted.ravel()[diagonal] += self.shift
            if (factor := Cholesky.of(shifted)) is not None:
                dx = factor.solve(-gradient)
                predicted = -float(gradient @ dx + 0.5 * dx @ K @ dx)
                x, values, gain = self._tried(dx, now)
                if self.corrects and values is not None and gain + rounding < _GOOD * predicted:
                    missed = values[1] - self.g - self.form.product(J, dx)
                    bent = factor.solve(-self.form.transpose_product(J, weights * missed))
                    x, values, gain = max(((x, values, gain), self._tried(dx + bent, now)), key=itemgetter(2))
                if values is not None and gain + rounding >= _BAD * predicted:
                    self.x, (self.f, self.g, _) = x, values
                    trusted = gain + rounding > (_FAIR if trial == 0 else _GOOD) * predicted
                    self.shift = max(self.shift / self.pace.shift_fall, _LEAST_SHIFT) if trusted else self.shift
                    return dx
            raised = min(_RISE * raised, _STEEPEST_RISE if self.corrects else _RISE)
            self.shift *= raised
        return None

    def _tried(self, dx: Array, now: float) -> tuple[Array, tuple[float, Array, Array] | None, float]:
        """Variables after a step, their values, and the gain."""
        x = self.x.copy()
        x[self.form.free] += dx
        values = self.form.values(x)
        return x, values, -np.inf if values is None else now - self.merit(*values[:2])

    def next_barrier(self, last: float, feasibility: float) -> Termination | None:
        """Lower the barrier, or raise the penalty weight; says why it stops where neither helps."""
        violation = self.violation
        if violation > feasibility and violation * self.rho > _TOO_LARGE * self.mu:
            if self.rho >= _LARGEST_WEIGHT:
                return Termination.LOCALLY_INFEASIBLE
            self.rho *= 10.0
        elif self.mu > last:
            self.mu = max(last, self.pace.fall * self.mu)
        else:  # what is violated still is as little as the barrier asks for
            return Termination.CONVERGED
        return None

    def multipliers(self) -> Multipliers:
        central = self.mu * self.sides.open / _relaxed(self.sides.distances(self.g), self.mu, self.rho)[1]
        return self.form.multipliers(self.sides.row_multipliers(central), np.zeros(0))
