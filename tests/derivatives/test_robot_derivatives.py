"""Every analytic derivative against the derivative of the quantity itself, taken exactly by dual numbers.

The quantities run on numbers with a rate (`Dual`): along one velocity for derivatives by positions, which for
quaternions is along the tangent space, along the motion for force rates. None of the package's own differentiation is
in these derivatives, so every recursion has an independent witness; the traced ones are checked against the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exact_derivatives import DERIVATIVES, ROUNDING, assert_derivatives, rate_by_duals
from hypothesis import given, settings
from strategies import compiled, on_floats, operand_names, relative_error, states, tree, trees

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.catalogue import function_of
from kinetree.errors import InputError, UnknownNameError
from kinetree.joints import KINDS
from kinetree.runtime import native

each_derivative = pytest.mark.parametrize("name", list(DERIVATIVES))


@each_derivative
@settings(max_examples=60, deadline=None)
@given(robot=trees(4))
def test_analytic_derivatives_are_those_by_dual_numbers(name: str, robot: kt.Robot) -> None:
    assert_derivatives(robot, on_floats(robot), name, states(robot, 1))


@pytest.mark.slow
@each_derivative
@settings(max_examples=600, deadline=None)
@given(robot=trees(7))
def test_analytic_derivatives_are_those_by_dual_numbers_at_length(name: str, robot: kt.Robot) -> None:
    assert_derivatives(robot, on_floats(robot), name, states(robot, 2))


@each_derivative
@pytest.mark.parametrize("kind", list(KINDS))
def test_derivatives_of_a_chain_of_one_kind(name: str, kind: str) -> None:
    robot = tree(5, 3, [kind], friction=True, springs=True)
    assert_derivatives(robot, on_floats(robot), name, states(robot, 2))


@each_derivative
@pytest.mark.parametrize("seed", range(3))
def test_compiled_derivatives(name: str, seed: int) -> None:
    robot = tree(seed, 4, friction=True, springs=seed == 1, mimics=seed == 2, on_free_base=seed == 0)
    assert_derivatives(robot, compiled(robot), name, states(robot, 3))


def parallel_chain(seed: int, joints: int) -> kt.Robot:
    """Revolute joints about parallel axes with a branch, where links share their axes."""
    rng = np.random.default_rng(seed)
    z = kt.joints.Revolute((0.0, 0.0, 1.0))
    y = kt.joints.Revolute((0.0, 1.0, 0.0))
    inertia = kt.Inertia(1.0, (0.1, 0.0, 0.2), (0.1, 0.2, 0.2))
    bodies = [kt.Body("b0", kt.Joint("j0", z), inertia)]
    for k in range(1, joints):
        place = kt.Transform(kt.Rotation.about(1, float(rng.normal())), rng.normal(size=3))
        parent = f"b{k - 1}" if k != 4 else "b2"
        bodies.append(kt.Body(f"b{k}", kt.Joint(f"j{k}", y if k < joints - 1 else z, place), inertia, parent))
    return kt.Robot(tuple(bodies))


@each_derivative
def test_derivatives_of_parallel_joints(name: str) -> None:
    robot = parallel_chain(1, 7)
    assert_derivatives(robot, on_floats(robot), name, states(robot, 2))


# -- force rates -------------------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(robot=trees(4, friction=False))
def test_force_rates_are_the_rates_of_the_forces(robot: kt.Robot) -> None:
    s = states(robot, 2)
    rng = np.random.default_rng(1)
    load_rate = rng.normal(size=(robot.nbodies, 6))
    for row, base in ((0, None), (1, rng.normal(size=(3, 6)))):
        root = None if base is None else BaseMotion.prescribed(robot, *base.tolist())
        motion = (a[row].tolist() for a in (s.q, s.qd, s.qdd, s.qddd))
        tau, taud = forces_and_rates(robot, *motion, s.external[row].tolist(), load_rate.tolist(), root)
        expected = rate_by_duals(robot, s, row, load_rate, base)
        assert relative_error(taud, expected.reshape(robot.nv)) < ROUNDING
        plain = (a[row].tolist() for a in (s.q, s.qd, s.qdd, s.external))
        assert relative_error(tau, function_of("inverse_dynamics")(robot, *plain, root)) < ROUNDING


def test_friction_and_rotors_are_in_the_force_rates() -> None:
    robot = tree(3, 4, friction=True)
    free = tree(3, 4)
    s = states(robot, 5)
    viscous = np.array([k for body in robot.bodies for k in body.joint.damping])
    rotor = np.array([k for body in robot.bodies for k in body.joint.rotor_inertia])
    more = viscous * s.qdd + rotor * s.qddd
    args = s.q, s.qd, s.qdd, s.qddd
    assert relative_error(robot.force_rates(*args), free.force_rates(*args) + more) < ROUNDING


@pytest.mark.parametrize("seed", range(4))
def test_force_rate_derivatives_are_those_of_the_force_rates(seed: int) -> None:
    """By central differences of the compiled force rates, in directions of the tangent space."""
    robot = tree(seed, 3, friction=seed == 1, springs=seed == 2, mimics=seed == 3, on_free_base=seed == 0)
    s, rng = states(robot, 1), np.random.default_rng(2)
    external, rate = rng.normal(size=(2, robot.nbodies, 6))
    base = dict(zip(("base_velocity", "base_acceleration", "base_jerk"), rng.normal(size=(3, 6))))
    keywords = {"external": external, "external_rate": rate, **base}
    args = [s.q[0], s.qd[0], s.qdd[0], s.qddd[0]]
    found = robot.force_rate_derivatives(*args, **keywords)
    h = 1e-5
    for position, matrix in enumerate(found):
        for k, unit in enumerate(np.eye(robot.nv)):
            values = []
            for sign in (1.0, -1.0):
                moved = [*args]
                moved[position] = (
                    stepped(robot, args[0], sign * h * unit) if position == 0 else args[position] + sign * h * unit
                )
                values.append(robot.force_rates(*moved, **keywords))
            slope = (values[0] - values[1]) / (2 * h)
            scale = max(1.0, np.abs(slope).max())
            assert np.abs(matrix[:, k] - slope).max() / scale < 1e-7, (position, k)


def stepped(robot: kt.Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q moved by the constant velocity v for one second: four steps of Runge-Kutta, normalised."""
    for _ in range(4):
        k1 = robot.rates(q, v / 4)
        k2 = robot.rates(normalised(robot, q + k1 / 2), v / 4)
        k3 = robot.rates(normalised(robot, q + k2 / 2), v / 4)
        k4 = robot.rates(normalised(robot, q + k3), v / 4)
        q = normalised(robot, q + (k1 + 2 * k2 + 2 * k3 + k4) / 6)
    return q


