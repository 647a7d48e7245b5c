"""Every solver on every published problem, with the published optimum."""

from __future__ import annotations

import numpy as np
import pytest
from conformance import failures
from hock_schittkowski import PROBLEMS as HOCK_SCHITTKOWSKI
from other_problems import INFEASIBLE, PROBLEMS as OTHERS, UNBOUNDED
from published import Published

from kinetree.nlp import Elastic, Fallback, Interior, Ipopt, Solver, Termination

PROBLEMS = [*HOCK_SCHITTKOWSKI, *OTHERS]
SAME = 1e-6  # of optima, relative to 1 or more: they are published with 8 to 10 digits, and found to 1e-7
FEASIBLE = 1e-6
STATIONARY = 1e-4  # the gradient of the Lagrangian, relative to the largest multiplier
# that of elastic mode, which stops where a step would gain less than a tenth of the barrier: multipliers of equalities,
# differences of two numbers below the penalty weight of 10, are known to one part in 1e2 of that only
STATIONARY_ELASTIC = 1e-1
SOLVERS: dict[str, Solver] = {
    "interior": Interior(),
    "elastic": Elastic(tolerance=1e-8, feasibility=1e-6),
    "ipopt": Ipopt(),
    "fallback": Fallback(Interior(), Ipopt()),
}
NO_RESTORATION = "stalls where constraints are far from satisfied, or W far from positive definite: no restoration"
NO_MULTIPLIERS = "no multipliers exist at the solution, which is a cusp"
OTHER_MINIMUM = "finds another local minimum, of -13"
WEIGHT = "the multipliers are above the largest penalty weight, 1e3"
FALLS = "the objective falls faster outside than a penalty of the first weight rises"
# what a solver can't do, and why
EXCEPTIONS = {
    ("interior", "HS13"): NO_MULTIPLIERS,
    ("elastic", "HS13"): NO_MULTIPLIERS,
    ("ipopt", "HS13"): NO_MULTIPLIERS,
    ("fallback", "HS13"): NO_MULTIPLIERS,
    ("interior", "HS15"): NO_RESTORATION,
    ("interior", "HS27"): NO_RESTORATION,
    ("interior", "HS29"): NO_RESTORATION,
    ("interior", "HS44"): OTHER_MINIMUM,
    ("fallback", "HS44"): OTHER_MINIMUM,
    ("elastic", "HS15"): WEIGHT,
    ("elastic", "HS62"): WEIGHT,
    ("elastic", "HS64"): WEIGHT,
    ("elastic", "HS72"): WEIGHT,
    ("elastic", "HS19"): FALLS,
    ("elastic", "HS33"): FALLS,
    ("elastic", "HS36"): FALLS,
    ("elastic", "HS37"): FALLS,
    ("elastic", "HS44"): FALLS,
}


def named(problems: list[Published]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("published", problems, ids=lambda p: p.name)


alone = pytest.mark.skipif(bool(Ipopt().unavailable()), reason="there is nothing to fall back to")
every_solver = pytest.mark.parametrize(
    "solver", [pytest.param(x, marks=alone if x == "fallback" else ()) for x in SOLVERS]
)


@every_solver
@named(PROBLEMS)
def test_a_solver_finds_the_published_optimum(solver: str, published: Published) -> None:
    problem = published.problem()
    found = SOLVERS[solver].solve(problem, published.begin)
    assert published.optimum is not None
    near = abs(found.objective - published.optimum) <= SAME * max(1.0, abs(published.optimum))
    solved = found.termination.solved and near and found.violation <= FEASIBLE
    if reason := EXCEPTIONS.get((solver, published.name)):
        assert not solved, f"{solver} solves {published.name} after all, which should not be: {reason}"
        return
    assert solved, f"{found.termination}: {found.objective} for {published.optimum}, violated by {found.violation}"
    y, lower, upper = found.multipliers
    assert min(lower.min(), upper.min()) >= 0.0
    here = problem.linearise(found.x, y, np.zeros(len(y)))
    residual = here.gradient + here.jacobian.transpose_product(y) + (upper - lower)[problem.bounds.free]
    size = max(1.0, *(float(np.abs(m).max(initial=0.0)) for m in found.multipliers))
    assert np.abs(residual).max() <= (STATIONARY_ELASTIC if solver == "elastic" else STATIONARY) * size


def test_there_are_many_problems_and_few_exceptions() -> None:
    names = [p.name for p in PROBLEMS]
    assert len({*names}) == len(names) >= 60
    assert {name for _, name in EXCEPTIONS} <= {*names}
    assert len(EXCEPTIONS) <= 0.1 * len(SOLVERS) * len(PROBLEMS)


@named([*PROBLEMS, *INFEASIBLE, *UNBOUNDED])
def test_the_derivatives_of_the_problems_are_right(published: Published) -> None:
    assert failures(published.problem(), published.begin.x) == []


@every_solver
@named(INFEASIBLE)
def test_where_no_point_is_feasible_a_solver_says_so_if_it_can(solver: str, published: Published) -> None:
    found = SOLVERS[solver].solve(published.problem(), published.begin)
    assert found.violation > 0.1
    assert np.isfinite(found.x).all()
    expected = Termination.STALLED if solver == "interior" else Termination.LOCALLY_INFEASIBLE
    assert found.termination is expected


@every_solver
@named(UNBOUNDED)
def test_an_objective_that_falls_without_end_is_not_solved(solver: str, published: Published) -> None:
    found = SOLVERS[solver].solve(published.problem(), published.begin)
    stopped = (Termination.DIVERGED, Termination.ITERATION_LIMIT, Termination.FAILED)
    assert found.termination in stopped
