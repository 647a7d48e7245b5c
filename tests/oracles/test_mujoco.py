"""Kinetree against MuJoCo, on random trees written as MJCF: hinges, slides, balls and a free base."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from mujoco_model import MujocoModel
from strategies import States, compiled, on_floats, relative_error, states, tree

import kinetree as kt

# MuJoCo diagonalises the inertias that it reads, by iteration
AGREEMENT = 1e-9

KINDS = ("revolute", "prismatic", "spherical", "fixed")


QUANTITIES = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "bias_forces",
    "kinetic_energy",
    "potential_energy",
)


def damped_tree(seed: int) -> kt.Robot:
    """Viscous friction and rotors on every second tree, a free base on every third; MuJoCo's frictionloss differs."""
    robot = tree(seed, 3 + seed % 4, KINDS, friction=seed % 2 == 0, on_free_base=seed % 3 == 0)
    joints = [dataclasses.replace(b.joint, coulomb=0.0) for b in robot.bodies]
    bodies = (dataclasses.replace(b, joint=joint) for b, joint in zip(robot.bodies, joints))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def disagreements(robot: kt.Robot, f, s: States, quantities=QUANTITIES) -> dict[str, float]:
    oracle, errors = MujocoModel(robot), {}
    for quantity in quantities:
        count = {"mass_matrix": 1, "potential_energy": 1, "bias_forces": 2, "kinetic_energy": 2}.get(quantity, 3)
        args = (s.q, s.qd, s.qdd)[:count]
        theirs = np.array([getattr(oracle, quantity)(*row) for row in zip(*args)])
        errors[quantity] = relative_error(f(quantity, *args), theirs)
    for body in robot.bodies:
        errors[body.name] = relative_error(f("pose", s.q, frame=body.name), [oracle.pose(q, body.name) for q in s.q])
    return {quantity: error for quantity, error in errors.items() if not error < AGREEMENT}


@pytest.mark.parametrize("seed", range(40))
def test_tree_agrees_with_mujoco(seed):
    robot = damped_tree(seed)
    assert disagreements(robot, on_floats(robot), states(robot, 3, seed)) == {}


@pytest.mark.parametrize("seed", range(0, 40, 13))
def test_compiled_tree_agrees_with_mujoco(seed):
    robot = damped_tree(seed)
    assert disagreements(robot, compiled(robot), states(robot, 9, seed)) == {}
