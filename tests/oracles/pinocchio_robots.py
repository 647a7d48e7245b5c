"""Real robots from URDF files, as Kinetree and as Pinocchio read them."""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
from pathlib import Path

import pytest
from pinocchio_model import PinocchioModel, pin

import kinetree as kt

ROBOTS = {  # file, base, a frame at the end of a limb, number of degrees of freedom
    "ur5": ("ur5_robot.urdf", "fixed", "tool0", 6),
    "panda": ("panda.urdf", "fixed", "panda_hand_tcp", 9),
    "talos": ("talos_reduced.urdf", "fixed", "gripper_left_fingertip_1_link", 32),
    "g1": ("g1_29dof_rev_1_0.urdf", "floating", "left_rubber_hand", 35),
}


@functools.cache
def load(name: str) -> tuple[kt.Robot, PinocchioModel]:
    """The robot without friction, which Pinocchio does not know, and Pinocchio's own reading of the file."""
    file, base, _, size = ROBOTS[name]
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    path = next(Path(str(f.locate())) for f in files if f.name == file)
    robot = kt.Robot.from_urdf(path, base=base)
    # Panda's second finger is a joint of its own in both
    still = (dataclasses.replace(b.joint, damping=0.0, coulomb=0.0, mimic=None) for b in robot.bodies)
    bodies = tuple(dataclasses.replace(b, joint=joint) for b, joint in zip(robot.bodies, still))
    robot = dataclasses.replace(robot, bodies=bodies)
    assert robot.nv == size
    root = [pin.JointModelFreeFlyer()] if base == "floating" else []
    return robot, PinocchioModel.of_file(robot, pin.buildModelFromUrdf(str(path), *root))
