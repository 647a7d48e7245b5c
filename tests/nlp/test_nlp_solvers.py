"""How solvers start, go on, stop and stand in for each other."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hock_schittkowski import PROBLEMS
from numpy.typing import NDArray
from other_problems import INFEASIBLE
from packed import Packed, chain
from published import Published

from kinetree.errors import InputError, MissingExtraError
from kinetree.nlp import (
    Bounds,
    DenseProblem,
    Elastic,
    Fallback,
    Interior,
    Ipopt,
    Multipliers,
    Problem,
    Solution,
    Solver,
    Start,
    Termination,
)
from kinetree.nlp.conflict import conflict
from kinetree.nlp.interrupt import interruptions
from kinetree.nlp.ipopt import ipopt_package
from kinetree.nlp.solution import Callback

Array = NDArray[np.float64]
SAME = 1e-6  # relative difference of two optima found to 1e-7
ROUNDING = 1e-12
HS = {p.name: p for p in PROBLEMS}
SOLVERS = [Interior(), Elastic(tolerance=1e-7), Ipopt()]
every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
START = Start(np.full(8, 0.1))


def tightened(problem: DenseProblem, by: float) -> Problem:
    """The same with narrower constraints."""
    bounds = problem.constraint_bounds
    problem.constraint_bounds = Bounds(bounds.lower, bounds.upper - by)
    return problem


# -- warm starts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [Interior(), Ipopt()], ids=lambda s: type(s).__name__)
def test_a_warm_start_takes_fewer_iterations(solver: Solver) -> None:
    first = solver.solve(chain(8), START)
    similar = tightened(chain(8), 1e-4)
    warm = solver.solve(similar, Start(first.x, first.multipliers))
    cold = solver.solve(similar, START)
    assert warm.termination is Termination.CONVERGED
    assert warm.iterations < 0.7 * cold.iterations
    assert warm.objective == pytest.approx(cold.objective, rel=SAME)


def test_a_warm_start_in_elastic_mode_stays_near_with_a_small_barrier() -> None:
    first = Interior().solve(chain(8), START)
    warm = Elastic().solve(chain(8), Start(first.x, first.multipliers, barrier=1e-6))
    assert warm.termination is Termination.CONVERGED
    assert warm.iterations < Elastic().solve(chain(8), START).iterations
    assert warm.objective == pytest.approx(first.objective, rel=1e-4)


@pytest.mark.parametrize("equality", [False, True])
def test_packed_and_dense_matrices_lead_to_the_same_solution(equality: bool) -> None:
    for solver in SOLVERS:
        dense, packed = (solver.solve(p, START) for p in (chain(8, equality), Packed(chain(8, equality))))
        assert dense.termination is packed.termination is Termination.CONVERGED
        assert packed.iterations == dense.iterations
        assert np.abs(packed.x - dense.x).max() <= 1e-9
        assert packed.x[0] == dense.x[0] == 0.3  # fixed


# -- stopping ----------------------------------------------------------------------------------------------------------


@every_solver
def test_a_callback_sees_every_iteration_and_stops(solver: Solver) -> None:
    seen: list[tuple[int, float, float]] = []

    def callback(iteration: int, objective: float, violation: float) -> bool:
        seen.append((iteration, objective, violation))
        return iteration < 3

    found = solver.solve(chain(8), START, callback)
    assert found.termination is Termination.USER_STOP
    assert [k for k, *_ in seen] == [0, 1, 2, 3]
    assert found.iterations == 3


@every_solver
def test_ctrl_c_stops_as_a_callback_would(solver: Solver) -> None:
    def callback(iteration: int, *_: float) -> bool:
        if iteration == 2:
            signal.raise_signal(signal.SIGINT)
        return True

    assert solver.solve(chain(8), START, callback).termination is Termination.USER_STOP


def test_a_second_ctrl_c_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt), interruptions() as interrupted:  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        assert interrupted()
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    "solver", [Interior(iterations=5), Elastic(iterations=20), Ipopt(iterations=6)], ids=lambda s: type(s).__name__
)
def test_at_the_limit_of_iterations_the_best_feasible_point_is_given(solver: Any) -> None:
    published = HS["HS100"]
    problem = published.problem()
    found = solver.solve(problem, published.begin)
    assert found.termination is Termination.ITERATION_LIMIT
    assert found.iterations == solver.iterations
    assert found.violation <= 1e-6
    assert found.objective == problem.objective(found.x) < problem.objective(published.begin.x)
    at_once = replace(solver, iterations=0).solve(problem, published.begin)
    assert at_once.iterations == 0
    assert not at_once.termination.solved


@pytest.mark.parametrize(
    ("code", "termination"), [(3, Termination.STALLED), (-1, Termination.ITERATION_LIMIT), (-99, Termination.FAILED)]
)
def test_no_code_of_ipopt_but_success_is_a_solution(
    code: int, termination: Termination, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Returning:
        """IPOPT, which is made to stop for this reason."""

        def __init__(self, *args: Any, **options: Any) -> None:
            self.problem = problem(*args, **options)

        def solve(self, x: Any, **multipliers: Any) -> Any:
            return *self.problem.solve(x, **multipliers)[:2], code

    problem = ipopt_package().Problem
    monkeypatch.setattr(ipopt_package(), "Problem", Returning)
    found = Ipopt().solve(chain(8), START)
    assert found.termination is termination
    assert not found.termination.solved


def test_an_acceptable_solution_takes_fewer_iterations_and_says_so() -> None:
    fine, rough = (Interior(acceptable=a).solve(chain(8), START) for a in (0.0, 1e-2))
    assert fine.termination is Termination.CONVERGED
    assert rough.termination is Termination.ACCEPTABLE
    assert rough.termination.solved
    assert rough.iterations < fine.iterations
    assert rough.objective == pytest.approx(fine.objective, rel=0.05)


@every_solver
def test_a_start_outside_the_domain_is_an_evaluation_error(solver: Solver) -> None:
    problem = DenseProblem(
        Bounds(np.full(1, -np.inf), np.full(1, np.inf)),
        objective=lambda x: x[0] - np.log(x[0]) if x[0] > 0.0 else np.inf,
        gradient=lambda x: 1.0 - 1.0 / x,
        hessian=lambda x, y, weight: [weight / x**2],
    )
    outside = solver.solve(problem, Start(-np.ones(1)))
    assert outside.termination is Termination.EVALUATION_ERROR
    assert outside.x == -1.0
    inside = solver.solve(problem, Start(np.array([20.0])))  # full steps leave the domain
    assert inside.termination is Termination.CONVERGED
    assert inside.x == pytest.approx(1.0, abs=1e-4)


@every_solver
@pytest.mark.parametrize("equality", [False, True])
@pytest.mark.parametrize("name", ["_objective", "_constraints", "_gradient", "_hessian", "_jacobian"])
def test_numbers_that_are_not_finite_are_an_evaluation_error(solver: Solver, name: str, equality: bool) -> None:
    problem = chain(8, equality)
    given = getattr(problem, name)
    setattr(problem, name, lambda *at: np.nan * given(*at))
    found = solver.solve(problem, START)
    assert found.termination is Termination.EVALUATION_ERROR
    assert np.isfinite(found.x).all()


@every_solver
def test_a_start_of_the_wrong_size_is_refused(solver: Solver) -> None:
    with pytest.raises(InputError, match=r"8 variables, got an array of shape \(3,\)"):
        solver.solve(chain(8), Start(np.zeros(3)))


@every_solver
def test_without_free_variables_there_is_nothing_to_do(solver: Solver) -> None:
    fixed = Bounds(np.ones(2), np.ones(2))
    problem = DenseProblem(fixed, lambda x: x @ x, lambda x: 2.0 * x, lambda x, y, weight: 2.0 * weight * np.eye(2))
    found = solver.solve(problem, Start(np.zeros(2)))
    assert found.termination is Termination.CONVERGED
    assert found.objective == 2.0


def test_quasi_newton_matrices_solve_a_problem_too() -> None:
    problem = chain(8)
    problem._hessian = lambda x, y, weight: 60.0 * weight * np.eye(8)
    problem.exact_hessian = False
    exact = Interior().solve(chain(8), START).objective
    for solver in (Interior(tolerance=1e-5), Ipopt()):
        found = solver.solve(problem, START)
        assert found.termination is Termination.CONVERGED
        assert found.objective == pytest.approx(exact, rel=1e-4)


# -- conflicts ---------------------------------------------------------------------------------------------------------


def conflicting() -> DenseProblem:
    """x from 2 to 3 by one constraint, below 1 by a narrow one, and somewhere by a third."""
    return DenseProblem(
        Bounds(np.array([-9.0]), np.array([9.0])),
        objective=lambda x: 0.0,
        gradient=lambda x: np.zeros(1),
        hessian=lambda x, y, weight: [[2.0 * y[1]]],
        constraints=lambda x: [x[0], x[0] ** 2, x[0]],
        jacobian=lambda x: [[1.0], [2.0 * x[0]], [1.0]],
        constraint_bounds=Bounds(np.array([2.0, -1.0, -5.0]), np.array([3.0, 1.0, 5.0])),
        names=["height of the hand", "speed of the foot", "reach of the arm"],
    )


@pytest.mark.parametrize("solver", [Elastic(), Ipopt()], ids=lambda s: type(s).__name__)
def test_a_conflict_names_the_constraints_that_it_helps_to_loosen(solver: Solver) -> None:
    problem = conflicting()
    found = solver.solve(problem, Start(np.array([4.0])))
    assert found.termination is Termination.LOCALLY_INFEASIBLE
    message = conflict(problem, found.multipliers)
    assert message.startswith("; it helps most to loosen ")
    assert "height of the hand" in message
    assert "speed of the foot" in message
    assert "reach" not in message


def test_groups_of_a_conflict_share_its_gain() -> None:
    problem = chain(8)
    problem.constraint_bounds = Bounds(np.full(7, -np.inf), np.ones(7))
    y = np.array([1.0, 3.0, 0.0, 2.0, 2.0, 0.0, 0.0])
    found = conflict(problem, Multipliers(y, np.zeros(8), np.zeros(8)))
    assert (
        found
        == "; it helps most to loosen squares of 1 and 2, squares of 3 and 4, squares of 4 and 5 and others (100%)"
    )
    assert conflict(problem, Multipliers(0.0 * y, np.zeros(8), np.zeros(8))) == ""


# -- a second solver ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A solver that gives what it was told, and counts how often it is asked."""

    termination: Termination
    objective: float = 1.0
    violation: float = 0.0
    missing: str = ""
    asked: list[Start] = None  # type: ignore[assignment]

    def unavailable(self) -> str:
        return self.missing

    def solve(self, problem: Problem, start: Start, callback: Callback | None = None) -> Solution:
        self.asked.append(start)
        none = Multipliers(np.zeros(7), np.zeros(8), np.zeros(8))
        return Solution(start.x, self.termination, self.objective, self.violation, 10, 2.0, none)


