"""Hybrid dynamics against Pinocchio and MuJoCo: mass matrix and bias forces are theirs, NumPy solves for the rest.

With the rows of joints whose force is known called f and the others r: M_ff qdd_f = tau_f - h_f - M_fr qdd_r.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from mujoco_model import MujocoModel
from pinocchio_model import PinocchioModel, pin
from strategies import Array, floating, relative_error, states, tree, with_joints

import kinetree as kt
from kinetree.algorithms.base_motion import BaseMotion
from kinetree.algorithms.forward_dynamics import forward_dynamics
from kinetree.algorithms.free_base import free_base_inverse_dynamics
from kinetree.algorithms.hybrid_dynamics import hybrid_dynamics
from kinetree.joints import KINDS
from kinetree.recursions.khalil import khalil_elastic_inverse
from kinetree.recursions.nasser import nasser

# both compute in double precision by other formulas; the mass matrices of the humanoids have conditions of 1e5
AGREEMENT = 1e-10
MUJOCO = 1e-9  # MuJoCo diagonalises the inertias that it reads, by iteration
ARMATURE = 0.03  # kg m^2, that of a geared drive


def by_partition(M: Array, h: Array, given: Array, free: Sequence[int]) -> tuple[Array, Array]:
    """qdd and tau from a mass matrix and bias forces."""
    qdd = given.copy()
    qdd[free] = 0.0
    qdd[free] = np.linalg.solve(M[np.ix_(free, free)], given[free] - h[free] - M[free] @ qdd)
    return qdd, M @ qdd + h


def places(robot: kt.Robot, names: Sequence[str]) -> list[int]:
    return [k for name in names for k in robot.velocities_of(name)]


def some(robot: kt.Robot, seed: int) -> list[str]:
    """About half of the joints."""
    rng = np.random.default_rng([seed, 3])
    return [name for name in robot.joint_names if rng.random() < 0.5]


# -- humanoids on a free base ------------------------------------------------------------------------------------------

HUMANOIDS = {"g1": ("g1_29dof_rev_1_0.urdf", 35), "talos": ("talos_reduced.urdf", 38)}
each_humanoid = pytest.mark.parametrize("name", HUMANOIDS)


@functools.cache
def load(name: str) -> tuple[kt.Robot, PinocchioModel]:
    """The robot without friction, which Pinocchio does not know, with rotors on all joints but the base."""
    file, size = HUMANOIDS[name]
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    path = next(Path(str(f.locate())) for f in files if f.name == file)
    robot = kt.Robot.from_urdf(path, base="floating")
    base, *joints = (dataclasses.replace(b.joint, damping=0.0, coulomb=0.0, mimic=None) for b in robot.bodies)
    robot = with_joints(robot, [base, *(dataclasses.replace(joint, rotor_inertia=ARMATURE) for joint in joints)])
    assert robot.nv == size
    return robot, PinocchioModel.of_file(robot, pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()))


@each_humanoid
def test_the_base_of_a_humanoid_moves_as_the_first_six_rows_say(name: str) -> None:
    """[Khalil2010] (86), (87): A11 V0dot = -(H1 + A12 qdd), and the forces from the other rows; under loads."""
    robot, oracle = load(name)
    s = states(robot, 4)
    for q, qd, qdd, external in zip(s.q, s.qd, s.qdd, s.external):
        M, h = oracle.mass_matrix(q), oracle.inverse_dynamics(q, qd, np.zeros(robot.nv), external)
        accelerations, forces = by_partition(M, h, np.r_[np.zeros(6), qdd[6:]], range(6))
        found = free_base_inverse_dynamics(robot, q.tolist(), qd.tolist(), qdd[6:].tolist(), external.tolist())
        assert relative_error(found, (accelerations[:6], forces[6:])) < AGREEMENT


def test_and_so_it_does_in_compiled_code() -> None:
    robot, oracle = load("g1")
    s = states(robot, 20)
    acceleration, tau = robot.free_base_inverse_dynamics(s.q, s.qd, s.qdd[:, 6:])
    for k, (q, qd, qdd) in enumerate(zip(s.q, s.qd, s.qdd)):
        M, h = oracle.mass_matrix(q), oracle.bias_forces(q, qd)
        expected = by_partition(M, h, np.r_[np.zeros(6), qdd[6:]], range(6))
        assert relative_error((acceleration[k], tau[k]), (expected[0][:6], expected[1][6:])) < AGREEMENT


@each_humanoid
@pytest.mark.parametrize("seed", range(4))
def test_any_joints_of_a_humanoid_may_have_known_forces(name: str, seed: int) -> None:
    robot, oracle = load(name)
    s, known = states(robot, 1, seed), some(robot, seed)
    q, qd, given = s.q[0], s.qd[0], s.qdd[0]
    expected = by_partition(oracle.mass_matrix(q), oracle.bias_forces(q, qd), given, places(robot, known))
    found = hybrid_dynamics(robot, q.tolist(), qd.tolist(), given.tolist(), known)
    assert relative_error(found, expected) < AGREEMENT


# -- random trees ------------------------------------------------------------------------------------------------------


def random_robot(seed: int, on_free_base: bool = False) -> kt.Robot:
    """With rotor inertia, but without friction; Pinocchio's planar joint has its rotors in other axes."""
    kinds = [kind for kind in KINDS if kind != "planar"] if seed % 2 else [*KINDS]
    robot = tree(seed, 3 + seed % 4, kinds, friction=seed % 2 == 1, on_free_base=on_free_base)
    return with_joints(robot, [dataclasses.replace(b.joint, damping=0.0, coulomb=0.0) for b in robot.bodies])


