"""Planned motions: known optima, limits that hold everywhere, conditions, restarts and interruptions."""

from __future__ import annotations

import dataclasses
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.joint import Limits
from kinetree.nlp.solution import Termination
from kinetree.plan import Custom, Distance, FramePosition, Plan, PlanStatus, Problem, Reaction, Squares, progress
from kinetree.plan.transcriber import Transcriber
from kinetree.scalar import cos

EXACT_2R = 0.391854540  # s, four switches that meet four end conditions
KEPT = 1e-6  # relative; how far a limit may be broken anywhere
CLOSED_FORM = 1e-7  # relative; what the solver's tolerance leaves
FINE = 10_000  # places in time where limits are looked at
TWO_LINK = kt.robots.two_link()
TASK: dict[str, Any] = {"q0": [0.0, -2.0], "q1": [1.0, -1.0]}


def grid(plan: Plan) -> np.ndarray:
    return np.linspace(0.0, plan.duration, FINE)


def problem_2r(robot: kt.Robot = TWO_LINK, **options: Any) -> Problem:
    problem = Problem(robot, **({"control_points": 12} | options))
    problem.start(TASK["q0"])
    problem.end(TASK["q1"])
    return problem


# -- known optima ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "knots", "most"), [(30, "even", 0.39235), (30, "adapted", 0.3923), (45, "adapted", 0.3921)]
)
def test_two_links_in_the_least_time(points, knots, most):
    plan = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, control_points=points, knots=knots)
    assert plan.status is PlanStatus.OPTIMAL
    assert EXACT_2R < plan.duration <= most
    tau = plan.forces(grid(plan))
    assert np.abs(tau).max() <= 10.0 * (1.0 + KEPT)
    # between the switches the forces are at their limits: + - and - + -
    s = grid(plan) / plan.duration * EXACT_2R
    signs = np.c_[np.where(s < 0.195927270, 1, -1), np.where((s > 0.045709321) & (s < 0.235300431), 1, -1)]
    assert (np.mean(tau * signs, axis=0) > 9.0).all()
    q, qd = plan.motion([0.0, plan.duration])[:2]
    assert np.abs(q - [TASK["q0"], TASK["q1"]]).max() <= 1e-12
    assert np.abs(qd).max() <= 1e-12


@pytest.mark.parametrize(("offset", "T", "J"), [(0.0, 0.5858, 0.7732), (pi / 2, 0.6463, 0.8531)])
def test_slider_with_a_link_in_little_time_with_little_effort(offset, T, J):
    """Barman's second example in both readings of its table; 0.5585 as printed comes from neither."""
    link = {"mass": 0.5, "inertia": (0.1, 0.1, 0.1)}
    rows = [
        kt.DH(joint="prismatic", theta=pi / 2, d=0.4, alpha=pi / 2, com=(0.0, -0.2, 0.0), **link),
        kt.DH(theta=offset, a=0.4, com=(-0.2, 0.0, 0.0), **link),
    ]
    robot = kt.Robot.from_dh(rows, "standard", gravity=(0.0, 0.0, 0.0))
    problem = Problem(robot, control_points=20)
    problem.start([0.1, 0.6])
    problem.end([pi / 4, -pi / 4])
    problem.limit("force", 10.0)
    problem.minimise("time", 0.99)
    problem.minimise("effort", 0.01)
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    assert abs(plan.duration - T) <= 1e-4
    assert abs(plan.cost - J) <= 1e-4
    tau = plan.forces(t := grid(plan))
    assert abs(0.99 * plan.duration + 0.01 * np.trapezoid((tau**2).sum(axis=1), t) - plan.cost) <= 1e-6


def test_the_least_squared_acceleration_is_a_cubic():
    problem = problem_2r()
    problem.duration(2.0)
    problem.minimise("acceleration")
    plan = problem.solve()
    assert plan.cost == pytest.approx(2 * 12.0 / 2.0**3, rel=CLOSED_FORM)  # 12 d^2 / T^3 each, d = 1
    t = grid(plan) / 2.0
    assert np.abs(plan.motion(2.0 * t)[0][:, 0] - (3 * t**2 - 2 * t**3)).max() <= CLOSED_FORM


