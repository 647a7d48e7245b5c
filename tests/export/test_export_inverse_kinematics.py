"""Inverse kinematics in C: one call searches until the target is reached, and its self-test says that it does."""

from __future__ import annotations

from pathlib import Path

import languages
import numpy as np
import pytest

import kinetree as kt
from kinetree import tasks
from kinetree.cli import main
from kinetree.errors import InputError


@pytest.mark.parametrize(
    ("name", "frame", "dtype"),
    [("ur5", "tool0", "float64"), ("scara", "link4", "float32"), ("hyq", "lf_foot", "float64")],
)
def test_the_self_test_passes(tmp_path: Path, name: str, frame: str, dtype: str) -> None:
    languages.require("c")
    kt.export.write(
        getattr(kt.robots, name)(), "inverse_kinematics", "c", tmp_path, frame=frame, dtype=dtype, name="ik"
    )
    done = languages.self_test("c", "ik", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_chains_and_several_tasks(tmp_path: Path) -> None:
    languages.require("c")
    chain, arm = kt.ClosedChain(kt.robots.five_bar()), kt.robots.iiwa14()
    several = [tasks.Position("flange"), tasks.Axis("flange", (1, 0, 0)), tasks.CenterOfMass(weight=0.1)]
    kt.export.write(chain, "inverse_kinematics", "c", tmp_path, frame=chain.robot.bodies[-1].name, name="chain")
    kt.export.write(kt.InverseKinematics(arm, several[:2]).function(starts=8), None, "c", tmp_path, name="drill")
    turn = kt.InverseKinematics(arm, [tasks.Orientation("flange"), several[2]])
    kt.export.write(turn.function(limits=False), None, "c", tmp_path, name="turn")
    for name in ("chain", "drill", "turn"):
        done = languages.self_test("c", name, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_named_parameters_are_arguments(tmp_path: Path) -> None:
    languages.require("c")
    rows = [kt.DH(a=kt.parameter("upper"), mass=1.0), kt.DH(a=0.3, mass=1.0)]
    robot = kt.Robot.from_dh(rows, convention="standard", name="arm", strict=False)
    solver = kt.InverseKinematics(robot, tasks.Position("dh2"))
    code = kt.export.code(solver.function(), name="ik", values={"upper": 0.4})
    assert "const double guess[2], double upper, double q[2]" in code.header
    code.write(tmp_path)
    done = languages.self_test("c", "ik", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_code_finds_what_the_robot_finds(tmp_path: Path) -> None:
    languages.require("c")
    robot = kt.robots.panda()
    code = kt.export.code(robot, "inverse_kinematics", frame="tcp", name="ik", test=False)
    function = languages.library([code], tmp_path).ik
    target, guess = robot.pose(robot.random(60, seed=1), "tcp"), 0.5 * (robot.lower + robot.upper)
    target[3, 2, 3], target[4, 0, 3] = 4.0, np.nan
    found = robot.inverse_kinematics("tcp", target, guess)
    for k, pose in enumerate(target):
        q, error, solved = languages.call(function, [pose, guess], [(7,), (2,), (1,)], float)
        assert solved[0] == found.solved[k] == (k not in (3, 4))
        if solved[0]:
            assert (error == 0).all()
            assert np.linalg.norm(robot.pose(q, "tcp") - pose) < 3e-6
            assert ((q >= robot.lower) & (q <= robot.upper)).all()
        else:
            np.testing.assert_allclose(error, found.error[k], rtol=1e-3)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "ur5", "--algorithm", "inverse_kinematics", "--out", str(tmp_path), "--target"]
    (tmp_path / "ur5.json").write_text(kt.robots.ur5().to_json())
    words[1] = str(tmp_path / "ur5.json")
    assert main([*words, "c", "--frame", "tool0"]) == 0
    assert (tmp_path / "ur5_inverse_kinematics_test.c").exists()
    assert main([*words, "c"]) != 0
    assert "inverse_kinematics needs --frame NAME" in capsys.readouterr().err
    assert main([*words, "rust", "--frame", "tool0"]) != 0
    assert "an iteration, which is exported to c and wasm alone" in capsys.readouterr().err


def test_bad_input() -> None:
    robot = kt.robots.ur5()
    with pytest.raises(InputError, match="needs frame="):
        kt.export.code(robot, "inverse_kinematics")
    with pytest.raises(InputError, match="takes no other option"):
        kt.export.code(robot, "inverse_kinematics", frame="tool0", external=True)
    with pytest.raises(InputError, match="preferred configuration is not exported"):
        kt.InverseKinematics(robot, tasks.Pose("tool0"), preferred=robot.neutral).function()
    with pytest.raises(InputError, match="one array for all targets"):
        kt.InverseKinematics(robot, tasks.Pose("tool0")).function(limits=(np.zeros((2, 6)), np.ones((2, 6))))