@pytest.mark.parametrize("seed", range(40))
def test_any_joints_of_a_tree_may_have_known_forces(seed: int) -> None:
    robot = random_robot(seed, on_free_base=seed % 3 == 0)
    oracle, s, known = PinocchioModel(robot), states(robot, 1, seed), some(robot, seed)
    q, qd, given, external = s.q[0], s.qd[0], s.qdd[0], s.external[0]
    h = oracle.inverse_dynamics(q, qd, np.zeros(robot.nv), external)
    expected = by_partition(oracle.mass_matrix(q), h, given, places(robot, known))
    found = hybrid_dynamics(robot, q.tolist(), qd.tolist(), given.tolist(), known, external.tolist())
    assert relative_error(found, expected) < AGREEMENT


# -- a base whose motion is prescribed ---------------------------------------------------------------------------------


class OnMovingBase:
    """Pinocchio's floating robot whose base, upright at the origin, is given a velocity and an acceleration."""

    def __init__(self, robot: kt.Robot, velocity: Array, acceleration: Array) -> None:
        self.whole = PinocchioModel(floating(robot))
        self.start, self.v, self.a = np.array([0, 0, 0, 0, 0, 0, 1.0]), velocity, acceleration

    def partition(self, q: Array, qd: Array, external: Array) -> tuple[Array, Array]:
        """The mass matrix of the joints, and the forces that they need without accelerations of their own."""
        q, qd = np.r_[self.start, q], np.r_[self.v, qd]
        still = np.r_[self.a, np.zeros(len(qd) - 6)]
        loads = np.vstack([np.zeros(6), external])
        return self.whole.mass_matrix(q)[6:, 6:], self.whole.inverse_dynamics(q, qd, still, loads)[6:]


@pytest.mark.parametrize("seed", range(20))
def test_a_prescribed_base_is_a_floating_one_that_moves_so(seed: int) -> None:
    robot = random_robot(seed)
    s, known = states(robot, 1, seed), some(robot, seed)
    v, a = np.random.default_rng(seed).normal(size=(2, 6))
    q, qd, given, external = s.q[0], s.qd[0], s.qdd[0], s.external[0]
    M, h = OnMovingBase(robot, v, a).partition(q, qd, external)
    args = q.tolist(), qd.tolist(), given.tolist()
    root = BaseMotion.prescribed(robot, v.tolist(), a.tolist())
    found = hybrid_dynamics(robot, *args, known, external.tolist(), root)
    assert relative_error(found, by_partition(M, h, given, places(robot, known))) < AGREEMENT
    qdd = forward_dynamics(robot, *args, external.tolist(), root)
    assert relative_error(qdd, np.linalg.solve(M, given - h)) < AGREEMENT


@pytest.mark.parametrize("seed", range(10))
def test_nassers_base_is_a_floating_one_that_moves_so(seed: int) -> None:
    """His link 1, which has a prescribed motion and may turn."""
    robot = kt.robots.random_tree(seed, 6)
    s, (v, a) = states(robot, 1, seed), np.random.default_rng(seed).normal(size=(2, 6))
    M, h = OnMovingBase(robot, v, a).partition(s.q[0], s.qd[0], s.external[0])
    args = s.q[0].tolist(), s.qd[0].tolist(), s.qdd[0].tolist(), s.external[0].tolist()
    qdd = nasser(robot, *args, BaseMotion.prescribed(robot, v.tolist(), a.tolist()))
    assert relative_error(qdd, np.linalg.solve(M, s.qdd[0] - h)) < AGREEMENT


# -- springs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_elastic_joints_move_as_in_mujoco(seed: int) -> None:
    """Springs on every second joint, damping and rotors on all; MuJoCo has springs too."""
    rng = np.random.default_rng(seed)
    bare = kt.robots.random_tree(seed, 5, friction=True)
    damped = with_joints(bare, [dataclasses.replace(b.joint, coulomb=0.0) for b in bare.bodies])
    oracle, joints = MujocoModel(damped), [body.joint for body in damped.bodies]
    for i in range(0, 5, 2):
        stiffness, rest = rng.uniform(1, 50), rng.normal()
        joints[i] = dataclasses.replace(joints[i], stiffness=float(stiffness), rest=float(rest))
        oracle.model.jnt_stiffness[oracle.model.joint(joints[i].name).id] = stiffness
        oracle.model.qpos_spring[oracle.q_there[i]] = rest
    robot = with_joints(damped, joints)
    s = states(robot, 1, seed)
    q, qd, given = s.q[0], s.qd[0], s.qdd[0].copy()
    free = places(robot, robot.elastic_joints)
    assert free == [0, 2, 4]
    given[free] = 0.0  # nothing but the spring drives them
    expected = by_partition(oracle.mass_matrix(q), oracle.bias_forces(q, qd), given, free)
    args = q.tolist(), qd.tolist()
    assert relative_error(hybrid_dynamics(robot, *args, given.tolist(), robot.elastic_joints), expected) < MUJOCO
    assert relative_error(khalil_elastic_inverse(robot, *args, given[1::2].tolist()), expected) < MUJOCO
