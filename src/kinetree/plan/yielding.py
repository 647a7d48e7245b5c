"""The best motion from far away: every limit may give, at a price, and the barrier falls along the central path.

A row c = g - l >= 0 may be broken by p > 0 at the price rho p. With a barrier mu for p and for c + p the best p is
known in closed form, and what is left is a smooth function of c alone, near zero above and near -rho c below:

    phi(c) = rho p - mu log p - mu log(c + p),      p = (2 mu - rho c + sqrt(4 mu^2 + rho^2 c^2)) / (2 rho).

So there are no slacks that could jam and no equations: Newton's method with the matrix H + J^T S J of `interior` goes
downhill on f + sum phi from any start, with a multiple of the identity that is as large as the model is bad. Its
multipliers z = mu / (c + p) stay below rho. Each barrier is settled before the next: starts that are not far from each
other meet on the path of its minima. Where the price is too low for a limit it rises; where the highest does not help,
there is no motion near here that keeps all limits, and the multipliers tell which of them stand against each other.
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
FAR, NEAR = 0.03, 1e-4  # barriers to begin with: where no motion is known, and to stay near a known one
_FALL = 0.2  # of the barrier, from one to the next
_PRICE, _DEAREST = 10.0, 1e3  # of breaking a limit, at first and at the most
_TOO_CHEAP = 100.0  # barriers that a broken limit may cost before its price rises
_SETTLED, _SETTLED_BROKEN = 0.1, 1e-4  # a gain of so many barriers is none, nor of so much of the price paid
_GOOD, _FAIR, _BAD = 0.75, 0.25, 0.05  # what part of a gain that was foreseen came true
_SHORTER, _LONGER, _TRIALS = 2.0, 3.0, 60
_SHIFT, _LEAST_SHIFT = 1e-3, 1e-10
_SAFE = 1e8  # how far multipliers may be from those of the barrier, as a factor
_TO_EDGE = 0.995  # of the way to their bounds, what multipliers may go in one step


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
        return float((rho * p - mu * np.log(p * t)).sum())


def _gives(c: Array, mu: float, rho: float) -> tuple[Array, Array]:
    """p and c + p, without loss of digits on either side."""
    priced = rho * c
    large = np.sqrt(4.0 * mu * mu + priced**2) + 2.0 * mu + np.abs(priced)
    small = 4.0 * mu * (large - np.abs(priced)) / large
    p, t = np.where(priced > 0.0, small, large), np.where(priced > 0.0, large, small)
    return p / (2.0 * rho), t / (2.0 * rho)


class _Descent:
    """The state of the method between its steps."""

    def __init__(self, problem: Transcription, start: Array, lower: Array, upper: Array, barrier: float) -> None:
        self.view = view = View(problem, lower, upper)
        none = np.zeros(len(view.equations))
        low, high = np.r_[view.l, none], np.r_[view.u, none]
        self.sides = [_Side(1.0, np.isfinite(low), low[np.isfinite(low)])]
        self.sides += [_Side(-1.0, np.isfinite(high), high[np.isfinite(high)])]
        self.limited, self.mu, self.rho, self.shift = len(view.l), barrier, _PRICE, _SHIFT
        self.x = np.clip(start, lower, upper)
        self.f, self.rows = self._at(self.x)

    def _at(self, x: Array) -> tuple[float, Array]:
        f, g, c = self.view.values(x)
        return f, np.r_[g, c]

    def merit(self, f: float, rows: Array) -> float:
        if not (np.isfinite(f) and np.isfinite(rows).all()):
            return np.inf
        return f + sum(side.price(rows, self.mu, self.rho) for side in self.sides)

    @property
    def violation(self) -> float:
        return max(float((-side.inside(self.rows)).max(initial=0.0)) for side in self.sides)

    @property
    def little(self) -> float:
        """What is no gain: small beside the barrier, and beside the price of what is broken."""
        priced = self.rho * sum(float(np.maximum(-side.inside(self.rows), 0.0).sum()) for side in self.sides)
        return max(_SETTLED * self.mu, _SETTLED_BROKEN * priced)

    def step(self) -> float:
        """One step downhill; gives how much it was to gain, or would be with a smaller shift, 0 where there is none."""
        view, mu, rho, m = self.view, self.mu, self.rho, self.limited
        gradient, J = view.slopes(self.x)
        pull, weights, signed = np.zeros((3, len(self.rows)))
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
        at = Iterate(self.x, self.rows[:m], np.maximum(-signed[:m], 0.0), np.maximum(signed[:m], 0.0), signed[m:])
        K, equations = view.matrix(at, weights[:m]), view.equation_rows(J)
        K += (equations.T * weights[m:]) @ equations
        downhill = gradient + view.transposed(J, pull[:m], pull[m:])
        dx = self._moved(K, downhill)
        if dx is None:
            return 0.0
        change = np.r_[view.times(J, dx), equations @ dx]
        for side, c, z, D in parts:
            dz = (mu - z * c - z * mu / (rho - z) - z * side.sign * change[side.which]) / D
            side.z = np.clip(z + dz, (1.0 - _TO_EDGE) * z, rho - (1.0 - _TO_EDGE) * (rho - z))
        return -float(downhill @ dx) * max(1.0, self.shift)

    def _moved(self, K: Array, downhill: Array) -> Array | None:
        """Go where the model K promises a gain, as far as it is to be trusted."""
        if not (np.isfinite(K).all() and np.isfinite(downhill).all()):
            return None
        now = self.merit(self.f, self.rows)
        for trial in range(_TRIALS):
            dx = _solved(K, self.shift, downhill)
            if dx is not None:
                foreseen = -float(downhill @ dx + 0.5 * dx @ K @ dx)
                x = self.x.copy()
                x[self.view.free] += dx
                with np.errstate(all="ignore"):
                    f, rows = self._at(x)
                    gained = now - self.merit(f, rows)
                rounding = 1e-13 * abs(now)
                if x[-1] > 0.0 and gained + rounding >= _BAD * foreseen:
                    self.x, self.f, self.rows = x, f, rows
                    trusted = gained + rounding > (_FAIR if trial == 0 else _GOOD) * foreseen
                    self.shift = max(self.shift / _LONGER, _LEAST_SHIFT) if trusted else self.shift
                    return dx
            self.shift *= _SHORTER
        return None

    # -- the path ------------------------------------------------------------------------------------------------------

    def settled(self, last: float, tolerance: float) -> Ending | None:
        """Lower the barrier, or raise the price; says how it ends where neither helps."""
        broken = self.violation
        if broken > tolerance and broken * self.rho > _TOO_CHEAP * self.mu:
            if self.rho >= _DEAREST:
                return Ending.INFEASIBLE
            self.rho *= 10.0
        elif self.mu > last:
            self.mu = max(last, _FALL * self.mu)
        else:  # what is broken still is as little as the barrier asks for
            return Ending.OPTIMAL
        return None

    def take(self, multipliers: tuple[Array, Array, Array]) -> None:
        """Begin with the multipliers of nearly the same problem."""
        of_rows, of_lower, of_upper = multipliers
        view = self.view
        all_ = np.r_[of_rows[view.limited], (of_upper - of_lower)[view.own], of_rows[view.equations]]
        while np.abs(all_).max(initial=0.0) > 0.9 * self.rho:
            self.rho *= 10.0
        for side in self.sides:
            side.z = np.maximum(-side.sign * all_[side.which], 0.0)

    def multipliers(self) -> tuple[Array, Array, Array]:
        """Of all rows, of lower and of upper bounds, as for `kinetree.plan.solver.solve`."""
        view, all_ = self.view, np.zeros(len(self.rows))
        for side in self.sides:
            all_[side.which] -= side.sign * (self.mu / _gives(side.inside(self.rows), self.mu, self.rho)[1])
        of_rows, (of_lower, of_upper) = np.zeros(len(view.problem.lower)), np.zeros((2, view.problem.size))
        n = len(view.limited)
        of_rows[view.limited], of_rows[view.equations] = all_[:n], all_[self.limited :]
        own = all_[n : self.limited]
        of_lower[view.own], of_upper[view.own] = np.maximum(-own, 0.0), np.maximum(own, 0.0)
        return of_rows, of_lower, of_upper


def _solved(K: Array, shift: float, downhill: Array) -> Array | None:
    """- (K + shift)^-1 downhill where that is a way downhill."""
    shifted = K + shift * np.eye(len(K))
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return None
    return -np.asarray(np.linalg.solve(shifted, downhill), np.float64)


def solve(
    problem: Transcription,
    start: Array,
    lower: Array,
    upper: Array,
    *,
    tolerance: float = 1e-6,
    kept: float = 1e-3,
    barrier: float = FAR,
    multipliers: tuple[Array, Array, Array] | None = None,
    iterations: int = 400,
    tell: Callable[[int, float, float], bool] | None = None,
) -> Solution:
    """The best point that keeps all limits, from anywhere, or the one that breaks them least.

    ``tolerance`` is the last barrier, ``kept`` how far limits may be broken in the end, ``barrier`` the first one: a
    small one stays near the start. Other arguments as for `kinetree.plan.solver.solve`.
    """
    began = time.perf_counter()
    descent = _Descent(problem, start, lower, upper, max(barrier, tolerance))
    if multipliers is not None:
        descent.take(multipliers)
    ending, count = None, 0
    with interruptions() as stopped:
        while ending is None:
            if stopped() or (tell is not None and not tell(count, descent.f, descent.violation)):
                ending = Ending.INTERRUPTED
            elif count >= iterations:
                ending = Ending.LIMIT
            else:
                count += 1
                if descent.step() <= descent.little:
                    ending = descent.settled(tolerance, kept)
    seconds = time.perf_counter() - began
    x = descent.x
    return Solution(x, ending, problem.objective(x), problem.violation(x), count, seconds, descent.multipliers())
