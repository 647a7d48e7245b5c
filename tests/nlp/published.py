"""What a published test problem is, and its `nlp.Problem`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from taylor import evaluated

from kinetree.nlp import Bounds, DenseProblem, Start

Array = NDArray[np.float64]
inf = np.inf


@dataclass(frozen=True)
class Published:
    """min f(x) subject to lower <= x <= upper, ge(x) >= 0 and eq(x) = 0.

    Args:
        name: of the problem.
        f: the objective, a function of the variables.
        optimum: the published value, to its published digits; None where there is no solution.
        start: the published start.
        lower, upper: bounds, numbers or one for each variable.
        ge, eq: functions of the variables that give a list.
        source: where it was published.
    """

    name: str
    f: Callable[..., Any]
    optimum: float | None
    start: tuple[float, ...]
    lower: Any = -inf
    upper: Any = inf
    ge: Callable[..., list[Any]] = lambda *x: []
    eq: Callable[..., list[Any]] = lambda *x: []
    source: str = "Hock, Schittkowski: Test Examples for Nonlinear Programming Codes (1981)"

    def problem(self) -> DenseProblem:
        """Each with functions of its own, which remember the last point."""
        last: dict[bytes, tuple[Array, Array, Array]] = {}

        def at(x: Array) -> tuple[Array, Array, Array]:
            if x.tobytes() not in last:
                last.clear()
                last[x.tobytes()] = evaluated(lambda *x: [self.f(*x), *self.ge(*x), *self.eq(*x)], x)
            return last[x.tobytes()]

        x = np.array(self.start, float)
        ge, eq = (len(evaluated(f, x)[0]) for f in (self.ge, self.eq))
        lower, upper = (np.broadcast_to(np.asarray(side, float), x.shape) for side in (self.lower, self.upper))
        return DenseProblem(
            Bounds(lower, upper),
            objective=lambda x: at(x)[0][0],
            gradient=lambda x: at(x)[1][0],
            hessian=lambda x, y, weight: np.tensordot(np.r_[weight, y], at(x)[2], 1),
            constraints=lambda x: at(x)[0][1:],
            jacobian=lambda x: at(x)[1][1:],
            constraint_bounds=Bounds(np.zeros(ge + eq), np.r_[np.full(ge, inf), np.zeros(eq)]),
            names=[*(f"inequality {k}" for k in range(ge)), *(f"equality {k}" for k in range(eq))],
        )

    @property
    def begin(self) -> Start:
        return Start(np.array(self.start, float))
