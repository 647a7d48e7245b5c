"""Planned motions of floating bases, ball joints and joints without a drive: what nothing drives gets no force."""

from __future__ import annotations

from math import inf, nan, pi

import numpy as np
import pytest
from block_derivatives import assert_derivatives

import kinetree as kt
from kinetree.errors import InputError, UnknownNameError
from kinetree.plan import Plan, PlanStatus, Problem
from kinetree.plan.coordinates.orientation import OrientationCharts
from kinetree.plan.equalities import interpolation_points
from kinetree.plan.execution import applied_forces
from kinetree.plan.forces import Force, ForceRate
from kinetree.plan.quantity import Derivative
from kinetree.transcribe.block import CollocationBlock
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.linear_block import knot_removal

DIFFERENCE = 1e-6  # of central differences
SLOPES = 1e-6  # relative to the largest; central differences of exact values
LANDED = 1e-3  # rad and m; where a simulation of the planned forces ends, beside the plan
BALANCED = 5e-3  # rad; the same of a pole on its tip, which leaves it ever faster
KEPT = 1e-6  # relative; how far a limit may be broken anywhere
SMALL = 0.05  # of the largest joint force: what is left on a base between the places of its equations


def satellite(joints: int = 3) -> kt.Robot:
    link = kt.DH(a=0.8, alpha=pi / 2, mass=4.0, com=(-0.4, 0, 0), inertia=(0.01, 0.2, 0.2))
    hull = kt.Inertia(60.0, (0, 0, 0.05), (8.0, 9.0, 10.0))
    options = {"base": "floating", "base_inertia": hull, "gravity": (0, 0, 0)}
    return kt.Robot.from_dh([link] * joints, "standard", name="satellite", **options)


def flyer() -> kt.Robot:
    frame = kt.Body("frame", kt.Joint("base", kt.joints.Free()), kt.Inertia(1.0, about_com=(0.01, 0.01, 0.02)))
    return kt.Robot((frame,), name="flyer")


def turned(degrees: float, axis: tuple[float, float, float]) -> np.ndarray:
    e, half = np.array(axis) / np.linalg.norm(axis), np.radians(degrees) / 2
    return np.r_[e * np.sin(half), np.cos(half)]


