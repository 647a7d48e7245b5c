"""The same axioms for every joint type, and the laws of the spatial values that joints and bodies are made of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import Dual, duals, random_kind, rate_part

import kinetree as kt
from kinetree.joints import KINDS, Cylindrical, Helical, Planar, Prismatic, Revolute, Rotor
from kinetree.spatial.angular_motion import AngularMotion
from kinetree.spatial.inertia import ArticulatedInertia, RigidInertia
from kinetree.spatial.matrix3 import Mat3, Sym3
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.rotation import Dense, Rotation, is_rotation_matrix
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

# a few dozen operations on numbers of size one, each rounded to 1.1e-16
ROUNDING = 1e-14
SAMPLES = 20


every_kind = pytest.mark.parametrize("name", list(KINDS))
each_draw = pytest.mark.parametrize("seed", range(SAMPLES))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def samples(name: str, rng: np.random.Generator):
    """Joints of one kind at random coordinates and velocities."""
    for _ in range(SAMPLES):
        joint = random_kind(name, rng)
        q = list(rng.normal(size=joint.nq))
        if joint.quaternion is not None:
            s = slice(joint.quaternion, joint.quaternion + 4)
            q[s] = list(np.array(q[s]) / np.linalg.norm(q[s]))
        yield joint, [float(x) for x in q], rng.normal(size=joint.nv).tolist()


def matrix(m: Mat3 | Sym3) -> np.ndarray:
    return np.array([list(row) for row in (m.full if isinstance(m, Sym3) else m)])


def cross(v) -> np.ndarray:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def six(m: Motion | Force) -> np.ndarray:
    return np.array([*m.ang, *m.lin])


# -- the axioms of a joint ---------------------------------------------------------------------------------------------


@every_kind
def test_sizes_are_what_the_kind_says(name, rng):
    for joint, q, qd in samples(name, rng):
        assert len(joint.neutral) == len(joint.rates(q, qd)) == joint.nq
        assert len(joint.subspace(q)) == joint.nv


@every_kind
def test_transform_is_a_rigid_motion(name, rng):
    for joint, q, _ in samples(name, rng):
        assert is_rotation_matrix(joint.transform(q).R.matrix, ROUNDING)


@every_kind
def test_neutral_coordinates_give_the_identity(name, rng):
    for joint, _, _ in samples(name, rng):
        if isinstance(joint, Revolute):
            joint = Revolute(joint.axis)  # an offset is a deliberate turn
        X = joint.transform(joint.neutral)
        np.testing.assert_array_equal(matrix(X.R.matrix), np.eye(3))
        np.testing.assert_array_equal([*X.p], np.zeros(3))


@every_kind
def test_rate_of_the_transform_is_the_velocity(name, rng):
    """d/dt R = R [w], d/dt p = R v: velocities are of the body's origin, in body axes."""
    for joint, q, qd in samples(name, rng):
        X, v = joint.transform(q), joint.velocity(q, qd)
        moving = joint.transform(duals(q, joint.rates(q, qd)))
        R = matrix(X.R.matrix)
        dR = rate_part([list(row) for row in moving.R.matrix])
        np.testing.assert_allclose(dR, R @ cross(v.ang), atol=ROUNDING)
        np.testing.assert_allclose(rate_part([*moving.p]), R @ [*v.lin], atol=ROUNDING)


@every_kind
def test_bias_is_the_rate_of_the_subspace(name, rng):
    """c = dS/dt qd."""
    for joint, q, qd in samples(name, rng):
        moving = joint.velocity(duals(q, joint.rates(q, qd)), qd)
        np.testing.assert_allclose(six(joint.bias(q, qd)), rate_part([*moving.ang, *moving.lin]), atol=ROUNDING)


@every_kind
def test_velocity_is_the_subspace_times_the_rates(name, rng):
    for joint, q, qd in samples(name, rng):
        S = np.array([six(column) for column in joint.subspace(q)]).reshape(joint.nv, 6)
        np.testing.assert_allclose(six(joint.velocity(q, qd)), qd @ S, atol=ROUNDING)
        assert joint.nv == 0 or np.linalg.matrix_rank(S) == joint.nv