def normalised(robot: kt.Robot, q: np.ndarray) -> np.ndarray:
    q = q.copy()
    for _, start in robot.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


# -- second derivatives, parameters, regressor -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_hessian_product_is_the_derivative_of_the_gradient(seed: int) -> None:
    """H = d/d(q, qd, qdd) of (d tau)^T weights, by central differences; symmetric."""
    robot = tree(seed, 3, friction=seed == 1, springs=seed == 2, mimics=seed == 3, on_free_base=seed == 0)
    s, n = states(robot, 1), robot.nv
    args, weights = [s.q[0], s.qd[0], s.qdd[0]], s.weights[0]
    H = robot.inverse_dynamics_hessian_product(*args, weights, external=s.external[0])
    assert relative_error(H, H.T) < ROUNDING
    h = 1e-5

    def gradient(*args: np.ndarray) -> np.ndarray:
        derivatives = robot.inverse_dynamics_derivatives(*args, external=s.external[0])
        return np.concatenate([weights @ d for d in derivatives])

    expected = np.zeros((3 * n, 3 * n))
    for k, unit in enumerate(np.eye(n)):
        for position in range(3):
            ends = []
            for sign in (1.0, -1.0):
                moved = [*args]
                step = sign * h * unit
                moved[position] = stepped(robot, args[0], step) if position == 0 else args[position] + step
                ends.append(gradient(*moved))
            expected[:, position * n + k] = (ends[0] - ends[1]) / (2 * h)
    expected = (expected + expected.T) / 2  # the order of differentiation matters on orientations
    assert relative_error(H, expected) < 1e-7


@settings(max_examples=40, deadline=None)
@given(robot=trees(4))
def test_the_joint_forces_are_the_regressor_times_the_parameters(robot: kt.Robot) -> None:
    s = states(robot, 2)
    f = on_floats(robot)
    Y = f("regressor", s.q, s.qd, s.qdd)
    assert Y.shape == (2, robot.nv, robot.nparameters)
    assert relative_error(Y @ robot.dynamic_parameters, f("inverse_dynamics", s.q, s.qd, s.qdd)) < ROUNDING