def asked(first: dict[str, Any], second: dict[str, Any], start: Start = START) -> tuple[Solution, bool]:
    """What a fallback gives, and whether the second solver was asked."""
    log: list[Start] = []
    fallback = Fallback(Told(**first, asked=[]), Told(**second, asked=log))
    return fallback.solve(chain(8), start), bool(log)


GOOD, ROUGH, STUCK = Termination.CONVERGED, Termination.ACCEPTABLE, Termination.STALLED
START_OBJECTIVE = chain(8).objective(START.inside(chain(8).bounds))


@pytest.mark.parametrize("why", list(Termination))
def test_the_second_solver_is_asked_where_the_first_fails(why: Termination) -> None:
    found, was = asked({"termination": why, "objective": 1.0}, {"termination": GOOD, "objective": 2.0})
    assert was is (why not in (GOOD, ROUGH, Termination.USER_STOP))
    assert found.objective == (2.0 if was else 1.0)
    assert (found.iterations, found.seconds) == ((20, 4.0) if was else (10, 2.0))


def test_a_solution_worse_than_a_feasible_start_is_looked_at_twice() -> None:
    worse = {"termination": GOOD, "objective": START_OBJECTIVE + 1.0}
    found, was = asked(worse, {"termination": GOOD, "objective": 0.5})
    assert was
    assert found.objective == 0.5
    for second in ({"termination": GOOD, "objective": START_OBJECTIVE + 2.0}, {"termination": STUCK, "objective": 0.5}):
        found, was = asked(worse, second)
        assert was
        assert found.objective == START_OBJECTIVE + 1.0
        assert found.iterations == 20
    infeasible = Start(np.full(8, 0.9))
    warm = Start(START.x, Multipliers(np.zeros(7), np.zeros(8), np.zeros(8)))
    for start in (infeasible, warm):
        assert not asked(worse, {"termination": GOOD}, start)[1]


