"""Free knots: where the inner knots of a spline stand is chosen too, so that the best motion on it costs least.

For given knots u the best cost is F(u) = min f(x, u) under limits on g(x, u). By the envelope theorem its gradient is
the partial derivative of the Lagrangian at the solution x with its multipliers y,

    dF/du = df/du + y . dg/du,

and nothing of how x follows the knots is needed. Basis functions depend on the knots around a place, and a place
moves with the ends of its span; derivatives go through the recursion of the basis by complex steps, exact to rounding.
The outer search is Broyden, Fletcher, Goldfarb and Shanno's in the logarithms of the spans, so that knots keep their
order and a least distance. F has kinks where other places reach their limits; a failed step starts the search afresh.
Reference: [Waechter2006] for the inner solves; [PieglTiller] algorithm A2.3 for the recursion.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.block import Block
from kinetree.plan.ends import bounds, resampled
from kinetree.plan.grid import Grid
from kinetree.plan.methods import solve
from kinetree.plan.plan import Plan
from kinetree.plan.progress import Tell
from kinetree.plan.seam import Seam
from kinetree.plan.solver import Ending, Solution
from kinetree.plan.spline import Spline
from kinetree.plan.transcription import Transcription

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
LEAST = 0.05  # the shortest span, as a part of the mean one
SOLVES = 90  # inner solves at the most
_TIGHT = 1e-8  # tolerance of inner solves: costs are compared with each other
_STEP = 1e-30  # of complex steps
_FIRST, _LONGEST = 0.1, 0.5  # steps in logarithms of spans: the first one, and the longest
_SHORTEST, _SHORTER, _ARMIJO = 5e-3, 0.4, 1e-4  # of line searches
_GAIN, _PATIENCE = 2e-7, 4  # relative; so many steps in a row that win less end the search


def with_free_knots(problem: Problem, plan: Plan, iterations: int, tell: Tell | None) -> tuple[Problem, Plan, int]:
    """The problem with better knots than those of a plan for it, a guess on them, and the iterations that it took."""
    knots = _Knots(problem, iterations, tell)
    best = knots.best(plan)
    found = plan if best is None else best.plan
    return _on(problem, found.spline), found, knots.iterations


# -- derivatives -----------------------------------------------------------------------------------------------------


def slopes_of_basis(spline: Spline, places: Array, order: int, moving: bool = True) -> tuple[Array, Numbers]:
    """Derivatives of basis functions with respect to the 2 p knots around each place.

    Args:
        spline: of degree p.
        places: values of s (k,).
        order: up to which derivative in s of the basis functions.
        moving: whether places keep their share of their spans when these change, or stay.

    Returns:
        An array (2 p, k, order + 1, p + 1), and the numbers of the knots (2 p, k).
    """
    p, count = spline.degree, len(places)
    numbers = spline.spans(places) + p + np.arange(1 - p, p + 1)[:, None]
    U = spline.knots[numbers] + 1j * _STEP * np.eye(2 * p)[:, :, None]  # one knot moves in each row
    left, right = U[:, p - 1], U[:, p]
    share = (places - left.real) / (right.real - left.real)
    s = left + share * (right - left) if moving else np.broadcast_to(places, left.shape)
    values = [np.ones((2 * p, 1, count), complex)]
    for d in range(1, p + 1):
        high = np.zeros((2 * p, d + 1, count), complex)
        for j in range(d):
            left, right = U[:, p - d + j], U[:, p + j]
            part = values[-1][:, j] / (right - left)
            high[:, j] += (right - s) * part
            high[:, j + 1] += (s - left) * part
        values.append(high)
    table = np.zeros((2 * p, count, order + 1, p + 1))
    for r in range(min(order, p) + 1):
        now: NDArray[np.complex128] = values[p - r]
        for d in range(p - r + 1, p + 1):
            raised = np.zeros((2 * p, d + 1, count), complex)
            for j in range(d):
                part = d * now[:, j] / (U[:, p + j] - U[:, p - d + j])
                raised[:, j] -= part
                raised[:, j + 1] += part
            now = raised
        table[:, :, r] = now.imag.transpose(0, 2, 1) / _STEP
    return table, numbers


def _of_block(spline: Spline, block: Block, x: Array, weights: Array, moving: bool) -> Array:
    """The derivative of the weighted sum of the rows of a block with respect to all knots."""
    table, numbers = slopes_of_basis(spline, block.places, block.order, moving)
    points = x[:-1].reshape(-1, block.n)[block.points]
    dz = np.matmul(table, points).reshape(len(table), block.count, -1) / x[-1] ** block.powers
    z, n = block.instants(x), block.n
    gradient = np.zeros_like(z)
    for k, q in enumerate(block.linear):
        gradient[:, n * q.order : n * (q.order + 1)] += weights[:, k * n : (k + 1) * n]
    if block.kernel is not None:
        given = (z,) if block.way is None else block.way.given(z, None)
        given = given if block.known is None else (*given, block.known)
        J = block.kernel.function(1)(*given)[1]
        gradient += np.matmul(weights[:, None, block.straight :], J)[:, 0]
    return _gathered(numbers, (dz * gradient).sum(axis=2), spline)


def _of_seam(spline: Spline, seam: Seam, x: Array, weights: Array) -> Array:
    """Likewise of the seam of a periodic motion; its rows are of size 1, and zero but for positions."""
    ends, order = np.array([0.0, 1.0]), seam.rows // seam.n - 1
    table, numbers = slopes_of_basis(spline, ends, order)
    basis, points = spline.local(ends, order)
    sizes = np.abs(basis).max(axis=(0, 2))
    moved = np.matmul(table, x[:-1].reshape(-1, seam.n)[points]) / sizes[:, None]
    # rows of positions show in what the end is the image of the start
    image, w = -seam.jacobian(x)[0, : seam.n, : seam.n], weights.reshape(-1, seam.n)
    both = (moved * np.array([-w @ image, w])).sum(axis=(2, 3))
    return _gathered(numbers, both, spline)


def _gathered(numbers: Numbers, values: Array, spline: Spline) -> Array:
    """What belongs to the same knot, added up."""
    return np.asarray(np.bincount(numbers.ravel(), values.ravel(), len(spline.knots)), np.float64)


def knot_gradient(problem: Problem, transcribed: Transcription, x: Array, multipliers: Array) -> Array:
    """The derivative of the Lagrangian with respect to the inner knots, places moving with their spans.

    Args:
        problem: on the spline with these knots.
        transcribed: its transcription, with limits at places that keep their shares of spans.
        x: the unknowns.
        multipliers: of the rows.
    """
    spline, first = problem.spline, 0
    total = np.zeros(len(spline.knots))
    for number, rows in enumerate(transcribed.rows):
        weights = np.zeros(rows.used.shape)
        weights[rows.used] = multipliers[first : first + rows.count] * rows.factors
        first += rows.count
        if isinstance(rows.block, Seam):
            total += _of_seam(spline, rows.block, x, weights)
        else:
            total += _of_block(spline, rows.block, x, weights, moving=bool(problem.limits) and number == 0)
    for cost in transcribed.costs:
        w = x[-1] * cost.weights
        total += _of_block(spline, cost.block, x, w[:, None], moving=True)
        k = spline.spans(cost.block.places) + spline.degree
        part = w * cost.block.values(x)[:, 0] / (spline.knots[k + 1] - spline.knots[k])
        total += np.bincount(k + 1, part, len(total)) - np.bincount(k, part, len(total))
    ends = spline.degree + 1
    return total[ends:-ends]


# -- the outer search ------------------------------------------------------------------------------------------------


@dataclass
class _At:
    """Logarithms of spans, the best cost with them, its gradient, and the motion."""

    u: Array
    cost: float
    gradient: Array
    plan: Plan


class _Knots:
    """The best cost as a function of the logarithms of the spans."""

    def __init__(self, problem: Problem, iterations: int, tell: Tell | None) -> None:
        self.problem, self.most, self.tell = problem, iterations, tell
        self.iterations, self.solves, self.stopped = 0, 0, False

    def at(self, u: Array, near: Plan) -> _At | None:
        """Solved from a motion on other knots; None where that fails."""
        shares = np.exp(u - u.max())
        shares /= shares.sum()
        inner = np.cumsum(LEAST / len(u) + (1.0 - LEAST) * shares)[:-1]
        problem = _on(self.problem, Spline(self.problem.spline.points, self.problem.spline.degree, tuple(inner)))
        grid = Grid(problem)
        transcribed = problem.transcription(grid.places, grid.inwards)
        best = self._solved(transcribed, resampled(problem, near), *bounds(problem))
        if best.ending is not Ending.OPTIMAL:
            return None
        slopes = knot_gradient(problem, transcribed, best.x, best.multipliers[0])
        of_spans = np.r_[np.cumsum(slopes[::-1])[::-1], 0.0] * (1.0 - LEAST)
        points = best.x[:-1].reshape(-1, problem.width).copy()
        plan = replace(near, spline=problem.spline, points=points, duration=float(best.x[-1]))
        return _At(u, best.objective, shares * (of_spans - shares @ of_spans), plan)

    def _solved(self, transcribed: Transcription, x: Array, lower: Array, upper: Array) -> Solution:
        best = solve(transcribed, x, lower, upper, tolerance=_TIGHT, iterations=self.most, tell=self.tell)
        self.solves, self.iterations = self.solves + 1, self.iterations + best.iterations
        self.stopped = self.stopped or best.ending is Ending.INTERRUPTED
        return best

    def best(self, plan: Plan) -> _At | None:
        """Downhill from a plan until little is won."""
        here = self.at(_logarithms(plan.spline), plan)
        if here is None or not here.gradient.any():
            return here
        inverse, fresh, slow = _steep(here), True, 0
        while slow < _PATIENCE and self.solves < SOLVES and not self.stopped:
            there = self._along(here, _bounded(-inverse @ here.gradient))
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

    def _along(self, here: _At, way: Array) -> _At | None:
        """The first point along a way that is lower by enough."""
        length, slope = 1.0, float(here.gradient @ way)
        while slope < 0.0 and length > _SHORTEST and self.solves < SOLVES and not self.stopped:
            there = self.at(here.u + length * way, here.plan)
            if there is not None and there.cost <= here.cost + _ARMIJO * length * slope:
                return there
            length *= _SHORTER
        return None


def _logarithms(spline: Spline) -> Array:
    """Of the spans, what is beyond the least one."""
    spans = np.diff(np.r_[0.0, spline.inner or (), 1.0])
    return np.log(np.maximum(spans - LEAST / len(spans), 1e-4 / len(spans)))


def _steep(here: _At) -> Array:
    return np.eye(len(here.u)) * (_FIRST / np.abs(here.gradient).max())


def _bounded(way: Array) -> Array:
    return way * min(1.0, _LONGEST / np.abs(way).max())


def _updated(inverse: Array, step: Array, change: Array, fresh: bool) -> Array:
    """The inverse of the second derivative, so that it fits the last step."""
    if fresh:
        inverse = np.eye(len(step)) * float(step @ change / (change @ change))
    rho = 1.0 / float(step @ change)
    V = np.eye(len(step)) - rho * np.outer(step, change)
    return V @ inverse @ V.T + rho * np.outer(step, step)


def _on(problem: Problem, spline: Spline) -> Problem:
    """The same problem on another spline."""
    other = copy.copy(problem)
    other.spline = spline
    return other
