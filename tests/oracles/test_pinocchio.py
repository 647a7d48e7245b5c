"""Kinetree against Pinocchio: every quantity, on robots from URDF files and on random trees with every joint.

Real robots and every tenth tree run as compiled code; the other trees run the same algorithms on Python's floats.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from pinocchio_model import PinocchioModel, pin
from pinocchio_robots import ROBOTS, load
from strategies import Evaluate, States, compiled, on_floats, relative_error, states, tree

import kinetree as kt
from kinetree.joints import KINDS, Planar, Universal

# both compute in double precision by other formulas; the mass matrix of G1 has condition 1e5
AGREEMENT = 1e-11

QUANTITIES = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",),
    "bias_forces": ("q", "qd"),
    "gravity_forces": ("q",),
    "joint_wrenches": ("q", "qd", "qdd"),
    "kinetic_energy": ("q", "qd"),
    "potential_energy": ("q",),
    "center_of_mass": ("q",),
    "centroidal_momentum": ("q", "qd"),
    "centroidal_momentum_matrix": ("q",),
}
LOADED = ("inverse_dynamics", "forward_dynamics", "joint_wrenches")


def disagreement(oracle: PinocchioModel, f: Evaluate, s: States, quantity: str, loaded: bool = False) -> float:
    """The relative error of a quantity over all states."""
    inputs = {"q": s.q, "qd": s.qd, "qdd": s.qdd, "tau": 10 * s.qdd}
    args = [inputs[name] for name in QUANTITIES[quantity]]
    ours = f(quantity, *args, external=s.external if loaded else None)
    rows = zip(*args, s.external) if loaded else zip(*args)
    theirs = np.array([getattr(oracle, quantity)(*row) for row in rows])
    if quantity == "joint_wrenches":
        ours = ours[:, oracle.moving]
    if quantity == "potential_energy":  # each has a zero of its own
        ours, theirs = ours - ours[0], theirs - theirs[0]
    return relative_error(ours, theirs.reshape(ours.shape))


def disagreement_of_frame(oracle: PinocchioModel, f: Evaluate, s: States, frame: str) -> float:
    """The largest of the relative errors of the quantities of a frame."""
    motion = s.q, s.qd, s.qdd
    needs = {"pose": 1, "jacobian": 1, "frame_velocity": 2, "jacobian_rate": 2, "frame_acceleration": 3}
    if any(isinstance(body.joint.kind, Universal) for body in oracle.robot.bodies):
        del needs["jacobian_rate"]  # Pinocchio 4.1 leaves out the rate of S; see test_frame_motion.py
    errors = []
    for quantity, count in needs.items():
        theirs = [getattr(oracle, quantity)(*row, frame) for row in zip(*motion[:count])]
        errors.append(relative_error(f(quantity, *motion[:count], frame=frame), np.array(theirs)))
    return max(errors)


# -- robots from files -------------------------------------------------------------------------------------------------

each_robot = pytest.mark.parametrize("name", list(ROBOTS))


@each_robot
@pytest.mark.parametrize("quantity", list(QUANTITIES))
def test_robot_agrees_with_pinocchio(name, quantity):
    robot, oracle = load(name)
    assert disagreement(oracle, compiled(robot), states(robot, 50), quantity) < AGREEMENT


@each_robot
@pytest.mark.parametrize("quantity", LOADED)
def test_robot_under_external_loads_agrees_with_pinocchio(name, quantity):
    robot, oracle = load(name)
    assert disagreement(oracle, compiled(robot), states(robot, 50), quantity, loaded=True) < AGREEMENT


@each_robot
def test_tip_of_robot_agrees_with_pinocchio(name):
    robot, oracle = load(name)
    assert disagreement_of_frame(oracle, compiled(robot), states(robot, 50), ROBOTS[name][2]) < AGREEMENT


@pytest.mark.parametrize("name", ["ur5", "panda", "talos"])  # on a free joint, Pinocchio's is another matrix
def test_coriolis_matrix_of_robot_agrees_with_pinocchio(name):
    robot, oracle = load(name)
    s = states(robot, 20)
    theirs = [
        pin.computeCoriolisMatrix(oracle.model, oracle.data, oracle.q(q), oracle.A(q) @ qd) for q, qd in zip(s.q, s.qd)
    ]
    A = np.array([oracle.A(q) for q in s.q])
    assert relative_error(robot.coriolis_matrix(s.q, s.qd), A.mT @ np.array(theirs) @ A) < AGREEMENT


@each_robot
def test_every_link_of_robot_agrees_with_pinocchio(name):
    robot, oracle = load(name)
    links = [f.name for f in oracle.model.frames if f.type == pin.FrameType.BODY and f.name in robot.frames]
    assert len(links) >= robot.nbodies
    for link in links:
        assert disagreement_of_frame(oracle, on_floats(robot), states(robot, 2), link) < AGREEMENT


# -- random trees ------------------------------------------------------------------------------------------------------


def oracle_tree(seed: int) -> kt.Robot:
    """Three to six joints of any kind; rotors, but for planar joints, on every third."""
    robot = tree(seed, 3 + seed % 4, friction=seed % 3 == 0, on_free_base=seed % 5 == 0)
    bodies = []
    for body in robot.bodies:
        rotor = 0.0 if isinstance(body.joint.kind, Planar) else body.joint.rotor_inertia
        joint = dataclasses.replace(body.joint, damping=0.0, coulomb=0.0, rotor_inertia=rotor)
        bodies.append(dataclasses.replace(body, joint=joint))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def test_the_trees_have_every_kind_of_joint_many_times():
    kinds = [type(b.joint.kind) for seed in range(200) for b in oracle_tree(seed).bodies]
    assert all(kinds.count(kind) > 50 for kind in KINDS.values())


@pytest.mark.parametrize("seed", range(200))
def test_tree_agrees_with_pinocchio(seed):
    robot = oracle_tree(seed)
    oracle, f, s = PinocchioModel(robot), on_floats(robot), states(robot, 3, seed)
    errors = {quantity: disagreement(oracle, f, s, quantity) for quantity in QUANTITIES}
    errors |= {f"{quantity}, loaded": disagreement(oracle, f, s, quantity, loaded=True) for quantity in LOADED}
    errors |= {f"frame {b.name}": disagreement_of_frame(oracle, f, s, b.name) for b in robot.bodies}
    assert {k: e for k, e in errors.items() if not e < AGREEMENT} == {}


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_compiled_tree_agrees_with_pinocchio(seed):
    robot = oracle_tree(seed)
    oracle, f, s = PinocchioModel(robot), compiled(robot), states(robot, 20, seed)
    errors = {q: disagreement(oracle, f, s, q) for q in ("inverse_dynamics", "forward_dynamics", "mass_matrix")}
    assert {k: e for k, e in errors.items() if not e < AGREEMENT} == {}
