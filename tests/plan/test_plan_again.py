"""Plans that are planned again: warm starts, replanning, many tasks, files and tables for other programs."""

from __future__ import annotations

import csv
import json
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.plan import Plan, PlanStatus, Problem, many_tasks
from kinetree.plan.transcriber import Transcriber

ARM, LIMIT = kt.robots.two_link(), 10.0
FEW = 5  # iterations in which a solution is confirmed
DENSE = 20_001
KEPT = 1e-6  # relative
LONGER = 0.012  # what a motion that is planned again may take longer than the best one


def task(q0=(0.0, -2.0), q1=(1.0, -1.0), control_points: int = 16) -> Problem:
    problem = Problem(ARM, control_points=control_points)
    problem.start(q0)
    problem.end(q1)
    problem.limit("force", LIMIT)
    problem.limit("velocity", 6.0)
    problem.minimise("time")
    return problem


def over(plan: Plan) -> float:
    """How far a plan is over its limits, relative."""
    t = np.linspace(0.0, plan.duration, DENSE)
    return max(float(np.abs(plan.forces(t)).max() / LIMIT), float(np.abs(plan.motion(t)[1]).max() / 6.0)) - 1.0


@pytest.fixture(scope="module")
def plan() -> Plan:
    return task().solve()


# -- warm starts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_solution_is_confirmed_in_a_few_iterations(seed):
    random = np.random.default_rng(seed)
    problem = task(random.uniform(-2.0, 2.0, 2), random.uniform(-2.0, 2.0, 2))
    first = problem.solve()
    again = problem.solve(first)
    assert again.iterations <= FEW < first.iterations
    assert again.status is PlanStatus.OPTIMAL
    assert again.duration == pytest.approx(first.duration, rel=1e-5)


def test_a_plan_from_a_file_is_confirmed_as_quickly(plan, tmp_path):
    loaded = Plan.load(plan.save(tmp_path / "plan.json"))
    assert loaded.problem.solve(loaded).iterations <= FEW
    assert np.array_equal(loaded.warm.multipliers, plan.warm.multipliers)
    assert loaded.warm.barrier == plan.warm.barrier


def test_multipliers_of_another_task_are_not_taken(plan):
    other = task(q1=(0.5, -0.5))
    assert other.solve(plan).duration == pytest.approx(other.solve().duration, rel=1e-4)


