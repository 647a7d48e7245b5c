"""Free knots: exact slopes with respect to knots, the envelope theorem, and motions that are never worse."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.nlp import Interior, Start, Termination
from kinetree.plan import PlanStatus, Problem
from kinetree.plan.free_knots import LEAST, knot_derivatives, knot_gradient
from kinetree.plan.guess import first_guess
from kinetree.plan.transcriber import Transcriber
from kinetree.transcribe.bspline import BSpline

TWO_LINK = kt.robots.two_link()
START, END = [0.0, -2.0], [1.0, -1.0]
EXACT = 0.391854540  # s, the bang-bang optimum of the two-link arm
STEP = 1e-6  # of central differences with respect to a knot
SLOPES = 1e-7  # relative to the largest; second-order error of these differences, and rounding over STEP
ENVELOPE = 1e-4  # relative; the tolerance of the solver over the step
KEPT = 1e-6  # relative; how far a limit may be broken anywhere


def on(problem: Problem, inner: np.ndarray) -> Transcriber:
    return Transcriber(problem, BSpline(problem.spline.size, problem.spline.degree, tuple(inner.tolist())))


def fastest() -> Problem:
    problem = Problem(TWO_LINK, control_points=9, degree=4)
    problem.start(START)
    problem.end(END)
    problem.limit("force", 10.0)
    problem.limit("velocity", 20.0)
    problem.via(0.41, kt.plan.FramePosition("dh2"), lower=[-1.0, -1.0, -1.0], upper=[1.0, 1.0, 1.0])
    problem.minimise("time")
    problem.minimise("effort", 0.01)
    return problem


def repeated() -> Problem:
    problem = Problem(TWO_LINK, control_points=9)
    problem.periodic()
    problem.via(0.3, "position", [0.3, -1.8])
    problem.limit("acceleration", 30.0)
    problem.minimise("jerk")
    return problem


def along_a_path() -> Problem:
    problem = Problem(TWO_LINK, control_points=9, path=[START, [0.7, -1.9], END])
    problem.limit("force", 10.0)
    problem.minimise("time")
    return problem


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("degree", [3, 5])
def test_slopes_of_basis_functions_with_respect_to_knots_are_differences(degree: int, moving: bool):
    spline = BSpline(degree + 6, degree, (0.1, 0.3, 0.45, 0.7, 0.9))
    shares, span = np.array([0.2, 0.5, 0.9]), 2
    left, right = spline.breakpoints[span : span + 2]
    places = left + shares * (right - left)
    table, numbers = knot_derivatives(spline, places, 2, moving)
    for k in range(5):
        tables = []
        for step in (-STEP, STEP):
            inner = np.array(spline.inner) + step * (np.arange(5) == k)
            other = BSpline(spline.size, degree, tuple(inner.tolist()))
            ends = other.breakpoints[span : span + 2]
            tables.append(other.evaluate(ends[0] + shares * (ends[1] - ends[0]) if moving else places, 2)[0])
        wanted = (tables[1] - tables[0]) / (2 * STEP)
        here = np.nonzero(numbers[:, 0] == degree + 1 + k)[0]
        found = table[here[0]] if len(here) else np.zeros_like(wanted)
        assert np.abs(found - wanted).max() <= SLOPES * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("make", [fastest, repeated, along_a_path])
def test_the_knot_gradient_is_the_slope_of_the_lagrangian(make):
    random = np.random.default_rng(3)
    inner = np.linspace(0.0, 1.0, len(make().spline.inner) + 2)[1:-1] + random.uniform(-0.03, 0.03)
    transcriber = on(make(), inner)
    problem = transcriber.problem
    x = np.r_[random.normal(size=18) if problem.coordinates.size == 2 else np.linspace(0, 1, 9), 0.7]
    if problem.periodic_order is not None:  # rows of periodicity are looked at where they hold
        x[:-1].reshape(9, 2)[-3:] = x[:-1].reshape(9, 2)[:1]
        x[:-1].reshape(9, 2)[:3] = x[:-1].reshape(9, 2)[:1]
    transcription = transcriber.transcription(transcriber.spline.samples(4))
    y = random.normal(size=len(transcription.constraint_bounds.lower))
    found = knot_gradient(transcriber, transcription, x, y)
    assert len(found) == len(inner)
    for k in range(len(inner)):
        sides = []
        for step in (-STEP, STEP):
            other = on(problem, inner + step * (np.arange(len(inner)) == k))
            moved = other.transcription(other.spline.samples(4))
            sides.append(moved.objective(x) + y @ moved.constraints(x))
        assert abs(found[k] - (sides[1] - sides[0]) / (2 * STEP)) <= SLOPES * max(1.0, np.abs(found).max()), k


def test_the_knot_gradient_is_the_slope_of_the_best_cost():
    problem, step, sides = fastest(), 1e-4, []
    inner, direction = np.array([0.05, 0.3, 0.35, 0.95]), np.array([1.0, 0.2, -0.5, -1.0])
    for k in (0.0, -step, step):
        transcriber = on(problem, inner + k * direction)
        transcription = transcriber.transcription(transcriber.spline.samples(4))
        best = Interior(1e-9).solve(transcription, Start(first_guess(transcriber)))
        assert best.termination is Termination.CONVERGED
        sides.append((best, transcriber, transcription))
    best, transcriber, transcription = sides[0]
    slope = knot_gradient(transcriber, transcription, best.x, best.multipliers.constraints) @ direction
    difference = (sides[2][0].objective - sides[1][0].objective) / (2 * step)
    assert abs(slope) > 5e-4
    assert slope == pytest.approx(difference, rel=ENVELOPE)


def test_free_knots_come_nearer_to_the_bang_bang_optimum_than_adapted_ones():
    plans = {
        knots: kt.plan.minimum_time(TWO_LINK, q0=START, q1=END, force_limits=10.0, control_points=20, knots=knots)
        for knots in ("even", "adapted", "free")
    }
    free = plans["free"]
    assert free.status is PlanStatus.OPTIMAL
    assert EXACT < free.duration < plans["adapted"].duration <= plans["even"].duration
    # at least a third of what was left is won
    assert free.duration - EXACT < (plans["adapted"].duration - EXACT) * 2 / 3
    t = np.linspace(0.0, free.duration, 10_000)
    assert np.abs(free.forces(t)).max() <= 10.0 * (1.0 + KEPT)
    spans = np.diff(np.r_[0.0, free.spline.inner, 1.0])
    assert spans.min() >= LEAST / len(spans) * (1.0 - 1e-12)


def test_free_knots_are_never_worse_and_none_to_free_is_no_error():
    for points in (4, 5, 7):
        costs = [
            kt.plan.minimum_effort(TWO_LINK, q0=START, q1=END, duration=0.6, control_points=points, knots=knots).cost
            for knots in ("even", "adapted", "free")
        ]
        assert costs[2] <= costs[1] <= costs[0]


def test_an_interrupted_search_for_knots_still_has_a_plan():
    calls = 0

    def stop(*_: float) -> bool:
        nonlocal calls
        calls += 1
        return calls < 150

    plan = kt.plan.minimum_time(
        TWO_LINK, q0=START, q1=END, force_limits=10.0, control_points=16, knots="free", callback=stop
    )
    assert plan.ok
