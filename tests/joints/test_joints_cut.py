"""What a joint must say to be cut: the way back from a pose to its coordinates, and the wrenches that it transmits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from strategies import random_kind

import kinetree as kt
from kinetree.errors import ModelError
from kinetree.graph import differentiate
from kinetree.graph.interpret import evaluate
from kinetree.graph.node import Graph
from kinetree.joints import (
    KINDS,
    Cylindrical,
    Free,
    Helical,
    JointKind,
    Prismatic,
    Revolute,
    Rotor,
    Spherical,
    Universal,
)
from kinetree.joints.axis import X_AXIS, Y_AXIS, Z_AXIS, across
from kinetree.scalar import Scalar
from kinetree.spatial.matrix3 import Mat3
from kinetree.spatial.motion import Force, Motion
from kinetree.spatial.rotation import Dense, Rotation
from kinetree.spatial.transform import Transform
from kinetree.spatial.vec3 import Vec3

Array = np.ndarray

ROUNDING = 1e-14  # a few dozen operations on numbers of size one, each rounded to 1.1e-16
STEEP = 20 * ROUNDING  # derivatives divide by the sine between the axes of a universal joint, squared; it is above 0.4
SAMPLES = 20
NEAR = 1e-4  # m, rad: so far from the joint's own poses
BOUND = 20.0  # coordinates and poses answer a step of the pose by at most this factor: 1 / 0.4^2, with a margin
TURN = 2 * math.pi

every_kind = pytest.mark.parametrize("name", list(KINDS))
with_coordinates = pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.nq])


def samples(name: str, seed: int = 20) -> Iterator[tuple[JointKind, list[float]]]:
    """Joints of one kind at any coordinates; angles reach from -pi to pi, quaternions have w >= 0."""
    rng = np.random.default_rng(seed)
    for _ in range(SAMPLES):
        joint = random_kind(name, rng)
        q = rng.uniform(-math.pi, math.pi, joint.nq)
        if joint.quaternion is not None:
            part = q[joint.quaternion : joint.quaternion + 4]
            part *= math.copysign(1.0, part[3]) / np.linalg.norm(part)
        yield joint, q.tolist()


def columns(values: Sequence[Motion] | Sequence[Force]) -> Array:
    return np.array([[*v.ang, *v.lin] for v in values], float).reshape(-1, 6)


def homogeneous(X: Transform) -> Array:
    return np.array([[*row, p] for row, p in zip(X.R.matrix, X.p)])


def dense(X: Transform) -> Transform:
    """The same pose by its matrix, as a loop finds it."""
    return Transform(Rotation((Dense(X.R.matrix),)), X.p)


def pose_of(numbers: Sequence[Any]) -> Transform:
    """From the nine numbers of a matrix, then three of a position."""
    return Transform(Rotation((Dense(Mat3(*(Vec3.of(numbers[k : k + 3]) for k in (0, 3, 6)))),)), Vec3.of(numbers[9:]))


def twelve(X: Transform) -> list[float]:
    return [*(x for row in X.R.matrix for x in row), *X.p]


# -- the wrenches that it transmits ------------------------------------------------------------------------------------


@every_kind
def test_what_a_joint_transmits_does_no_work_on_its_motion(name: str) -> None:
    """T . S = 0."""
    for joint, q in samples(name):
        S, T = columns(joint.subspace(q)), columns(joint.constraint_wrenches(q))
        assert T.shape == (6 - joint.nv, 6)
        assert np.abs(T @ S.T).max(initial=0.0) < ROUNDING


@every_kind
def test_motion_and_transmitted_wrenches_fill_the_space(name: str) -> None:
    for joint, q in samples(name):
        both = np.vstack([columns(joint.subspace(q)), columns(joint.constraint_wrenches(q))])
        assert np.linalg.svd(both, compute_uv=False)[-1] > 0.05


@every_kind
def test_transmitted_wrenches_are_orthonormal(name: str) -> None:
    for joint, q in samples(name):
        T = columns(joint.constraint_wrenches(q))
        if isinstance(joint, Helical):  # its last one is a unit force with the moment -pitch
            T[-1] /= math.hypot(1.0, joint.pitch)
        np.testing.assert_allclose(T @ T.T, np.eye(6 - joint.nv), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Cylindrical, Helical, Rotor])
def test_along_a_coordinate_axis_they_are_coordinate_vectors(kind: type[Any]) -> None:
    for axis in (X_AXIS, Y_AXIS, Z_AXIS, -X_AXIS, -Y_AXIS, -Z_AXIS):
        T = columns(kind(axis).constraint_wrenches([0.3, 0.4]))
        assert {*np.abs(T).ravel().tolist()} == {0.0, 1.0}
        assert (np.abs(T).sum(axis=1) == 1.0).all()


@every_kind
def test_they_are_numbers_unless_they_depend_on_the_coordinates(name: str) -> None:
    graph = Graph()
    for joint, _ in samples(name):
        q = [graph.input("q", k) for k in range(joint.nq)]
        traced = [x for T in joint.constraint_wrenches(q) for x in (*T.ang, *T.lin) if isinstance(x, Scalar)]
        assert len(traced) <= (3 if isinstance(joint, Universal) else 0)


def test_the_cross_of_a_universal_joint_turns_with_the_second_angle_alone() -> None:
    graph = Graph()
    q = [graph.input("q", k) for k in range(2)]
    for first, second in itertools.permutations((X_AXIS, Y_AXIS, Z_AXIS), 2):
        moment, *forces = Universal(first, second).constraint_wrenches(q)
        along = [x for x, s in zip(moment.ang, second) if s]
        assert along == [0.0], "no moment about the second axis, and known while tracing"
        assert sum(isinstance(x, Scalar) for x in moment.ang) == 2
        np.testing.assert_array_equal(columns(forces), np.eye(6)[3:])
    assert {node.value[1] for node in graph.nodes if node.op == "input"} == {0, 1}
    assert not any(q[0] in node.args for node in graph.nodes)


def test_a_force_along_a_screw_comes_with_the_moment_that_holds_it() -> None:
    T = Helical(pitch=0.25).constraint_wrenches([0.7])[-1]
    assert [*T.ang, *T.lin] == [0.0, 0.0, -0.25, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-8, 1e-3, 0.5])
@pytest.mark.parametrize("pole", [1.0, -1.0])
def test_vectors_across_an_axis_are_found_next_to_the_poles_too(tilt: float, pole: float) -> None:
    for direction in np.linspace(0.0, TURN, 7):
        a = Vec3(math.sin(tilt) * math.cos(direction), math.sin(tilt) * math.sin(direction), pole * math.cos(tilt))
        frame = np.array([[*v] for v in (a, *across(a))])
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), rtol=0, atol=ROUNDING)


def test_a_universal_joint_with_parallel_axes_transmits_nothing_that_is_known() -> None:
    with pytest.raises(ModelError, match="parallel"):
        Universal(X_AXIS, X_AXIS).constraint_wrenches([0.1, 0.2])


# -- from a pose to the coordinates ------------------------------------------------------------------------------------


@every_kind
def test_coordinates_undo_the_transform(name: str) -> None:
    for joint, q in samples(name):
        X = joint.transform(q)
        for pose in (X, dense(X)):
            np.testing.assert_allclose(joint.coordinates(pose), q, rtol=0, atol=ROUNDING)


@every_kind
def test_the_transform_undoes_coordinates(name: str) -> None:
    """Also beyond one turn, where angles come back less whole turns."""
    rng = np.random.default_rng(4)
    for joint, q in samples(name):
        X = joint.transform([x + float(rng.integers(-2, 3)) * TURN for x in q])
        again = joint.transform(joint.coordinates(dense(X)))
        np.testing.assert_allclose(homogeneous(again), homogeneous(X), rtol=0, atol=10 * ROUNDING)


@pytest.mark.parametrize("offset", [0.0, 0.3, math.pi / 2, -math.pi, 2.5])
@pytest.mark.parametrize("angle", [0.0, 1e-9, math.pi / 2, -math.pi / 2, 3.0, math.pi - 1e-9, 1e-9 - math.pi])
def test_an_angle_is_found_all_around_whatever_the_offset(offset: float, angle: float) -> None:
    for axis in (Z_AXIS, -Y_AXIS, Vec3(0.6, 0.0, -0.8)):
        joint = Revolute(axis, offset)
        (found,) = joint.coordinates(joint.transform([angle]))
        assert abs(found - angle) < ROUNDING


def test_half_a_turn_is_pi_or_its_negative() -> None:
    for kind, k in ((Revolute(), 0), (Cylindrical(), 0), (Universal(), 0), (Universal(), 1)):
        q = [0.0] * kind.nq
        q[k] = math.pi
        assert abs(kind.coordinates(kind.transform(q))[k]) == pytest.approx(math.pi, abs=ROUNDING)


def test_a_screw_knows_how_often_it_has_turned() -> None:
    for pitch in (0.25, -0.01, 1e-6):
        joint = Helical(Vec3(0.6, 0.0, -0.8), pitch)
        for angle in (-20.0, -3.3, 0.4, 3.3, 100.0):
            (found,) = joint.coordinates(joint.transform([angle]))
            assert found == pytest.approx(angle, rel=ROUNDING)
    assert Helical().coordinates(Helical().transform([7.0]))[0] == pytest.approx(7.0 - TURN, abs=ROUNDING)


@pytest.mark.parametrize("gear", [50.0, -7.0])
def test_a_rotor_behind_a_gear_is_known_within_half_a_turn_of_the_body(gear: float) -> None:
    joint, turn = Rotor(Vec3(0.6, 0.0, -0.8), gear), TURN / abs(gear)
    for part in (-0.49, -0.1, 0.0, 0.3, 0.49):
        (found,) = joint.coordinates(joint.transform([part * turn]))
        assert abs(found - part * turn) < ROUNDING
        (again,) = joint.coordinates(joint.transform([(part + 3.0) * turn]))
        assert abs(again - part * turn) < ROUNDING


def test_quaternions_of_the_turns_of_a_cube_are_exact_enough() -> None:
    """Among them those with w = 0, and those where several components are equally large."""
    quarters = [Rotation.about(k, n * math.pi / 2) for k in range(3) for n in range(4)]
    for one, other in itertools.product(quarters, repeat=2):
        R = one.then(other)
        q = Spherical().coordinates(Transform(R))
        assert math.hypot(*q) == pytest.approx(1.0, abs=ROUNDING)
        assert q[3] >= 0.0
        again = Spherical().transform(q)
        np.testing.assert_allclose(homogeneous(again), homogeneous(Transform(R)), rtol=0, atol=ROUNDING)


@every_kind
def test_a_pose_nearby_has_coordinates_nearby(name: str) -> None:
    """A step of the pose that the joint can't make moves the coordinates, and the pose they give, no farther."""
    for joint, q in samples(name):
        q = [0.9 * x if joint.quaternion is None else x for x in q]  # away from half turns, where angles jump
        for step in np.eye(6).tolist():
            aside = Free().transform([*(NEAR * x for x in step[3:]), *(NEAR / 2 * x for x in step[:3]), 1.0])
            X = joint.transform(q) @ aside
            found = joint.coordinates(X)
            assert np.abs(np.subtract(found, q)).max(initial=0.0) < BOUND * NEAR
            assert np.abs(homogeneous(joint.transform(found)) - homogeneous(X)).max() < BOUND * NEAR