def test_the_least_squared_jerk_is_a_quintic():
    problem = Problem(TWO_LINK, control_points=9, degree=5)
    problem.start(TASK["q0"], qdd=0.0)
    problem.end(TASK["q1"], qdd=0.0)
    problem.duration(1.0)
    problem.minimise("jerk")
    assert problem.solve().cost == pytest.approx(2 * 720.0, rel=CLOSED_FORM)


def test_acceleration_and_velocity_limits_give_a_trapezoid():
    fast = kt.plan.minimum_time(TWO_LINK, **TASK, acceleration_limits=4.0, control_points=40, knots="adapted")
    assert 1.0 <= fast.duration / (2.0 * sqrt(1.0 / 4.0)) <= 1.005  # 2 sqrt(d / a) for ever more control points
    limited = kt.plan.minimum_time(
        TWO_LINK, **TASK, acceleration_limits=4.0, velocity_limits=1.0, control_points=40, knots="adapted"
    )
    assert 1.0 <= limited.duration / (1.0 / 1.0 + 1.0 / 4.0) <= 1.005  # d / v + v / a
    assert np.abs(limited.motion(grid(limited))[1]).max() <= 1.0 + KEPT


def test_adapted_knots_are_not_worse_than_even_ones_and_given_ones_are_used():
    even, adapted = (
        kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, control_points=16, knots=knots)
        for knots in ("even", "adapted")
    )
    assert adapted.duration < even.duration
    inner = adapted.spline.inner
    given = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, control_points=16, knots=inner)
    assert given.spline.inner == inner
    assert given.duration == pytest.approx(adapted.duration, rel=1e-4)


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [3, 4])
def test_force_rates_keep_their_limits_on_both_sides_of_the_knots(degree):
    plan = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, force_rate_limits=100, degree=degree)
    free = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, degree=degree)
    assert plan.status is PlanStatus.OPTIMAL
    assert plan.duration > 1.02 * free.duration
    knots = plan.spline.breakpoints[1:-1]
    t = np.r_[grid(plan), (knots - 1e-9) * plan.duration, (knots + 1e-9) * plan.duration]
    rates = TWO_LINK.force_rates(*plan.motion(t))
    assert 99.0 < np.abs(rates).max() <= 100.0 * (1.0 + KEPT)
    assert np.abs(plan.forces(t)).max() <= 10.0 * (1.0 + KEPT)


def test_reactions_power_and_frames_keep_their_limits():
    free = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, control_points=12)
    w = TWO_LINK.joint_wrenches(*free.motion(grid(free))[:3])
    carried = np.linalg.norm(w[:, 1, 3:], axis=1).max()
    problem = problem_2r()
    problem.limit("force", 10.0)
    problem.limit(Reaction("link2"), 0.8 * carried)
    problem.limit("power", 30.0)
    problem.limit(FramePosition("dh2"), upper=[np.inf, 0.45, np.inf])
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    assert plan.duration > free.duration
    q, qd, qdd, _ = plan.motion(grid(plan))
    w = TWO_LINK.joint_wrenches(q, qd, qdd)
    assert np.linalg.norm(w[:, 1, 3:], axis=1).max() <= 0.8 * carried * (1.0 + KEPT)
    assert np.abs(TWO_LINK.inverse_dynamics(q, qd, qdd) * qd).max() <= 30.0 * (1.0 + KEPT)
    assert TWO_LINK.pose(q, "dh2")[:, 1, 3].max() <= 0.45 * (1.0 + KEPT)


def test_a_distance_and_a_function_of_ones_own_keep_their_limits():
    problem = problem_2r()
    problem.limit("force", 10.0)
    problem.limit(Distance("dh2", "world"), lower=0.43)
    problem.limit(Custom(lambda robot, q, qd, *_: [qd[0] + qd[1]], name="turning", highest=1), 4.0)
    problem.minimise("time")
    problem.minimise(Custom(lambda robot, q, *_: [cos(q[0])], name="cosine", highest=0), 0.01)
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    q, qd = plan.motion(t := grid(plan))[:2]
    assert np.linalg.norm(TWO_LINK.pose(q, "dh2")[:, :2, 3], axis=1).min() >= 0.43 * (1.0 - KEPT)
    assert np.abs(qd.sum(axis=1)).max() <= 4.0 * (1.0 + KEPT)
    assert plan.cost == pytest.approx(plan.duration + 0.01 * np.trapezoid(np.cos(q[:, 0]), t), rel=1e-6)


