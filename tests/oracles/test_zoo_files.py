"""The typed robots against Pinocchio's own reading of the files that their numbers are from."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pinocchio_model import PinocchioModel, pin
from strategies import relative_error, states

import kinetree as kt

AGREEMENT = 1e-10  # both compute in double precision by other formulas
ROUNDED = 1e-9  # rad: the files write quarter turns with twelve digits

FILES = {  # file, and frames at the ends of limbs: there, here
    "ur5": ("ur5_robot.urdf", {"tool0": "tool0"}),
    "ur10": ("ur10_robot.urdf", {"tool0": "tool0"}),
    "panda": ("panda.urdf", {"panda_link8": "flange", "panda_hand": "hand", "panda_hand_tcp": "tcp"}),
    "hyq": ("hyq_no_sensors.urdf", {f"{leg}_foot": f"{leg}_foot" for leg in ("lf", "rf", "lh", "rh")}),
}


@pytest.fixture(params=FILES)
def pair(request: pytest.FixtureRequest) -> tuple[kt.Robot, PinocchioModel]:
    """The typed robot, and Pinocchio's model of the file in its coordinates."""
    robot, model = getattr(kt.robots, request.param)(), _model(FILES[request.param][0])
    held = [k for k, name in enumerate(model.names) if k and name not in (*robot.joint_names, "root_joint")]
    return robot, PinocchioModel.of_file(robot, pin.buildReducedModel(model, held, pin.neutral(model)))


def _model(file: str) -> Any:
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    text = next(Path(str(f.locate())) for f in files if f.name == file).read_text()
    if file.startswith("hyq"):  # feet and base have bodies of a milligram there, whose inertia no body can have
        return pin.buildModelFromXML(text.replace('"1e-6"', '"0"'), pin.JointModelFreeFlyer())
    return pin.buildModelFromXML(text)


def test_dynamics_are_those_of_the_file(pair: tuple[kt.Robot, PinocchioModel]) -> None:
    robot, there = pair
    s = states(robot, 4)
    M, tau = robot.mass_matrix(s.q), robot.inverse_dynamics(s.q, s.qd, s.qdd)
    for k, (q, qd, qdd) in enumerate(zip(s.q, s.qd, s.qdd)):
        assert relative_error(M[k], there.mass_matrix(q)) < AGREEMENT
        assert relative_error(tau[k], there.inverse_dynamics(q, qd, qdd)) < AGREEMENT


def test_limits_and_frames_are_those_of_the_file(pair: tuple[kt.Robot, PinocchioModel]) -> None:
    robot, there = pair
    for body in robot.bodies:
        if body.joint.actuated:
            k, limits = there.model.getJointId(body.joint.name), body.joint.limits
            q, v = there.model.joints[k].idx_q, there.model.joints[k].idx_v
            model = there.model
            theirs = model.lowerPositionLimit[q], model.upperPositionLimit[q], model.velocityLimit[v]
            ours = limits.lower, limits.upper, limits.velocity, limits.effort
            assert ours == pytest.approx((*theirs, model.effortLimit[v]), abs=ROUNDED)
    for q in states(robot, 2).q:
        for frame, name in FILES[robot.name][1].items():
            assert np.allclose(robot.pose(q, name), there.pose(q, frame), rtol=0, atol=ROUNDED)
