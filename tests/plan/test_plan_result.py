"""Plans as results: what they say of themselves, files, pictures, references, and where limits are touched."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.plan import Plan, PlanStatus
from kinetree.plan.report import curves
from kinetree.transcribe.bspline import BSpline

START, END, LIMIT = (0.0, -2.0), (1.0, -1.0), 10.0
ROUNDING = 1e-11  # relative; polynomials of one piece against sums of basis functions, up to the jerk
STEP = 1e-6  # s, of central differences
SLOPES = 1e-5  # relative; second-order error of the differences, and jumps of the jerk at knots kept away from
FOLLOWED = 1e-5  # rad; Runge and Kutta's method over the corners of the accelerations, at steps of 1 ms
STOPPED = 1e-3  # rad; the acceleration jumps to zero at the end, by 200 rad/s^2 within a step of 1 ms
NEAR = 0.01  # of a limit: what counts as active


@pytest.fixture(scope="module")
def plan() -> Plan:
    return kt.plan.minimum_time(kt.robots.two_link(), q0=START, q1=END, force_limits=LIMIT, control_points=20)


@pytest.fixture(scope="module")
def skewed() -> Plan:
    """A made-up motion of another degree, with uneven knots and speed at its ends, under limits of many kinds."""
    robot = kt.robots.prismatic_revolute()
    points = np.random.default_rng(3).normal(size=(9, 2))
    spline = BSpline(9, 4, (0.15, 0.3, 0.55, 0.8))
    problem = kt.plan.Problem(robot, control_points=9)
    problem.limit("force", [3.0, 5.0])
    problem.limit("velocity", lower=-2.0)
    problem.limit(kt.plan.Reaction("link2", "moment"), 4.0)
    problem.limit(kt.plan.Custom(lambda robot, q, *_: [q[0] * q[1]], name="product"), 1.0)
    return Plan(
        robot, spline, points, 1.7, PlanStatus.FAILED, 0.5, 0.1, 3, 0.2, "force of joint1", tuple(problem.constraints)
    )


@pytest.fixture(scope="module")
def along() -> Plan:
    """A motion along a path, under a load."""
    path = [[0.0, -2.0], [0.7, -1.2], [0.2, -0.8], [1.0, -1.0]]
    load = np.zeros((2, 6))
    load[1, 3:] = 3.0, -2.0, 0.0
    smooth = {"control_points": 80, "knots": "adapted"}
    return kt.plan.time_optimal_path(kt.robots.two_link(), path=path, force_limits=LIMIT, external=load, **smooth)


# -- the motion --------------------------------------------------------------------------------------------------------


def test_the_derivatives_of_a_motion_are_those_of_the_one_before(skewed):
    t = np.linspace(0.01, 1.69, 40)
    z = skewed.motion(t)
    above, below = skewed.motion(t + STEP), skewed.motion(t - STEP)
    for order in range(3):
        slope = (above[order] - below[order]) / (2 * STEP)
        assert np.abs(slope - z[order + 1]).max() < SLOPES * np.abs(z[order + 1]).max()


def test_force_rates_are_the_slopes_of_the_forces(skewed):
    t = np.linspace(0.02, 1.68, 31)
    slope = (skewed.forces(t + STEP) - skewed.forces(t - STEP)) / (2 * STEP)
    rates = skewed.force_rates(t)
    assert np.abs(slope - rates).max() < SLOPES * np.abs(rates).max()


def test_forces_are_the_parts_of_the_wrenches_along_the_joints(plan):
    t = np.linspace(0, plan.duration, 7)
    assert plan.wrenches(t).shape == (7, 2, 6)
    assert np.allclose(plan.wrenches(t)[:, :, 2], plan.forces(t), rtol=0, atol=1e-12 * LIMIT)


def test_times_of_any_shape(plan):
    q, qd, qdd, qddd = plan.motion(np.zeros((2, 3)))
    assert q.shape == qd.shape == qdd.shape == qddd.shape == (2, 3, 2)
    assert plan.forces(0.1).shape == (2,)
    with pytest.raises(InputError, match="finite"):
        plan.motion([0.0, np.nan])


def test_named_values_are_those_of_the_methods(plan):
    t = np.linspace(0, plan.duration, 5)
    _, qd, _, qddd = plan.motion(t)
    assert np.array_equal(plan.values("jerk", t), qddd)
    assert np.allclose(plan.values("force", t), plan.forces(t), rtol=0, atol=1e-12 * LIMIT)
    assert np.allclose(plan.values("power", t), plan.forces(t) * qd, rtol=0, atol=1e-11 * LIMIT)
    norms = np.linalg.norm(plan.wrenches(t)[:, 1, 3:], axis=-1)
    assert np.allclose(plan.values(kt.plan.Reaction("link2"), t)[:, 0], norms, rtol=1e-9, atol=1e-5)
    with pytest.raises(kt.errors.UnknownNameError, match="force_rate"):
        plan.values("forces", t)


def test_loads_are_in_forces_rates_and_wrenches():
    arm, load = kt.robots.two_link(), np.zeros((2, 6))
    load[1, 3] = 4.0  # N
    plan = kt.plan.minimum_time(arm, q0=START, q1=END, force_limits=LIMIT, control_points=8, external=load)
    t = np.linspace(0.05, plan.duration - 0.05, 20)
    z = plan.motion(t)
    assert np.array_equal(plan.forces(t), arm.inverse_dynamics(*z[:3], external=load))
    assert np.abs(plan.forces(t) - arm.inverse_dynamics(*z[:3])).max() > 1.0
    assert np.allclose(plan.values("force", t), plan.forces(t), rtol=0, atol=1e-12 * LIMIT)
    slope = (plan.forces(t + STEP) - plan.forces(t - STEP)) / (2 * STEP)
    assert np.abs(slope - plan.force_rates(t)).max() < SLOPES * np.abs(slope).max()
    assert np.allclose(plan.wrenches(t)[:, :, 2], plan.forces(t), rtol=0, atol=1e-12 * LIMIT)
    assert {x.name for x in plan.active()} == {"force of joint1", "force of joint2"}


# -- limits ------------------------------------------------------------------------------------------------------------


def test_the_fastest_motion_is_nearly_always_at_a_limit(plan):
    found = plan.active()
    assert {(x.name, x.side) for x in found} == {(f"force of joint{k}", s) for k in (1, 2) for s in ("lower", "upper")}
    for joint in (1, 2):
        assert sum(x.share for x in found if x.name == f"force of joint{joint}") > 0.7  # 30 control points: 0.85
    for x in found:
        k = int(x.name[-1]) - 1
        for a, b in x.intervals:
            forces = plan.forces(np.linspace(a, b, 4))[[0, -1], k]
            assert (np.abs(forces - x.bound) <= (NEAR + 1e-9) * LIMIT).all()


def test_limits_are_active_only_while_they_hold(plan, tmp_path):
    """The same motion under limits that hold in a part of it, at one instant, and where it is nowhere near them."""
    (whole,) = plan.constraints
    found = plan.active()
    part = replace(plan, constraints=(replace(whole, during=(0.25, 0.5)),))
    for x in part.active():
        times = np.array(x.intervals)
        assert times.min() >= 0.25 * plan.duration - 1e-12
        assert times.max() <= 0.5 * plan.duration + 1e-12
        (same,) = (y for y in found if (y.name, y.side) == (x.name, x.side))
        assert x.share < same.share
    both = [replace(plan, constraints=(replace(whole, during=x),)).active() for x in ((0.0, 0.5), (0.5, 1.0))]
    for x in found:  # what both halves have is what the whole has, up to one stride of the grid
        parts = sum(y.share for half in both for y in half if (y.name, y.side) == (x.name, x.side))
        assert parts == pytest.approx(x.share, abs=2e-3)
    # the force of joint1 is at its limit at the start, and not on any other place of the grid than this
    first = min((a, x.name, x.side) for x in found for a, _ in x.intervals)
    s = first[0] / plan.duration + 1e-5
    instant = replace(plan, constraints=(replace(whole, during=(s, s)),)).active()
    assert [(x.name, x.side, x.share) for x in instant if x.name == first[1]] == [(first[1], first[2], 0.0)]
    assert replace(plan, constraints=(replace(whole, lower=whole.lower * 2.0, upper=whole.upper * 2.0),)).active() == []
    # files and pictures know it too
    again = Plan.load(part.save(tmp_path / "part.json"))
    assert (again.constraints[0].during, again.constraints[0].scale) == ((0.25, 0.5), None)
    assert again.active() == part.active()
    lines = curves(part, "force", np.linspace(0.0, plan.duration, 101)).series
    assert np.flatnonzero(np.isfinite(lines["upper limit"])).tolist() == [*range(25, 51)]


class Clearance(kt.plan.Quantity):
    """The squared distance between the tip and something whose place the task knows."""

    order, needs_parameters = 0, True

    def size(self, robot):
        return 1

    def values(self, robot, q, qd, qdd, qddd, known):
        tip = kt.plan.FramePosition("dh2").values(robot, q, qd, qdd, qddd)
        return [sum((x - y) * (x - y) for x, y in zip(tip, known))]


def test_limits_on_what_only_the_task_knows_are_kept_and_left_out_of_what_a_plan_tells(plan, tmp_path):
    def thing(s):
        return np.stack([0.7 - 0.6 * s, -0.2 + 0.3 * s, 0.0 * s], axis=-1)

    problem = kt.plan.Problem(plan.robot, control_points=12, parameters=thing)
    problem.start(START)
    problem.end(END)
    problem.limit("force", LIMIT)
    problem.limit(Clearance(), lower=0.2**2)
    problem.minimise("time")
    around, s = problem.solve(), np.linspace(0.0, 1.0, 300)
    distance = [
        np.linalg.norm(plan.robot.pose(x.motion(s * x.duration)[0], "dh2")[:, :3, 3] - thing(s), axis=1).min()
        for x in (plan, around)
    ]
    assert distance[0] < 0.1
    assert distance[1] == pytest.approx(0.2, abs=1e-4)
    assert {x.name for x in around.active()} == {"force of joint1", "force of joint2"}
    assert len(around.constraints) == 2
    assert len(Plan.load(around.save(tmp_path / "plan.json")).constraints) == 1
    assert around.report(tmp_path / "plan.html").stat().st_size > 1000


def test_without_limits_nothing_is_active():
    problem = kt.plan.Problem(kt.robots.two_link(), control_points=8)
    problem.start([0.0, 0.0])
    problem.end([0.5, 0.5])
    problem.duration(1.0)
    problem.minimise("acceleration")
    plan = problem.solve()
    assert plan.active() == []
    assert plan.constraints == ()
    with pytest.raises(InputError, match="tolerance"):
        plan.active(2.0)


def test_a_plan_says_how_it_ended(plan, skewed):
    assert re.fullmatch(r"Plan of two_link: 0\.393\d? s; the motion is \(locally\) optimal and satisfies.*", repr(plan))
    assert repr(skewed) == "Plan of prismatic_revolute: 1.7 s; the solver failed; force of joint1"
    assert plan.ok
    assert not skewed.ok


# -- to a controller ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["plan", "skewed", "along"])
def test_a_reference_is_the_motion(which, request):
    plan = request.getfixturevalue(which)
    t = np.r_[np.linspace(-0.2, plan.duration + 0.2, 83), 0.0]
    reference, begin = plan.reference(), 0.35
    for got, wanted in zip(reference.sample(t), plan.motion(t)):
        assert np.abs(got - wanted).max() < ROUNDING * max(1.0, np.abs(wanted).max())
    later = plan.reference(begin).sample(t + begin)
    assert np.abs(later.q - reference.sample(t).q).max() < 1e-9
    assert (reference.size, reference.finish) == (2, plan.duration)
    with pytest.raises(InputError, match="begin"):
        plan.reference(np.nan)


def test_a_plan_is_followed_under_computed_torque(plan):
    motion = plan.simulate(rest=0.1, dt=1e-3).check()
    assert motion.t[-1] == pytest.approx(plan.duration + 0.1)
    error = np.abs(motion.q - plan.motion(motion.t)[0]).max(axis=1)
    assert error[motion.t < plan.duration - 1e-3].max() < FOLLOWED
    assert error.max() < STOPPED
    assert np.abs(motion.tau[motion.t < plan.duration]).max() < LIMIT * (1 + NEAR)


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_plan_comes_back_from_its_file(plan, tmp_path):
    again = Plan.load(plan.save(tmp_path / "new" / "plan.json"))
    assert again.robot == plan.robot
    assert again.spline == plan.spline
    assert np.array_equal(again.control_points, plan.control_points)
    for name in ("duration", "status", "cost", "violation", "iterations", "seconds", "worst"):
        assert getattr(again, name) == getattr(plan, name), name
    assert again.active() == plan.active()
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["plan.json"]


def test_all_but_functions_of_the_users_own_are_written(skewed, tmp_path):
    again = Plan.load(skewed.save(tmp_path / "plan.json"))
    assert again.spline == skewed.spline
    assert [x.quantity for x in again.constraints] == [x.quantity for x in skewed.constraints[:3]]
    for got, wanted in zip(again.constraints, skewed.constraints):
        assert np.array_equal(got.lower, wanted.lower)
        assert np.array_equal(got.upper, wanted.upper)


def test_a_plan_along_a_path_comes_back_from_its_file(along, tmp_path):
    again = Plan.load(along.save(tmp_path / "plan.json"))
    t = np.linspace(0.0, along.duration, 50)
    assert type(again) is type(along)
    for got, wanted in zip(again.motion(t), along.motion(t)):
        assert np.array_equal(got, wanted)
    assert np.array_equal(again.forces(t), along.forces(t))


def test_a_plan_along_a_path_has_limits_and_pictures_of_what_the_robot_does(along):
    assert {x.name for x in along.active()} <= {"force of joint1", "force of joint2"}
    assert sum(x.share for x in along.active()) > 0.9  # one force at a limit nearly all the time
    assert len(re.findall("<svg", along.plot().svg)) == 4


def _changed(**values):
    return lambda content: {**content, **values}


BROKEN = {
    "not a whole file": lambda content: {k: v for k, v in content.items() if k != "points"},
    "does not say": _changed(version=7),
    "PERFECT": _changed(status="PERFECT"),
    "rows of 2 numbers": _changed(points=[[1.0]] * 20),
    "finite": _changed(points=[[float("nan")] * 2] * 20),
    "positive number of seconds": _changed(duration=-1.0),
    "between 0 and 1": _changed(knots=[2.0 + k for k in range(16)]),
    "rise between": _changed(knots=[0.5]),
    "Secret": _changed(constraints=[{"quantity": {"kind": "Secret"}, "lower": [0], "upper": [1]}]),
    "has 2 numbers": _changed(constraints=[{"quantity": {"kind": "Force"}, "lower": [0], "upper": [1]}]),
    "is not a file": lambda content: [content],
}


@pytest.mark.parametrize("says", BROKEN)
def test_broken_files_are_refused(says, plan, tmp_path):
    path = plan.save(tmp_path / "plan.json")
    path.write_text(json.dumps(BROKEN[says](json.loads(path.read_text()))))
    with pytest.raises(InputError, match=says) as error:
        Plan.load(path)
    assert "plan.json" in str(error.value)


def test_files_that_are_no_json_are_refused(tmp_path):
    path = tmp_path / "plan.json"
    for content in (b"", b"\xff\xfe", b"[" * 100_000, b"{"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a file of"):
            Plan.load(path)


# -- pictures ----------------------------------------------------------------------------------------------------------


def test_a_plot_shows_limits_as_dashed_lines(plan, skewed, tmp_path):
    picture = plan.plot("force")
    assert picture.svg.count("<path") == 4  # two joints, two limits
    assert picture.svg.count("stroke-dasharray") >= 2
    assert len(re.findall("<svg", plan.plot().svg)) == 4  # positions, velocities, forces in one
    assert "forces / limit" in skewed.plot("force").svg  # joints with different limits
    assert "product" in skewed.plot().svg
    assert (
        plan.plot(title="Fast & far").save(tmp_path / "p.svg").read_text().count("Fast &amp; far") == 3
    )  # the picture, its first plot twice
    assert "<svg" in plan._repr_html_()


def test_snapshots_show_every_posture(plan):
    svg = plan.snapshots(5).svg
    assert svg.count("<circle") == 5 * 4  # the base, both joints, the tip
    assert "axes xy" in svg
    with pytest.raises(InputError, match="two or more"):
        plan.snapshots(1)
    with pytest.raises(kt.errors.UnknownNameError):
        plan.snapshots(frame="elbow")


def test_a_report_is_one_page_that_needs_nothing_else(plan, tmp_path):
    html = plan.report(tmp_path / "plan.html", plan.simulate()).read_text("utf-8")
    parser = HTMLParser()
    parser.feed(html)
    parser.close()
    assert html.count("<canvas") == 1
    assert html.count("<svg") == 3 + 2  # the plan, and the simulation of it
    assert not re.search(r"https?://", html.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    for text in ("0.393", "satisfies all constraints", "force of joint2", "Tracking error", "Active constraints"):
        assert text in html
