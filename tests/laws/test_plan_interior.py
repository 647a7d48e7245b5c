"""The interior-point method by itself: IPOPT, which has a second look in `plan`, must not stand in for it here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kinetree as kt
from kinetree.plan import Problem, Reaction, interior, solver
from kinetree.plan.ends import bounds, first_guess
from kinetree.plan.solver import Ending

SAME = 1e-5  # relative difference of two optima found to 1e-7
ROUNDING = 1e-12  # relative
ARM = kt.robots.two_link()


def task(minimised: str = "time", points: int = 16) -> Problem:
    problem = Problem(ARM, control_points=points)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.limit("force", 10.0)
    problem.minimise(minimised)
    return problem


def plain() -> Problem:
    return task()


def with_equations() -> Problem:
    problem = task()
    problem.start([0.0, -2.0], qd=[0.5, 0.1])
    problem.via(0.4, "position", [0.3, -1.2])
    return problem


def with_reactions() -> Problem:
    problem = task()
    problem.limit(Reaction("link2"), 15.0)
    return problem


def with_two_costs() -> Problem:
    problem = task()
    problem.minimise("effort", 0.01)
    return problem


def of_effort() -> Problem:
    problem = task("effort")
    problem.duration(0.6)
    return problem


@pytest.mark.parametrize("make", [plain, with_equations, with_reactions, with_two_costs, of_effort])
def test_it_finds_the_optimum_that_ipopt_finds(make: Callable[[], Problem]) -> None:
    problem = make()
    transcribed = problem.transcription(problem.spline.even(4))
    lower, upper = bounds(problem)
    start = first_guess(problem)
    own, theirs = (method.solve(transcribed, start, lower, upper) for method in (interior, solver))
    assert own.ending is Ending.OPTIMAL
    assert own.violation <= 1e-7
    assert abs(own.objective - theirs.objective) <= SAME * abs(theirs.objective)


def test_it_goes_on_from_a_solution_in_a_few_steps() -> None:
    problem = task()
    lower, upper = bounds(problem)
    first = interior.solve(problem.transcription(problem.spline.even(4)), first_guess(problem), lower, upper)
    tighter = problem.transcription(problem.spline.even(4), 1e-4)
    on = interior.solve(tighter, first.x, lower, upper, multipliers=first.multipliers)
    cold = interior.solve(tighter, first_guess(problem), lower, upper)
    assert on.ending is Ending.OPTIMAL
    assert on.iterations < cold.iterations
    assert abs(on.objective - cold.objective) <= SAME * cold.objective


def test_it_says_that_it_fails_on_an_impossible_task() -> None:
    problem = of_effort()
    problem.duration(0.2)
    lower, upper = bounds(problem)
    found = interior.solve(problem.transcription(problem.spline.even(4)), first_guess(problem), lower, upper)
    assert found.ending in (Ending.FAILED, Ending.LIMIT)
    assert np.isfinite(found.x).all()


@pytest.mark.parametrize("make", [plain, with_equations, with_two_costs])
def test_the_condensed_matrix_is_the_hessian_and_the_weighted_squares_of_the_rows(make: Callable[[], Problem]) -> None:
    problem = make()
    transcribed = problem.transcription(problem.spline.even(3))
    rng = np.random.default_rng(0)
    x = first_guess(problem) + 0.1 * rng.random(transcribed.size)
    multipliers, weights = rng.normal(size=(2, len(transcribed.lower)))
    H = np.zeros((transcribed.size, transcribed.size))
    H[transcribed.hessian_places] = transcribed.hessian(x, multipliers, 1.0)
    H += np.tril(H, -1).T
    J = np.zeros((len(weights), transcribed.size))
    J[transcribed.jacobian_places] = transcribed.jacobian(x)
    expected = H + (J.T * weights) @ J
    found = transcribed.condensed(x, multipliers, weights)
    assert np.abs(found - expected).max() <= ROUNDING * np.abs(expected).max()
