"""Motions of frames, momentum and the Coriolis matrix: laws that hold for every mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import on_floats, rate_of, relative_error, states, trees

import kinetree as kt

EXACT = 1e-11
each_tree = given(robot=trees())
few = settings(max_examples=40, deadline=None)


def times(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nj->ni", matrix, x)


@few
@each_tree
def test_a_frame_moves_with_its_jacobian(robot):
    f, s, frame = on_floats(robot), states(robot), robot.bodies[-1].name
    J, Jd = f("jacobian", s.q, frame=frame), f("jacobian_rate", s.q, s.qd, frame=frame)
    assert relative_error(f("frame_velocity", s.q, s.qd, frame=frame), times(J, s.qd)) < EXACT
    assert relative_error(Jd, rate_of(robot, "jacobian", s, frame)) < EXACT
    acceleration = f("frame_acceleration", s.q, s.qd, s.qdd, frame=frame)
    assert relative_error(acceleration, times(J, s.qdd) + times(Jd, s.qd)) < EXACT


@few
@each_tree
def test_linear_momentum_is_the_mass_times_the_velocity_of_the_centre(robot):
    f, s = on_floats(robot), states(robot)
    moved = rate_of(robot, "center_of_mass", s)
    h = f("centroidal_momentum", s.q, s.qd)
    assert relative_error(h[:, 3:], robot.total_mass * moved) < EXACT
    assert relative_error(times(f("centroidal_momentum_matrix", s.q), s.qd), h) < EXACT
    about = np.random.default_rng(0).normal(size=(len(s.q), 3))
    lever = f("center_of_mass", s.q) - about
    shifted = np.concatenate([h[:, :3] + np.cross(lever, h[:, 3:]), h[:, 3:]], axis=1)
    assert relative_error(f("momentum", s.q, s.qd, about), shifted) < EXACT


@few
@given(robot=trees(friction=False))
def test_coriolis_matrix_is_that_of_the_christoffel_symbols(robot):
    f, s = on_floats(robot), states(robot)
    still = np.zeros_like(s.qd)
    C = f("coriolis_matrix", s.q, s.qd)
    # what the velocities add to the bias forces, friction and dampers apart: the even part of it
    bias, back, rest = (f("bias_forces", s.q, x) for x in (s.qd, -s.qd, still))
    assert relative_error(times(C, s.qd), 0.5 * (bias + back) - rest) < EXACT
    skew = rate_of(robot, "mass_matrix", s).reshape(C.shape) - 2.0 * C
    assert relative_error(skew, -skew.swapaxes(1, 2)) < EXACT


def test_momentum_of_a_free_fall():
    """Under gravity alone the centroidal momentum changes by the weight, and the angular part is kept."""
    robot = kt.robots.eel(4)
    motion = kt.simulate(robot, robot.random(seed=3), np.full(robot.nv, 0.3), 0.2, dt=1e-3)
    h = robot.centroidal_momentum(motion.q, motion.qd)
    weight = robot.total_mass * np.array([*robot.gravity])
    assert np.abs(h[:, :3] - h[0, :3]).max() < 1e-9
    assert np.abs(h[:, 3:] - h[0, 3:] - motion.t[:, None] * weight).max() < 1e-9


def test_derivatives_of_the_new_quantities_by_the_general_means():
    robot = kt.robots.puma560()
    s = states(robot)
    J = kt.jacobian(robot.function("center_of_mass"))(s.q)
    assert relative_error(robot.total_mass * J, robot.centroidal_momentum_matrix(s.q)[:, 3:]) < EXACT
    of_qd = kt.jacobian(robot.function("frame_velocity", frame=robot.bodies[-1].name), wrt=1)
    assert relative_error(of_qd(s.q, s.qd), robot.jacobian(s.q, robot.bodies[-1].name)) < EXACT


def test_a_robot_without_mass_has_no_centre():
    robot = kt.Robot((kt.Body("hand", kt.Joint("wrist", kt.joints.Revolute())),))
    with pytest.raises(kt.errors.ModelError, match="has no mass"):
        robot.center_of_mass([0.0])
