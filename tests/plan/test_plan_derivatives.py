"""First and second derivatives of everything that a plan can limit or minimise.

Gradients are compared with complex steps through the algorithms themselves, second derivatives with differences of the
gradients, and the sparse matrices of the solver with both.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from block_derivatives import assert_derivatives, at_points
from conformance import failures

import kinetree as kt
from kinetree.algorithms.force_rates import force_rates
from kinetree.plan import (
    Custom,
    Distance,
    Energy,
    FrameOrientation,
    FramePosition,
    FrameVelocity,
    Path,
    Problem,
    Reaction,
    Reactions,
    Squares,
)
from kinetree.plan.coordinates.joint import JointCoordinates
from kinetree.plan.coordinates.path import PATH_TERMS, PathCoordinate, PathMap, along
from kinetree.plan.dynamics import Dynamics
from kinetree.plan.forces import Force, ForceRate, Power
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.transcriber import Transcriber
from kinetree.scalar import Scalar, cos, sin
from kinetree.transcribe.block import CollocationBlock
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.sample import HESSIAN, JACOBIAN, SampleFunctions

STEP = 1e-30  # of complex steps, which lose no digits
EXACT = 1e-11  # relative; the same sums in another order
DIFFERENCE = 1e-6  # of central differences
SECOND = 1e-6  # relative to the largest; central differences of exact gradients

_LINK = {"mass": 1.3, "inertia": (0.02, 0.03, 0.025, 0.001, 0.002, -0.003)}
ARM = kt.Robot.from_dh(
    [
        kt.DH(d=0.3, alpha=1.1, a=0.1, com=(0.02, 0.1, -0.05), **_LINK),
        kt.DH(joint="prismatic", theta=0.4, alpha=-0.7, a=0.2, com=(0.1, 0.0, 0.07), **_LINK),
        kt.DH(a=0.3, alpha=0.5, d=0.1, com=(-0.15, 0.02, 0.03), **_LINK),
    ],
    "standard",
    name="skew",
)  # turns, slides, turns; no angle is right, and gravity pulls
BODY = ARM.bodies[1].name
TIP = "dh3"
LOADS = tuple(tuple(row) for row in np.random.default_rng(8).normal(size=(ARM.nbodies, 6)).tolist())
AXES = np.array([[0.0, -1.0, 0.0], [0.6, 0.0, -0.8], [0.8, 0.0, 0.6]])


def _own(robot: Any, q: Any, qd: Any, qdd: Any, qddd: Any) -> list[Any]:
    return [sin(q[0]) * qd[1] * qddd[2], cos(q[2]) * qdd[1] * qdd[1]]


QUANTITIES: dict[str, Quantity] = {
    "force": Force(),
    "force under loads": Force(dynamics=Dynamics(LOADS)),
    "force rate": ForceRate(),
    "force rate under loads": ForceRate(dynamics=Dynamics(LOADS)),
    "power": Power(),
    "energy": Energy(),
    "reaction force": Reaction(BODY),
    "reaction moment": Reaction(BODY, "moment"),
    "reaction component": Reaction(BODY, "fy"),
    "reactions": Reactions(),
    "frame position": FramePosition(TIP),
    "frame velocity": FrameVelocity(TIP),
    "frame turn": FrameOrientation.from_axes(TIP, AXES),
    "distance": Distance(TIP, "dh1"),
    "own": Custom(_own, 2, "own", 3),
    "effort": Squares(Force(), (1.0, 2.0, 3.0)),
    "squared jerk": Squares(Derivative(3)),
    "squared force rate": Squares(ForceRate()),
    "squared reactions": Squares(Reactions()),
    "velocity": Derivative(1),
}


@dataclass(frozen=True)
class Complex(Scalar):
    """A complex number that goes through algorithms: what makes complex steps."""

    value: complex

    def apply(self, op: str, *args: Any) -> Any:
        x = [a.value if isinstance(a, Complex) else a for a in args]
        return Complex(_OPERATIONS[op](*x))


_OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "sqrt": cmath.sqrt,
}


def stepped(function: Any, x: np.ndarray) -> np.ndarray:
    """The Jacobian of a function over scalars, by complex steps."""
    columns = []
    for k in range(len(x)):
        moved = [Complex(complex(value, STEP if j == k else 0.0)) for j, value in enumerate(x)]
        out = function(moved)
        columns.append([y.value.imag / STEP if isinstance(y, Complex) else 0.0 for y in out])
    return np.array(columns).T


def instant(order: int, n: int) -> np.ndarray:
    return np.random.default_rng(order).uniform(-1.5, 1.5, (order + 1) * n)


def parts(z: Any, n: int) -> list[Any]:
    found = [z[n * r : n * (r + 1)] for r in range(len(z) // n)]
    return found + [[0.0] * n] * (4 - len(found))


@pytest.mark.parametrize("name", QUANTITIES)
def test_gradients_are_those_of_complex_steps(name):
    quantity, n = QUANTITIES[name], ARM.nv
    z = instant(quantity.order, n)
    values, J = SampleFunctions(ARM, [quantity], ARM.nv, quantity.order)[JACOBIAN](z)
    exact = stepped(lambda x: quantity.values(ARM, *parts(x, n)), z)
    assert np.abs(exact).max() > 1e-3
    assert np.abs(J - exact).max() <= EXACT * np.abs(exact).max()
    assert np.abs(values - np.array(quantity.values(ARM, *parts(z, n)))).max() <= EXACT * max(1.0, np.abs(values).max())
    assert len(quantity.names(ARM)) == quantity.size(ARM) == len(values)


@pytest.mark.parametrize("name", QUANTITIES)
def test_second_derivatives_are_slopes_of_the_gradients(name):
    quantity, n = QUANTITIES[name], ARM.nv
    functions, z = SampleFunctions(ARM, [quantity], ARM.nv, quantity.order), instant(quantity.order, n)
    weights = np.linspace(0.5, 1.5, functions.size)
    gradient, H = functions[HESSIAN](z, weights)
    moved = z + DIFFERENCE * np.eye(len(z))[:, None] * np.array([1.0, -1.0])[:, None]
    slopes = np.einsum("i,ksij->ksj", weights, functions[JACOBIAN](moved)[1])
    numeric = (slopes[:, 0] - slopes[:, 1]) / (2.0 * DIFFERENCE)
    size = max(np.abs(H).max(), 1.0)
    assert np.abs(gradient - weights @ functions[JACOBIAN](z)[1]).max() <= EXACT * max(1.0, np.abs(gradient).max())
    assert np.abs(H - numeric).max() <= SECOND * size
    assert np.abs(H - H.T).max() == 0.0


def test_force_rates_under_loads_that_stay_in_the_world_are_slopes_of_the_forces():
    n, dt = ARM.nv, 1e-5
    q, qd, qdd, qddd = parts(instant(3, n), n)
    force = QUANTITIES["force under loads"]
    ends = []
    for t in (-dt, dt):
        at = q + t * qd + t**2 / 2 * qdd + t**3 / 6 * qddd, qd + t * qdd + t**2 / 2 * qddd, qdd + t * qddd, qddd
        ends.append(np.array(force.values(ARM, *at)))
    rates = np.array(QUANTITIES["force rate under loads"].values(ARM, q, qd, qdd, qddd))
    assert np.abs((ends[1] - ends[0]) / (2 * dt) - rates).max() <= 1e-7 * np.abs(rates).max()
    assert np.abs(rates - np.array(force_rates(ARM, q, qd, qdd, qddd))).max() > 1e-2


@pytest.mark.parametrize("name", ["force", "force rate", "frame velocity", "velocity"])
def test_gradients_along_a_path_are_those_of_complex_steps(name):
    quantity, n = QUANTITIES[name], ARM.nv
    path = np.random.default_rng(2).normal(size=(n, PATH_TERMS))
    z = np.r_[0.0, instant(quantity.order, 1)[1:]]
    functions = SampleFunctions(ARM, [quantity], 1, quantity.order, PathMap())

    def composed(x: Any) -> list[Any]:
        return quantity.values(ARM, *along(path.tolist(), *(part[0] for part in parts(x, 1))))

    exact = stepped(composed, z)
    assert np.abs(functions[JACOBIAN](z, path)[1] - exact).max() <= EXACT * np.abs(exact).max()
    weights = np.linspace(0.5, 1.5, functions.size)
    _, H = functions[HESSIAN](z, weights, path)
    moved = z + DIFFERENCE * np.eye(len(z))[:, None] * np.array([1.0, -1.0])[:, None]
    slopes = np.einsum("i,ksij->ksj", weights, functions[JACOBIAN](moved, path)[1])
    numeric = (slopes[:, 0] - slopes[:, 1]) / (2.0 * DIFFERENCE)
    assert np.abs(H - numeric).max() <= SECOND * np.abs(H).max()


def test_a_motion_along_a_path_has_the_derivatives_of_its_positions():
    robot = kt.robots.two_link()
    plan = kt.plan.time_optimal_path(
        robot, path=[[0.0, 0.0], [0.5, 1.0], [1.0, 0.5], [0.7, -0.5]], velocity_limits=2.0, acceleration_limits=9.0,
        jerk_limits=200.0, control_points=12, knots="even",
    )  # fmt: skip
    assert plan.ok
    t, dt = np.array([0.13, 0.37, 0.61]) * plan.duration, 1e-5
    before, here, after = (plan.motion(t + k * dt) for k in (-1, 0, 1))
    for r in range(3):
        assert np.abs((after[r] - before[r]) / (2 * dt) - here[r + 1]).max() <= 1e-6 * np.abs(here[r + 1]).max()


# -- with respect to control points and duration ---------------------------------------------------------------------


def block(robot: Any, path: Path | None) -> CollocationBlock:
    coordinates = JointCoordinates(robot) if path is None else PathCoordinate(robot, path)
    quantities = [Force(), coordinates.linear(1), FramePosition("dh2"), ForceRate()]
    return CollocationBlock(robot, BSpline(7, 4), coordinates, quantities, np.array([0.0, 0.2, 0.55, 1.0]))


@pytest.mark.parametrize("on_path", [False, True])
def test_derivatives_with_respect_to_points_and_duration_are_slopes(on_path):
    robot = kt.robots.two_link()
    path = Path.through(np.random.default_rng(3).normal(size=(7, 2))) if on_path else None
    some = block(robot, path)
    random = np.random.default_rng(4)
    x = np.r_[np.linspace(0.0, 1.0, 7) if on_path else random.normal(size=14), 0.8]
    assert_derivatives(some, x, DIFFERENCE, SECOND)


def test_a_periodic_task_with_several_costs_is_a_program_with_right_derivatives():
    robot = kt.robots.two_link()
    problem = Problem(robot, control_points=7)
    problem.periodic(advance=[0.0, 1.0])
    problem.via(0.4, "position", [0.3, -0.2])
    problem.limit("force", [5.0, 3.0])
    problem.limit("velocity", lower=[-1.0, -np.inf], upper=4.0)
    problem.minimise("time", 0.3)
    problem.minimise("effort", 0.2)
    problem.minimise("energy")
    problem.limit("force_rate", 80.0)
    transcription = Transcriber(problem).transcription(problem.spline.samples(2), 1e-3)
    x = np.r_[np.random.default_rng(6).normal(size=14), 0.9]
    assert failures(transcription, x) == []


@pytest.mark.parametrize("packed", [True, False])
def test_a_task_that_begins_and_ends_in_motion_is_a_program_with_right_derivatives(packed):
    """Control points at moving ends follow from the duration: no equality is left, and derivatives go through them."""
    problem = Problem(kt.robots.two_link(), control_points=8, hessian="exact" if packed else "differences")
    problem.start([0.1, 0.2], [0.7, -0.4], [1.5, 2.0])
    problem.end([1.0, 0.5], [-0.3, 0.6])
    problem.limit("force", [5.0, 3.0])
    problem.limit("velocity", 4.0)
    problem.minimise("time", 0.3)
    problem.minimise("effort", 0.2)
    transcription = Transcriber(problem).transcription(problem.spline.samples(2), 1e-3)
    bounds = transcription.constraint_bounds
    x = np.clip(
        np.r_[np.random.default_rng(6).normal(size=16), 0.9], transcription.bounds.lower, transcription.bounds.upper
    )
    assert (bounds.lower < bounds.upper).all()
    assert failures(transcription, x) == []
    curve = problem.spline.curve(transcription.completed(x)[:-1].reshape(8, 2), [0.0, 1.0], 2)
    start, end = (curve / 0.9 ** np.arange(3)[:, None, None]).transpose(1, 0, 2)
    assert np.allclose(start, [[0.1, 0.2], [0.7, -0.4], [1.5, 2.0]])
    assert np.allclose(end[1], [-0.3, 0.6])


def test_forces_stretch_with_the_duration_as_the_thesis_leaves_out():
    """d tau/dT = -(tau_qd qd + 2 tau_qdd qdd) / T at a fixed place: what (4.15) of Barman's thesis lacks."""
    robot = kt.robots.two_link()
    some = CollocationBlock(robot, BSpline(6), JointCoordinates(robot), [Force()], np.array([0.3]))
    x = np.r_[np.random.default_rng(1).normal(size=12), 0.7]
    q, qd, qdd = some.samples(x)[0].reshape(3, 2)
    _, dtau_dqd, M = robot.inverse_dynamics_derivatives(q, qd, qdd)
    expected = -(dtau_dqd @ qd + 2.0 * M @ qdd) / 0.7
    assert np.abs(at_points(some, x, np.zeros((1, 2)))[0][0, :, -1] - expected).max() <= EXACT * np.abs(expected).max()
