"""Free knots: where the inner knots of a spline stand is chosen too, so that the best motion on it costs least.

For given knots u the best cost is F(u) = min f(x, u) under bounds on c(x, u). By the envelope theorem its gradient is
the partial derivative of the Lagrangian at the solution x with its multipliers y,

    dF/du = df/du + y . dc/du,

and nothing of how x follows the knots is needed. Basis functions depend on the knots around s, and a collocation point
moves with the ends of its knot interval; derivatives go through the recursion of the basis by complex steps, exact to
rounding. The outer search is BFGS in the logarithms of the intervals, so that knots keep their order and a least
distance. F has kinks where the active constraints change; a failed step starts the search afresh.
Reference: [Waechter2006] for the inner solves; [PieglTiller] algorithm A2.3 for the recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetree.nlp import Fallback, Interior, Ipopt, Solution, Start, Termination
from kinetree.nlp.solution import Callback
from kinetree.plan.guess import resampled
from kinetree.plan.plan import Plan
from kinetree.plan.problem import Problem
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.basis import Array, Indices
from kinetree.transcribe.block import CollocationBlock
from kinetree.transcribe.bspline import BSpline, basis_functions
from kinetree.transcribe.linear_block import LinearBlock
from kinetree.transcribe.sample import JACOBIAN
from kinetree.transcribe.transcription import Transcription

LEAST = 0.05  # the shortest knot interval, as a part of the mean one
SOLVES = 90  # inner solves at the most
_TIGHT = 1e-8  # tolerance of inner solves: costs are compared with each other
_STEP = 1e-30  # of complex steps
_FIRST, _LONGEST = 0.1, 0.5  # steps in logarithms of intervals: the first one, and the longest
_SHORTEST, _SHORTER, _ARMIJO = 5e-3, 0.4, 1e-4  # of line searches
_GAIN, _PATIENCE = 2e-7, 4  # relative; so many steps in a row that gain less end the search


def free_knots(
    problem: Problem, plan: Plan, iterations: int, callback: Callback | None
) -> tuple[Transcriber, Plan, int]:
    """The problem on better knots than those of a plan for it, a guess on them, and the iterations that it took."""
    knots = _Knots(problem, iterations, callback)
    best = knots.best(plan)
    found = plan if best is None else best.plan
    return Transcriber(problem, found.spline), found, knots.iterations


# -- derivatives -----------------------------------------------------------------------------------------------------


def knot_derivatives(spline: BSpline, s: Array, order: int, moving: bool = True) -> tuple[Array, Indices]:
    """Derivatives of basis functions with respect to the 2 p knots around each s.

    Args:
        spline: of degree p.
        s: (k,).
        order: up to which derivative in s of the basis functions.
        moving: whether s keeps its share of its knot interval when that changes, or stays.

    Returns:
        An array (2 p, k, order + 1, p + 1), and the indices of the knots (2 p, k).
    """
    p = spline.degree
    indices = spline.first(s) + np.arange(1, 2 * p + 1)[:, None]
    U = spline.knots[indices] + 1j * _STEP * np.eye(2 * p)[:, :, None]  # one knot moves in each row
    left, right = U[:, p - 1], U[:, p]
    share = (s - left.real) / (right.real - left.real)
    at = left + share * (right - left) if moving else np.broadcast_to(s, left.shape).astype(complex)
    return np.imag(basis_functions(U, at, p, order)) / _STEP, indices


def _of_block(spline: BSpline, block: CollocationBlock, x: Array, weights: Array, moving: bool) -> Array:
    """The derivative of the weighted sum of the rows of a block with respect to all knots."""
    table, indices = knot_derivatives(spline, block.s, block.order, moving)
    points = x[:-1].reshape(-1, block.n)[block.points]
    dz = np.matmul(table, points).reshape(len(table), len(block.s), -1) / x[-1] ** block.powers
    of_nonlinear: Array | float = 0.0
    if block.nonlinear:
        J = block.functions[JACOBIAN](*block.operands(block.samples(x)))[1]
        of_nonlinear = np.matmul(weights[:, None, block.linear_rows :], J)[:, 0]
    return _gathered(indices, (dz * block.gradient(weights, of_nonlinear)).sum(axis=2), spline)


def _of_periodicity(spline: BSpline, block: LinearBlock, n: int, x: Array, weights: Array) -> Array:
    """Likewise of the periodicity of a motion; its rows are of size 1, and zero but for positions."""
    ends, order = np.array([0.0, 1.0]), block.rows // n - 1
    table, indices = knot_derivatives(spline, ends, order)
    basis, points = spline.evaluate(ends, order)
    sizes = np.abs(basis).max(axis=(0, 2))
    moved = np.matmul(table, x[:-1].reshape(-1, n)[points]) / sizes[:, None]
    # rows of positions show in what the end is the image of the start
    image, w = -block.matrix[0, :n, :n], weights.reshape(-1, n)
    both = (moved * np.array([-w @ image, w])).sum(axis=(2, 3))
    return _gathered(indices, both, spline)


def _gathered(indices: Indices, values: Array, spline: BSpline) -> Array:
    """What belongs to the same knot, added up."""
    return np.asarray(np.bincount(indices.ravel(), values.ravel(), len(spline.knots)), np.float64)


def knot_gradient(transcriber: Transcriber, transcription: Transcription, x: Array, y: Array) -> Array:
    """The derivative of the Lagrangian with respect to the inner knots, collocation points moving with their intervals.

    Args:
        transcriber: on the spline with these knots.
        transcription: with constraints at points that keep their shares of knot intervals.
        x: the variables.
        y: the multipliers of the constraints.
    """
    spline, first, n = transcriber.spline, 0, transcriber.shape[1]
    total = np.zeros(len(spline.knots))
    for k, bounded in enumerate(transcription.blocks):
        weights = np.zeros(bounded.used.shape)
        weights[bounded.used] = y[first : first + bounded.count] * bounded.factors
        first += bounded.count
        if isinstance(bounded.block, CollocationBlock):
            moving = bool(transcriber.problem.constraints) and k == 0
            total += _of_block(spline, bounded.block, x, weights, moving)
        elif isinstance(bounded.block, LinearBlock):
            total += _of_periodicity(spline, bounded.block, n, x, weights)
    for cost in transcription.costs:
        w = x[-1] * cost.weights
        total += _of_block(spline, cost.block, x, w[:, None], moving=True)
        k = spline.first(cost.block.s) + spline.degree
        part = w * cost.values(x) / (spline.knots[k + 1] - spline.knots[k])
        total += np.bincount(k + 1, part, len(total)) - np.bincount(k, part, len(total))
    ends = spline.degree + 1
    return total[ends:-ends]


# -- the outer search ------------------------------------------------------------------------------------------------


@dataclass
class _At:
    """Logarithms of intervals, the best cost with them, its gradient, and the motion."""

    u: Array
    cost: float
    gradient: Array
    plan: Plan


class _Knots:
    """The best cost as a function of the logarithms of the knot intervals."""

    def __init__(self, problem: Problem, iterations: int, callback: Callback | None) -> None:
        self.problem, self.callback = problem, callback
        self.solver = Fallback(Interior(_TIGHT, iterations), Ipopt(_TIGHT, iterations), compare_start=False)
        self.iterations, self.solves, self.stopped = 0, 0, False

    def at(self, u: Array, near: Plan) -> _At | None:
        """Solved from a motion on other knots; None where that fails."""
        shares = np.exp(u - u.max())
        shares /= shares.sum()
        inner = np.cumsum(LEAST / len(u) + (1.0 - LEAST) * shares)[:-1]
        own = self.problem.spline
        transcriber = Transcriber(self.problem, BSpline(own.size, own.degree, tuple(inner)))
        refinement = transcriber.refinement()
        transcription = transcriber.transcription(refinement.s, refinement.margins)
        best = self._solved(transcription, resampled(transcriber, near))
        if best.termination is not Termination.CONVERGED:
            return None
        slopes = knot_gradient(transcriber, transcription, best.x, best.multipliers.constraints)
        of_intervals = np.r_[np.cumsum(slopes[::-1])[::-1], 0.0] * (1.0 - LEAST)
        points = best.x[:-1].reshape(transcriber.shape).copy()
        plan = replace(near, spline=transcriber.spline, control_points=points, duration=float(best.x[-1]))
        return _At(u, best.objective, shares * (of_intervals - shares @ of_intervals), plan)

    def _solved(self, transcription: Transcription, x: Array) -> Solution:
        best = self.solver.solve(transcription, Start(x), self.callback)
        self.solves, self.iterations = self.solves + 1, self.iterations + best.iterations
        self.stopped = self.stopped or best.termination is Termination.USER_STOP
        return best

    def best(self, plan: Plan) -> _At | None:
        """Downhill from a plan until little is gained."""
        here = self.at(_logarithms(plan.spline), plan)
        if here is None or not here.gradient.any():
            return here
        inverse, fresh, slow = _steep(here), True, 0
        while slow < _PATIENCE and self.solves < SOLVES and not self.stopped:
            step = -inverse @ here.gradient
            there = self._along(here, step * min(1.0, _LONGEST / np.abs(step).max()))
            if there is None:
                if fresh:
                    break
                inverse, fresh = _steep(here), True
                continue
            slow = 0 if here.cost - there.cost > _GAIN * abs(here.cost) else slow + 1
            step, change = there.u - here.u, there.gradient - here.gradient
            if step @ change > 0.0:
                inverse = _updated(inverse, step, change, fresh)
            here, fresh = there, False
        return here

    def _along(self, here: _At, step: Array) -> _At | None:
        """The first point along a direction that is lower by enough."""
        length, slope = 1.0, float(here.gradient @ step)
        while slope < 0.0 and length > _SHORTEST and self.solves < SOLVES and not self.stopped:
            there = self.at(here.u + length * step, here.plan)
            if there is not None and there.cost <= here.cost + _ARMIJO * length * slope:
                return there
            length *= _SHORTER
        return None


def _logarithms(spline: BSpline) -> Array:
    """Of the knot intervals, what is beyond the least one."""
    widths = np.diff(np.r_[0.0, spline.inner or (), 1.0])
    return np.log(np.maximum(widths - LEAST / len(widths), 1e-4 / len(widths)))


def _steep(here: _At) -> Array:
    return np.eye(len(here.u)) * (_FIRST / np.abs(here.gradient).max())


def _updated(inverse: Array, step: Array, change: Array, fresh: bool) -> Array:
    """The inverse of the second derivative, so that it fits the last step."""
    if fresh:
        inverse = np.eye(len(step)) * float(step @ change / (change @ change))
    rho = 1.0 / float(step @ change)
    V = np.eye(len(step)) - rho * np.outer(step, change)
    return V @ inverse @ V.T + rho * np.outer(step, step)
