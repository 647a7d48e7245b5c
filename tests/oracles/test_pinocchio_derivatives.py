"""The sensitivities against Pinocchio's: on real robots, fixed and floating, and on random trees.

Where v' = A v with a constant A, the derivatives convert as d tau/dx = A^T d tau'/dx' A, those of forward dynamics as
d qdd/dx = A^-1 d qdd'/dx' A and Minv = A^-1 Minv' A^-T. That holds for every kind of
joint but the planar one, whose velocities are in other axes there. Universal joints are left out too: their axes move,
which Pinocchio's derivatives do not count. Dual numbers check both in `test_robot_derivatives`.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from pinocchio_model import PinocchioModel, pin
from pinocchio_robots import load
from strategies import States, compiled, on_floats, relative_error, states, tree

import kinetree as kt
from kinetree.joints import KINDS

AGREEMENT = 1e-10
# forward dynamics loses the digits of the condition of M on both sides
SOLVED = 1e-9


def theirs(oracle: PinocchioModel, name: str, s: States) -> tuple[np.ndarray, ...]:
    """The three derivatives of a batch, in Kinetree's conventions."""
    model, data, rows = oracle.model, oracle.data, []
    for q, v, x in zip(s.q, s.qd, s.qdd):
        A = oracle.A(q)
        if name == "inverse_dynamics_derivatives":
            pin.computeRNEADerivatives(model, data, oracle.q(q), A @ v, A @ x)
            M = np.triu(data.M) + np.triu(data.M, 1).T
            rows.append([A.T @ m @ A for m in (data.dtau_dq, data.dtau_dv, M)])
        else:
            back = np.linalg.inv(A)
            pin.computeABADerivatives(model, data, oracle.q(q), A @ v, back.T @ x)
            Minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
            rows.append([back @ data.ddq_dq @ A, back @ data.ddq_dv @ A, back @ Minv @ back.T])
    return tuple(np.array(column) for column in zip(*rows))


NAMES = {"inverse_dynamics_derivatives": AGREEMENT, "forward_dynamics_derivatives": SOLVED}
each_name = pytest.mark.parametrize("name", list(NAMES))


@each_name
@pytest.mark.parametrize("robot", ["ur5", "panda", "talos", "g1"])
def test_derivatives_of_robots_agree_with_pinocchio(name: str, robot: str) -> None:
    ours, oracle = load(robot)
    s = states(ours, 10)
    assert relative_error(compiled(ours)(name, s.q, s.qd, s.qdd), theirs(oracle, name, s)) < NAMES[name]


def oracle_tree(seed: int, *but: str) -> kt.Robot:
    kinds = [kind for kind in KINDS if kind not in ("planar", "universal", *but)]
    robot = tree(seed, 3 + seed % 4, kinds, friction=seed % 3 == 0, on_free_base=seed % 5 == 0)
    joints = (dataclasses.replace(b.joint, damping=0.0, coulomb=0.0) for b in robot.bodies)
    bodies = tuple(dataclasses.replace(b, joint=joint) for b, joint in zip(robot.bodies, joints))
    return dataclasses.replace(robot, bodies=bodies)


@each_name
@pytest.mark.parametrize("seed", range(100))
def test_derivatives_of_trees_agree_with_pinocchio(name: str, seed: int) -> None:
    robot = oracle_tree(seed)
    if robot.nv == 0:
        return
    s = states(robot, 2, seed)
    assert (
        relative_error(on_floats(robot)(name, s.q, s.qd, s.qdd), theirs(PinocchioModel(robot), name, s)) < NAMES[name]
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_regressor_of_trees_agrees_with_pinocchio(seed: int) -> None:
    """Their ten parameters of a body: m, m c, and xx, xy, yy, xz, yz, zz. Rotors and fixed bodies have no columns."""
    robot = oracle_tree(seed, "fixed")
    oracle, s = PinocchioModel(robot), states(robot, 3, seed)
    Y = on_floats(robot)("regressor", s.q, s.qd, s.qdd)
    order = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]  # xx, yy, zz, xy, xz, yz among theirs
    for ours, q, v, a in zip(Y, s.q, s.qd, s.qdd):
        A = oracle.A(q)
        found = A.T @ pin.computeJointTorqueRegressor(oracle.model, oracle.data, oracle.q(q), A @ v, A @ a)
        for i in range(robot.nbodies):
            start = 10 * (oracle.joint[i] - 1)
            block = found[:, start : start + 10][:, order]
            assert relative_error(ours[:, 10 * i : 10 * i + 10], block) < AGREEMENT
