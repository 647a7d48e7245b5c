"""Studies of gait: a stride is a step and its image, either leg has its curves, sweeps mend what fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kinetree.plan.conditions import Limit
from kinetree.plan.spline import Spline

from kinetree import gait
from kinetree.errors import InputError
from kinetree.gait import Gait, Step, Stride, StrideGait, Timing, Walker, sweep, usual_length
from kinetree.gait.asymmetric import even, smooth_step, two_steps
from kinetree.gait.stride import StrideTiming
from kinetree.plan.status import PlanStatus
from kinetree.robots.human_table import STATURE

ROUNDING = 1e-9  # chains of 55 joints, forces of 1e3 N
SOLVED = 1e-8  # relative: control points from values lose the digits of the condition of their system
WEAK = {"L_knee": 0.3}


@pytest.fixture(scope="module")
def stride() -> Stride:
    return Stride(Walker(strength=WEAK), 1.1, 0.62)


def image(stride: Step, q: np.ndarray, ahead: bool) -> np.ndarray:
    names = stride.walker.robot.joint_names
    forward = np.array([stride.length * (ahead and name == "global_tz_forward") for name in names])
    return q @ stride.walker.mirror.T + forward


# -- usual steps -------------------------------------------------------------------------------------------------------


def test_usual_steps_have_the_walk_ratio_and_grow_with_a_power_of_speed() -> None:
    at = usual_length(1.2)
    assert at / (60.0 * 1.2 / at) == pytest.approx(0.0065)
    assert usual_length(2.4) / at == pytest.approx(2.0**0.42)


def test_usual_steps_of_similar_bodies_are_similar() -> None:
    """At the same speed over the root of stature they are the same part of it."""
    for scale in (0.7, 1.1):
        assert usual_length(1.3 * scale**0.5, scale * STATURE) == pytest.approx(scale * usual_length(1.3))


@pytest.mark.parametrize(("speed", "stature"), [(0.0, 1.7), (-1.0, 1.7), (float("nan"), 1.7), (1.0, 0.0)])
def test_no_usual_step_without_speed_or_stature(speed: float, stature: float) -> None:
    with pytest.raises(InputError, match="positive"):
        usual_length(speed, stature)


# -- a stride as a task ------------------------------------------------------------------------------------------------


def test_the_second_step_has_the_shares_of_the_first_with_feet_exchanged() -> None:
    timing = StrideTiming(lift=0.25)
    s = np.linspace(0.0, 0.5, 40, endpoint=False)
    assert timing.shares(s) == pytest.approx(Timing(lift=0.25).shares(2.0 * s))
    assert timing.shares(s + 0.5)[:, [3, 4, 5, 0, 1, 2]] == pytest.approx(timing.shares(s))
    assert timing.shares([0.5 - 1e-9]) == pytest.approx(timing.shares([0.5]), abs=1e-6)
    assert timing.shares([1.0]) == pytest.approx(timing.shares([0.0]), abs=1e-12)


def test_a_stride_has_a_knot_where_the_right_heel_strikes(stride: Stride) -> None:
    for points in (5, 6, 9):
        spline = replace(stride, control_points=points).problem().spline
        assert spline.points == 2 * points + 1
        assert 0.5 in spline.breaks


def test_a_stride_repeats_itself_two_steps_ahead_without_a_mirror(stride: Stride) -> None:
    problem = stride.problem()
    forward = stride.walker.robot.joint_names.index("global_tz_forward")
    assert problem.mirror is None
    assert problem.times == (stride.duration, stride.duration)
    assert stride.duration == pytest.approx(2.0 * stride.first.duration)
    assert problem.advance[forward] == pytest.approx(2.0 * stride.length)
    assert np.count_nonzero(problem.advance) == 1


def phases(stride: Stride) -> Iterator[tuple[Limit, Limit]]:
    """Limits of phases of the first step, and their images."""
    limits = stride.problem().limits
    of_phases = [x for x in limits if x.during != (0.0, 1.0)]
    first, second = of_phases[::2], of_phases[1::2]
    assert len(limits) == len(stride.first.problem().limits) + len(second)
    assert len(first) >= 10
    return zip(first, second, strict=True)


def excess(limit: Limit, robot: Any, motion: list[np.ndarray], shares: np.ndarray) -> float:
    what: Any = limit.quantity
    known = [shares.tolist()] if what.informed else []
    still = [0.0] * robot.nv
    values = np.array(what.values(robot, *(x.tolist() for x in motion), still, *known))
    return float(np.maximum(limit.lower - values, values - limit.upper).max())


def test_a_phase_of_the_second_step_limits_the_image_of_what_it_limits_in_the_first(stride: Stride) -> None:
    random, robot = np.random.default_rng(5), stride.walker.robot
    motion = [random.normal(scale=size, size=robot.nv) for size in (0.2, 0.5, 1.0)]
    images = [image(stride, x, ahead=k == 0) for k, x in enumerate(motion)]
    shares = random.dirichlet(np.ones(6))
    for own, other in phases(stride):
        assert own.during[1] <= 0.5
        assert other.during == pytest.approx(tuple(0.5 + x for x in own.during))
        there = excess(other, robot, images, shares[[3, 4, 5, 0, 1, 2]])
        assert there == pytest.approx(excess(own, robot, motion, shares), abs=ROUNDING), own.quantity


def test_strengths_and_ranges_stay_with_their_joint(stride: Stride) -> None:
    always = [x for x in stride.problem().limits if x.during == (0.0, 1.0) and x.quantity.title == "joint moment"]
    assert len(always) == 1
    of = always[0].quantity.names(stride.walker.robot)
    left, right = (always[0].upper[of.index(f"moment of {side}_knee_flexion")] for side in "LR")
    assert left == pytest.approx(0.3 * right)


def test_a_walker_is_evened_by_dropping_what_one_side_has() -> None:
    walker = Walker(strength={"L_knee": 0.3, "R_hip": 0.8, "ankle": 0.9})
    assert dict(even(walker).strength) == {"ankle": 0.9}


# -- from a step to a stride -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def points(stride: Stride) -> np.ndarray:
    """A step at random that its image follows smoothly: the last three control points are settled by the first."""
    step, problem = smooth_step(stride)
    assert problem.seam == 2
    spline, n = Spline(step.control_points, 3), stride.walker.robot.nv
    P = np.random.default_rng(8).normal(scale=0.1, size=(spline.points, n))
    table, which = spline.local([0.0, 1.0], 2)
    wanted = table[0] @ P[which[0]] @ stride.walker.mirror.T + np.r_[[problem.advance], np.zeros((2, n))]
    P[-3:] = np.linalg.solve(table[1][:, 1:], wanted - table[1][:, :1] * P[-4])
    return P


def test_two_steps_are_the_step_and_its_image(stride: Stride, points: np.ndarray) -> None:
    s = np.linspace(0.0, 1.0, 31)
    whole, step = Spline(stride.points, 3), Spline(len(points), 3)
    P = two_steps(stride, points)
    for order, (own, two) in enumerate(
        zip(step.derivatives(points, s, 2), zip(*(whole.derivatives(P, 0.5 * s + at, 2) for at in (0.0, 0.5))))
    ):
        scale = 2.0**order
        size = 1.0 + np.abs(own).max()
        assert two[0] / scale == pytest.approx(own, abs=SOLVED * size)
        assert two[1] / scale == pytest.approx(image(stride, own, ahead=order == 0), abs=SOLVED * size)


@pytest.fixture(scope="module")
def walked(stride: Stride, points: np.ndarray) -> StrideGait:
    P = two_steps(stride, points)
    return StrideGait(stride, P, PlanStatus.OPTIMAL, 1.0, 0.0, "", 1, 0.0, {})


def test_legs_that_move_alike_have_the_same_curves(walked: StrideGait) -> None:
    left, right = walked.left, walked.right
    for curves in ("angles", "ground_forces", "moments"):
        own, other = getattr(left, curves)(41), getattr(right, curves)(41)
        assert list(own) == list(other)
        for name, curve in own.items():
            assert other[name] == pytest.approx(curve, abs=1e-6 * (1.0 + np.abs(curve).max())), name


def test_legs_that_move_otherwise_have_curves_of_their_own(walked: StrideGait) -> None:
    names = walked.step.walker.robot.joint_names
    P = walked.points.copy()
    P[:, names.index("R_knee_flexion")] += 0.1
    moved = replace(walked, points=P)
    assert moved.right.angles()["knee"] - walked.right.angles()["knee"] == pytest.approx(np.degrees(0.1))
    assert moved.left.angles()["knee"] == pytest.approx(walked.left.angles()["knee"])


def test_a_leg_starts_its_curves_where_its_heel_strikes(walked: StrideGait) -> None:
    names = walked.step.walker.robot.joint_names
    q = walked.motion([0.0, 0.5])[0]
    assert walked.left.angles()["hip"][0] == pytest.approx(np.degrees(q[0, names.index("L_hip_flexion")]))
    assert walked.right.angles()["hip"][0] == pytest.approx(np.degrees(q[1, names.index("R_hip_flexion")]))


def test_a_step_does_not_start_from_a_stride(walked: StrideGait) -> None:
    with pytest.raises(InputError, match="a stride from that of a stride"):
        gait.predict(walker=walked.step.walker, start=walked)


# -- sweeps ------------------------------------------------------------------------------------------------------------


class Predictions:
    """Predictions that fail from rest at some speeds, and from some neighbours."""

    def __init__(self, fails: dict[float, tuple[float | None, ...]], ends: PlanStatus = PlanStatus.OPTIMAL) -> None:
        self.fails, self.ends, self.asked = fails, ends, list[tuple[float, float | None]]()

    def __call__(self, task: Any) -> Gait:
        given, beside = task
        near = beside["start"].step.speed if beside else None
        self.asked.append((given["speed"], near))
        status = PlanStatus.INFEASIBLE if near in self.fails.get(given["speed"], ()) else self.ends
        step = Step(given["walker"], given["speed"], given["length"])
        return Gait(step, np.zeros((6, given["walker"].robot.nv)), status, 1.0, 0.0, "a limit", 1, 0.0, {})


def predictions(monkeypatch: pytest.MonkeyPatch, *args: Any) -> Predictions:
    made, module = Predictions(*args), sys.modules["kinetree.gait.sweep"]
    monkeypatch.setattr(module, "_predicted", made)
    monkeypatch.setattr(module, "answers", lambda function, tasks, stopped: [None] * len(tasks))
    return made


def test_a_sweep_has_the_gaits_in_the_order_of_the_speeds(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {})
    found = sweep([1.4, 0.8, 1.2])
    assert [one.step.speed for one in found] == [1.4, 0.8, 1.2]
    assert [one.step.length for one in found] == pytest.approx([usual_length(v, 1.741) for v in (1.4, 0.8, 1.2)])
    assert found.ok
    assert made.asked[0] == (1.2, None)  # the middle one compiles for all
    assert sorted(made.asked[1:]) == [(0.8, 1.2), (1.4, 1.2)]


def test_a_sweep_starts_failures_again_from_other_gaits_and_at_last_from_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {0.8: (1.0, 1.2, 1.1)})
    assert sweep([0.8, 1.0, 1.1, 1.2]).ok
    assert [near for speed, near in made.asked if speed == 0.8] == [1.1, 1.0, 1.2, None]


def test_a_sweep_whose_first_gait_fails_goes_on_from_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {1.0: (None,)})
    assert sweep([0.8, 1.0, 1.2]).ok
    assert made.asked[0] == (1.0, None)
    assert sorted(made.asked[1:3]) == [(0.8, None), (1.2, None)]
    assert made.asked[3][0] == 1.0


def test_a_sweep_says_what_no_start_mends(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {0.8: (None, 1.0, 1.2)})
    found = sweep([0.8, 1.0, 1.2])
    assert [one.ok for one in found] == [False, True, True]
    assert not found.ok
    assert len(made.asked) == 5


def test_a_sweep_ends_when_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {}, PlanStatus.INTERRUPTED_EARLY)
    assert [one.step.speed for one in sweep([1.0, 1.2, 1.4])] == [1.2]
    assert len(made.asked) == 1


def test_a_sweep_refuses_a_speed_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {})
    with pytest.raises(InputError, match="one runs"):
        sweep([1.0, 1.2, 5.0], lengths=0.6 * np.ones(3))
    assert made.asked == []


def test_a_sweep_needs_a_length_for_each_speed() -> None:
    with pytest.raises(InputError, match="as many step lengths"):
        sweep([1.0, 1.2], lengths=[0.6])
    with pytest.raises(InputError, match="as many step lengths"):
        sweep([])


# -- real predictions --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_over_speeds_keeps_all_limits_on_all_cores() -> None:
    found = sweep([1.0, 1.2, 1.6])
    assert found.ok, str(found)
    assert str(found).count("keeps all limits") == 3


@pytest.mark.slow
def test_a_weak_knee_is_spared_by_a_stride_and_costs_effort() -> None:
    walker = Walker(strength=WEAK)
    found = gait.predict(walker=walker, symmetric=False)
    assert isinstance(found, StrideGait)
    assert found.ok, found.worst
    knees = [walker.robot.joint_names.index(f"{side}_knee_flexion") for side in "LR"]
    moments = np.abs(found.reaction(np.linspace(0.0, 1.0, 400))["moments"][:, knees]).max(axis=0)
    assert moments[0] < moments[1]
    low, high = walker.strengths
    assert moments[0] <= max(-low[knees[0]], high[knees[0]]) + 1e-3  # N m
    assert np.abs(found.left.angles()["knee"] - found.right.angles()["knee"]).max() > 1.0  # deg