def test_limits_of_the_model_are_taken_when_asked():
    limits = (Limits(-1.0, 2.0, 3.5, 10.0), Limits(-2.5, 0.0, 3.0, 10.0))
    bodies = [
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=own))
        for body, own in zip(TWO_LINK.bodies, limits)
    ]
    robot = kt.Robot(tuple(bodies), "limited", TWO_LINK.gravity, TWO_LINK.named_frames)
    plan = kt.plan.minimum_time(robot, **TASK, limits="model", control_points=12)
    t = grid(plan)
    assert plan.ok
    assert np.abs(plan.forces(t)).max() > 9.9
    assert (np.abs(plan.motion(t)[1]).max(axis=0) <= np.array([3.5, 3.0]) * (1.0 + KEPT)).all()
    same = kt.plan.minimum_time(
        robot, **TASK, force_limits="model", velocity_limits="model", position_limits="model", control_points=12
    )
    assert same.duration == pytest.approx(plan.duration, rel=CLOSED_FORM)
    assert len(Problem(TWO_LINK).constraints) == 0
    with pytest.raises(kt.errors.InputError, match=r"position of joint2 is -1 there, allowed are -2.5 to -1.5"):
        kt.plan.minimum_time(robot, **TASK, force_limits=10, position_limits=([-1, -2.5], [2, -1.5]))


def test_a_motion_may_start_and_end_at_its_limits():
    plan = kt.plan.minimum_time(
        TWO_LINK, **TASK, force_limits=10, position_limits=(TASK["q0"], TASK["q1"]), control_points=14
    )
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    q = plan.motion(grid(plan))[0]
    assert (q >= np.array(TASK["q0"]) - 2 * KEPT).all()
    assert (q <= np.array(TASK["q1"]) + 2 * KEPT).all()


def test_constant_loads_on_the_bodies_are_carried():
    load = np.zeros((2, 6))
    load[1, 3:] = [0.0, 8.0, 0.0]
    plan = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, external=load, control_points=14)
    free = kt.plan.minimum_time(TWO_LINK, **TASK, force_limits=10, control_points=14)
    assert plan.ok
    assert plan.duration != pytest.approx(free.duration, rel=1e-3)
    tau = TWO_LINK.inverse_dynamics(*plan.motion(grid(plan))[:3], external=load)
    assert 9.9 < np.abs(tau).max() <= 10.0 * (1.0 + KEPT)


@pytest.mark.parametrize("cost", ["effort", "energy", "jerk", "acceleration", "force_rate", "reaction"])
def test_each_cost_is_lower_than_on_the_way_that_others_prefer(cost):
    plans = {}
    for name in (cost, "acceleration" if cost != "acceleration" else "effort"):
        problem = problem_2r(control_points=9, degree=4)
        problem.duration(0.8)
        problem.minimise(name)
        plans[name] = problem.solve()
        assert plans[name].status is PlanStatus.OPTIMAL
    problem = problem_2r(control_points=9, degree=4)
    problem.duration(0.8)
    problem.minimise(cost)
    objective = Transcriber(problem).transcription(problem.spline.samples(1)).objective
    own, other = (objective(np.r_[plan.control_points.ravel(), 0.8]) for plan in plans.values())
    assert own == pytest.approx(plans[cost].cost)
    assert own < other * (1.0 - 1e-4)