def test_warm_starts_that_belong_to_no_search_are_refused(plan, tmp_path):
    content = json.loads(plan.save(tmp_path / "plan.json").read_text())
    content["warm"]["barrier"] = -1.0
    (tmp_path / "plan.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="belong to no search"):
        Plan.load(tmp_path / "plan.json")


# -- replanning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_a_moving_robot_goes_on_to_a_goal_that_moved(plan, share):
    t, goal = share * plan.duration, np.array([1.1, -1.2])
    again = plan.replan(t=t, goal=goal)
    q, qd, *_ = plan.motion(t)
    assert again.ok
    assert over(again) <= KEPT
    assert np.abs(again.motion(0.0)[0] - q).max() <= 1e-9
    assert np.abs(again.motion(0.0)[1] - qd).max() <= 1e-6
    assert np.abs(again.motion(again.duration)[0] - goal).max() <= 1e-9
    fresh = Problem(ARM, control_points=16)
    fresh.start(q, qd)
    fresh.end(goal)
    fresh.limit("force", LIMIT)
    fresh.limit("velocity", 6.0)
    fresh.minimise("time")
    assert again.duration <= (1.0 + LONGER) * fresh.solve().duration


def test_replanning_goes_on_and_on(plan):
    """Ten times along one motion, each from where the last one would be, pushed a little."""
    random, now = np.random.default_rng(0), plan
    for _ in range(10):
        q, qd, *_ = now.motion(0.02)
        now = now.replan(q=q + random.uniform(-1e-3, 1e-3, 2), qd=qd + random.uniform(-1e-2, 1e-2, 2))
        assert now.ok, now.message
        assert over(now) <= KEPT
    assert now.duration < plan.duration - 0.15


def test_the_rest_of_a_smooth_motion_begins_with_its_acceleration():
    problem = task(control_points=12)
    problem.limit("force_rate", 400.0)
    plan = problem.solve()
    t = 0.3 * plan.duration
    assert np.abs(plan.replan(t=t).motion(0.0)[2] - plan.motion(t)[2]).max() <= 1e-6


def test_a_fixed_duration_is_what_is_left_of_it():
    plan = kt.plan.minimum_effort(ARM, q0=[0, -2], q1=[1, -1], duration=1.0)
    assert plan.replan(t=0.25).duration == pytest.approx(0.75)


def test_what_cannot_be_planned_again_is_said(plan):
    path = kt.plan.time_optimal_path(ARM, path=[[0, -2], [0.5, -1.2], [1, -1]], force_limits=LIMIT)
    cases = [
        (lambda: plan.replan(), "where the robot is"),
        (lambda: plan.replan(t=-1.0), "not below 0"),
        (lambda: plan.replan(q=[0.0]), "2 numbers"),
        (lambda: plan.replan(t=0.1, goal=[np.nan, 0.0]), "not a number"),
        (lambda: plan.replan(t=0.1, qd=[60.0, 0.0]), "outside the limits"),
        (lambda: path.replan(t=0.1), "along a path"),
        (lambda: replace(plan, problem=None).replan(t=0.1), "does not know its task"),
    ]
    for call, text in cases:
        with pytest.raises(InputError, match=text):
            call()


# -- many tasks --------------------------------------------------------------------------------------------------------


def test_many_tasks_are_planned_as_each_alone():
    q1 = np.random.default_rng(1).uniform(-1.5, 1.5, (5, 2))
    options = {"force_limits": LIMIT, "velocity_limits": 6.0, "control_points": 12, "optimality": 1e-5}
    plans = kt.plan.many(ARM, q0=[0.0, -2.0], q1=q1, **options)
    assert len(plans) == 5
    assert plans.ok.all()
    for goal, plan in zip(q1, plans):
        alone = kt.plan.minimum_time(ARM, q0=[0.0, -2.0], q1=goal, **options)
        assert plan.duration == alone.duration
        assert np.array_equal(plan.control_points, alone.control_points)
    assert plans[1:3].durations.tolist() == plans.durations[1:3].tolist()
    assert plans[2].replan(t=0.05).ok
    roughly = kt.plan.many(ARM, q0=[0.0, -2.0], q1=q1, **{**options, "optimality": 1e-3})
    assert (roughly.durations <= 1.001 * plans.durations).all()


def test_a_motion_that_starts_fast_is_slowed_down_from_there_on(plan):
    """Its first velocity stays, and the curve as well."""
    t = 0.3 * plan.duration
    moving = plan.replan(t=t)
    x = np.append(moving.control_points, moving.duration)
    slower = Transcriber(moving.problem).stretched(x, 0.01)
    assert slower[-1] == pytest.approx(1.01 * moving.duration)
    qd = moving.spline.curve(slower[:-1].reshape(moving.control_points.shape), [0.0, 1.0], 1)[1] / slower[-1]
    assert qd == pytest.approx(moving.motion([0.0, moving.duration])[1], abs=1e-9)
    assert np.abs(slower[:-1] - x[:-1]).max() < 0.01 * np.ptp(moving.control_points)


def test_an_executor_plans_the_same():
    q1 = np.random.default_rng(2).uniform(-1.5, 1.5, (6, 2))
    options = {"q0": [0.0, -2.0], "q1": q1, "force_limits": LIMIT, "control_points": 10}
    with ThreadPoolExecutor(2) as pool:
        threads = kt.plan.many(ARM, executor=pool, **options)
    assert threads.durations.tolist() == kt.plan.many(ARM, **options).durations.tolist()


def test_motions_that_are_not_found_are_among_the_others():
    """At the second goal gravity is above the limits, and only fast motions would be under them."""
    robot = kt.robots.puma560()
    goals = np.array([[0.3, 1.5, 0, 0, 0, 0], [0.3, 0, 0, 0, 0, 0]])
    limit = 0.6 * np.abs(robot.gravity_forces(goals[1])).max()
    options = {"force_limits": limit, "acceleration_limits": 0.5, "control_points": 8, "iterations": 40}
    plans = kt.plan.many(robot, q0=[0, 1.5, 0, 0, 0, 0], q1=goals, **options)
    assert plans.ok.tolist() == [True, False]
    assert np.isnan(plans.durations[1])


def test_ctrl_c_keeps_what_is_done(monkeypatch):
    count, best = [0], many_tasks._best

    def interrupted(*given):
        count[0] += 1
        if count[0] == 3:
            signal.raise_signal(signal.SIGINT)
        return best(*given)

    monkeypatch.setattr(many_tasks, "_best", interrupted)
    plans = kt.plan.many(ARM, q0=[0, -2], q1=np.random.default_rng(3).uniform(-1, 1, (6, 2)), force_limits=LIMIT)
    assert [plan is not None for plan in plans][:2] == [True, True]
    assert plans[-1] is None


def test_tasks_that_cannot_be_are_refused_at_once():
    options = {"force_limits": LIMIT}
    cases = [
        ({"q0": [0.0], "q1": [1.0, 1.0]}, r"q0 is an array \(tasks, 2\)"),
        ({"q0": np.zeros((2, 2)), "q1": np.zeros((3, 2))}, "as many tasks"),
        ({"q0": [0.0, np.nan], "q1": [1.0, 1.0]}, "not finite"),
        ({"q0": np.zeros((0, 2)), "q1": [1.0, 1.0]}, "no tasks"),
        ({"q0": "here", "q1": [1.0, 1.0]}, "numbers"),
        ({"q0": [0, 0], "q1": [[1, 1], [9, 1]], "position_limits": (-2.0, 2.0)}, "task 1: .*outside the limits"),
        ({"q0": [0, 0], "q1": [1, 1], "callback": print}, "no callback"),
    ]
    for given, text in cases:
        with pytest.raises(InputError, match=text):
            kt.plan.many(ARM, **options, **given)


# -- along paths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_two_passes_over_a_path_are_as_fast_as_the_general_solver(seed):
    robot = kt.robots.puma560()
    effort, speed = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3]), np.full(6, 2.0)
    points = np.cumsum(np.random.default_rng(seed).uniform(-0.3, 0.3, (6, 6)), axis=0)
    points[:, 1] += 1.5
    limits = {"force_limits": effort, "velocity_limits": speed}
    quick = kt.plan.time_optimal_path(robot, path=points, **limits)
    smooth = kt.plan.time_optimal_path(robot, path=points, control_points=40, **limits)
    t = np.linspace(0.0, quick.duration, DENSE)
    assert quick.status is PlanStatus.OPTIMAL
    assert quick.iterations == 0
    assert np.abs(quick.forces(t) / effort).max() <= 1.0 + KEPT
    assert np.abs(quick.motion(t)[1] / speed).max() <= 1.0 + KEPT
    assert smooth.duration / 1.03 <= quick.duration <= smooth.duration * (1.0 + 1e-4)
    coarse = kt.plan.time_optimal_path(robot, path=points, grid=300, **limits)
    assert coarse.duration == pytest.approx(quick.duration, rel=3e-3)