def test_of_two_failures_the_feasible_one_is_kept_the_better_of_two_such_or_the_second() -> None:
    first = {"termination": STUCK, "objective": 1.0}
    infeasible = {"termination": Termination.LOCALLY_INFEASIBLE, "objective": 2.0, "violation": 1.0}
    assert asked(first, infeasible)[0].objective == 1.0
    assert asked(first | {"violation": 2.0}, infeasible)[0].termination is Termination.LOCALLY_INFEASIBLE
    for second in (0.5, 2.0):
        assert asked(first, {"termination": STUCK, "objective": second})[0].objective == min(1.0, second)


def test_a_second_solver_that_is_unavailable_is_not_asked() -> None:
    found, was = asked({"termination": STUCK}, {"termination": GOOD, "missing": "not installed"})
    assert not was
    assert found.termination is STUCK


def test_a_fallback_solves_what_the_interior_point_method_alone_does_not() -> None:
    published = HS["HS29"]
    assert not Interior().solve(published.problem(), published.begin).termination.solved
    assert Fallback(Interior(), Elastic()).solve(published.problem(), published.begin).termination.solved


def test_without_its_package_ipopt_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Ipopt().unavailable() == "") == (find_spec("ipyopt") is not None)
    monkeypatch.setitem(sys.modules, "ipyopt", None)
    monkeypatch.setattr("kinetree.nlp.ipopt.find_spec", lambda name: None)
    assert "pip install 'kinetree[plan]'" in Ipopt().unavailable()
    with pytest.raises(MissingExtraError, match=r"pip install 'kinetree\[plan\]'"):
        Ipopt().solve(chain(8), START)
    published: Published = INFEASIBLE[0]
    alone = Fallback(Interior(), Ipopt()).solve(published.problem(), published.begin)
    assert alone.termination is Termination.STALLED


def test_ipopt_asks_for_first_derivatives_once_at_a_point() -> None:
    counted: list[bytes] = []

    class Counting(Packed):
        def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Any:
            counted.append(x.tobytes() + y.tobytes())
            return super().linearise(x, y, sigma, objective_weight)

    found = Ipopt().solve(Counting(chain(8)), START)
    assert found.termination is Termination.CONVERGED
    assert len(counted) <= 2 * found.iterations + 3


def test_solvers_are_values() -> None:
    for make in (Interior, Elastic, Ipopt):
        assert make() == make()
        assert hash(make()) == hash(make())
    assert Fallback(Interior(), Ipopt()) == Fallback(Interior(), Ipopt())


@pytest.mark.parametrize("why", list(Termination))
def test_every_termination_is_a_sentence(why: Termination) -> None:
    assert len(why.value.split()) >= 3
