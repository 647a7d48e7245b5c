"""How motions start and end."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, PlanWarning

ARM = kt.robots.two_link()
TASK = {"q0": [0.0, -2.0], "q1": [1.0, -1.0], "force_limits": 10.0, "control_points": 14}
LINK = kt.Robot.from_dh(
    [kt.DH(a=0.5, mass=2.0, com=(-0.25, 0, 0), inertia=(0.001, 0.04, 0.04))], "standard", gravity=(0, -9.81, 0)
)


def at_ends(plan: kt.plan.Plan, degree: int) -> np.ndarray:
    return plan.motion([0.0, plan.duration])[degree]


@pytest.mark.parametrize("limit", [{"jerk_limits": 2000.0}, {"force_rate_limits": 300.0}])
def test_with_limits_of_jerks_or_force_rates_a_motion_begins_and_ends_without_acceleration(limit: dict[str, float]):
    plan = kt.plan.minimum_time(ARM, **TASK, **limit)
    assert plan.ok
    assert np.abs(at_ends(plan, 2)).max() <= 1e-9
    told = kt.plan.minimum_time(ARM, **TASK, **limit, qdd0="free")
    assert told.duration < plan.duration
    assert np.abs(at_ends(told, 2)[0]).max() > 10.0
    assert np.abs(at_ends(told, 2)[1]).max() <= 1e-9
    assert np.abs(at_ends(kt.plan.minimum_time(ARM, **TASK), 2)).max() > 10.0


def test_a_path_too():
    path = [[0.0, -2.0], [0.8, -1.8], [1.0, -1.0]]
    given = {"path": path, "force_limits": 10.0, "jerk_limits": 3000.0, "control_points": 30}
    plan, told = (kt.plan.time_optimal_path(ARM, **given, **more) for more in ({}, {"qdd0": "free", "qdd1": "free"}))
    assert plan.ok
    assert told.ok
    assert np.abs(at_ends(plan, 2)).max() <= 1e-9
    assert np.abs(at_ends(told, 2)).min() > 1.0


def test_velocities_and_accelerations_at_the_ends_are_as_told():
    plan = kt.plan.minimum_time(ARM, **TASK, velocity_limits=8.0, qd0=[0.5, 0.0], qd1=[1.0, 0.5], qdd0=[2.0, -3.0])
    assert plan.ok
    assert np.abs(at_ends(plan, 1) - [[0.5, 0.0], [1.0, 0.5]]).max() <= 1e-6
    assert np.abs(at_ends(plan, 2)[0] - [2.0, -3.0]).max() <= 1e-5
    effort = kt.plan.minimum_effort(ARM, q0=[0.0, -2.0], q1=[1.0, -1.0], duration=1.0, qd1=[0.3, 0.0])
    assert np.abs(at_ends(effort, 1)[1] - [0.3, 0.0]).max() <= 1e-6


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        ({"qd1": [9.0, 0.0]}, "the end is outside the limits: velocity of joint1 is 9"),
        ({"qdd0": "none"}, "acceleration 'none'"),
        ({"qd0": [np.nan, 0.0]}, "velocity is not a number"),
        ({"qd0": [0.0, 0.0, 0.0]}, "velocity has 2 numbers"),
    ],
)
def test_ends_that_make_no_sense_are_refused(bad: dict[str, object], match: str):
    with pytest.raises(InputError if "qdd0" not in bad else kt.errors.UnknownNameError, match=match):
        kt.plan.minimum_time(ARM, **TASK, velocity_limits=8.0, **bad)


def test_a_goal_where_gravity_needs_more_than_the_limit_is_told_with_figures():
    """4.88 N m at rest: reached while moving, but not held."""
    task = {"q0": [-1.2], "q1": [0.1], "force_limits": 4.5}
    with pytest.warns(
        PlanWarning, match=r"at rest at the goal the force of joint1 is 4\.88\d*, allowed: -4\.5 to 4\.5"
    ):
        assert kt.plan.minimum_time(LINK, **task).ok
    with pytest.raises(InputError, match=r"force of joint1 is 4\.88.* without acceleration"):
        kt.plan.minimum_time(LINK, **task, jerk_limits=1e4)
    with pytest.warns(PlanWarning, match="at rest at the start"):
        assert kt.plan.minimum_time(LINK, q0=[0.1], q1=[-1.2], force_limits=4.5).ok
