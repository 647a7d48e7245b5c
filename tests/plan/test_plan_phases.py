"""Tasks with phases: limits for a part of the motion, mirrored ends, known numbers, a way in from far away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from block_derivatives import at_points

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError
from kinetree.nlp.solution import Termination
from kinetree.plan import Custom, FramePosition, PlanStatus, Problem, Quantity, Squares
from kinetree.plan.forces import Force
from kinetree.plan.guess import first_guess
from kinetree.plan.transcriber import Transcriber

ARM = kt.robots.two_link()
TIP = "dh2"
KEPT = 1e-5  # rad, m: the tolerance of the planner, with room
EQUAL = 1e-5  # rad, rad/s: rows of the seam are kept to 1e-7 of the largest number in them, a few tens
SECOND = 1e-5  # relative: one-sided differences of exact gradients with steps of 1e-6
FAR = (2.5, 2.5)  # rad: a posture far from any that keeps the limits below
STEP = 1.25  # between two durations that are tried
ROUNDING = 1e-9  # relative; a guess that touches a limit keeps it
SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])


def smooth(points: int = 10) -> Problem:
    """One second, as smooth as possible."""
    problem = Problem(ARM, control_points=points)
    problem.duration(1.0)
    problem.minimise("acceleration")
    return problem


# -- the duration of a first guess -----------------------------------------------------------------------------------


def keeps(problem: Problem, x: np.ndarray, times: float = 1.0) -> bool:
    """Whether a motion keeps all limits, in so many times its duration."""
    rows = Transcriber(problem).path_constraints(problem.spline.samples(12))
    return rows.violation(np.append(x[:-1], times * x[-1])).max() <= ROUNDING


def test_a_first_guess_takes_as_long_as_its_limits_ask():
    """It keeps them, and in a little less time it would not."""
    problem = Problem(ARM, control_points=12)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.limit("force", 10.0)
    x = first_guess(Transcriber(problem))
    assert keeps(problem, x)
    assert not keeps(problem, x, 1.0 / STEP)


def test_a_first_guess_is_found_where_longer_ones_break_limits():
    """A motion that must be quick: in much more time than the shortest it is too slow."""
    problem = Problem(ARM, control_points=12)
    problem.start([0.0, 0.0])
    problem.end([1.0, 1.0])
    problem.limit("velocity", lower=4.0, upper=6.0, during=(0.45, 0.55))
    x = first_guess(Transcriber(problem))
    assert keeps(problem, x)
    assert not keeps(problem, x, 1.0 / STEP)
    assert not keeps(problem, x, 2.0)


# -- where limits are tightened ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("per_interval", [4, 5, 60])
def test_constraints_are_tightened_beside_where_they_are_violated_most(per_interval: int):
    """Whatever the collocation points: also where there are more of them than samples of the dense grid."""
    problem = Problem(ARM, control_points=8)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    x = np.append(np.linspace([0.0, -2.0], [1.0, -1.0], 8) + 0.1 * np.sin(np.arange(16.0)).reshape(8, 2), 0.5)
    largest = np.abs(Transcriber(problem).block([Force()], problem.spline.samples(200)).values(x)).max()
    problem.limit("force", largest / 1.001)  # violated a little, at the peak
    refinement = Transcriber(problem).refinement(per_interval)
    points, margin, violations = refinement.s, refinement.margins.copy(), refinement.violations(x).copy()
    violation = refinement.tighten(x, 1e-6)
    assert violation == violations.max() > 0.0
    at = refinement.at[np.argmax(violations.max(axis=1))]
    if len(refinement.s) == len(points):
        beside = np.searchsorted(points, at)
        assert (refinement.margins > margin)[max(0, beside - 1) : beside + 1].any()
        assert refinement.margins.max() == pytest.approx(margin.max() + 1.1 * violation)
    else:
        assert at in refinement.s
    assert np.isin(points, refinement.s).all()


# -- limits during a part of the motion --------------------------------------------------------------------------------


def test_a_limit_during_a_part_holds_there_and_only_there():
    problem = smooth()
    problem.start([0.0, 0.0])
    problem.end([1.0, 0.0])
    free = problem.solve()
    problem.limit("position", upper=[0.2, np.inf], during=(0.0, 0.5), scale=1.0)
    plan = problem.solve()
    inside, beyond = np.linspace(0.0, 0.5, 101), np.linspace(0.5, 1.0, 101)
    assert plan.ok
    assert free.motion(0.5)[0][0] > 0.4
    assert plan.motion(inside)[0][:, 0].max() <= 0.2 + KEPT
    assert plan.motion(inside)[0][:, 0].max() >= 0.2 - 1e-3  # it is reached: the limit does something
    assert plan.motion(beyond)[0][:, 0].max() >= 1.0 - KEPT


def test_a_limit_at_one_place_holds_there():
    problem = smooth()
    problem.start([0.0, 0.0])
    problem.end([0.0, 0.0])
    problem.limit("position", lower=[0.5, -0.1], upper=[0.6, 0.1], during=(0.3, 0.3), scale=1.0)
    plan = problem.solve()
    assert plan.ok
    assert plan.motion(0.3)[0][0] == pytest.approx(0.5, abs=KEPT)
    assert plan.motion(0.1)[0][0] < 0.4


def test_an_end_must_be_inside_the_limits_that_hold_there():
    problem = smooth()
    problem.start([0.0, 0.0])
    problem.end([1.0, 0.0])
    problem.limit("position", upper=[0.2, np.inf], during=(0.5, 1.0))
    with pytest.raises(InputError, match="the end is outside the limits"):
        problem.solve()


def test_points_where_limits_begin_and_end_are_looked_at():
    problem = smooth()
    problem.limit("position", upper=1.0, during=(0.123, 0.456))
    assert {0.123, 0.456} <= {*Transcriber(problem).refinement().s.tolist()}


def test_limits_of_one_quantity_at_several_times_are_one_row_with_the_tighter_bounds():
    problem, what = smooth(), FramePosition(TIP)
    problem.limit(what, lower=-1.0, upper=1.0)
    problem.limit(what, lower=[-np.inf, 0.2, -np.inf], upper=[0.5, 2.0, np.inf], during=(0.4, 0.6))
    rows = Transcriber(problem).path_constraints(np.array([0.1, 0.5, 0.9]))
    assert rows.block.quantities == (what,)
    assert rows.lower.tolist() == [[-1.0] * 3, [-1.0, 0.2, -1.0], [-1.0] * 3]
    assert rows.upper.tolist() == [[1.0] * 3, [0.5, 1.0, 1.0], [1.0] * 3]


def test_a_violation_is_measured_by_the_scale():
    problem = smooth()
    problem.limit("position", upper=0.2, scale=0.1)
    x = np.r_[np.full(20, 0.25), 1.0]
    violation = Transcriber(problem).path_constraints(np.array([0.5])).violation(x)
    assert violation == pytest.approx(np.full((1, 2), 0.5))


@pytest.mark.parametrize("during", [(0.5, 0.2), (-0.1, 1.0), (0.0, 1.1), (np.nan, 1.0)])
def test_parts_that_a_motion_does_not_have_are_refused(during):
    with pytest.raises(InputError, match="between two values of s from 0 to 1"):
        smooth().limit("position", 1.0, during=during)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan])
def test_scales_that_measure_nothing_are_refused(scale):
    with pytest.raises(InputError, match="scale of a limit"):
        smooth().limit("position", 1.0, scale=scale)


# -- mirrored motions --------------------------------------------------------------------------------------------------


def test_a_mirrored_motion_ends_as_the_image_of_its_start_one_step_ahead():
    advance = np.array([0.3, -0.1])
    problem = smooth()
    problem.periodic(1, advance, SWAP)
    problem.via(0.3, "position", [0.5, -0.2])
    problem.via(0.6, "velocity", [1.0, 2.0])
    plan = problem.solve()
    (q0, q1), (v0, v1) = (plan.motion(np.array([0.0, 1.0]))[k] for k in range(2))
    assert plan.ok
    assert abs(q1 - (SWAP @ q0 + advance)).max() <= EQUAL
    assert abs(v1 - SWAP @ v0).max() <= EQUAL
    assert abs(q1 - q0 - advance).max() > 0.1  # it is no motion that is periodic without the mirror


@pytest.mark.parametrize("mirror", [np.eye(3), [[1.0, 0.0]], [[np.nan, 0.0], [0.0, 1.0]]])
def test_mirrors_of_other_sizes_are_refused(mirror):
    with pytest.raises(InputError, match="mirror of 2 coordinates"):
        smooth().periodic(1, 0.0, mirror)


# -- known numbers -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside(Quantity):
    """How far the first joint is from a number that is known."""

    order, needs_parameters = 0, True

    def size(self, robot: Any) -> int:
        return 1

    def names(self, robot: Any) -> list[str]:
        return ["distance to what is known"]

    def values(self, robot: Any, q: Any, qd: Any, qdd: Any, qddd: Any, *known: Any) -> list[Any]:
        return [q[0] - known[0][1]]


def curve(s: Any) -> Any:
    s = np.asarray(s, float)
    return np.stack([np.zeros_like(s), np.sin(3.0 * s)], axis=-1)


def test_a_motion_follows_numbers_that_are_known_for_each_instant():
    problem = Problem(ARM, control_points=10, parameters=curve)
    problem.duration(1.0)
    problem.minimise("acceleration")
    problem.limit(Beside(), lower=-0.01, upper=0.01, scale=1.0)
    plan = problem.solve([0.0, 0.0])
    s = np.linspace(0.0, 1.0, 201)
    assert plan.ok
    assert abs(plan.motion(s)[0][:, 0] - curve(s)[:, 1]).max() <= 0.01 + KEPT


# -- second derivatives ------------------------------------------------------------------------------------------------


def test_second_derivatives_by_differences_are_the_compiled_ones():
    quantities = [Force(), FramePosition(TIP), Squares(Force())]
    found = {}
    for hessian in ("exact", "differences"):
        block = Transcriber(Problem(ARM, control_points=6, hessian=hessian)).block(
            quantities, np.array([0.1, 0.5, 0.8])
        )
        x = np.r_[np.random.default_rng(0).normal(size=12), 0.8]
        found[hessian] = at_points(block, x, np.tile(np.arange(1.0, block.rows + 1.0), (3, 1)))[1]
    exact = found["exact"]
    assert abs(exact).max() > 1.0
    assert abs(found["differences"] - exact).max() <= SECOND * abs(exact).max()


def test_a_task_has_the_same_optimum_by_differences():
    plans = []
    for hessian in ("exact", "differences"):
        problem = Problem(ARM, control_points=8, hessian=hessian)
        problem.start([0.0, -2.0])
        problem.end([1.0, -1.0])
        problem.limit("force", 10.0)
        problem.minimise("time")
        plans.append(problem.solve())
    assert all(plan.ok for plan in plans)
    assert plans[1].duration == pytest.approx(plans[0].duration, rel=1e-6)


def test_unknown_second_derivatives_are_refused():
    with pytest.raises(UnknownNameError, match="differences"):
        Problem(ARM, hessian="guessed")


# -- a way into the limits ---------------------------------------------------------------------------------------------


def reach(lower: float) -> Problem:
    """The tip is in a corner half-way, under limits of forces; nothing says where the motion starts and ends."""
    problem = smooth(8)
    problem.limit(FramePosition(TIP), lower=[lower, 0.2, -1.0], upper=[lower + 0.05, 0.25, 1.0], during=(0.5, 0.5))
    problem.limit("force", 10.0)
    return problem


def test_a_motion_that_keeps_the_limits_is_found_from_far_away():
    plan = reach(0.4).solve(FAR, elastic=True)
    tip = ARM.pose(plan.motion(0.5)[0], TIP)[:2, 3]
    assert plan.status is PlanStatus.OPTIMAL
    assert plan.violation <= KEPT
    assert np.all((tip >= [0.4 - KEPT, 0.2 - KEPT]) & (tip <= [0.45 + KEPT, 0.25 + KEPT]))


def test_a_limit_that_no_motion_keeps_is_named():
    plan = reach(2.0).solve(FAR, elastic=True)  # the arm is 0.8 m long
    assert plan.status is PlanStatus.INFEASIBLE
    assert not plan.ok
    assert TIP in plan.worst
    assert "at 0.5 s" in plan.worst
    assert plan.violation > 0.1


def test_two_limits_that_contradict_each_other_are_infeasible():
    problem = smooth(8)
    problem.limit(Custom(lambda robot, q, *_: [q[0] + q[1]], name="sum", highest=0), lower=1.0, upper=2.0)
    problem.limit("position", upper=0.3)
    plan = problem.solve(FAR, elastic=True)
    assert plan.status is PlanStatus.INFEASIBLE
    loosen = plan.worst.split("it helps most to loosen ")[1]
    assert all(limit in loosen for limit in ("sum", "position of joint1", "position of joint2"))


def test_starts_that_differ_a_little_end_at_the_same_motion():
    problem = reach(0.4)
    problem.start([1.5, 1.0])  # it must move
    costs = [problem.solve(np.array(FAR) + way, elastic=True).cost for way in (0.0, 0.1, [-0.1, 0.1])]
    assert np.ptp(costs) <= 1e-4 * costs[0]


def test_limits_that_give_lead_to_the_same_optimum():
    problem = Problem(ARM, control_points=12)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.minimise("time")
    problem.limit("force", 10.0)
    usual, given = problem.solve(), problem.solve(elastic=True)
    assert given.status is PlanStatus.OPTIMAL
    assert given.duration == pytest.approx(usual.duration, rel=1e-4)


def test_a_search_ends_in_time():
    plan = reach(0.4).solve(FAR, elastic=True, time_limit=1e-9)
    assert plan.status is PlanStatus.NOT_FOUND
    assert plan.termination is Termination.USER_STOP
    assert "before a motion that satisfies all constraints was found" in plan.message
    with pytest.raises(InputError, match="positive number of seconds"):
        reach(0.4).solve(time_limit=0.0)


def test_looking_for_a_first_motion_can_be_interrupted():
    told: list[int] = []

    def tell(iteration: int, cost: float, violation: float) -> bool:
        told.append(iteration)
        return len(told) < 3

    plan = reach(0.4).solve(FAR, elastic=True, callback=tell)
    assert len(told) == 3
    assert plan.status is PlanStatus.NOT_FOUND
    assert not plan.ok