def test_random_tasks_of_an_arm_all_end_well():
    link = {"mass": 2.0, "inertia": (0.02, 0.05, 0.05)}
    rows = [
        kt.DH(d=0.3, alpha=pi / 2, com=(0.0, -0.1, 0.0), **link),
        kt.DH(a=0.4, com=(-0.2, 0.0, 0.0), **link),
        kt.DH(a=0.3, com=(-0.15, 0.0, 0.0), **link),
    ]
    arm = kt.Robot.from_dh(rows, "standard", name="arm")
    random = np.random.default_rng(0)
    for _ in range(12):
        q0, q1 = random.uniform(-pi, pi, (2, 3))
        plan = kt.plan.minimum_time(
            arm, q0=q0, q1=q1, force_limits=[40, 60, 30], force_rate_limits=1000, velocity_limits=3, control_points=14
        )
        assert plan.status is PlanStatus.OPTIMAL, plan.worst
        assert (np.abs(plan.forces(grid(plan))).max(axis=0) <= np.array([40, 60, 30]) * (1.0 + KEPT)).all()


# -- conditions --------------------------------------------------------------------------------------------------------


def test_a_periodic_motion_meets_itself():
    problem = Problem(TWO_LINK, control_points=16)
    problem.periodic(advance=[2 * pi, 0.0])
    problem.via(0.25, "position", [1.0, -1.0])
    problem.via(0.75, "position", lower=[3.0, 0.5], upper=[4.0, 1.0])
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    q, qd, qdd, _ = plan.motion([0.0, plan.duration])
    assert np.abs(q[1] - q[0] - [2 * pi, 0.0]).max() <= CLOSED_FORM
    assert np.abs(qd[1] - qd[0]).max() <= CLOSED_FORM * np.abs(qd).max()
    assert np.abs(qdd[1] - qdd[0]).max() <= CLOSED_FORM * np.abs(qdd).max() * 10
    at = plan.motion(np.array([0.25, 0.75]) * plan.duration)[0]
    assert np.abs(at[0] - [1.0, -1.0]).max() <= CLOSED_FORM
    assert (at[1] + CLOSED_FORM >= [3.0, 0.5]).all()
    assert (at[1] - CLOSED_FORM <= [4.0, 1.0]).all()


def test_frames_pass_their_poses():
    problem = Problem(TWO_LINK, control_points=14)
    problem.start(TASK["q0"])
    problem.end(None)
    problem.via_frame(0.5, "dh2", position=[0.45, -0.15, 0.0])
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    problem.via_frame(1.0, "dh2", axes=turn)
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    X = TWO_LINK.pose(plan.motion(np.array([0.5, 1.0]) * plan.duration)[0], "dh2")
    assert np.abs(X[0, :3, 3] - [0.45, -0.15, 0.0]).max() <= CLOSED_FORM
    assert np.abs(X[1, :3, :3] - turn).max() <= CLOSED_FORM
    assert np.abs(plan.motion(plan.duration)[1]).max() <= CLOSED_FORM


def test_velocities_at_the_ends_may_be_given():
    problem = Problem(TWO_LINK, control_points=14)
    problem.start(TASK["q0"], qd=[1.0, 0.0], qdd=[0.0, 0.0])
    problem.end(TASK["q1"], qd=None)
    problem.via(1.0, "velocity", lower=[0.5, -0.5], upper=[1.0, 0.5])
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    _, qd, qdd, _ = plan.motion([0.0, plan.duration])
    assert np.abs(qd[0] - [1.0, 0.0]).max() <= CLOSED_FORM
    assert np.abs(qdd[0]).max() <= 1e-5
    assert 0.5 - KEPT <= qd[1, 0] <= 1.0 + KEPT
    assert abs(qd[1, 1]) <= 0.5 + KEPT


def test_a_duration_may_be_fixed_or_kept_between_two():
    problem = problem_2r()
    problem.limit("force", 10.0)
    problem.minimise(Squares(kt.plan.forces.Force()))
    problem.duration(0.5, 0.9)
    assert problem.solve().duration == pytest.approx(0.9, rel=1e-6)  # more time, less effort
    effort = kt.plan.minimum_effort(TWO_LINK, **TASK, duration=0.9, force_limits=10, control_points=12)
    assert effort.duration == 0.9
    assert effort.cost == pytest.approx(problem.solve().cost, rel=1e-5)


# -- the search --------------------------------------------------------------------------------------------------------


