"""The interior-point solver IPOPT, from the package ``ipyopt``."""

from __future__ import annotations

import enum
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import MissingExtraError
from kinetree.plan.transcription import Transcription

Array = NDArray[np.float64]
_INFINITE = 2e19  # what IPOPT takes for infinity
_FEASIBLE = 1e-6  # relative violation up to which a motion may be kept when the solver is stopped


class Ending(enum.IntEnum):
    """How the solver ended."""

    OPTIMAL = 0
    ACCEPTABLE = 1
    INFEASIBLE = 2
    LIMIT = 3
    INTERRUPTED = 4
    FAILED = 5


# the return codes of IPOPT
_CODES = {0: Ending.OPTIMAL, 1: Ending.ACCEPTABLE, 2: Ending.INFEASIBLE, 3: Ending.OPTIMAL, 5: Ending.INTERRUPTED,
          -1: Ending.LIMIT, -4: Ending.LIMIT, -5: Ending.LIMIT}  # fmt: skip


@dataclass
class Solution:
    """Where the solver ended, and what it took."""

    x: Array
    ending: Ending
    objective: float
    violation: float
    iterations: int
    seconds: float
    multipliers: tuple[Array, Array, Array]
    is_rough: bool = False  # whether it is one from which another search shall go on


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
    """Solve a problem from a start, or go on from a solution with multipliers of rows, lower and upper bounds.

    ``nearness`` is the barrier with which it goes on: the smaller, the nearer the solution must be. ``tell`` gets
    iteration, cost and violation, and says whether to go on. Ctrl-C stops it as ``tell`` would.
    """
    ipyopt = solver_package()
    watch = _Watch(problem, start)
    count = 0

    def every_iteration(mode: int, k: int, cost: float, infeasible: float, *rest: Any) -> bool:
        nonlocal count
        count = k
        return not stopped() and (tell is None or bool(tell(k, cost, infeasible)))

    if multipliers is None:
        multipliers = np.zeros(len(problem.lower)), np.zeros(problem.size), np.zeros(problem.size)
        options = _options(tolerance, iterations, None)
    else:
        options = _options(tolerance, iterations, nearness)
    nlp = ipyopt.Problem(
        problem.size,
        np.maximum(lower, -_INFINITE),
        np.minimum(upper, _INFINITE),
        len(problem.lower),
        np.maximum(problem.lower, -_INFINITE),
        np.minimum(problem.upper, _INFINITE),
        problem.jacobian_places,
        problem.hessian_places,
        problem.objective,
        watch.gradient,
        watch.values,
        watch.jacobian,
        watch.hessian,
        every_iteration,
        ipopt_options=options,
    )
    began = time.perf_counter()
    of_rows, of_lower, of_upper = (m.copy() for m in multipliers)
    with interruptions() as stopped:
        x, _, code = nlp.solve(np.clip(start, lower, upper), mult_g=of_rows, mult_x_L=of_lower, mult_x_U=of_upper)
    ending = _CODES.get(int(code), Ending.FAILED)
    if ending in (Ending.INTERRUPTED, Ending.LIMIT, Ending.FAILED) and watch.best is not None:
        x = watch.best
    seconds = time.perf_counter() - began
    cost, violation = problem.objective(x), problem.violation(x)
    return Solution(x, ending, cost, violation, count, seconds, (of_rows, of_lower, of_upper))


def _options(tolerance: float, iterations: int, nearness: float | None) -> dict[str, Any]:
    options: dict[str, Any] = {
        "print_level": 0,
        "sb": "yes",
        "tol": tolerance,
        "constr_viol_tol": 1e-8,
        "max_iter": iterations,
        "mu_strategy": "adaptive",
        "fixed_variable_treatment": "make_parameter",
    }
    if nearness is not None:
        near = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
        options |= {"warm_start_init_point": "yes", "mu_strategy": "monotone", "mu_init": nearness}
        options |= {f"warm_start_{name}": 1e-8 for name in near}
    return options


@contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Within it the first Ctrl-C is only noted, so that the solver can end in order; a second one interrupts.

    Gives a function that says whether one came. Signals reach the main thread alone; elsewhere nothing changes.
    """
    came = False
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return

    def note(number: int, frame: Any) -> None:
        nonlocal came
        if came:
            before(number, frame)
        came = True

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)


class _Watch:
    """The problem as the solver calls it; remembers the best motion that keeps its limits."""

    def __init__(self, problem: Transcription, start: Array) -> None:
        self.problem = problem
        self.best: Array | None = None
        self.cost = np.inf
        self._look(start, problem.values(start))

    def _look(self, x: Array, values: Array) -> None:
        if self.problem.excess(values) <= _FEASIBLE and (cost := self.problem.objective(x)) < self.cost:
            self.best, self.cost = x.copy(), cost

    def gradient(self, x: Array, out: Array) -> None:
        out[:] = self.problem.gradient(x)

    def values(self, x: Array, out: Array) -> None:
        out[:] = self.problem.values(x)
        self._look(x, out)

    def jacobian(self, x: Array, out: Array) -> None:
        out[:] = self.problem.jacobian(x)

    def hessian(self, x: Array, multipliers: Array, factor: float, out: Array) -> None:
        out[:] = self.problem.hessian(x, multipliers, factor)


def solver_package() -> Any:
    """The package with the solver, or an error that says how to install it."""
    try:
        import ipyopt
    except ImportError:
        raise MissingExtraError(
            "planning needs the solver IPOPT; install it with: pip install 'kinetree[plan]'"
        ) from None
    return ipyopt