def arm_with(number: Any) -> kt.Robot:
    rows = [
        kt.DH(
            alpha=1.2, a=number("length"), mass=number("mass"), com=(0.1, number("offset"), 0.3), inertia=(1, 2, 2.5)
        ),
        kt.DH(
            alpha=-0.4, a=0.3, d=0.1, mass=2.0, com=(0.0, 0.1, 0.3), inertia=(0.1, number("J"), 0.2), joint="prismatic"
        ),
    ]
    return kt.Robot.from_dh(rows, strict=False)


VALUES = {"length": 0.5, "mass": 1.5, "offset": 0.2, "J": 0.15}


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "potential_energy", "forward_dynamics"])
def test_parameter_derivatives_are_differences_of_robots(name: str) -> None:
    robot = arm_with(lambda n: kt.parameter(n, VALUES[n]))
    s, h = states(robot, 3), 1e-6
    args = [s.q, s.qd, s.qdd][: len(operand_names(name))]
    found = robot.parameter_derivatives(name, *args)
    for k, parameter in enumerate(robot.parameters):
        ends = [
            getattr(arm_with({**VALUES, parameter: VALUES[parameter] + sign * h}.__getitem__), name)(*args)
            for sign in (1.0, -1.0)
        ]
        assert relative_error(found[..., k], (ends[0] - ends[1]) / (2 * h)) < 1e-8
    some = robot.parameter_derivatives(name, *args, wrt=["mass", "J"], length=0.7)
    assert some.shape == (*found.shape[:-1], 2)


# -- sparsity ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_in_the_pattern_is_zero_and_the_rest_is_not(seed: int) -> None:
    # on a planar joint on the world terms cancel that a pattern can't know of
    robot = tree(seed, 5, [kind for kind in KINDS if kind != "planar"], on_free_base=seed == 1)
    s = states(robot, 20)
    results = robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    for name, values in zip(("dtau_dq", "dtau_dqd", "M"), results):
        pattern = robot.sparsity(name)
        assert pattern.dtype == bool
        assert (values[:, ~pattern] == 0).all()
        # where equal terms cancel, rounding hides it; without fused multiply-add not always
        cancelled = np.count_nonzero(np.abs(values).max(0)[pattern] == 0)
        assert cancelled <= (0 if native.has_fma() else 1)


def test_branches_do_not_act_on_each_other() -> None:
    robot = tree(2, 6, ["revolute"])
    pattern = robot.sparsity("M")
    for i, j in np.ndindex(pattern.shape):
        related = i in path(robot, j) or j in path(robot, i)
        assert pattern[i, j] == related


def path(robot: kt.Robot, i: int) -> set[int]:
    found = set()
    while i >= 0:
        found.add(i)
        i = robot.parents[i]
    return found


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_messages_say_what_is_missing_and_what_exists() -> None:
    arm, zero = kt.robots.two_link(), [0.0, 0.0]
    with pytest.raises(InputError, match="external_rate is missing"):
        arm.force_rates(zero, zero, zero, zero, external=np.zeros((2, 6)))
    with pytest.raises(InputError, match="external is missing"):
        arm.force_rate_derivatives(zero, zero, zero, zero, external_rate=np.zeros((2, 6)))
    with pytest.raises(UnknownNameError, match=r"there is no result 'dtau_dx'.*'dtau_dq'"):
        arm.sparsity("dtau_dx")
    with pytest.raises(InputError, match="the model has no named parameters"):
        arm.parameter_derivatives("inverse_dynamics", zero, zero, zero)
    robot = arm_with(lambda n: kt.parameter(n, VALUES[n]))
    with pytest.raises(UnknownNameError, match=r"there is no parameter 'weight'.*'mass'"):
        robot.parameter_derivatives("inverse_dynamics", zero, zero, zero, wrt=["weight"])
    with pytest.raises(UnknownNameError, match="there is no function 'dynamics'"):
        robot.parameter_derivatives("dynamics", zero)
    with pytest.raises(InputError, match="3 results"):
        robot.parameter_derivatives("inverse_dynamics_derivatives", zero, zero, zero)
    with pytest.raises(InputError, match="open parameters"):
        robot.dynamic_parameters  # noqa: B018


def test_parameter_derivatives_of_many_parameters() -> None:
    masses = [kt.parameter(f"m{k}", 1.0) for k in range(40)]
    robot = kt.Robot.from_dh([kt.DH(a=1.0, mass=sum(masses[1:], masses[0]), com=(-0.5, 0, 0))])
    np.testing.assert_allclose(robot.parameter_derivatives("mass_matrix", [0.3], wrt=["m3", "m7"]), [[[0.25, 0.25]]])
