"""Planned motions of robots with elastic joints: the motors follow from the links, and simulations follow the plan."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from block_derivatives import assert_derivatives

import kinetree as kt
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.errors import InputError
from kinetree.plan import PlanStatus, Problem
from kinetree.plan.coordinates.flat import FlatCoordinates, Springs
from kinetree.plan.forces import Force, Power
from kinetree.plan.quantity import Derivative
from kinetree.scalar import Scalar
from kinetree.transcribe.block import CollocationBlock
from kinetree.transcribe.bspline import BSpline

STEP = 1e-30  # of complex steps, which lose no digits
EXACT = 1e-10  # relative; the same sums in another order
DIFFERENCE = 1e-6  # of central differences
SLOPES = 1e-6  # relative to the largest; central differences of exact values
FOLLOWED = 1e-4  # rad; how far a simulation without control may leave the plan
KEPT = 1e-6  # relative; how far a limit may be broken anywhere
ROTOR = {"gear_ratio": 30.0, "spin_inertia": 2e-5}


@dataclass(frozen=True)
class Complex(Scalar):
    """A complex number that goes through algorithms: what makes complex steps."""

    value: complex

    def apply(self, op: str, *args: Any) -> Any:
        a, *b = (x.value if isinstance(x, Complex) else x for x in args)
        if op in ("sin", "cos", "sqrt"):
            return Complex(getattr(cmath, op)(a))
        found = {"add": lambda y: a + y, "sub": lambda y: a - y, "mul": lambda y: a * y, "div": lambda y: a / y}
        return Complex(-a if op == "neg" else found[op](*b))


def single(stiffness: float = 100.0) -> kt.Robot:
    """One link that hangs in a vertical plane."""
    link = kt.DH(a=0.5, mass=2.0, com=(-0.25, 0, 0), inertia=(0.001, 0.04, 0.04))
    arm = kt.Robot.from_dh([link], "standard", gravity=(0, -9.81, 0), name="single")
    return arm.with_motors([kt.Motor("joint1", "world", gear_ratio=50.0, spin_inertia=1e-4, stiffness=stiffness)])


def two(stiffness: float | None = 50.0, second: str = "world") -> kt.Robot:
    """The two-link arm with both motors elastic, or both rigid; the second one on the base, or on link 1."""
    motors = [kt.Motor("joint1", "world", stiffness=stiffness, **ROTOR)]
    return kt.robots.two_link().with_motors([*motors, kt.Motor("joint2", second, stiffness=stiffness, **ROTOR)])


def limited(robot: kt.Robot, start, end, most: float, **options) -> Problem:
    """The fastest motion under limits of the motors; nothing but springs acts on elastic joints."""
    problem = Problem(robot, **options)
    problem.start(start)
    problem.end(end)
    springs = {spring.joint for spring, _, _ in robot.transmissions}
    problem.limit("force", [math.inf if name in springs else most for name in robot.joint_names])
    problem.minimise("time")
    return problem


CASES = {
    "single link": (single, [0.0], [1.0], 20.0, 5, 16),
    "two elastic joints": (two, [0.0, -2.0], [1.0, -1.0], 10.0, 5, 16),
    "a rotor on an elastic link": (lambda: two(second="link1"), [0.0, -2.0], [1.0, -1.0], 10.0, 7, 16),
    "two rigid joints and an elastic one": (
        kt.robots.mixed_elastic, [0.0, 0.5, 0.2], [1.0, -0.3, 0.6], 60.0, 5, 14
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_simulation_without_control_follows_the_plan(name: str):
    if name == "single link":
        pytest.importorskip("ipyopt", reason="the interior-point method alone stops before")
    make, start, end, most, degree, points = CASES[name]
    robot = make()
    plan = limited(robot, start, end, most, degree=degree, control_points=points).solve()
    assert plan.status is PlanStatus.OPTIMAL, plan.worst
    t = np.linspace(0.0, plan.duration, 2000)
    tau = plan.forces(t)
    springs, motors = Springs.of(robot), [k for k in range(robot.nv) if k not in Springs.of(robot).driven]
    assert np.abs(tau[:, list(springs.driven)]).max() <= EXACT * most  # springs alone act there
    assert np.abs(tau[:, motors]).max() <= most * (1.0 + KEPT)
    assert np.mean(np.abs(tau[:, motors]).max(axis=1) > 0.9 * most) > 0.5
    ends = plan.motion([0.0, plan.duration])
    assert np.abs(ends[0][:, list(springs.links)] - [start, end]).max() <= EXACT
    assert np.abs(ends[1]).max() <= 1e-7  # motors rest too
    motion = plan.simulate(dt=2e-4)
    assert np.abs(motion.q - plan.motion(motion.t)[0]).max() <= FOLLOWED
    # springs are stretched by what the links need
    q, qd, qdd, _ = plan.motion(t)
    rigid = springs.loose
    spring = np.array([x.stiffness for x, _, _ in robot.transmissions])
    stretched = spring * (q[:, list(springs.motors)] - q[:, list(springs.driven)])
    needed = [inverse_dynamics(rigid, *(x[700].tolist() for x in (q, qd, qdd)))[k] for k in springs.driven]
    assert stretched[700] == pytest.approx(needed, rel=1e-8, abs=1e-8)


def test_motor_motions_are_the_complex_steps_of_springs_that_carry_the_links():
    """theta(t) = q(t) + tau(t)/K with a complex time has its velocity in the imaginary part."""
    robot = two(40.0)
    problem = Problem(robot, control_points=9, degree=6)
    problem.start([0.0, -2.0])
    problem.end([1.0, -1.0])
    problem.duration(0.5)
    problem.minimise("effort")
    plan = problem.solve()
    springs, K = Springs.of(robot), 40.0
    for t in (0.11, 0.2, 0.37):
        z = plan.coordinate_motion(t, 6)
        moved = [z[r] + 1j * STEP * z[r + 1] for r in range(3)]
        whole = [[Complex(complex(x)) for x in (*part, 0.0, 0.0)] for part in moved]
        tau = inverse_dynamics(springs.loose, *whole)
        theta = [(whole[0][k] + tau[k] / K).value for k in range(2)]
        q, qd = plan.motion(t)[:2]
        assert q[2:] == pytest.approx(np.real(theta), rel=EXACT)
        assert qd[2:] == pytest.approx(np.imag(theta) / STEP, rel=EXACT)
        after, before = (plan.motion(t + s * DIFFERENCE) for s in (1, -1))
        for r in range(3):
            slope = (after[r] - before[r]) / (2 * DIFFERENCE)
            here = plan.motion(t)[r + 1]
            assert np.abs(here - slope).max() <= SLOPES * np.abs(here).max()


@pytest.mark.parametrize("second", ["world", "link1"])
def test_derivatives_through_springs_are_slopes(second: str):
    robot = two(60.0, second)
    links = FlatCoordinates(robot, None)
    assert links.extra_order == (2 if second == "world" else 4)
    some = CollocationBlock(
        robot, BSpline(9, 7), links, [Force(), Power(), Derivative(1), links.linear(1)], np.array([0.3, 0.8])
    )
    random = np.random.default_rng(5)
    x = np.r_[random.uniform(-0.5, 0.5, 18), 0.9]
    assert_derivatives(some, x, DIFFERENCE, SLOPES)


def test_stiff_springs_are_planned_as_rigid_joints():
    rigid = Problem(two(None), control_points=16, degree=5)
    for place, q in ((0.0, [0.0, -2.0]), (1.0, [1.0, -1.0])):
        for name, value in (("position", q), ("velocity", 0.0), ("acceleration", 0.0), ("jerk", 0.0)):
            rigid.via(place, name, value)
    rigid.limit("force", 10.0)
    rigid.minimise("time")
    wanted = rigid.solve()
    assert wanted.status is PlanStatus.OPTIMAL
    gaps = []
    for stiffness in (1e3, 1e4, 1e5):
        plan = limited(two(stiffness), [0.0, -2.0], [1.0, -1.0], 10.0, degree=5, control_points=16).solve()
        assert plan.status is PlanStatus.OPTIMAL, plan.worst
        gaps.append(abs(plan.duration - wanted.duration))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] <= 1e-4 * wanted.duration


def test_motors_have_limits_and_loads_of_their_own():
    pytest.importorskip("ipyopt", reason="the interior-point method alone stops before")
    robot = single(60.0)
    load = np.zeros((robot.nbodies, 6))
    load[0, 4] = -8.0  # N, down at the shoulder frame of the link
    load[0, 2] = 2.0
    free = limited(robot, [0.0], [1.0], 25.0, degree=5, control_points=12, external=load)
    plan = free.solve()
    assert plan.status is PlanStatus.OPTIMAL
    t = np.linspace(0.0, plan.duration, 1000)
    most = 0.8 * np.abs(plan.motion(t)[1][:, 1]).max()
    free.limit("velocity", [math.inf, most])
    slower = free.solve(plan)
    assert slower.status is PlanStatus.OPTIMAL
    assert slower.duration > plan.duration
    t = np.linspace(0.0, slower.duration, 1000)
    assert np.abs(slower.motion(t)[1][:, 1]).max() <= most * (1.0 + KEPT)
    motion = slower.simulate(dt=2e-4)
    assert np.abs(motion.q - slower.motion(motion.t)[0]).max() <= FOLLOWED
    assert slower.values("velocity", t).shape == (1000, 2)


def test_a_plan_is_saved_with_its_springs_and_followed_by_the_elastic_controller(tmp_path):
    plan = limited(single(), [0.0], [1.0], 20.0, degree=5, control_points=12).solve()
    again = kt.plan.Plan.load(plan.save(tmp_path / "plan.json"))
    for one, other in zip(plan.motion([0.1, 0.2]), again.motion([0.1, 0.2])):
        assert np.array_equal(one, other)
    law = kt.control.ElasticTracking(plan.reference(), kp=450.0, kd=47.0, motor_kp=100.0, motor_kd=10.0)
    q0, qd0 = (x for x in plan.motion(0.0)[:2])
    motion = kt.simulate(plan.robot, q0, qd0, plan.duration, law, dt=5e-4)
    assert np.abs(motion.q[:, 0] - plan.motion(motion.t)[0][:, 0]).max() <= FOLLOWED


def with_damper(robot: kt.Robot) -> kt.Robot:
    bodies = [
        replace(b, joint=replace(b.joint, transmission=replace(b.joint.transmission, damping=1.0)))
        if b.joint.transmission
        else b
        for b in robot.bodies
    ]
    return replace(robot, bodies=tuple(bodies))


def outside() -> Problem:
    problem = limited(single(), [0.0], [1.0], 20.0, degree=5)
    problem.limit("position", upper=[0.9, math.inf])
    return problem


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda: Problem(two()), "degree=5 or more, got 3"),
        (lambda: Problem(two(second="link1"), degree=5), "degree=7 or more, got 5"),
        (lambda: Problem(with_damper(single()), degree=5), "has a damper"),
        (lambda: Problem(single(), degree=5).limit("force_rate", 1.0), "third derivatives"),
        (lambda: Problem(single(), degree=5, path=[[0.0], [1.0]]), "can't be planned along a path"),
        (lambda: Problem(single(), degree=5, base="driven"), "no floating base"),
        (lambda: outside().solve(), "the end is outside the limits: position of joint1 is 1"),
    ],
)
def test_what_springs_can_not_do_is_refused(use, words: str):
    with pytest.raises(InputError, match=words):
        use()
