"""Where motions have many local optima the default search finds a good one."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.plan_tasks import PlanTask, random_task, robot_named

from kinetree.plan import PlanStatus
from kinetree.plan.explore import explored
from kinetree.plan.guess import first_guess
from kinetree.plan.guesses import guesses_of
from kinetree.plan.options import Options
from kinetree.plan.transcriber import Transcriber

# tasks in which a search from the usual guess alone ends in a local optimum, and how much shorter a motion there is
LOCAL = {
    ("UR10", "torque", 1): 1.09, ("UR10", "torque", 4): 1.18, ("iiwa", "gravity", 4): 1.24,
    ("planar", "gravity", 1): 1.10, ("UR5", "moving start", 50018): 1.06, ("RX90", "end velocity", 50057): 1.12,
}  # fmt: skip
# the best durations that are known of tasks in which most guesses lead to others [s]
RARE = {
    ("UR10", "gravity", 50017): 0.9100, ("iiwa", "gravity", 50007): 0.6279, ("iiwa", "gravity", 50046): 0.8961,
    ("UR10", "sphere", 50028): 0.9394,
}  # fmt: skip
ALONE = 1.02  # times as long as the best motion that is known: as good


def task_of(name: str, kind: str, seed: int) -> PlanTask:
    return random_task(robot_named(name), kind, np.random.default_rng(seed))


@pytest.mark.parametrize("which", LOCAL, ids=str)
def test_several_guesses_find_a_better_optimum_than_one(which: tuple[str, str, int]):
    task = task_of(*which)
    problem = task.problem()
    plan, one = problem.solve(), problem.solve(guesses=1)
    assert plan.status is one.status is PlanStatus.OPTIMAL
    assert one.duration > LOCAL[which] * plan.duration
    assert task.violation(plan) <= 1e-6
    assert plan.duration == problem.solve().duration  # the same guesses each time


@pytest.mark.parametrize("which", RARE, ids=str)
def test_optima_that_few_guesses_lead_to_are_found(which: tuple[str, str, int]):
    task = task_of(*which)
    plan = task.problem().solve()
    assert plan.status is PlanStatus.OPTIMAL
    assert plan.duration <= ALONE * RARE[which]
    assert task.violation(plan) <= 1e-6


def test_what_few_control_points_tell_of_an_optimum_is_not_lost_with_all_of_them():
    """What the search starts from is as short as it was with few, and near to its optimum."""
    task = task_of("UR10", "gravity", 50017)
    few = replace(task, points=10).problem()
    rough, found = (explored(Transcriber(some.snapshot()), Options()) for some in (few, task.problem()))
    assert found.motions[0].least <= rough.motions[0].least
    assert found.motions[0].least == pytest.approx(task.problem().solve().duration, rel=5e-3)


def test_several_via_points_are_passed_by_guesses_with_few_control_points():
    random = np.random.default_rng(5)
    task = task_of("UR10", "via", 5)
    problem = replace(task, via=None, points=32).problem()
    line = task.q[0] + np.linspace(0.0, 1.0, 6)[1:-1, None] * (task.q[1] - task.q[0])
    for k, q in enumerate(line + 0.2 * random.normal(size=line.shape)):
        problem.via(0.2 * (k + 1), "position", q)
    motions = explored(Transcriber(problem.snapshot()), Options()).motions
    assert len(motions) > 1
    plan, one = problem.solve(), problem.solve(guesses=1)
    assert plan.status is PlanStatus.OPTIMAL
    assert plan.duration <= (1.0 + 1e-5) * one.duration


def test_guesses_without_the_obstacle_find_ways_beside_it():
    random = np.random.default_rng(77)
    task = [random_task(robot_named("iiwa"), "sphere", random) for _ in range(2)][1]
    plan, one = task.problem().solve(), task.problem().solve(guesses=1)
    assert plan.status is PlanStatus.OPTIMAL
    assert one.duration > 1.08 * plan.duration
    assert task.violation(plan) <= 1e-6
    assert plan.clearance.distance >= 0.01 * (1.0 - 1e-6)


def test_what_is_found_roughly_is_near_the_optimum():
    """The motion that a search goes on from is about as long as what it finds."""
    problem = task_of("UR10", "torque", 4).problem().snapshot()
    found = explored(Transcriber(problem), Options(progress=False))
    best, *others = found.motions
    assert best.warm is not None
    assert not found.stopped
    assert best.x[-1] == best.least == pytest.approx(problem.solve().duration, rel=5e-3)
    assert all(other.least >= best.least for other in others)


def test_motions_that_touch_an_obstacle_are_bent_around_it():
    """What is fastest without the obstacle tells where the fastest motion with it may be."""
    task = task_of("UR5", "sphere", 7)
    found = explored(Transcriber(task.problem().snapshot()), Options(progress=False))
    assert found.motions[0].warm is None  # it has been bent
    plan, one = task.problem().solve(), task.problem().solve(guesses=1)
    assert plan.status is PlanStatus.OPTIMAL
    assert one.duration > 1.04 * plan.duration
    assert task.violation(plan) <= 1e-6


def test_one_guess_is_tried_where_other_optima_are_rare_or_the_guess_is_given():
    several = task_of("UR10", "torque", 1)
    assert guesses_of(several.problem(), Options()) > 4
    assert guesses_of(task_of("UR10", "all", 1).problem(), Options()) == 1  # velocities are limited
    moving = guesses_of(task_of("UR10", "moving start", 1).problem(), Options())
    assert 1 < moving < guesses_of(several.problem(), Options())
    effort = several.problem()
    effort.minimise("effort")
    assert guesses_of(effort, Options()) == 1
    usual = first_guess(Transcriber(several.problem().snapshot()))[:-1].reshape(several.points, -1)
    assert several.problem().solve(usual).iterations < 300  # the guess that is given, and no other


def test_velocity_limits_take_as_many_guesses_as_are_asked_for():
    problem = task_of("UR10", "all", 3).problem()
    one, several = problem.solve(), problem.solve(guesses=6)
    assert several.status is PlanStatus.OPTIMAL
    assert several.iterations > 2 * one.iterations
    assert several.duration <= ALONE * one.duration


@pytest.mark.parametrize("how", ["signal", "answer", "time"])
def test_exploring_stops_when_it_is_told_to(how: str):
    problem, count = task_of("iiwa", "torque", 4).problem(), 0
    problem.solve(guesses=1, iterations=1)  # compiled

    def tell(*_: float) -> bool:
        nonlocal count
        count += 1
        if count == 40 and how == "signal":
            os.kill(os.getpid(), signal.SIGINT)
        return how != "answer" or count < 40

    plan = problem.solve(callback=tell, time_limit=0.02 if how == "time" else 60.0)
    assert plan.status in (PlanStatus.FEASIBLE, PlanStatus.NOT_FOUND)
    assert how == "time" or count <= 45
    assert plan.seconds < 5.0