# -- traced ------------------------------------------------------------------------------------------------------------


@with_coordinates
def test_traced_coordinates_have_the_derivatives_of_the_inverse(name: str) -> None:
    """d coordinates(transform(q)) / dq = 1, or 1 - q q^T for a unit quaternion; no branch leaks a NaN into it."""
    for joint, q in samples(name):
        graph = Graph()
        x = [graph.input("q", k) for k in range(joint.nq)]
        there = [*joint.coordinates(joint.transform(x))]
        slopes = [value for row in differentiate.jacobian(there, x) for value in row]
        values = evaluate([graph.node(y) for y in (*there, *slopes)], {"q": np.array(q)})
        expected = np.eye(joint.nq)
        if (start := joint.quaternion) is not None:
            part = np.array(q[start : start + 4])
            expected[start:, start:] -= np.outer(part, part)
        np.testing.assert_allclose(values[: joint.nq], q, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(np.reshape(values[joint.nq :], expected.shape), expected, rtol=0, atol=STEEP)


def test_compiled_they_are_what_they_are_on_floats() -> None:
    kinds = (
        Revolute(Vec3(0.6, 0.0, -0.8), 0.3),
        Universal(X_AXIS, Vec3(0.6, 0.8, 0.0)),
        Spherical(),
        Helical(pitch=0.2),
    )

    def both(pose: Sequence[Any]) -> list[Any]:
        found: list[Any] = []
        for kind in kinds:
            q = kind.coordinates(pose_of(pose))
            found += [*q, *(x for T in kind.constraint_wrenches(q) for x in (*T.ang, *T.lin))]
        return found

    rng = np.random.default_rng(8)
    poses = np.array([twelve(Free().transform(rng.normal(size=7).tolist())) for _ in range(50)])
    on_floats = np.array([both(pose.tolist()) for pose in poses])
    native = kt.compile(both, signature=f"(12)->({on_floats.shape[1]})")
    np.testing.assert_allclose(native(poses), on_floats, rtol=0, atol=10 * ROUNDING)


def test_an_axis_may_be_a_parameter() -> None:
    graph = Graph()
    axis = Vec3(*(graph.input("axis", k) for k in range(3)))
    kinds = Revolute(axis), Cylindrical(axis), Helical(axis, 0.3), Prismatic(axis), Universal(X_AXIS, axis)
    for seed, numbers in enumerate(np.random.default_rng(2).normal(size=(8, 3))):
        unit = numbers / np.linalg.norm(numbers)
        for joint in kinds:
            q = np.random.default_rng(seed).uniform(-3, 3, joint.nq).tolist()
            there = [*joint.coordinates(joint.transform(q))]
            work = [s.dot(T) for s in joint.subspace(q) for T in joint.constraint_wrenches(q)]
            values = evaluate([graph.node(x) for x in (*there, *work)], {"axis": unit})
            assert np.allclose(values, [*q, *[0.0] * len(work)], rtol=0, atol=STEEP)


@pytest.mark.parametrize("pitch", [0.0, -0.2])
def test_a_pitch_may_be_a_parameter_and_zero(pitch: float) -> None:
    graph = Graph()
    joint = Helical(Z_AXIS, graph.input("pitch"))
    (found,) = joint.coordinates(joint.transform([2.5]))
    work = [joint.subspace([2.5])[0].dot(T) for T in joint.constraint_wrenches([2.5])]
    values = evaluate([graph.node(x) for x in (found, *work)], {"pitch": np.array([pitch])})
    assert np.allclose(values, [2.5, 0, 0, 0, 0, 0], rtol=0, atol=ROUNDING)


# -- kinds of other people ---------------------------------------------------------------------------------------------


def test_a_kind_that_can_not_be_cut_says_what_it_lacks() -> None:
    @dataclass(frozen=True)
    class Silent(JointKind):
        nq = nv = 1

        def transform(self, q: Sequence[Any]) -> Transform:
            return Transform(p=Vec3(q[0], 0.0, 0.0))

        def subspace(self, q: Sequence[Any]) -> tuple[Motion, ...]:
            return (Motion(Vec3.zero, X_AXIS),)

    with pytest.raises(
        ModelError, match=r"Silent does not say its coordinates.*give it coordinates\(\) and constraint_wrenches\(\)"
    ):
        Silent().coordinates(Transform.identity)
    with pytest.raises(
        ModelError, match=r"Silent does not say which wrenches.*give it coordinates\(\) and constraint_wrenches\(\)"
    ):
        Silent().constraint_wrenches([0.0])
