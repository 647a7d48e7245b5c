"""Bad input of inverse kinematics is refused by an error that says what was given, what exists and what to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree import tasks
from kinetree.errors import InputError, ModelError, UnknownNameError

ROBOT = kt.robots.panda()
POSE = ROBOT.pose(ROBOT.random(seed=0), "tcp")
FREE = kt.robots.hyq()


def solve(pose: Any = POSE, frame: Any = "tcp", **options: Any) -> Any:
    return ROBOT.inverse_kinematics(frame, pose, **options)


def changed(row: int, column: int, value: float) -> Any:
    pose = POSE.copy()
    pose[row, column] = value
    return pose


def mirrored() -> Any:
    pose = POSE.copy()
    pose[:3, 0] *= -1.0
    return pose


CASES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "unknown frame": (lambda: solve(frame="tpc"), UnknownNameError, "no frame 'tpc'; did you mean 'tcp'"),
    "the world": (lambda: solve(frame="world"), ModelError, "'world' is fixed in the world: no joint moves it"),
    "no pose": (lambda: solve([1, 2, 3]), InputError, r"a pose \(..., 4, 4\); got an array of shape \(3,\)"),
    "text": (lambda: solve("there"), InputError, "the target of Pose.* must be an array of real numbers"),
    "complex": (lambda: solve(POSE + 1j), InputError, "must be an array of real numbers"),
    "no rotation": (lambda: solve(changed(0, 0, 2.0)), InputError, "orthonormal, right-handed axes; this one is off"),
    "left-handed": (lambda: solve(mirrored()), InputError, "right-handed"),
    "no homogeneous matrix": (lambda: solve(changed(3, 0, 0.5)), InputError, r"homogeneous matrix \[R, p; 0, 1\]"),
    "transposed": (lambda: solve(POSE.T.copy()), InputError, "homogeneous matrix"),
    "one of many": (lambda: solve(np.stack([POSE, mirrored(), POSE])), InputError, "right-handed"),
    "guess": (lambda: solve(guess=[0.0] * 6), InputError, r"the guess has a number for each of the 7 positions"),
    "guess as text": (lambda: solve(guess="home"), InputError, "the guess must be an array of real numbers"),
    "limits": (lambda: solve(limits="yes"), InputError, "limits is True, False, or a pair of arrays"),
    "limits of another robot": (
        lambda: solve(limits=([0.0] * 6, [1.0] * 6)), InputError, "lower has a number for each of the 7 positions",
    ),
    "empty limits": (
        lambda: solve(limits=([0.0] * 7, [1.0] * 5 + [-0.5, 1.0])),
        InputError,
        "no position of 'panda_joint6' is between 0 and -0.5",
    ),
    "limits that are no numbers": (
        lambda: solve(limits=([np.nan] + [0.0] * 6, [1.0] * 7)), InputError, "no position of 'panda_joint1' is between",
    ),
    "starts": (lambda: solve(starts=0), InputError, "starts is an integer not below 1, got 0"),
    "half a start": (lambda: solve(starts=1.5), InputError, "starts is an integer"),
    "seed": (lambda: solve(seed=-1), InputError, "seed is an integer not below 0, got -1"),
    "iterations": (lambda: solve(iterations=0), InputError, "iterations is an integer not below 1"),
    "tolerance": (lambda: solve(tolerance=0.0), InputError, "tolerance is a distance .* above 0, got"),
    "three tolerances": (lambda: solve(tolerance=(1e-6, 1e-6, 1e-6)), InputError, "tolerance is a distance"),
    "tolerance as text": (lambda: solve(tolerance="tight"), InputError, "tolerance is a distance"),
    "unknown keyword": (lambda: solve(start=3), UnknownNameError, "'start'; did you mean 'starts'"),
    "leading dimensions": (
        lambda: solve(np.stack([POSE] * 3), guess=np.zeros((2, 7))), InputError, "the leading dimensions don't broad",
    ),
    "guess without length": (
        lambda: FREE.inverse_kinematics("lf_foot", np.eye(4), np.zeros(19)), InputError, "not of length one",
    ),
    "no tasks": (lambda: kt.InverseKinematics(ROBOT, []), ModelError, r"such as \[kt.tasks.Pose\('tool0'\)\]"),
    "a frame as task": (lambda: kt.InverseKinematics(ROBOT, ["tcp"]), ModelError, "tasks is a list of"),
    "targets": (
        lambda: kt.InverseKinematics(ROBOT, [tasks.Pose("tcp"), tasks.CenterOfMass()])(POSE),
        InputError,
        "give 2 targets: pose of Pose.*, position of CenterOfMass.*; got 1",
    ),
    "weight": (lambda: tasks.Pose("tcp", weight=0.0), ModelError, "weight 0.0 of a task must be"),
    "weight as text": (lambda: tasks.Pose("tcp", weight="much"), ModelError, "weight 'much' of a task must be"),
    "axis": (lambda: tasks.Axis("tcp", (1, 1, 0)), ModelError, "has length 1.41421; give a unit vector"),
    "no direction": (
        lambda: kt.InverseKinematics(ROBOT, tasks.Axis("tcp"))([0, 0, 0]), InputError, "is a direction; got",
    ),
    "preferred": (
        lambda: kt.InverseKinematics(ROBOT, tasks.Pose("tcp"), preferred=[0.0]), InputError, "preferred has a number",
    ),
    "no rotation matrix": (
        lambda: kt.InverseKinematics(ROBOT, tasks.Orientation("tcp"))(np.ones((3, 3))), InputError, "a rotation matrix",
    ),
    "no mass": (
        lambda: kt.InverseKinematics(massless(), tasks.CenterOfMass()), ModelError, "no mass, and so no centre of mass",
    ),
    "no joints": (
        lambda: kt.InverseKinematics(kt.Robot(()), tasks.CenterOfMass()), ModelError, "has no joints that move",
    ),
    "chain": (
        lambda: kt.ClosedChain(kt.robots.four_bar()).inverse_kinematics("nowhere", POSE), UnknownNameError, "no frame",
    ),
}  # fmt: skip


def massless() -> kt.Robot:
    robot = kt.robots.two_link()
    return dataclasses.replace(robot, bodies=tuple(dataclasses.replace(b, inertia=kt.Inertia()) for b in robot.bodies))


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused(case: str) -> None:
    call, error, message = CASES[case]
    with pytest.raises(error, match=message):
        call()


def test_seven_digits_are_a_rotation() -> None:
    assert solve(POSE.round(7)).solved


def test_quaternions_of_a_guess_are_brought_to_length_one() -> None:
    guess = FREE.neutral
    guess[3:7] *= 1.0004
    found = FREE.inverse_kinematics("lf_foot", FREE.pose(FREE.random(seed=0), "lf_foot"), guess)
    assert found.solved
    assert np.linalg.norm(found.q[3:7]) == pytest.approx(1.0, abs=1e-12)