@every_kind
def test_a_quaternion_of_any_length_is_the_same_orientation(name, rng):
    for joint, q, qd in samples(name, rng):
        start = joint.quaternion
        assert (start is None) == (joint.nq == joint.nv)
        if start is None:
            continue
        part = slice(start, start + 4)
        rate = joint.rates(q, qd)[part]
        assert abs(np.dot(q[part], rate)) < ROUNDING  # its length is kept
        longer = [*q[:start], *(-1.7 * x for x in q[part]), *q[start + 4 :]]
        once, again = joint.transform(q), joint.transform(longer)
        np.testing.assert_allclose(matrix(again.R.matrix), matrix(once.R.matrix), atol=ROUNDING)


@pytest.mark.parametrize("offset", [0.3, math.pi / 2, -math.pi / 2, math.pi, 7 * math.pi / 2, -2.0])
def test_an_offset_shifts_the_angle(offset, rng):
    for joint, q, _ in samples("revolute", rng):
        shifted = matrix(Revolute(joint.axis, offset).transform(q).R.matrix)
        expected = matrix(Revolute(joint.axis).transform([q[0] + offset]).R.matrix)
        np.testing.assert_allclose(shifted, expected, atol=ROUNDING)


def test_a_screw_is_a_turn_and_an_advance(rng):
    for joint, q, _ in samples("helical", rng):
        assert isinstance(joint, Helical)
        X = joint.transform(q)
        np.testing.assert_allclose(matrix(X.R.matrix), matrix(Revolute(joint.axis).transform(q).R.matrix))
        np.testing.assert_allclose([*X.p], joint.pitch * q[0] * np.array([*joint.axis]))


def test_a_rotor_turns_as_often_as_its_gear_says(rng):
    for joint, q, qd in samples("rotor", rng):
        assert isinstance(joint, Rotor)
        geared, turned = Rotor(joint.axis, -50.0), Revolute(joint.axis)
        np.testing.assert_allclose(
            matrix(geared.transform(q).R.matrix), matrix(turned.transform([-50.0 * q[0]]).R.matrix), atol=ROUNDING
        )
        np.testing.assert_allclose(six(geared.velocity(q, qd)), -50.0 * six(turned.velocity(q, qd)), atol=50 * ROUNDING)


@pytest.mark.parametrize("tilt", [1e-6, 3e-8, 1e-8, 1e-10, 1e-12, 6e-17])
def test_an_axis_almost_along_a_coordinate_is_one_axis(tilt):
    """The axis that the body turns about is the axis of its velocity, however little it is tilted."""
    joint, q, qd = Revolute((tilt, 0.0, 1.0)), [1.1], [1.0]
    R = matrix(joint.transform(q).R.matrix)
    dR = rate_part([list(row) for row in joint.transform(duals(q, qd)).R.matrix])
    np.testing.assert_allclose(dR, R @ cross(joint.velocity(q, qd).ang), atol=ROUNDING)


def test_planar_coordinates_are_along_the_parents_axes():
    X = Planar().transform([0.3, -0.2, 1.1])
    np.testing.assert_allclose([*X.p], [0.3, -0.2, 0.0])
    np.testing.assert_allclose(matrix(X.R.matrix)[:2, 0], [math.cos(1.1), math.sin(1.1)])


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Helical, Cylindrical, Rotor])
def test_an_axis_that_is_no_unit_vector_is_refused(kind):
    with pytest.raises(kt.errors.ModelError, match="unit vector"):
        kind(axis=(0.0, 0.0, 2.0))


# -- the laws of spatial values ----------------------------------------------------------------------------------------


