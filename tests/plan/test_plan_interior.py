"""The interior-point method by itself: IPOPT, which has a second look in `plan`, must not stand in for it here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kinetree.plan.skyline import Skyline, skyline

import kinetree as kt
from kinetree.plan import Problem, Reaction, assembly, block, interior, solver
from kinetree.plan.condensed import Sides, View
from kinetree.plan.ends import bounds, first_guess
from kinetree.plan.solver import Ending
from kinetree.plan.starting import started

SAME = 1e-5  # relative difference of two optima found to 1e-7
ROUNDING = 1e-12  # relative
SMALL = 1e-10  # relative; of sums of numbers of all sizes
FEW = 14  # steps for the shortest motion of the arm: each brings the barrier down by about ten, from 1 to 1e-8
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
    multipliers, weights = rng.normal(size=len(transcribed.lower)), rng.random(len(transcribed.lower))
    H = np.zeros((transcribed.size, transcribed.size))
    H[transcribed.hessian_places] = transcribed.hessian(x, multipliers, 1.0)
    H += np.tril(H, -1).T
    J = np.zeros((len(weights), transcribed.size))
    J[transcribed.jacobian_places] = transcribed.jacobian(x)
    expected = H + (J.T * weights) @ J
    found = transcribed.condensed(x, multipliers, weights)
    assert np.abs(found - expected).max() <= ROUNDING * np.abs(expected).max()


def on_a_path() -> Problem:
    problem = Problem(ARM, control_points=8, path=[[0.0, -2.0], [0.3, -1.2], [1.0, -1.0]])
    problem.limit("force", 10.0)
    problem.limit("force_rate", 400.0)
    problem.minimise("time")
    return problem


def with_linear_rows() -> Problem:
    problem = task()
    problem.limit("velocity", lower=[-4.0, -np.inf], upper=5.0)
    problem.limit("jerk", 1e4)
    return problem


@pytest.mark.parametrize("make", [plain, with_equations, with_two_costs, with_linear_rows, on_a_path])
def test_one_function_of_a_place_gives_what_its_parts_give(
    make: Callable[[], Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, rng = make(), np.random.default_rng(1)
    x = first_guess(problem)
    x[:-1] += 0.01 * rng.random(len(x) - 1)
    found = []
    for small in (block.SMALL, 0):
        monkeypatch.setattr(block, "SMALL", small)
        transcribed = problem.transcription(problem.spline.even(3))
        assert all(r.block.packed is (small > 0) for r in transcribed.rows)
        drawn = np.random.default_rng(2).normal(size=(2, len(transcribed.lower)))
        multipliers, weights = drawn[0], np.abs(drawn[1])
        found.append(assembly.Assembly(transcribed, np.arange(3, len(x))).derivatives(x, multipliers, weights))
    one, other = found
    some = rng.normal(size=len(x) - 3)
    for a, b in (
        (one.gradient, other.gradient),
        (one.matrix, other.matrix),
        (one.slopes.times(some), other.slopes.times(some)),
    ):
        assert np.abs(a - b).max() <= SMALL * np.abs(b).max()


@pytest.mark.parametrize("make", [plain, with_equations, with_linear_rows])
def test_slopes_are_the_same_place_by_place_and_as_one_matrix(
    make: Callable[[], Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = make()
    transcribed = problem.transcription(problem.spline.even(3))
    x, rng = first_guess(problem), np.random.default_rng(3)
    J = np.zeros((len(transcribed.lower), len(x)))
    np.add.at(J, transcribed.jacobian_places, transcribed.jacobian(x))
    free = np.arange(2, len(x))
    v, w, some = rng.normal(size=len(free)), rng.normal(size=(3, len(J))), np.arange(1, len(J), 7)
    for most in (assembly.DENSE, 0):
        monkeypatch.setattr(assembly, "DENSE", most)
        slopes = assembly.Assembly(transcribed, free).slopes(x)
        assert np.abs(slopes.times(v) - J[:, free] @ v).max() <= ROUNDING * np.abs(J).max()
        assert np.abs(slopes.transposed(w) - w @ J[:, free]).max() <= SMALL * np.abs(J).max()
        assert np.abs(slopes.transposed(w[1]) - w[1] @ J[:, free]).max() <= SMALL * np.abs(J).max()
        assert np.abs(slopes.some(some) - J[np.ix_(some, free)]).max() <= ROUNDING * np.abs(J).max()


@pytest.mark.parametrize("make", [plain, with_two_costs, of_effort, with_linear_rows])
def test_a_packed_matrix_is_the_lower_triangle_of_the_whole_one(make: Callable[[], Problem]) -> None:
    problem = make()
    transcribed = problem.transcription(problem.spline.even(3))
    x, drawn = first_guess(problem), np.random.default_rng(4).normal(size=(2, len(transcribed.lower)))
    free = np.flatnonzero(np.less(*bounds(problem)))
    whole, packed = (
        transcribed.assembly(free, p).derivatives(x, drawn[0], np.abs(drawn[1])).matrix for p in (False, True)
    )
    pattern = transcribed.assembly(free, True).pattern
    assert pattern is not None
    assert np.abs(whole.ravel()[pattern.places] - packed).max() <= ROUNDING * np.abs(whole).max()
    left = np.tril(whole)
    left.ravel()[pattern.places] = 0.0
    assert not left.any()


def test_a_system_of_a_pattern_is_solved_as_by_lapack() -> None:
    rng, first = np.random.default_rng(5), (0, 0, 1, 1, 4, 2, 5, 0)
    n = len(first)
    pattern = Skyline(first)
    A = np.zeros((n, n))
    A.ravel()[pattern.places] = rng.normal(size=pattern.size)
    A = A + A.T
    b, least = rng.normal(size=n), float(np.linalg.eigvalsh(A).min())
    assert least < 0.0
    packed = A.ravel()[pattern.places]
    kept = packed.copy()
    assert pattern.factored(packed, 0.9 * -least) is None
    solve = pattern.factored(packed, 1.1 * -least)
    assert solve is not None
    expected = np.linalg.solve(A - 1.1 * least * np.eye(n), b)
    assert np.abs(solve(b) - expected).max() <= SMALL * np.abs(expected).max()
    assert (packed == kept).all()
    assert pattern.factored(np.full(pattern.size, np.nan), 0.0) is None


def test_large_systems_without_a_pattern_are_left_to_lapack() -> None:
    n = 200
    near, everywhere = n * np.arange(1, n) + np.arange(n - 1), np.flatnonzero(np.tri(n))
    assert skyline(near, n) is not None
    assert skyline(everywhere, n) is None
    assert skyline(np.zeros(0, int), 0) is None


def test_a_rough_solution_says_so() -> None:
    problem = task()
    given = problem.transcription(problem.spline.even(4)), first_guess(problem), *bounds(problem)
    fine, rough = interior.solve(*given), interior.solve(*given, enough=1e-2)
    assert (fine.is_rough, rough.is_rough) == (False, True)
    assert rough.iterations < fine.iterations
    assert abs(rough.objective / fine.objective - 1.0) <= 0.01


def test_the_shortest_motion_takes_few_steps() -> None:
    problem = task(points=30)
    found = interior.solve(problem.transcription(problem.spline.even(4)), first_guess(problem), *bounds(problem))
    assert found.ending is Ending.OPTIMAL
    assert found.iterations <= FEW


def test_going_on_starts_inside_all_limits_with_all_products_the_same() -> None:
    problem = task()
    problem.limit("position", lower=[-0.1, -2.0005], upper=[1.1, -0.9995])
    lower, upper = bounds(problem)
    first = interior.solve(problem.transcription(problem.spline.even(4)), first_guess(problem), lower, upper)
    view = View(problem.transcription(problem.spline.even(5), 1e-2), lower, upper)
    sides = Sides(view)
    multipliers = np.zeros(len(view.problem.lower)), *first.multipliers[1:]
    point, mu = started(view, sides, first.x, lower, upper, multipliers, 1e-8)
    assert sides.broken(point.g) > 0.0
    assert (point.d > 0.0).all()
    assert np.abs(point.d * point.z - mu).max() <= ROUNDING * mu
