"""Tasks that can't be planned are refused before any work, with words that help."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, KinetreeError, MissingExtraError, UnknownNameError
from kinetree.nlp import Ipopt, Start
from kinetree.plan import Custom, Distance, FramePosition, PlanStatus, Problem, Reaction, Squares
from kinetree.plan.forces import Force
from kinetree.plan.transcriber import Transcriber

TWO_LINK = kt.robots.two_link()
NAN, INF = float("nan"), float("inf")
PATH = [[0.0, -2.0], [0.8, -1.8], [1.0, -1.0]]


def task(**options: Any) -> Problem:
    """A whole task; each case spoils it."""
    problem = Problem(TWO_LINK, **({"control_points": 8} | options))
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.limit("force", 10.0)
    problem.minimise("time")
    return problem


def along(**options: Any) -> Problem:
    problem = Problem(TWO_LINK, path=PATH, control_points=8, **options)
    problem.minimise("time")
    return problem


CASES: dict[str, tuple[Any, str]] = {
    "a start outside the limits": (
        lambda: task().limit("position", lower=[0.1, -3.0], upper=4.0),
        "the start is outside the limits: position of joint1 is 0 there, allowed are 0.1 to 4",
    ),
    "an end outside the limits": (lambda: task().limit("position", upper=[0.5, 4.0]), "the end is outside the limits"),
    "a start too fast": (lambda: (p := task(), p.start([0, -2], qd=5.0), p.limit("velocity", 4.0)), "is 5 there"),
    "a frame outside its box": (
        lambda: task().limit(Distance("dh2", "world"), lower=0.5),
        "distance of dh2 from world is 0.432242 there",
    ),
    "contradictory points": (
        lambda: (p := task(), p.via(0.5, "position", [0.5, -1.5]), p.via(0.5, "position", [0.5, -1.0])),
        "two constraints at s = 0.5 of the motion contradict each other in position of joint2",
    ),
    "too few control points": (
        lambda: (p := task(control_points=5), p.via(0.3, "position", 0.0), p.via(0.6, "position", 0.0)),
        "need 6 control points or more, got 5",
    ),
    "too few control points to repeat": (lambda: (p := task(control_points=4), p.periodic()), "need 7 control points"),
    "fewer than the degree takes": (lambda: task(control_points=3), "splines of degree 3 need 4 control points, got 3"),
    "nothing to minimise": (lambda: setattr(task(), "time_weight", 0.0), "nothing is to be minimised"),
    "nothing that slows down": (
        lambda: (p := task(), p.constraints.clear(), p.limit("position", 4.0)),
        "nothing keeps the motion from being endlessly fast",
    ),
    "a start that is not a number": (lambda: task().start([0.0, NAN]), "not a number"),
    "an infinite end": (lambda: task().end([0.0, INF]), "finite"),
    "numbers that are words": (lambda: task().start(["a", "b"]), "one number or 2"),
    "a wrong count": (lambda: task().start([0.0, 1.0, 2.0]), "has 2 numbers"),
    "a limit that is not a number": (lambda: task().limit("force", NAN), "above 0"),
    "a limit of zero": (lambda: task().limit("force", 0.0), "above 0"),
    "limits that cross": (lambda: task().limit("velocity", lower=2.0, upper=1.0), "above the upper one"),
    "no limit at all": (lambda: task().limit("velocity"), "needs a finite bound"),
    "no time": (lambda: task().duration(0.0), "positive number of seconds"),
    "time that runs back": (lambda: task().duration(2.0, 1.0), "positive number of seconds"),
    "a time that is not a number": (lambda: task().duration(NAN), "positive number of seconds"),
    "a negative weight": (lambda: task().minimise("effort", -1.0), "not below 0"),
    "a cost of several numbers": (lambda: task().minimise(Force()), "one number, force has 2"),
    "weights that don't fit": (lambda: task().minimise(Squares(Force(), (1.0,))), "2 numbers, got 1 weights"),
    "a place outside": (lambda: task().via(1.5, "position", 0.0), "between s = 0 and 1"),
    "a pose without numbers": (lambda: task().via_frame(0.5, "dh2"), "give a position or axes"),
    "axes that are none": (lambda: task().via_frame(0.5, "dh2", axes=np.ones((3, 3))), "not orthogonal"),
    "loads that don't fit": (lambda: task(external=np.zeros((3, 6))), r"\(2, 6\)"),
    "a function that gives too much": (
        lambda: (p := task(), p.limit(Custom(lambda *_: [1.0, 2.0], name="two"), 3.0), p.solve()),
        "'two' gave 2 numbers, it was said to give 1",
    ),
    "a function of too high derivatives": (lambda: task().limit(Custom(highest=4), 3.0), "up to 3"),
    "a start on a path": (lambda: along().start([0.0, 0.0]), "the path says"),
    "a place on a path": (lambda: along().via(0.5, "position", 0.0), "can't be chosen"),
    "a path that comes back": (lambda: along().periodic(), "not periodic"),
    "a path outside the limits": (
        lambda: (p := along(), p.limit("position", upper=[0.9, 1.0])),
        "the path leaves the limits of position of joint1",
    ),
    "a periodic motion of no kind": (lambda: task().periodic(5), "from 0 to 3"),
    "limits that models don't have": (lambda: task().limit("jerk", "model"), "not of jerk"),
    "no guess": (lambda: task().solve(starts=0), "1 or more"),
    "no guess to try roughly": (lambda: task().solve(guesses=0), "number of guesses is 1 or more"),
    "no executor": (lambda: task().solve(starts=2, executor=4), "executor= is one of concurrent.futures"),
    "a part of a motion that is none": (lambda: task().limit("velocity", 5.0, during=0.5), "between two values of s"),
    "a part that is words": (lambda: task().limit("velocity", 5.0, during="ab"), "between two values of s"),
    "a part that runs back": (lambda: task().limit("velocity", 5.0, during=(0.6, 0.4)), "between two values of s"),
    "a scale that is a word": (lambda: task().limit("velocity", 5.0, scale="large"), "a positive number"),
    "one side of positions": (
        lambda: kt.plan.minimum_time(TWO_LINK, q0=[0, 0], q1=[1, 1], position_limits=3.0),  # type: ignore[arg-type]
        "a lower and an upper side",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_task_that_makes_no_sense_is_refused(name):
    spoil, words = CASES[name]
    made: list[Problem] = []
    before = Problem.__init__

    def remember(self: Problem, *args: Any, **options: Any) -> None:
        made.append(self)
        before(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Problem, "__init__", remember)
        with pytest.raises(InputError, match=words):
            _ = spoil(), made[-1].solve()


@pytest.mark.parametrize(
    ("use", "listed"),
    [
        (lambda: task().limit("torque", 1.0), "force_rate"),
        (lambda: task().minimise("work"), "effort"),
        (lambda: task().limit(FramePosition("hand"), upper=1.0), "dh2"),
        (lambda: task().limit(Reaction("link9"), 1.0), "link2"),
        (lambda: task().limit(Reaction("link2", "torque"), 1.0), "moment"),
        (lambda: task(knots="loose"), "adapted"),
        (lambda: task().limit("force", "datasheet"), "model"),
        (lambda: kt.plan.minimum_time(TWO_LINK, q0=[0, 0], q1=[1, 1], limits="file"), "model"),
    ],
)
def test_unknown_names_are_answered_with_those_that_exist(use, listed):
    with pytest.raises(UnknownNameError, match=listed):
        use()


def test_a_task_without_start_and_end_is_refused():
    problem = Problem(TWO_LINK)
    problem.limit("force", 10.0)
    problem.minimise("time")
    with pytest.raises(InputError, match=r"problem.start\(q\)"):
        problem.solve()


def test_a_guess_for_another_robot_is_refused():
    plan = kt.plan.minimum_effort(kt.robots.scara(), q0=[0.0] * 4, q1=[0.1] * 4, duration=1.0, control_points=5)
    with pytest.raises(InputError, match="the guess has 4 coordinates, the problem has 2"):
        task().solve(plan)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (lambda: kt.robots.four_bar(), r"closed loops \('pin'\)"),
        (lambda: kt.robots.mixed_elastic(), "elastic transmissions"),
        (lambda: "two_link", "a tree of bodies; got str"),
    ],
)
def test_robots_that_can_not_be_planned_are_refused(robot, words):
    with pytest.raises(KinetreeError, match=words):
        Problem(robot())


def test_a_joint_without_a_drive_is_not_given_one_in_silence():
    first, second = TWO_LINK.bodies
    loose = dataclasses.replace(second, joint=dataclasses.replace(second.joint, actuated=False))
    robot = kt.Robot((first, loose), "loose", TWO_LINK.gravity)
    with pytest.raises(InputError, match="joint 'joint2' is not driven"):
        kt.plan.minimum_time(robot, q0=[0.0, -2.0], q1=[1.0, -1.0], acceleration_limits=10.0, control_points=8)
    assert kt.plan.minimum_time(robot, q0=[0.0, -2.0], q1=[1.0, -1.0], force_limits=10.0, control_points=8).ok


def test_without_ipopt_tasks_are_planned_and_the_extra_is_named_where_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipyopt", None)
    assert task().solve().status is PlanStatus.OPTIMAL
    with pytest.raises(MissingExtraError, match=r"pip install 'kinetree\[plan\]'"):
        Ipopt().solve(Transcriber(task()).transcription(np.array([0.5])), Start(np.ones(17)))
