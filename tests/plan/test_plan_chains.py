"""Planned motions of closed chains: derivatives through the loops, limits on driven and passive joints, assemblies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from block_derivatives import assert_derivatives

import kinetree as kt
from kinetree.errors import InputError, TraceError
from kinetree.plan import Custom, Energy, FramePosition, Plan, PlanStatus, Problem, Reaction, Squares
from kinetree.plan.coordinates.loop import LoopCoordinates
from kinetree.plan.dynamics import ChainDynamics, rates_along
from kinetree.plan.forces import Force, ForceRate, Power
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.transcriber import Transcriber
from kinetree.scalar import sin
from kinetree.transcribe.block import CollocationBlock
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.sample import VALUES, SampleFunctions

CHAIN = kt.ClosedChain(kt.robots.five_bar())
DRIVES = CHAIN.actuation
STEP = 1e-6  # of central differences
SLOPES = 2e-6  # relative to the largest; second-order error, and the tolerance of closed loops over STEP
KEPT = 1e-6  # relative; how far a limit may be broken anywhere
CLOSED = 1e-9  # m; the error of closed loops
START, END = [0.1, -0.1], [0.5, 0.2]


def whole(t: np.ndarray, plan: Plan) -> np.ndarray:
    """Forces from the chain's own functions, for the motion of all joints."""
    q, qd, qdd, _ = plan.motion(t)
    assert np.abs(CHAIN.close(q[:, list(DRIVES.independent)], q).q - q).max() <= CLOSED
    return CHAIN.inverse_dynamics(q, qd, qdd)


