"""Transcriptions: motions as nonlinear programs with right derivatives, whichever way they are put together.

The interior-point method is tried on them by itself, without IPOPT as a second solver.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from conformance import failures

import kinetree as kt
from kinetree.nlp import Bounds, Interior, Ipopt, Start, Termination
from kinetree.plan import Problem, Reaction
from kinetree.plan.guess import first_guess
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe import assembly, block
from kinetree.transcribe.transcription import Transcription

SAME = 1e-5  # relative difference of two optima found to 1e-7
SMALL = 1e-10  # relative; of sums of numbers of all sizes
DIFFERENCES = 1e-5  # relative; second-order errors of norms of forces
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


def with_equalities() -> Problem:
    problem = task()
    problem.start([0.0, -2.0], qd=None)
    problem.via(0.0, "velocity", lower=[0.5, -0.5], upper=[0.5, 0.5])  # of the first joint alone it is an equality
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


ALL = [plain, with_equalities, with_reactions, with_two_costs, of_effort, on_a_path, with_linear_rows]


def transcribed(problem: Problem, per_interval: int = 3) -> tuple[Transcription, np.ndarray]:
    """A transcription, and variables near a guess."""
    transcriber = Transcriber(problem)
    x = first_guess(transcriber)
    x[:-1] += 0.01 * np.random.default_rng(1).random(len(x) - 1)
    return transcriber.transcription(problem.spline.samples(per_interval)), x


@pytest.mark.parametrize("make", ALL)
def test_a_transcription_is_a_program_with_right_derivatives(make: Callable[[], Problem]) -> None:
    assert failures(*transcribed(make()), tolerance=DIFFERENCES) == []


@pytest.mark.parametrize("make", [plain, with_equalities, with_two_costs, with_linear_rows, on_a_path])
@pytest.mark.parametrize(("module", "name"), [(block, "LARGEST"), (assembly, "DENSE")])
def test_large_and_small_ones_are_put_together_to_the_same(
    make: Callable[[], Problem], module: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks in NumPy and in one compiled function for each point; Jacobians by blocks and as one matrix."""
    found, problem = [], make()
    for most in (getattr(module, name), 0):
        monkeypatch.setattr(module, name, most)
        program, x = transcribed(problem)
        assert all(b.block.packed is (block.LARGEST > 0) for b in program.blocks)
        y, sigma = np.random.default_rng(2).normal(size=(2, len(program.constraint_bounds.lower)))
        found.append(program.linearise(x, y, np.abs(sigma)))
    one, other = found
    rng, n, m = np.random.default_rng(3), len(one.gradient), len(y)
    v, w, some = rng.normal(size=n), rng.normal(size=(3, m)), np.arange(1, m, 7)
    for a, b in (
        (one.gradient, other.gradient),
        (one.matrix, other.matrix),
        (one.jacobian.product(v), other.jacobian.product(v)),
        (one.jacobian.transpose_product(w), other.jacobian.transpose_product(w)),
        (one.jacobian.transpose_product(w[1]), other.jacobian.transpose_product(w)[1]),
        (one.jacobian.rows(some), other.jacobian.rows(some)),
        (one.jacobian.values(), other.jacobian.values()),
    ):
        assert np.abs(a - b).max() <= SMALL * np.abs(b).max()


@pytest.mark.parametrize("make", [plain, with_two_costs, of_effort, with_linear_rows])
def test_a_packed_matrix_is_the_dense_one(make: Callable[[], Problem]) -> None:
    program, x = transcribed(make())
    dense = Transcription(program.bounds, program.blocks, program.costs, program.time_weight, packed=False)
    y, sigma = np.abs(np.random.default_rng(4).normal(size=(2, len(program.constraint_bounds.lower))))
    packed, whole = (p.linearise(x, y, sigma).matrix for p in (program, dense))
    assert program.skyline is not None
    assert dense.skyline is None
    assert np.abs(program.skyline.unpacked(packed) - whole).max() <= SMALL * np.abs(whole).max()


def test_constraints_are_named_by_their_rows() -> None:
    program, _ = transcribed(with_equalities())
    m = len(program.constraint_bounds.lower)
    names = [program.constraint_name(row) for row in range(m)]
    assert {*names} >= {"force of joint1", "force of joint2", "position of joint1", "velocity of joint1"}


def test_no_duration_is_outside_the_domain() -> None:
    program, x = transcribed(plain())
    for duration in (0.0, -1.0, np.nan):
        assert program.objective(np.append(x[:-1], duration)) == np.inf


def test_fixed_control_points_are_no_variables() -> None:
    program, _ = transcribed(plain())
    assert len(program.bounds.lower) - len(program.bounds.free) == 8  # two at each end, of two joints
    assert isinstance(program.bounds, Bounds)


# -- solved by the interior-point method -------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [plain, with_equalities, with_reactions, with_two_costs, of_effort])
def test_it_finds_the_optimum_that_ipopt_finds(make: Callable[[], Problem]) -> None:
    program, _ = transcribed(make(), 4)
    start = Start(first_guess(Transcriber(make())))
    own, theirs = (solver.solve(program, start) for solver in (Interior(), Ipopt()))
    assert own.termination is Termination.CONVERGED
    assert own.violation <= 1e-7
    assert abs(own.objective - theirs.objective) <= SAME * abs(theirs.objective)


def test_a_warm_start_takes_a_few_steps() -> None:
    transcriber = Transcriber(task())
    s, guess = transcriber.spline.samples(4), first_guess(transcriber)
    first = Interior().solve(transcriber.transcription(s), Start(guess))
    tighter = transcriber.transcription(s, 1e-4)
    warm = Interior().solve(tighter, Start(first.x, first.multipliers))
    cold = Interior().solve(tighter, Start(guess))
    assert warm.termination is Termination.CONVERGED
    assert warm.iterations < cold.iterations
    assert abs(warm.objective - cold.objective) <= SAME * cold.objective


def test_it_says_that_it_fails_on_an_impossible_task() -> None:
    problem = of_effort()
    problem.duration(0.2)
    found = Interior().solve(transcribed(problem, 4)[0], Start(first_guess(Transcriber(problem))))
    assert not found.termination.solved
    assert np.isfinite(found.x).all()


def test_an_acceptable_solution_says_so() -> None:
    program, start = transcribed(task(), 4)[0], Start(first_guess(Transcriber(task())))
    fine, rough = Interior().solve(program, start), Interior(acceptable=1e-2).solve(program, start)
    assert (fine.termination, rough.termination) == (Termination.CONVERGED, Termination.ACCEPTABLE)
    assert rough.iterations < fine.iterations
    assert abs(rough.objective / fine.objective - 1.0) <= 0.01


def test_the_shortest_motion_takes_few_steps() -> None:
    problem = task(points=30)
    found = Interior().solve(transcribed(problem, 4)[0], Start(first_guess(Transcriber(problem))))
    assert found.termination is Termination.CONVERGED
    assert found.iterations <= FEW