def random_rotation(rng: np.random.Generator) -> Rotation:
    """A product of turns and dense factors, some of them not known as numbers so that none are merged."""
    R = Rotation.identity
    for _ in range(rng.integers(1, 4)):
        if rng.random() < 0.7:
            R = Rotation(R.factors + Rotation.about(int(rng.integers(3)), float(rng.normal())).factors)
        else:
            dense = matrix(Revolute(_unit(rng)).transform([float(rng.normal())]).R.matrix).tolist()
            R = Rotation((*R.factors, Dense(Mat3(*map(Vec3.of, dense)))))
    return R


def _unit(rng: np.random.Generator) -> Vec3:
    x = rng.normal(size=3)
    return Vec3(*map(float, x / np.linalg.norm(x)))


def vector(rng: np.random.Generator) -> Vec3:
    return Vec3(*rng.normal(size=3).tolist())


def random_transform(rng: np.random.Generator) -> Transform:
    return Transform(random_rotation(rng), vector(rng))


def symmetric(rng: np.random.Generator) -> Sym3:
    return Sym3(*rng.normal(size=6).tolist())


def homogeneous(X: Transform) -> np.ndarray:
    return np.block([[matrix(X.R.matrix), np.array([[*X.p]]).T], [np.zeros((1, 3)), np.ones((1, 1))]])


def adjoint(X: Transform) -> np.ndarray:
    """The 6 x 6 matrix that takes motions from frame A to B, from X_AB; its transpose takes forces from B to A."""
    Rt = matrix(X.R.matrix).T
    return np.block([[Rt, np.zeros((3, 3))], [-Rt @ cross(X.p), Rt]])


def rigid_matrix(body: RigidInertia) -> np.ndarray:
    C = cross(body.ms)
    return np.block([[matrix(body.J), C], [C.T, body.m * np.eye(3)]])


def articulated_matrix(body: ArticulatedInertia) -> np.ndarray:
    return np.block([[matrix(body.aa), matrix(body.al)], [matrix(body.al).T, matrix(body.ll)]])


@each_draw
def test_rotation_factors_act_as_their_matrix(seed):
    rng = np.random.default_rng(seed)
    R, v, S = random_rotation(rng), vector(rng), symmetric(rng)
    M = Mat3(vector(rng), vector(rng), vector(rng))
    D = matrix(R.matrix)
    np.testing.assert_allclose([*(R @ v)], D @ [*v], atol=ROUNDING)
    np.testing.assert_allclose(matrix(R.T.matrix), D.T, atol=ROUNDING)
    np.testing.assert_allclose(matrix(R.similar(M)), D @ matrix(M) @ D.T, atol=ROUNDING)
    np.testing.assert_allclose(matrix(R.similar_symmetric(S)), D @ matrix(S) @ D.T, atol=ROUNDING)
    other = random_rotation(rng)
    np.testing.assert_allclose(matrix(R.then(other).matrix), D @ matrix(other.matrix), atol=ROUNDING)


@pytest.mark.parametrize("quarters", range(-4, 9))
def test_quarter_turns_have_exact_zeros(quarters):
    for axis in range(3):
        entries = np.abs(matrix(Rotation.about(axis, quarters * math.pi / 2).matrix))
        assert set(entries.ravel().tolist()) <= {0.0, 1.0}


@each_draw
def test_transforms_compose_and_invert_as_homogeneous_matrices(seed):
    rng = np.random.default_rng(seed)
    X, Y = random_transform(rng), random_transform(rng)
    np.testing.assert_allclose(homogeneous(X @ Y), homogeneous(X) @ homogeneous(Y), atol=ROUNDING)
    np.testing.assert_allclose(homogeneous(X.inverse), np.linalg.inv(homogeneous(X)), atol=ROUNDING)


@each_draw
def test_power_is_the_same_in_every_frame(seed):
    rng = np.random.default_rng(seed)
    X, m, f = random_transform(rng), Motion(vector(rng), vector(rng)), Force(vector(rng), vector(rng))
    np.testing.assert_allclose(six(X.motion_to(m)), adjoint(X) @ six(m), atol=ROUNDING)
    np.testing.assert_allclose(six(X.force_from(f)), adjoint(X).T @ six(f), atol=ROUNDING)
    assert X.motion_to(m).dot(f) == pytest.approx(m.dot(X.force_from(f)), abs=10 * ROUNDING)