def test_what_is_not_linear_goes_to_the_general_solver():
    path = [[0, -2], [0.5, -1.2], [1, -1]]
    plan = kt.plan.time_optimal_path(ARM, path=path, force_limits=LIMIT, jerk_limits=3e4, control_points=20)
    assert plan.iterations > 0
    assert kt.plan.time_optimal_path(ARM, path=path, force_limits=LIMIT, jerk_limits=3e4).iterations > 0


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_file_has_all_that_made_a_plan(tmp_path):
    problem = task(control_points=10)
    problem.via(0.5, "position", lower=[-5.0, -5.0], upper=[5.0, 5.0])
    problem.minimise("effort", 1e-3)
    problem.duration(0.1, 2.0)
    plan = problem.solve()
    again = Plan.load(plan.save(tmp_path / "plan.json"))
    one, other = plan.problem, again.problem
    for name in ("costs", "time_weight", "durations", "periodic_order", "hessian", "knots", "spline"):
        assert getattr(one, name) == getattr(other, name)
    assert [(c.s, c.quantity) for c in one.point_constraints] == [(c.s, c.quantity) for c in other.point_constraints]
    assert again.replan(t=0.1).duration == pytest.approx(plan.replan(t=0.1).duration, rel=1e-9)


def test_parameters_of_the_task_are_in_the_file_as_samples(tmp_path):
    problem = Problem(ARM, control_points=8, parameters=lambda s: np.stack([s, 1.0 - s], axis=1))
    problem.start([0, -2])
    problem.end([1, -1])
    problem.limit("force", LIMIT)
    problem.minimise("time")
    again = Plan.load(problem.solve().save(tmp_path / "plan.json"))
    assert np.allclose(again.problem.parameters(np.array([0.25])), [[0.25, 0.75]])


def test_a_table_is_the_same_in_all_formats(plan, tmp_path):
    rows = [*csv.DictReader(plan.to_csv(tmp_path / "plan.csv", 5).read_text().splitlines())]
    table = json.loads(plan.to_json(tmp_path / "table.json", 5).read_text())
    message = json.loads(plan.to_ros(tmp_path / "message.json", 5).read_text())
    assert table["names"]["tau"] == message["joint_names"] == ["joint1", "joint2"]
    for k, row in enumerate(rows):
        point = message["points"][k]
        stamp = point["time_from_start"]["sec"] + 1e-9 * point["time_from_start"]["nanosec"]
        assert stamp == pytest.approx(table["t"][k], abs=1e-9)
        for key, name in (("q", "positions"), ("qd", "velocities"), ("qdd", "accelerations"), ("tau", "effort")):
            assert point[name] == table[key][k]
            assert [float(row[f"{key}.{joint}"]) for joint in message["joint_names"]] == point[name]


def test_yaml_has_the_same_message(plan, tmp_path):
    text = plan.to_ros(tmp_path / "plan.yaml", 4).read_text()
    message = json.loads(plan.to_ros(tmp_path / "plan.json", 4).read_text())
    lines = text.splitlines()
    assert lines[2] == "points:"
    assert len(lines) == 3 + 4 * 5
    found = [json.loads(line.split(": ", 1)[1]) for line in lines[3:] if "velocities" in line]
    assert found == [point["velocities"] for point in message["points"]]
    with pytest.raises(InputError, match="from 2 on"):
        plan.to_ros(tmp_path / "plan.yaml", 1)


def test_a_closed_chain_follows_its_plan():
    chain = kt.ClosedChain(kt.robots.five_bar())
    own = list(chain.actuation.independent)
    start = chain.neutral[own]
    plan = kt.plan.minimum_effort(chain, q0=start, q1=start + 0.3, duration=0.5, control_points=8)
    motion = plan.simulate(dt=2e-3).check()
    assert np.abs(motion.q[-1] - plan.motion(plan.duration)[0]).max() <= 1e-4