BAR = kt.ClosedChain(kt.robots.four_bar())
# two drives for one degree of freedom: how they share depends on the posture
SHARED = kt.ClosedChain(kt.robots.four_bar(), actuated=["crank_joint", "rocker_joint"], weights=[1.0, 2.0])
LOADS = tuple(tuple(row) for row in np.random.default_rng(8).normal(size=(3, 6)).tolist())
QUANTITIES: dict[str, tuple[kt.ClosedChain, Quantity]] = {
    "force": (CHAIN, Force()),
    "force rate": (BAR, ForceRate()),
    "force rate of shared drives under loads": (SHARED, ForceRate()),
    "power": (CHAIN, Power()),
    "energy": (CHAIN, Energy()),
    "reaction": (CHAIN, Reaction("left_lower")),
    "frame position": (CHAIN, FramePosition("tip")),
    "acceleration": (CHAIN, Derivative(2)),
    "jerk": (BAR, Derivative(3)),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_derivatives_through_closed_loops_are_slopes(name: str):
    chain, quantity = QUANTITIES[name]
    coordinates, loads = LoopCoordinates(chain), LOADS if "loads" in name else None
    wanted = [quantity.under(ChainDynamics(loads, actuation=chain.actuation)), coordinates.linear(1)]
    some = CollocationBlock(chain.robot, BSpline(6, 4), coordinates, wanted, np.array([0.3, 0.8]))
    random = np.random.default_rng(4)
    x = np.r_[random.uniform(-0.3, 0.3, 6 * chain.mobility), 0.8]
    assert_derivatives(some, x, STEP, SLOPES)


@pytest.mark.parametrize("chain", [CHAIN, SHARED], ids=["five-bar", "shared drives"])
def test_rates_over_scalars_are_slopes_in_time_of_the_chains_own_functions(chain: kt.ClosedChain):
    """Jerks and force rates beside differences of accelerations and forces, whose functions know neither."""
    coordinates, dt, T = LoopCoordinates(chain), 1e-4, 0.7
    s = np.array([0.2, 0.55, 0.9])
    spline, points = BSpline(7, 5), np.random.default_rng(5).uniform(-0.3, 0.3, (7, chain.mobility))

    def moved(t: np.ndarray) -> list[np.ndarray]:
        return [x / T**k for k, x in enumerate(spline.curve(points, t / T, 3))]

    def dynamics(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q_i, qd_i, qdd_i, _ = moved(t)
        q = chain.close(q_i, coordinates.closed(q_i), tolerance=1e-14).check()
        return chain.accelerations(q, qd_i, qdd_i), chain.inverse_dynamics(q, qd_i, qdd_i, external=np.array(loads))

    loads = tuple(tuple(row) for row in np.random.default_rng(8).normal(size=(chain.robot.nbodies, 6)).tolist())
    wanted = [Derivative(3), ForceRate(dynamics=ChainDynamics(loads, actuation=chain.actuation))]
    now = moved(s * T)
    found = SampleFunctions(chain.robot, wanted, chain.mobility, 3, coordinates.map)[VALUES](
        np.concatenate(now, axis=1), coordinates.closed(now[0])
    )
    slopes = [
        (8.0 * (after - before) - (later - sooner)) / (12.0 * dt)  # fourth order
        for sooner, before, after, later in zip(*(dynamics(s * T + k * dt) for k in (-2, -1, 1, 2)))
    ]
    expected = np.concatenate(slopes, axis=1)
    assert found.shape == expected.shape == (3, chain.robot.nv + len(chain.actuation.actuated))
    assert np.abs(expected).max(axis=0).min() > 0.1
    assert np.abs(found - expected).max() <= SLOPES * np.abs(expected).max()


def test_rates_are_right_where_a_joint_moves_as_the_negative_of_a_sum():
    """Users of -x become users of x while a graph is made."""

    def rate(robot: Any, x: Any) -> list[Any]:
        y = -(x[0] + x[1])
        z = y * x[1] + sin(y)  # of the graph's x[0] + x[1]
        return rates_along([z], ([y, x[1]], [3.0, 2.0]))

    x = np.array([0.4, 0.7])
    y = -x.sum()
    expected = 3.0 * x[1] + y * 2.0 + np.cos(y) * 3.0
    assert kt.compile(rate, kt.robots.two_link(), signature="x(2) -> rate(1)")(x)[0] == pytest.approx(
        expected, rel=1e-14
    )
    with pytest.raises(TraceError, match="compile the quantity"):
        rates_along([1.0], ([0.5], [1.0]))


def test_a_five_bar_moves_in_the_least_time_that_its_drives_allow():
    problem = Problem(CHAIN, control_points=14)
    problem.start(START)
    problem.end(END)
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL
    t = np.linspace(0.0, plan.duration, 3000)
    tau = whole(t, plan)
    assert np.abs(tau).max() <= 10.0 * (1.0 + KEPT)
    assert np.mean(np.abs(tau).max(axis=1) > 9.0) > 0.8  # a drive is at its limit nearly always
    assert np.abs(plan.forces(t) - tau).max() <= 1e-9
    q, qd = plan.motion([0.0, plan.duration])[:2]
    assert np.abs(q[:, list(DRIVES.independent)] - [START, END]).max() <= 1e-12
    assert np.abs(qd).max() <= 1e-9
    # passive joints may be limited too
    elbow = CHAIN.robot.joint_names.index("left_elbow")
    most = 0.8 * np.abs(plan.motion(t)[1][:, elbow]).max()
    bounds = np.full(CHAIN.robot.nv, np.inf)
    bounds[elbow] = most
    problem.limit("velocity", bounds)
    slower = problem.solve(plan)
    assert slower.status is PlanStatus.OPTIMAL
    assert slower.duration > plan.duration
    t = np.linspace(0.0, slower.duration, 3000)
    assert np.abs(slower.motion(t)[1][:, elbow]).max() <= most * (1.0 + KEPT)


def test_drives_of_a_five_bar_change_their_forces_no_faster_than_they_may():
    problem = Problem(CHAIN, control_points=14)
    problem.start(START)
    problem.end(END)
    problem.limit("force", 10.0)
    problem.minimise("time")
    abrupt = problem.solve()
    most = 0.2 * np.abs(abrupt.force_rates(np.linspace(0.0, abrupt.duration, 3000))).max()
    problem.limit("force_rate", most)
    plan = problem.solve(abrupt)
    assert plan.status is PlanStatus.OPTIMAL
    assert plan.duration > 1.01 * abrupt.duration
    t = np.linspace(0.0, plan.duration, 3000)
    assert np.abs(plan.force_rates(t)).max() <= most * (1.0 + KEPT)
    assert np.abs(plan.force_rates(t)).max() >= 0.99 * most
    tau, inside = whole(t, plan), slice(200, -200)  # a spline of the third degree has kinks in its forces
    slopes = np.gradient(tau, t, axis=0)
    assert np.median(np.abs(slopes - plan.force_rates(t))[inside]) <= 1e-3 * most
    assert {x.name for x in plan.active()} >= {"force rate of left_shoulder", "force rate of right_shoulder"}
    assert "Force rates" in plan.plot("force_rate").svg


def test_jerks_of_passive_joints_may_be_limited_and_minimised():
    problem = Problem(BAR, control_points=10, degree=5)
    problem.start([0.0], qdd=0.0)
    problem.end([1.5], qdd=0.0)
    problem.duration(0.6)
    problem.minimise("jerk")
    smooth = problem.solve()
    assert smooth.status is PlanStatus.OPTIMAL
    rocker, t = BAR.robot.joint_names.index("rocker_joint"), np.linspace(0.0, 0.6, 2000)
    most = np.full(BAR.robot.nv, np.inf)
    most[rocker] = 0.9 * np.abs(smooth.motion(t)[3][:, rocker]).max()
    problem.limit("jerk", most)
    limited = problem.solve(smooth)
    assert limited.status is PlanStatus.OPTIMAL
    assert limited.cost > smooth.cost
    assert np.abs(limited.motion(t)[3][:, rocker]).max() <= most[rocker] * (1.0 + KEPT)
    assert np.array_equal(limited.values("jerk", t), limited.motion(t)[3])
    problem.via(0.5, "jerk", 0.0)  # of the crank
    assert (
        abs(problem.solve(smooth).coordinate_motion(0.3)[3][0]) <= 1e-6 * np.abs(smooth.coordinate_motion(t)[3]).max()
    )


def test_squares_and_functions_of_your_own_may_have_third_derivatives_too():
    dynamics = ChainDynamics(None, actuation=DRIVES)
    assert Squares(ForceRate()).under(dynamics) == Squares(ForceRate(dynamics=dynamics))
    own = Custom(lambda robot, q, qd, qdd, qddd: [qddd[1] - qddd[3]], 1, "own", 3)
    coordinates = LoopCoordinates(CHAIN)
    z, configuration = np.random.default_rng(3).normal(size=8), coordinates.configuration[None]
    z[:2] = coordinates.configuration[list(DRIVES.independent)]
    jerks, difference = (
        SampleFunctions(CHAIN.robot, [x], 2, 3, coordinates.map)[VALUES](z[None], configuration)[0]
        for x in (Derivative(3), own)
    )
    assert difference[0] == pytest.approx(jerks[1] - jerks[3], rel=1e-12)


def test_each_derivative_of_a_motion_of_all_joints_is_the_slope_of_the_one_before():
    problem = Problem(CHAIN, control_points=8, degree=5)
    problem.start(START)
    problem.end(END)
    problem.duration(0.5)
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.ok
    t, dt = np.array([0.11, 0.23, 0.38]), 1e-5
    before, here, after = (plan.motion(t + k * dt) for k in (-1, 0, 1))
    for r in range(3):
        assert np.abs((after[r] - before[r]) / (2 * dt) - here[r + 1]).max() <= 1e-5 * np.abs(here[r + 1]).max()
    rates = (plan.forces(t + dt) - plan.forces(t - dt)) / (2 * dt)
    assert np.abs(plan.force_rates(t) - rates).max() <= 1e-5 * np.abs(rates).max()
    # the least effort is less than that of the straight way
    straight = Transcriber(problem).transcription(problem.spline.samples(1)).objective
    s = problem.spline.greville
    way = np.outer(s**3 * (10 - 15 * s + 6 * s**2), np.subtract(END, START)) + START
    way[1], way[-2] = way[0], way[-1]  # at rest
    assert plan.cost < straight(np.r_[way.ravel(), 0.5])


def test_a_crank_turns_periodically_with_an_even_drive():
    """One turn of a crank under gravity: the loops stay closed all the way round, in one assembly."""
    chain = kt.ClosedChain(kt.robots.four_bar())
    problem = Problem(chain, control_points=16)
    problem.periodic(advance=2 * np.pi)
    problem.duration(1.0)
    problem.via(0.0, "position", [0.0])
    problem.limit("velocity", lower=[0.0, -np.inf, -np.inf])
    problem.minimise("effort")
    plan = problem.solve()
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    q, qd, _, _ = plan.motion([0.0, 1.0])
    turned = q[1] - q[0] - [2 * np.pi, 0.0, 0.0]
    assert np.abs(turned - 2 * np.pi * np.rint(turned / (2 * np.pi))).max() <= 1e-7
    assert np.abs(qd[1] - qd[0]).max() <= 1e-6 * np.abs(qd).max()
    assert plan.motion(np.linspace(0.0, 1.0, 500))[1][:, 0].min() >= -KEPT


def test_a_plan_of_a_closed_chain_comes_back_from_its_file(tmp_path):
    problem = Problem(SHARED, control_points=8, configuration=SHARED.close([0.3]).check())
    problem.start([0.2])
    problem.end([1.0])
    for what in ("force", "force_rate", "power", "velocity", Reaction("rocker"), Squares(Force())):
        problem.limit(what, 1e4)
    problem.duration(0.4)
    problem.minimise("effort")
    plan = problem.solve()
    again = Plan.load(plan.save(tmp_path / "plan.json"))
    assert [x.quantity for x in again.constraints] == [x.quantity for x in plan.constraints]
    t = np.linspace(0.0, 0.4, 20)
    for one, other in zip((*again.motion(t), again.forces(t)), (*plan.motion(t), plan.forces(t))):
        assert np.abs(one - other).max() <= CLOSED * np.abs(other).max()
    text = (tmp_path / "plan.json").read_text()
    for old, new in (
        ('"crank_joint"', '"crank"'),
        ('"chain"', '"chains"'),
        ('"configuration": [', '"configuration": [9,'),
    ):
        assert text.count(old)
        (tmp_path / "broken.json").write_text(text.replace(old, new, 1))
        with pytest.raises(InputError, match=r"Plan\.save"):
            Plan.load(tmp_path / "broken.json")


def test_what_closed_chains_can_not_do_is_refused():
    problem = Problem(CHAIN)
    with pytest.raises(InputError, match="along a path"):
        Problem(CHAIN, path=[[0.0, 0.0], [0.1, 0.1]])
    with pytest.raises(InputError, match="position has 2 numbers"):
        problem.start(CHAIN.neutral)
    with pytest.raises(InputError, match=r"kinetree.ClosedChain\(robot\)"):
        Problem(kt.robots.five_bar())
    with pytest.raises(InputError, match="quaternions"):
        Problem(kt.ClosedChain(kt.robots.gough_stewart()))


def test_a_posture_that_the_loops_do_not_reach_is_refused():
    chain = kt.ClosedChain(kt.robots.four_bar(), actuated=["rocker_joint"])
    problem = Problem(chain, control_points=8)
    problem.start([0.0])
    problem.end([3.0])  # the crank is too short for that
    problem.limit("force", 10.0)
    problem.minimise("time")
    with pytest.raises(InputError, match="the loops can't be closed at s = 1"):
        problem.solve()
