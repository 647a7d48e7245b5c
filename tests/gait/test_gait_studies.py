"""Studies of gait: a stride is a step and its image, either leg has its curves, sweeps start failures again."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree import gait
from kinetree.errors import InputError, UnknownNameError
from kinetree.gait import Gait, Step, Stride, StrideGait, Sweep, Timing, Walker, sweep, usual_length
from kinetree.gait.predict import even, symmetric_step, two_steps
from kinetree.nlp.solution import Termination
from kinetree.plan.constraints import PathConstraint
from kinetree.plan.plan import Plan
from kinetree.plan.status import PlanStatus
from kinetree.robots.human_table import STATURE

ROUNDING = 1e-9  # chains of 55 joints, forces of 1e3 N
SOLVED = 1e-8  # relative: control points from values lose the digits of the condition of their system
WEAK = {"L_knee": 0.3}


@pytest.fixture(scope="module")
def stride() -> Stride:
    return Stride(Walker(strength=WEAK), 1.1, 0.62)


def image(stride: Step, q: np.ndarray, ahead: bool) -> np.ndarray:
    return q @ stride.walker.mirror.T + ahead * stride.walker.advance(stride.length)


def planned(step: Step, control_points: np.ndarray, **found: Any) -> Plan:
    """A plan that no search has found."""
    found = {"status": PlanStatus.OPTIMAL, "cost": 1.0, "violation": 0.0} | found
    return Plan(step.walker.robot, step.spline, control_points, step.duration, iterations=1,
                seconds=0.0, worst="a constraint", **found)  # fmt: skip


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


def test_the_second_step_has_the_load_distribution_of_the_first_with_feet_exchanged() -> None:
    timing = Timing(lift=0.25)
    load, s = Stride(Walker(), timing=timing).load_distribution, np.linspace(0.0, 0.5, 40, endpoint=False)
    assert load(s) == pytest.approx(timing.load_distribution(2.0 * s))
    assert load(s + 0.5)[:, [3, 4, 5, 0, 1, 2]] == pytest.approx(load(s))
    assert load([0.5 - 1e-9]) == pytest.approx(load([0.5]), abs=1e-6)
    assert load([1.0]) == pytest.approx(load([0.0]), abs=1e-12)


def test_a_stride_has_a_knot_where_the_right_heel_strikes(stride: Stride) -> None:
    for points in (5, 6, 9):
        for formulation, more in (("natural", -3), ("thesis", 1)):
            spline = replace(stride, control_points=points, formulation=formulation).problem().spline
            assert spline.size == 2 * points + more
            assert 0.5 in spline.breakpoints


def test_a_stride_repeats_itself_two_steps_ahead_without_a_mirror(stride: Stride) -> None:
    problem = stride.problem()
    forward = stride.walker.robot.joint_names.index("global_tz_forward")
    assert problem.mirror is None
    assert problem.durations == (stride.duration, stride.duration)
    assert stride.duration == pytest.approx(2.0 * stride.first.duration)
    assert problem.advance[forward] == pytest.approx(2.0 * stride.length)
    assert np.count_nonzero(problem.advance) == 1


def phases(stride: Stride) -> Iterator[tuple[PathConstraint, PathConstraint]]:
    """Constraints of phases of the first step, and their mirror images."""
    constraints = stride.problem().constraints
    of_phases = [x for x in constraints if x.during != (0.0, 1.0)]
    first, second = of_phases[::2], of_phases[1::2]
    assert len(constraints) == len(stride.first.problem().constraints) + len(second)
    assert len(first) >= 10
    return zip(first, second, strict=True)


def violation(c: PathConstraint, robot: Any, motion: list[np.ndarray], load: np.ndarray) -> float:
    """With foot loads (13 numbers): both feet on the ground."""
    what: Any = c.quantity
    parameters = [load.tolist()] if what.needs_parameters else []
    still = [0.0] * robot.nv
    values = np.array(what.values(robot, *(x.tolist() for x in motion), still, *parameters))
    return float(np.maximum(c.lower - values, values - c.upper).max())


def test_a_phase_of_the_second_step_constrains_the_mirror_image_of_the_first(stride: Stride) -> None:
    random, robot = np.random.default_rng(5), stride.walker.robot
    motion = [random.normal(scale=size, size=robot.nv) for size in (0.2, 0.5, 1.0)]
    images = [image(stride, x, ahead=k == 0) for k, x in enumerate(motion)]
    load = np.r_[random.dirichlet(np.ones(3)), np.zeros(6), random.dirichlet(np.ones(3)), 1.0]
    for own, other in phases(stride):
        assert own.during[1] <= 0.5
        assert other.during == pytest.approx(tuple(0.5 + x for x in own.during))
        there = violation(other, robot, images, load[[3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8, 12]])
        assert there == pytest.approx(violation(own, robot, motion, load), abs=ROUNDING), own.quantity


def test_strengths_and_ranges_stay_with_their_joint(stride: Stride) -> None:
    always = [x for x in stride.problem().constraints if x.during == (0.0, 1.0) and x.quantity.title == "muscle moment"]
    assert len(always) == 1
    of = always[0].quantity.names(stride.walker.robot)
    left, right = (always[0].upper[of.index(f"moment of {side}_knee_flexion")] for side in "LR")
    assert left == pytest.approx(0.3 * right)


def test_a_walker_is_evened_by_dropping_what_one_side_has() -> None:
    walker = Walker(strength={"L_knee": 0.3, "R_hip": 0.8, "ankle": 0.9})
    assert dict(even(walker).strength) == {"ankle": 0.9}


# -- from a step to a stride -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def step(stride: Stride) -> Plan:
    """A step at random that its image follows smoothly: the last three control points are settled by the first."""
    problem = symmetric_step(stride).problem()
    assert problem.periodic_order == 2
    spline, n = problem.spline, stride.walker.robot.nv
    P = np.random.default_rng(8).normal(scale=0.1, size=(spline.size, n))
    table, which = spline.evaluate([0.0, 1.0], 2)
    wanted = table[0] @ P[which[0]] @ stride.walker.mirror.T + np.r_[[problem.advance], np.zeros((2, n))]
    P[-3:] = np.linalg.solve(table[1][:, -3:], wanted - table[1][:, :-3] @ P[which[1, :-3]])
    return planned(symmetric_step(stride), P)


def test_two_steps_are_the_step_and_its_image(stride: Stride, step: Plan) -> None:
    s, whole = np.linspace(0.0, 1.0, 31), stride.spline
    first, second = (whole.curve(two_steps(stride, step), 0.5 * s + at, 2) for at in (0.0, 0.5))
    for order, (own, *two) in enumerate(zip(step.spline.curve(step.control_points, s, 2), first, second)):
        scale = 2.0**order
        size = 1.0 + np.abs(own).max()
        assert two[0] / scale == pytest.approx(own, abs=SOLVED * size)
        assert two[1] / scale == pytest.approx(image(stride, own, ahead=order == 0), abs=SOLVED * size)


@pytest.fixture(scope="module")
def walked(stride: Stride, step: Plan) -> StrideGait:
    return StrideGait(stride, planned(stride, two_steps(stride, step)))


def test_legs_that_move_alike_have_the_same_curves(walked: StrideGait) -> None:
    left, right = walked.left, walked.right
    for curves in ("angles", "ground_forces", "moments"):
        own, other = getattr(left, curves)(41), getattr(right, curves)(41)
        assert list(own) == list(other)
        for name, curve in own.items():
            size = (
                1.0 + np.abs(curve).max()
            )  # at the end the load of this motion at random would jump to the other foot
            assert other[name][:-1] == pytest.approx(curve[:-1], abs=1e-6 * size), name


def test_legs_that_move_otherwise_have_curves_of_their_own(walked: StrideGait) -> None:
    names = walked.step.walker.robot.joint_names
    P = walked.control_points.copy()
    P[:, names.index("R_knee_flexion")] += 0.1
    moved = replace(walked, plan=replace(walked.plan, control_points=P))
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

    def __init__(self, fails: dict[float, tuple[float | None, ...]], **found: Any) -> None:
        self.fails, self.found, self.asked = fails, found, list[tuple[float, float | None]]()

    def __call__(self, task: Any) -> Gait:
        near = task["start"].step.speed if "start" in task else None
        self.asked.append((task["speed"], near))
        failed = {"status": PlanStatus.INFEASIBLE} if near in self.fails.get(task["speed"], ()) else {}
        step = Step(task["walker"], task["speed"], task["length"])
        return Gait(step, planned(step, np.zeros((step.points, task["walker"].robot.nv)), **self.found | failed))


def predictions(monkeypatch: pytest.MonkeyPatch, fails: Any, **found: Any) -> Predictions:
    made, module = Predictions(fails, **found), sys.modules["kinetree.gait.sweep"]
    monkeypatch.setattr(module, "predicted", made)
    monkeypatch.setattr(module, "answers", lambda function, tasks, **_: [function(*task) for task in tasks])
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


def test_a_sweep_has_gaits_that_fail_from_every_start(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {0.8: (None, 1.0, 1.2)})
    found = sweep([0.8, 1.0, 1.2])
    assert [one.ok for one in found] == [False, True, True]
    assert not found.ok
    assert len(made.asked) == 5


def test_a_sweep_ends_when_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    made = predictions(monkeypatch, {}, status=PlanStatus.NOT_FOUND, termination=Termination.USER_STOP)
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


def test_a_sweep_is_a_table_a_picture_a_page_and_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    predictions(monkeypatch, {})
    found = sweep([1.4, 1.0])
    assert repr(found) == "Sweep of gaits at 1.4, 1 m/s: 2 of 2 satisfy all constraints"
    assert len(str(found).splitlines()) == 3
    with open(found.to_csv(tmp_path / "sweep.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:2] == ["speed [m/s]", "step [m]"]
    assert [row[0] for row in rows] == ["1.4", "1.0"]
    again = Sweep.load(found.save(tmp_path / "sweep.json"))
    assert [one.step for one in again] == [one.step for one in found]
    assert found.plot("effort", "knee").svg.count("<svg") == 3
    assert "Largest knee flexion" in found.report(tmp_path / "sweep.html").read_text("utf-8")
    with pytest.raises(UnknownNameError, match="vertical force"):
        found.plot("elbow")


# -- real predictions --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_over_speeds_satisfies_all_constraints_on_all_cores() -> None:
    found = sweep([1.0, 1.2, 1.6])
    assert found.ok, str(found)
    assert str(found).count("satisfies all constraints") == 3


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