def momentum(robot: kt.Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Angular about the world's origin, then linear, in world axes."""
    X = robot.pose(q, "base")
    h = np.einsum("nij,nj->ni", robot.mass_matrix(q), qd)[:, :6]
    angular, linear = (np.einsum("nij,nj->ni", X[:, :3, :3], part) for part in (h[:, :3], h[:, 3:]))
    return np.hstack([angular + np.cross(X[:, :3, 3], linear), linear])


def test_a_satellite_turns_by_moving_its_arm():
    """From rest to rest, the arm as it was, the hull 8 degrees further: the way of the arm does it, no force."""
    craft = satellite()
    problem = Problem(craft, control_points=29, degree=5)
    start = craft.neutral
    start[7:] = [0.3, 0.2, -0.4]
    problem.start(start)
    end = start.copy()
    end[:3], end[3:7] = nan, turned(8.0, (0.2, 0.3, 1.0))  # where the hull is follows from the rest
    problem.end(end)
    problem.duration(8.0)
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    t = np.linspace(0.0, 8.0, 1500)
    q, qd, _, _ = plan.motion(t)
    tau = plan.forces(t)
    largest = np.abs(tau[:, 6:]).max()
    assert np.abs(tau[:, :6]).max() <= SMALL * largest
    assert plan.residual == pytest.approx(np.abs(tau[:, :6]).max(), rel=0.05)
    h = momentum(craft, q, qd)
    of_arm = momentum(craft, q, np.c_[np.zeros((len(t), 6)), qd[:, 6:]])
    assert np.abs(h).max() <= 0.01 * np.abs(of_arm).max()
    assert np.abs(q[-1, 3:] - end[3:]).max() <= 1e-9
    assert np.abs(qd[-1]).max() <= 1e-3
    # the joints alone: nothing acts on the hull
    assert not applied_forces(plan, t)[:, :6].any()
    motion = plan.simulate(dt=2e-3)
    assert np.abs(motion.q[-1] - q[-1]).max() <= LANDED
    assert np.abs(momentum(craft, motion.q, motion.qd)).max() <= 1e-9


def test_too_few_points_for_a_base_that_nothing_drives_are_told():
    craft = satellite(1)
    problem = Problem(craft, control_points=8)
    problem.start(craft.neutral)
    problem.end(np.r_[np.full(7, nan), 2.5])
    problem.duration(1.0)
    problem.limit("force", [inf] * 6 + [500.0])
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.status is PlanStatus.VIOLATED_BETWEEN
    assert not plan.ok
    assert "take more control points" in plan.message


def test_a_body_that_is_driven_flies_in_the_least_time():
    """Four rotors give moments and a thrust along its axis: sideways forces are none, it leans over."""
    craft = flyer()
    problem = Problem(craft, control_points=30, degree=5, base="driven")
    problem.start(craft.neutral)
    end = craft.neutral
    end[:3] = [2.0, 1.0, 0.5]
    problem.end(end)
    lower, upper = np.array([-0.3, -0.3, -0.1, 0.0, 0.0, 0.5]), np.array([0.3, 0.3, 0.1, 0.0, 0.0, 20.0])
    problem.limit("force", lower=lower, upper=upper)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    t = np.linspace(0.0, plan.duration, 3000)
    tau = plan.forces(t)
    free = [0, 1, 2, 5]
    room = KEPT * np.maximum(np.abs(lower), np.abs(upper))
    assert ((tau >= lower - room) & (tau <= upper + room))[:, free].all()
    assert np.abs(tau[:, 3:5]).max() <= 0.005 * 20.0
    assert np.mean(tau[:, 5] > 19.0) > 0.25  # full thrust for a good part of the way
    # a mass that 20 N can push anywhere would take this long, at the least
    way, weight = np.linalg.norm(end[:3]), 9.81
    assert 2.0 * np.sqrt(way / np.sqrt(20.0**2 + weight**2)) < plan.duration < 1.3
    q = plan.motion(t)[0]
    assert np.abs(np.linalg.norm(q[:, 3:7], axis=1) - 1.0).max() <= 1e-12
    motion = plan.simulate(dt=1e-3)
    assert not motion.tau[:, 3:5].any()
    assert np.abs(motion.q[-1] - q[-1]).max() <= LANDED


def test_a_thrown_robot_falls():
    """Under gravity an undriven base with a velocity flies a parabola, whatever the joints do."""
    craft = satellite(1).with_gravity((0.0, 0.0, -9.81))
    problem = Problem(craft, control_points=15, degree=5)
    velocity = np.r_[0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 0.0]
    problem.start(craft.neutral, velocity)
    problem.via(1.0, "position", np.r_[np.full(7, nan), 0.8])
    problem.limit("force", [inf] * 6 + [50.0])
    problem.duration(0.5)
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.ok, plan.worst
    t = np.linspace(0.0, 0.5, 50)
    q, qd, _, _ = plan.motion(t)
    assert np.abs(qd[0] - velocity).max() <= 1e-6
    masses = [body.inertia.mass for body in craft.bodies]
    poses = [craft.pose(q, body.name) @ np.r_[list(body.inertia.com), 1.0] for body in craft.bodies]
    centre = sum(m * p[:, :3] for m, p in zip(masses, poses)) / sum(masses)
    wanted = centre[0] + np.outer(t, [1.0, 0.0, 3.0]) - np.outer(t**2, [0.0, 0.0, 9.81 / 2])
    assert np.abs(centre - wanted).max() <= 1e-4
    assert q[-1, -1] == pytest.approx(0.8, abs=1e-6)


def test_a_cart_swings_up_a_pole_that_no_motor_drives():
    cart = kt.Body("cart", kt.Joint("slide", kt.joints.Prismatic((1, 0, 0))), kt.Inertia(1.0))
    swing = kt.Joint("swing", kt.joints.Revolute((0, 1, 0)), actuated=False)
    pole = kt.Body("pole", swing, kt.Inertia(0.3, (0, 0, -0.5), (0.01, 0.01, 0.001)), "cart")
    robot = kt.Robot((cart, pole), name="cart and pole")
    problem = Problem(robot, control_points=50, degree=5)
    problem.start([0.0, 0.0])
    problem.end([0.5, pi])
    problem.limit("force", lower=[-20.0, 0.0], upper=[20.0, 0.0])
    problem.duration(2.0)
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    assert 0.0 < plan.residual <= 5e-3  # N m

    table = plan.forces((np.arange(2000) + 0.5) * 1e-3) * [1.0, 0.0]  # held over steps, from their middles

    def forces(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return table[min(1999, int(t * 1e3 + 1e-6))]

    motion = kt.simulate(robot, [0.0, 0.0], [0.0, 0.0], 2.0, forces, dt=1e-3)
    assert np.abs(motion.q[-1] - [0.5, pi]).max() <= BALANCED


def test_a_ball_joint_turns_between_orientations():
    body = kt.Body(
        "ball", kt.Joint("ball", kt.joints.Spherical()), kt.Inertia(1.0, (0.1, 0, -0.3), (0.02, 0.03, 0.025))
    )
    robot = kt.Robot((body,), name="ball")
    start, end = turned(30.0, (0.0, 1.0, 0.2)), turned(110.0, (1.0, 0.3, 0.0))
    problem = Problem(robot, control_points=14)
    problem.start(start)
    problem.end(end)
    problem.limit("force", 8.0)
    problem.limit("force_rate", 300.0)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    t = np.linspace(0.0, plan.duration, 1000)
    assert np.abs(plan.forces(t)).max() <= 8.0 * (1.0 + KEPT)
    assert np.abs(plan.force_rates(t)).max() <= 300.0 * (1.0 + KEPT)
    q = plan.motion([0.0, plan.duration])[0]
    for found, wanted in zip(q, (start, end)):
        assert abs(found @ wanted) == pytest.approx(1.0, abs=1e-12)
    motion = plan.simulate(dt=1e-3)
    assert np.abs(motion.q[-1] - plan.motion(plan.duration)[0]).max() <= LANDED


def test_each_derivative_of_a_motion_is_the_slope_of_the_one_before():
    robot = satellite(1)
    charts, random = OrientationCharts(robot, True), np.random.default_rng(2)
    charts.charted(np.r_[0.1, 0.2, 0.3, turned(70.0, (1.0, 2.0, 3.0)), 0.4])  # the reference
    plan = Plan(robot, BSpline(9, 6), random.uniform(-0.6, 0.6, (9, robot.nv)), 0.8, PlanStatus.OPTIMAL, 0.0, 0.0, 0,
                   0.0, coordinates=charts)  # fmt: skip
    t = np.array([0.11, 0.4, 0.66])
    before, here, after = (plan.motion(t + k * DIFFERENCE) for k in (-1, 0, 1))
    wanted = (robot.function("rates")(here[0], here[1]), *here[2:])
    for r in range(3):
        slope = (after[r] - before[r]) / (2 * DIFFERENCE)
        assert np.abs(slope - wanted[r]).max() <= SLOPES * np.abs(wanted[r]).max()
    rates = (plan.forces(t + DIFFERENCE) - plan.forces(t - DIFFERENCE)) / (2 * DIFFERENCE)
    assert np.abs(plan.force_rates(t) - rates).max() <= SLOPES * np.abs(rates).max()


def test_derivatives_through_charts_are_slopes():
    robot = satellite(1)
    charts = OrientationCharts(robot, True)
    wanted = [Force(), ForceRate(), Derivative(1), charts.linear(1)]
    some = CollocationBlock(robot, BSpline(7, 5), charts, wanted, np.array([0.3, 0.8]))
    random = np.random.default_rng(4)
    x = np.r_[random.uniform(-0.5, 0.5, 7 * robot.nv), 0.9]
    assert_derivatives(some, x, DIFFERENCE, SLOPES)


@pytest.mark.parametrize("degree", [3, 5])
def test_equalities_have_as_many_points_as_splines_can_satisfy(degree: int):
    """The r-th derivative of a spline can have any values at these places, and is settled by them."""
    spline = BSpline(degree + 8, degree)
    for order in (0, 1, 2):
        places = interpolation_points(spline, order)
        assert len(places) == spline.size - order
        table, numbers = spline.evaluate(places, order)
        B = np.zeros((len(places), spline.size))
        np.put_along_axis(B, numbers, table[:, order], axis=1)
        assert np.linalg.matrix_rank(B) == len(places)
    # what fixed control points settle is left out
    assert len(interpolation_points(spline, 0, 2, 2)) == spline.size - 4
    assert len(interpolation_points(spline, 2, 2, 2)) == spline.size - 2


def test_removed_knots_leave_splines_on_every_second_interval():
    fine = BSpline(12, 3)
    coarse = BSpline(8, 3, tuple(fine.inner[1::2]))
    curve = np.random.default_rng(0).normal(size=(8, 2))
    P = fine.interpolate(fine.greville, coarse.curve(curve, fine.greville, 0)[0])
    jumps = knot_removal(2, fine, [1])
    x = np.r_[P.ravel(), 1.0]
    assert jumps.rows == len(fine.inner[::2])
    assert np.abs(jumps.values(x)).max() <= 1e-12
    x[8] += 0.1  # the other coordinate may do anything
    assert np.abs(jumps.values(x)).max() <= 1e-12
    x[9] += 0.1
    assert np.abs(jumps.values(x)).max() > 1e-2


def test_plans_are_saved_loaded_shown_and_planned_again(tmp_path):
    craft = flyer()

    def task(angle: float) -> Problem:
        problem = Problem(craft, control_points=10, degree=4, base="driven")
        problem.start(np.r_[0.0, 0.0, 0.0, turned(angle, (0.0, 0.0, 1.0))])
        problem.end(np.r_[1.0, 0.0, 0.0, turned(angle, (0.0, 0.0, 1.0))])
        problem.limit("force", lower=[-0.3] * 3 + [-2.0, -2.0, 0.5], upper=[0.3] * 3 + [2.0, 2.0, 20.0])
        problem.limit("position", lower=[-inf, -1.0, -1.0, -inf, -inf, -inf])
        problem.minimise("time")
        return problem

    plan = task(0.0).solve()
    assert plan.status is PlanStatus.OPTIMAL
    again = kt.plan.Plan.load(plan.save(tmp_path / "plan.json"))
    for one, other in zip(plan.motion([0.1, 0.2]), again.motion([0.1, 0.2])):
        assert np.array_equal(one, other)
    assert [x.quantity for x in again.constraints] == [x.quantity for x in plan.constraints]
    assert plan.values("position", [0.1]).shape == (1, 6)
    assert plan.report(tmp_path / "plan.html").exists()
    # another reference orientation: the guess is described anew
    second = task(20.0)
    other = second.solve(plan)
    assert other.status is PlanStatus.OPTIMAL
    assert other.duration == pytest.approx(second.solve().duration, rel=1e-3)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda: Problem(flyer()).start(np.zeros(6)), "have 7 numbers"),
        (lambda: Problem(flyer()).start(np.zeros(7)), "of length 1"),
        (lambda: Problem(flyer()).via(0.5, "position", lower=np.zeros(7), upper=np.ones(7)), "value="),
        (lambda: Problem(kt.robots.two_link(), base="driven"), "no floating base"),
        (lambda: Problem(flyer(), path=[[0.0] * 7, [1.0] * 7]), "can't be planned along a path"),
        (lambda: still(knots="free"), "equalities"),
    ],
)
def test_what_makes_no_sense_is_refused(use, words: str):
    with pytest.raises(InputError, match=words):
        use()
    with pytest.raises(UnknownNameError, match="undriven"):
        Problem(flyer(), base="held")


def still(**options) -> None:
    problem = Problem(satellite(1), **options)
    problem.start(problem.robot.neutral)
    problem.end(np.r_[np.full(7, nan), 0.5])
    problem.minimise("effort")
    problem.duration(1.0)
    problem.solve()
