"""Goals in space and via points at free times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.plan import Goal, Problem, Sphere, minimum_time

ARM = kt.robots.puma560()
FRAME = ARM.bodies[-1].name
Q0, Q1 = np.array([0.0, -0.8, 0.4, 0.1, 0.6, 0.0]), np.array([0.7, -0.4, 0.1, 0.3, 0.9, 0.2])
LIMITS: dict[str, Any] = {"velocity_limits": 2.0, "acceleration_limits": 8.0, "control_points": 10}
EXACT = 1e-5  # m, of point constraints


def end_of(plan: kt.plan.Plan) -> np.ndarray:
    return ARM.pose(plan.motion(plan.duration)[0], FRAME)


def test_the_quickest_configuration_of_a_pose_is_kept() -> None:
    pose = ARM.pose(Q1, FRAME)
    plan = minimum_time(ARM, q0=Q0, pose=(FRAME, pose), **LIMITS)
    assert plan.ok
    assert np.abs(end_of(plan) - pose).max() < EXACT
    assert plan.duration <= minimum_time(ARM, q0=Q0, q1=Q1, **LIMITS).duration * (1 + 1e-4)


def test_a_larger_goal_takes_no_longer_and_is_kept_to() -> None:
    pose = ARM.pose(Q1, FRAME)
    exact = minimum_time(ARM, q0=Q0, pose=(FRAME, pose), **LIMITS)
    region = Goal(FRAME, pose[:3, 3], axis=pose[:3, 2], size=[0.1, 0.06, 0.0])
    wide = minimum_time(ARM, q0=Q0, pose=region, **LIMITS)
    place = minimum_time(ARM, q0=Q0, pose=(FRAME, pose[:3, 3]), **LIMITS)
    for plan in (wide, place):
        assert plan.ok
        assert plan.duration <= exact.duration * (1 + 1e-4)
    away = end_of(wide)[:3, 3] - pose[:3, 3]
    assert (np.abs(away) <= np.array([0.05, 0.03, 0.0]) + EXACT).all()
    assert end_of(wide)[:3, 2] @ pose[:3, 2] > 1.0 - EXACT
    assert np.abs(end_of(place)[:3, 3] - pose[:3, 3]).max() < EXACT


@pytest.mark.parametrize("in_space", [False, True])
def test_via_points_are_passed_at_the_best_time_without_a_stop(in_space: bool) -> None:
    q = 0.5 * (Q0 + Q1) + [0.0, 0.3, -0.3, 0.0, 0.0, 0.0]
    point = ARM.pose(q, FRAME)[:3, 3]
    plan = minimum_time(ARM, q0=Q0, q1=Q1, via=[(FRAME, point) if in_space else q], **LIMITS)
    assert plan.ok
    assert plan.problem is not None
    s = next(c.s for c in plan.problem.point_constraints if 0.0 < c.s < 1.0)
    there, speed = plan.motion(s * plan.duration)[:2]
    off = ARM.pose(there, FRAME)[:3, 3] - point if in_space else there - q
    assert np.abs(off).max() < EXACT
    assert np.abs(speed).max() > 0.2
    for other in (s - 0.05, s + 0.05):
        problem = Problem(ARM, control_points=10)
        problem.limit("velocity", 2.0)
        problem.limit("acceleration", 8.0)
        problem.start(Q0)
        problem.end(Q1)
        problem.minimise("time")
        what = kt.plan.FramePosition(FRAME) if in_space else "position"
        problem.via(other, what, point if in_space else q)
        assert problem.solve(guess=plan).duration >= plan.duration * (1 - 1e-4)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"pose": (FRAME, [5.0, 0.0, 0.0])}, r"can't be reached: the nearest configuration found, .* is \d\.\d+ m"),
        ({}, "say where the motion ends"),
        ({"q1": Q1, "pose": (FRAME, np.eye(4))}, "and not both"),
        ({"pose": (FRAME, np.eye(3))}, "a pose is a pair"),
        ({"pose": (FRAME, np.full((4, 4), np.nan))}, "a pose is a pair"),
        ({"pose": ("hand", [0.5, 0.0, 0.0])}, "hand"),
        ({"q1": Q1, "via": [[0.0, 1.0]]}, "a via point is 6 finite numbers"),
        ({"pose": (FRAME, ARM.pose(Q1, FRAME)), "candidates": 0}, "the number of candidates"),
        (
            {"pose": (FRAME, ARM.pose(Q1, FRAME)), "obstacles": [Sphere(ARM.pose(Q1, FRAME)[:3, 3], 0.2)]},
            r"configurations that reach the goal .* at best '.*' is -0\.\d+ m from 'sphere 1'",
        ),
    ],
)
def test_goals_that_can_not_be_are_refused(goal: dict[str, Any], words: str) -> None:
    with pytest.raises((InputError, KeyError), match=words):
        minimum_time(ARM, q0=Q0, **goal, **LIMITS)


def test_goals_say_what_they_need() -> None:
    for make, words in (
        (lambda: Goal(FRAME), "has a position, axes or an axis"),
        (lambda: Goal(FRAME, [0, 0, 0], np.eye(3), [0, 0, 1]), "not both"),
        (lambda: Goal(FRAME, axis=[0, 0, 0]), "must not be zero"),
        (lambda: Goal(FRAME, [0, 0, 0], size=[-1, 0, 0]), "three lengths not below 0"),
        (lambda: Goal(FRAME, axes=2 * np.eye(3)), "a rotation matrix"),
    ):
        with pytest.raises(InputError, match=words):
            make()