@each_draw
def test_inertias_seen_through_a_transform_are_congruent(seed):
    """I_A = X^T I_B X for rigid and for articulated bodies."""
    rng = np.random.default_rng(seed)
    X, m = random_transform(rng), Motion(vector(rng), vector(rng))
    rigid = RigidInertia(float(rng.uniform(1, 2)), vector(rng), symmetric(rng))
    general = ArticulatedInertia(symmetric(rng), Mat3(vector(rng), vector(rng), vector(rng)), symmetric(rng))
    A = adjoint(X)
    for body, as_matrix in ((rigid, rigid_matrix), (general, articulated_matrix)):
        I = as_matrix(body)
        np.testing.assert_allclose(six(body @ m), I @ six(m), atol=ROUNDING)
        np.testing.assert_allclose(as_matrix(body.transformed(X)), A.T @ I @ A, atol=10 * ROUNDING)
    np.testing.assert_array_equal(articulated_matrix(ArticulatedInertia.of(rigid)), rigid_matrix(rigid))
    np.testing.assert_allclose(rigid_matrix(rigid + rigid), 2 * rigid_matrix(rigid))


@each_draw
def test_taking_a_product_from_an_articulated_inertia(seed):
    rng = np.random.default_rng(seed)
    body = ArticulatedInertia(symmetric(rng), Mat3(vector(rng), vector(rng), vector(rng)), symmetric(rng))
    u = Force(vector(rng), vector(rng))
    less = articulated_matrix(body) - 0.3 * np.outer(six(u), six(u))
    np.testing.assert_allclose(articulated_matrix(body.minus_product(u * 0.3, u)), less, atol=ROUNDING)


@each_draw
def test_spin_gives_accelerations_of_points_and_moments_of_inertias(seed):
    """U r = wd x r + w x (w x r);  moment = J wd + w x (J w)."""
    rng = np.random.default_rng(seed)
    w, wd = rng.normal(size=(2, 3))
    r, J = vector(rng), symmetric(rng)
    spin = AngularMotion(Vec3(*w.tolist()), Vec3(*wd.tolist()))
    point = np.cross(wd, [*r]) + np.cross(w, np.cross(w, [*r]))
    moment = matrix(J) @ wd + np.cross(w, matrix(J) @ w)
    np.testing.assert_allclose([*(spin @ r)], point, atol=ROUNDING)
    np.testing.assert_allclose([*spin.moment(J)], moment, atol=ROUNDING)


@each_draw
def test_newton_and_euler_are_the_rate_of_momentum(seed):
    """f = d/dt (I v) + v x* (I v) for the velocity (w, 0) and the acceleration (wd, a) of the origin."""
    rng = np.random.default_rng(seed)
    w, wd, a = rng.normal(size=(3, 3))
    body = RigidInertia(float(rng.uniform(1, 2)), vector(rng), symmetric(rng))
    I, v = rigid_matrix(body), np.concatenate([w, np.zeros(3)])
    h = I @ v
    rate = I @ np.concatenate([wd, a]) + np.concatenate([np.cross(w, h[:3]), np.cross(w, h[3:])])
    force = body.newton_euler(AngularMotion(Vec3(*w.tolist()), Vec3(*wd.tolist())), Vec3(*a.tolist()))
    np.testing.assert_allclose(six(force), rate, atol=ROUNDING)


def test_a_dual_number_differentiates():
    """The tool that these tests differentiate with, on a function with a known derivative."""
    from kinetree.scalar import cos, sin

    x = Dual(0.7, 1.0)
    y = (sin(x) * x - 2.0) / cos(-x)
    h = 1e-6
    difference = [((math.sin(t) * t - 2.0) / math.cos(t)) for t in (0.7 - h, 0.7 + h)]
    assert y.dx == pytest.approx((difference[1] - difference[0]) / (2 * h), rel=1e-9)