def test_a_plan_is_a_start_for_the_next_one():
    problem = problem_2r(control_points=20)
    problem.limit("force", 10.0)
    problem.minimise("time")
    first = problem.solve()
    problem.end([1.02, -0.98])
    again, cold = problem.solve(first), problem.solve()
    assert again.status is PlanStatus.OPTIMAL
    assert again.duration == pytest.approx(cold.duration, rel=1e-4)
    finer = problem_2r(control_points=26)
    finer.limit("force", 10.0)
    finer.minimise("time")
    assert finer.solve(first).duration < first.duration


def test_many_starts_give_the_best_and_the_same_with_the_same_seed():
    problem = problem_2r(control_points=8)
    problem.limit("force", 10.0)
    problem.minimise("time")
    one, best, again = (problem.solve(starts=k, seed=4) for k in (1, 3, 3))
    assert best.ok
    assert best.duration <= one.duration * (1.0 + 1e-9)
    assert best.duration == again.duration
    assert np.array_equal(best.control_points, again.control_points)
    assert best.iterations > one.iterations
    with ThreadPoolExecutor(2) as pool:
        there = problem.solve(starts=3, seed=4, executor=pool)
    assert np.array_equal(best.control_points, there.control_points)
    # a function that no other process knows is planned with here
    problem.minimise(Custom(lambda robot, q, *_: [q[0] * q[0]], name="square", highest=0), 1e-3)
    assert problem.solve(starts=2).ok


@pytest.mark.parametrize("how", ["signal", "answer"])
def test_stopping_gives_the_best_motion_so_far(how):
    problem = problem_2r(control_points=30)
    problem.limit("force", 10.0)
    problem.minimise("time")
    told: list[tuple[int, float, float]] = []

    def tell(*state: Any) -> bool:
        told.append(state)
        if len(told) == 12 and how == "signal":
            os.kill(os.getpid(), signal.SIGINT)
        return how == "signal" or len(told) < 12

    plan = problem.solve(callback=tell)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert plan.status is PlanStatus.FEASIBLE
    assert plan.ok
    assert plan.violation <= KEPT
    assert np.abs(plan.forces(grid(plan))).max() <= 10.0 * (1.0 + KEPT)
    assert len(told) <= 14
    assert EXACT_2R < plan.duration < 1.0


def test_few_iterations_give_a_motion_that_keeps_the_limits():
    problem = problem_2r(control_points=20)
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve(iterations=3)
    assert plan.status is PlanStatus.FEASIBLE
    assert plan.ok
    assert np.abs(plan.forces(grid(plan))).max() <= 10.0 * (1.0 + KEPT)


def test_an_impossible_task_names_the_limit_that_is_violated_most():
    pytest.importorskip("ipyopt", reason="IPOPT says that it is infeasible")
    problem = problem_2r()
    problem.limit("force", [10.0, 1e6])
    problem.duration(0.2)
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.status is PlanStatus.INFEASIBLE
    assert not plan.ok
    assert plan.violation > 0.1
    assert plan.worst.startswith("force of joint1 is")
    problem = Problem(TWO_LINK, control_points=12)
    problem.start(TASK["q0"])
    problem.end(None)
    problem.via_frame(1.0, "dh2", position=[1.5, 0.0, 0.0])  # the arm is 0.8 m long
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.INFEASIBLE
    assert "of dh2 is" in plan.worst
    assert plan.violation > 0.1


def test_at_the_iteration_limit_a_violated_constraint_does_not_make_the_task_impossible():
    problem = problem_2r(control_points=20)
    problem.limit("force", 10.0)
    problem.duration(0.42)
    problem.minimise("effort")
    early = problem.solve(iterations=0)
    assert early.termination is Termination.ITERATION_LIMIT
    assert early.status is PlanStatus.NOT_FOUND
    assert problem.solve().ok


def test_progress_is_told_on_a_terminal_only(monkeypatch, capsys):
    problem = problem_2r()
    problem.limit("force", 10.0)
    problem.minimise("time")
    monkeypatch.setattr(progress, "_AFTER", 0.0)
    problem.solve()
    assert capsys.readouterr() == ("", "")
    problem.solve(progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "iteration 1, cost" in err
    assert err.endswith("\r\033[K")
