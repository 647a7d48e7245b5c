"""Planned motions of closed chains: derivatives through the loops, limits on driven and passive joints, assemblies."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.plan import ChainPlan, Energy, FramePosition, PlanStatus, Problem, Reaction
from kinetree.plan.block import Block
from kinetree.plan.chains import Closed, Independent, on_chain
from kinetree.plan.quantity import Derivative, Force, Power, Quantity
from kinetree.plan.spline import Spline

CHAIN = kt.ClosedChain(kt.robots.five_bar())
DRIVES = CHAIN.drives
STEP = 1e-6  # of central differences
SLOPES = 2e-6  # relative to the largest; second-order error, and the tolerance of closed loops over STEP
KEPT = 1e-6  # relative; how far a limit may be broken anywhere
CLOSED = 1e-9  # m; the error of closed loops
START, END = [0.1, -0.1], [0.5, 0.2]


def whole(t: np.ndarray, plan: ChainPlan) -> np.ndarray:
    """Forces from the chain's own functions, for the motion of all joints."""
    q, qd, qdd, _ = plan.motion(t)
    assert np.abs(CHAIN.close(q[:, list(DRIVES.independent)], q).q - q).max() <= CLOSED
    return CHAIN.inverse_dynamics(q, qd, qdd)


@pytest.mark.parametrize(
    "quantity",
    [Force(), Power(), Energy(), Reaction("left_lower"), FramePosition("tip"), Derivative(2)],
    ids=lambda x: type(x).__name__,
)
def test_derivatives_through_closed_loops_are_slopes(quantity: Quantity):
    closed = Closed(CHAIN)
    wanted = [on_chain(quantity, DRIVES), Independent(1, DRIVES.independent)]
    some = Block(CHAIN.robot, Spline(6, 4), wanted, np.array([0.3, 0.8]), closed)
    random = np.random.default_rng(4)
    x = np.r_[random.uniform(-0.3, 0.3, 12), 0.8]
    weights = random.normal(size=(some.count, some.rows))
    J, H = some.jacobian(x), some.hessian(x, weights)
    for k in range(some.count):
        for i, unknown in enumerate(some.unknowns[k]):
            step = STEP * (np.arange(len(x)) == unknown)
            slope = (some.values(x + step)[k] - some.values(x - step)[k]) / (2 * STEP)
            assert np.abs(J[k, :, i] - slope).max() <= SLOPES * np.abs(J[k]).max()
            bend = weights[k] @ (some.jacobian(x + step)[k] - some.jacobian(x - step)[k]) / (2 * STEP)
            assert np.abs(H[k, i] - bend).max() <= SLOPES * np.abs(H[k]).max()


def test_a_five_bar_moves_in_the_least_time_that_its_drives_allow():
    problem = Problem(CHAIN, control_points=14)
    problem.start(START)
    problem.end(END)
    problem.limit("force", 10.0)
    problem.minimise("time")
    plan = problem.solve()
    assert isinstance(plan, ChainPlan)
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
    straight = problem.transcription(problem.spline.even(1)).objective
    s = problem.spline.averages
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


def test_what_closed_chains_can_not_do_is_refused():
    problem = Problem(CHAIN)
    with pytest.raises(InputError, match="force rate needs third derivatives"):
        problem.limit("force_rate", 100.0)
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
    with pytest.raises(InputError, match="the loops can't be closed at place 1"):
        problem.solve()
