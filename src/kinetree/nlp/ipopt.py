"""The interior-point solver IPOPT, from the package ``ipyopt``. Reference: [Waechter2006]."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from kinetree.errors import MissingExtraError
from kinetree.nlp.best import FEASIBLE, Best
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.problem import Bounds, Indices, Linearisation, Problem
from kinetree.nlp.solution import Callback, Multipliers, Solution, Start, Termination
from kinetree.runtime.arrays import Array

_ALONE = threading.RLock()  # its linear solver can't run twice in one process at the same time
_INFINITE = 2e19  # what IPOPT takes for infinity
_WARM_BARRIER, _WARM_PUSH = 1e-8, 1e-8
_MISSING = "planning needs the solver IPOPT; install it with: pip install 'kinetree[plan]'"
# the return codes of IPOPT
_CODES = {
    0: Termination.CONVERGED,
    1: Termination.ACCEPTABLE,
    2: Termination.LOCALLY_INFEASIBLE,
    3: Termination.STALLED,  # the search direction becomes too small
    4: Termination.DIVERGED,
    5: Termination.USER_STOP,
    -1: Termination.ITERATION_LIMIT,
    -2: Termination.STALLED,  # restoration failed
    -13: Termination.EVALUATION_ERROR,
}


@dataclass(frozen=True)
class Ipopt:
    """IPOPT, if it is installed.

    Args:
        tolerance: of the conditions of optimality, as IPOPT scales them.
        iterations: at the most.

    Example:
        >>> from kinetree.nlp import Bounds, DenseProblem
        >>> problem = DenseProblem(
        ...     Bounds(np.array([0.0]), np.array([2.0])),
        ...     lambda x: (x[0] - 3.0) ** 2,
        ...     lambda x: 2.0 * x - 6.0,
        ...     lambda x, y, weight: np.array([[2.0 * weight]]),
        ... )
        >>> Ipopt().solve(problem, Start(np.ones(1))).x.round(6)
        array([2.])
    """

    tolerance: float = 1e-7
    iterations: int = 400

    def unavailable(self) -> str:
        return "" if find_spec("ipyopt") else _MISSING

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        """The solution from a start, see `kinetree.nlp.solution.Solver`."""
        ipyopt = ipopt_package()
        began, free = time.perf_counter(), problem.bounds.free
        functions = _Functions(problem, start.inside(problem.bounds))
        x, m, count = functions.x[free], len(problem.constraint_bounds.lower), 0

        def every_iteration(mode: int, k: int, objective: float, violation: float, *rest: Any) -> bool:
            nonlocal count
            count = k
            return not interrupted() and (callback is None or bool(callback(k, objective, violation)))

        bounds = *_finite(problem.bounds, free), m, *_finite(problem.constraint_bounds, np.arange(m))
        structure = problem.jacobian_structure(), functions.hessian_structure()
        values = functions.objective, functions.gradient, functions.constraints, functions.jacobian
        hessian = functions.hessian if problem.exact_hessian else None
        options = self._options(start)
        nlp = ipyopt.Problem(len(free), *bounds, *structure, *values, hessian, every_iteration, ipopt_options=options)
        given = start.multipliers or Multipliers(np.zeros(m), *np.zeros((2, len(functions.x))))
        y, lower, upper = given.constraints.copy(), given.lower[free], given.upper[free]
        with interruptions() as interrupted, _ALONE:
            x, _, code = nlp.solve(x, mult_g=y, mult_x_L=lower, mult_x_U=upper)
        why = _CODES.get(int(code), Termination.FAILED)
        multipliers = Multipliers(y, *np.zeros((2, len(functions.x))))
        multipliers.lower[free], multipliers.upper[free] = lower, upper
        x = functions.best.returned(functions.whole(x), why)
        return Solution.at(x, problem, why, count, began, multipliers)

    def _options(self, start: Start) -> dict[str, Any]:
        options: dict[str, Any] = {
            "print_level": 0,
            "sb": "yes",
            "tol": self.tolerance,
            "constr_viol_tol": 1e-8,
            "max_iter": self.iterations,
            "mu_strategy": "adaptive",
            "check_derivatives_for_naninf": "yes",  # its linear solver crashes on them
        }
        if start.multipliers is not None:
            barrier = _WARM_BARRIER if start.barrier is None else start.barrier
            options |= {"warm_start_init_point": "yes", "mu_strategy": "monotone", "mu_init": barrier}
            pushed = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
            options |= {f"warm_start_{name}": _WARM_PUSH for name in pushed}
        return options


def _finite(bounds: Bounds, which: Indices) -> tuple[Array, Array]:
    return np.maximum(bounds.lower[which], -_INFINITE), np.minimum(bounds.upper[which], _INFINITE)


class _Functions:
    """A problem as IPOPT calls it, in its free variables; remembers the best feasible point."""

    def __init__(self, problem: Problem, x: Array) -> None:
        self.problem, self.x, self.free, self.best = problem, x, problem.bounds.free, Best()
        self._none = np.zeros(len(problem.constraint_bounds.lower))
        self._at: tuple[bytes, Linearisation] | None = None
        self._look(x, problem.constraints(x))

    def whole(self, z: Array) -> Array:
        """All variables."""
        x = self.x.copy()
        x[self.free] = z
        return x

    def _look(self, x: Array, values: Array) -> None:
        if (violation := self.problem.constraint_bounds.violation(values)) <= FEASIBLE:
            self.best.consider(x, self.problem.objective(x), violation)

    def _linearised(self, z: Array) -> Linearisation:
        """The derivatives at a point, those of the last one if it is the same."""
        key = z.tobytes()
        if self._at is None or self._at[0] != key:
            self._at = key, self.problem.linearise(self.whole(z), self._none, self._none)
        return self._at[1]

    def objective(self, z: Array) -> float:
        return self.problem.objective(self.whole(z))

    def gradient(self, z: Array, out: Array) -> None:
        out[:] = self._linearised(z).gradient

    def constraints(self, z: Array, out: Array) -> None:
        x = self.whole(z)
        out[:] = self.problem.constraints(x)
        self._look(x, out)

    def jacobian(self, z: Array, out: Array) -> None:
        out[:] = self._linearised(z).jacobian.values()

    def hessian_structure(self) -> tuple[Indices, Indices]:
        """Rows and columns of the lower triangle."""
        n, skyline = len(self.free), self.problem.skyline
        return np.tril_indices(n) if skyline is None else np.divmod(skyline.places, n)

    def hessian(self, z: Array, y: Array, weight: float, out: Array) -> None:
        found = self.problem.linearise(self.whole(z), y, self._none, weight)
        self._at = z.tobytes(), found
        out[:] = found.matrix if self.problem.skyline is not None else found.matrix[np.tril_indices(len(z))]


def ipopt_package() -> Any:
    """The package with the solver, or an error that says how to install it."""
    try:
        import ipyopt
    except ImportError:
        raise MissingExtraError(_MISSING) from None
    return ipyopt
