"""A way into the limits from anywhere: every limit may give, at a price, and the price is what is minimised.

A row c = g - l >= 0 may be broken by p > 0 at the price rho p. With a barrier mu for p and for c + p the best p is
known in closed form, and what is left is a smooth function of c alone, near zero above and near -rho c below:

    phi(c) = rho p - mu log p - mu log(c + p),      p = (2 mu - rho c + sqrt(4 mu^2 + rho^2 c^2)) / (2 rho).

So there are no slacks that could jam and no equations: Newton's method with the matrix H + J^T S J of `interior` goes
downhill on f + sum phi from any start. Its multipliers z = mu / (c + p) stay below rho. It ends where all limits are
kept; or where none of them gives way any more, and then there is no motion near here that keeps them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.condensed import Iterate, View
from kinetree.plan.solver import Ending, Solution, interruptions
from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]
_PRICE, _DEAREST = 10.0, 1e4  # of breaking a limit, at first and at the most
_LAST = 1e-5  # barrier
_SETTLED = 10.0  # a gain of so many barriers is none
_ARMIJO, _HALVINGS = 1e-4, 30
_SAFE = 1e8  # how far multipliers may be from those of the barrier, as a factor


@dataclass
class _Side:
    """Limits from one side: what is inside of them c, the best p, c + p, and multipliers."""

    sign: float  # of g in c
    which: NDArray[np.bool_]
    bound: Array
    z: Array | None = None

    def inside(self, rows: Array) -> Array:
        return self.sign * (rows[self.which] - self.bound)

    def price(self, rows: Array, mu: float, rho: float) -> float:
        p, t = _gives(self.inside(rows), mu, rho)
        return float((rho * p - mu * np.log(p) - mu * np.log(t)).sum())


def _gives(c: Array, mu: float, rho: float) -> tuple[Array, Array]:
    """p and c + p, without loss of digits on either side."""
    root, priced = np.sqrt(4.0 * mu * mu + (rho * c) ** 2) + 2.0 * mu, rho * c
    small = 4.0 * mu * (root / (root + np.abs(priced)))  # (root^2 - priced^2) / (root + |priced|)
    large = root + np.abs(priced)
    p, t = np.where(priced > 0.0, small, large), np.where(priced > 0.0, large, small)
    return p / (2.0 * rho), t / (2.0 * rho)


class _Descent:
    """The state of the method between its steps."""

    def __init__(self, problem: Transcription, start: Array, lower: Array, upper: Array, barrier: float) -> None:
        self.view = view = View(problem, lower, upper)
        m = len(view.l)
        low, high = np.r_[view.l, np.zeros(len(view.equations))], np.r_[view.u, np.zeros(len(view.equations))]
        self.sides = [_Side(1.0, np.isfinite(low), low[np.isfinite(low)])]
        self.sides += [_Side(-1.0, np.isfinite(high), high[np.isfinite(high)])]
        self.limited, self.mu, self.rho, self.shift = m, barrier, _PRICE, 0.0
        self.x = np.clip(start, lower, upper)
        self.f, self.rows = self._at(self.x)

    def _at(self, x: Array) -> tuple[float, Array]:
        f, g, c = self.view.values(x)
        return f, np.r_[g, c]

    def merit(self, f: float, rows: Array) -> float:
        return f + sum(side.price(rows, self.mu, self.rho) for side in self.sides)

    @property
    def violation(self) -> float:
        return max(float((-side.inside(self.rows)).max(initial=0.0)) for side in self.sides)

    def step(self) -> tuple[bool, float]:
        """One step downhill; says whether there was one, and how much it was to gain."""
        view, mu, rho = self.view, self.mu, self.rho
        gradient, J = view.slopes(self.x)
        pull, weights, signed = (np.zeros(len(self.rows)) for _ in range(3))
        parts = []
        for side in self.sides:
            c = side.inside(self.rows)
            p, t = _gives(c, mu, rho)
            best = mu / t
            z = best if side.z is None else np.clip(side.z, best / _SAFE, rho - (rho - best) / _SAFE)
            D = t + z * p / (rho - z)
            pull[side.which] -= side.sign * best
            signed[side.which] -= side.sign * z
            weights[side.which] += z / D
            parts.append((side, c, z, D))
        m = self.limited
        at = Iterate(self.x, self.rows[:m], np.maximum(-signed[:m], 0.0), np.maximum(signed[:m], 0.0), signed[m:])
        K = view.matrix(at, weights[:m])
        equations = view.equation_rows(J)
        K = K + (equations.T * weights[m:]) @ equations
        downhill = gradient + view.transposed(J, pull[:m], pull[m:])
        dx = self._solved(K, downhill)
        if dx is None:
            return False, 0.0
        change = np.r_[view.times(J, dx), equations @ dx]
        for side, c, z, D in parts:
            dz = (mu - z * c - z * mu / (rho - z) - z * side.sign * change[side.which]) / D
            side.z = np.clip(z + dz, 0.005 * z, rho - 0.005 * (rho - z))
        gain = -float(downhill @ dx)
        return self._moved(dx, -gain), gain

    def _solved(self, K: Array, downhill: Array) -> Array | None:
        if not (np.isfinite(K).all() and np.isfinite(downhill).all()):
            return None
        shift = 0.0
        while shift < 1e30:
            shifted = K + shift * np.eye(len(K))
            try:
                np.linalg.cholesky(shifted)
            except np.linalg.LinAlgError:
                shift = max(1e-8, self.shift / 3.0) if not shift else 8.0 * shift
                continue
            self.shift = shift or self.shift
            return -np.asarray(np.linalg.solve(shifted, downhill), np.float64)
        return None

    def _moved(self, dx: Array, slope: float) -> bool:
        now, a = self.merit(self.f, self.rows), 1.0
        for _ in range(_HALVINGS):
            x = self.x.copy()
            x[self.view.free] += a * dx
            with np.errstate(all="ignore"):
                f, rows = self._at(x)
            good = np.isfinite(f) and np.isfinite(rows).all() and x[-1] > 0.0
            if good and self.merit(f, rows) <= now + _ARMIJO * a * slope + 1e-13 * abs(now):
                self.x, self.f, self.rows = x, f, rows
                return True
            a *= 0.5
        return False


def solve(
    problem: Transcription,
    start: Array,
    lower: Array,
    upper: Array,
    *,
    tolerance: float = 1e-3,
    barrier: float = 1.0,
    iterations: int = 400,
    tell: Callable[[int, float, float], bool] | None = None,
) -> Solution:
    """A point that keeps all limits up to a tolerance, or the one that breaks them least; its cost counts little.

    OPTIMAL where limits are kept, INFEASIBLE where nothing gives way any more. A small ``barrier`` stays near the
    start. Other arguments as for `kinetree.plan.solver.solve`.
    """
    began = time.perf_counter()
    descent = _Descent(problem, start, lower, upper, barrier)
    ending, count = Ending.LIMIT, 0
    with interruptions() as stopped:
        for count in range(iterations + 1):
            violation = descent.violation
            if violation <= tolerance:
                ending = Ending.OPTIMAL
                break
            if stopped() or (tell is not None and not tell(count, descent.f, violation)):
                ending = Ending.INTERRUPTED
                break
            went, gain = descent.step()
            if not went or gain <= _SETTLED * descent.mu:
                if descent.mu > _LAST:
                    descent.mu = max(_LAST, 0.2 * descent.mu)
                elif descent.rho < _DEAREST:
                    descent.rho *= 10.0
                else:
                    ending = Ending.INFEASIBLE
                    break
    seconds = time.perf_counter() - began
    none = np.zeros(len(problem.lower)), np.zeros(problem.size), np.zeros(problem.size)
    x = descent.x
    return Solution(x, ending, problem.objective(x), problem.violation(x), count, seconds, none)
