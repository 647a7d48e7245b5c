"""``kinetree plan``: a task file in, a motion out; and what is wrong with a task said in one line."""

from __future__ import annotations

import json

import pytest

import kinetree as kt
from kinetree.cli import main

TASK = """
robot = "zoo:two_link"
control_points = 12
[start]
q = [0.0, -2.0]
[end]
q = [1.0, -1.0]
[limits]
force = 10.0
"""
SLIDER = """<robot name="slider"><link name="rail"/>
  <link name="cart"><inertial><mass value="2.0"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="1.5" velocity="1.0" effort="8.0"/></joint></robot>"""
# from rest to rest over 1 m with 4 m/s^2, at most 1 m/s: half a second at either end and half a second at full speed
CRUISE = 1.25
DISCRETE = 0.03  # s; 20 control points round the corners


@pytest.fixture
def task(tmp_path, monkeypatch):
    """Write a task into an empty folder, and run it."""
    monkeypatch.chdir(tmp_path)

    def run(text: str, *options: str) -> int:
        (tmp_path / "task.toml").write_text(text)
        return main(["plan", "task.toml", *options])

    return run


def test_a_task_in_eight_lines(task, capsys):
    assert task(TASK) == 0
    out = capsys.readouterr().out
    assert "satisfies all constraints" in out
    assert "force of joint2" in out
    assert "under computed torque, largest error" in out


def test_everything_as_json(task, capsys):
    assert task(TASK, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert found["status"] == "optimal"
    assert found["duration"] == pytest.approx(0.395, abs=2e-3)
    assert found["duration"] == found["cost"]
    assert found["outputs"] == {}
    assert {x["name"] for x in found["active"]} == {"force of joint1", "force of joint2"}


def test_the_plan_and_the_report_are_written(task, tmp_path, capsys):
    assert task('report = "out/it.html"\nplan = "out/it.json"\n' + TASK) == 0
    assert str(tmp_path / "out" / "it.html") in capsys.readouterr().out
    assert kt.plan.Plan.load(tmp_path / "out" / "it.json").ok
    assert "Tracking error" in (tmp_path / "out" / "it.html").read_text("utf-8")
    assert task(TASK, "--plan", "other.json", "--report", "other.html") == 0
    assert {p.name for p in tmp_path.iterdir()} == {"task.toml", "out", "other.json", "other.html"}


def test_names_of_outputs_are_looked_at_before_the_search(task, tmp_path, capsys, monkeypatch):
    def search(*_, **__):
        raise AssertionError("the search began before all names were looked at")

    monkeypatch.setattr(kt.plan.Problem, "solve", search)
    (tmp_path / "file").write_bytes(b"")
    for words in (["--plan", "."], ["--report", "."], ["--report", "file/it.html"], ["--plan", "x" * 300]):
        assert task(TASK, *words) == 3
    assert task('report = "task.toml/it.html"\n' + TASK) == 3
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 5
    assert [e.split(": ")[1][:9] for e in errors[:2]] == [". is a fo"] * 2
    assert {p.name for p in tmp_path.iterdir()} == {"task.toml", "file"}


def test_limits_of_the_model_and_a_robot_beside_the_task(task, tmp_path, capsys):
    (tmp_path / "slider.urdf").write_text(SLIDER)
    text = """
        robot = "slider.urdf"
        simulate = false
        start.q = [0.0]
        end.q = [1.0]
        limits = { force = "model", velocity = "model", position = "model" }
    """
    assert task(text, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert CRUISE <= found["duration"] < CRUISE + DISCRETE
    assert found["tracking_error"] is None
    assert {(x["name"], x["bound"]) for x in found["active"]} == {
        ("velocity of slide", 1.0), ("force of slide", 8.0), ("force of slide", -8.0)}  # fmt: skip


def test_costs_vias_durations_and_limits_with_names(task, capsys):
    text = (
        TASK.replace("robot =", "duration = [0.5, 2.0]\nminimise = { time = 1.0, effort = 0.01 }\nrobot =")
        + """
        [[via]]
        at = 0.5
        what = "frame_position"
        frame = "dh2"
        value = [0.5, 0.1, 0.0]
        [[limit]]
        what = "reaction"
        body = "link2"
        bound = 40.0
        [simulate]
        kp = 900
        kd = 60
        """
    )
    assert task(text, "--json", "--plan", "plan.json") == 0
    found = json.loads(capsys.readouterr().out)
    plan = kt.plan.Plan.load("plan.json")
    assert plan.robot.pose(plan.motion(plan.duration / 2)[0], "dh2")[:2, 3] == pytest.approx([0.5, 0.1], abs=1e-5)
    assert 0.5 <= found["duration"] <= 2.0
    assert len(plan.constraints) == 2


def test_limits_that_no_motion_keeps_are_status_one_and_write_nothing(task, tmp_path, capsys):
    assert task('duration = 0.1\nplan = "plan.json"\n' + TASK) == 1
    assert "no motion nearby satisfies all constraints" in capsys.readouterr().out
    assert [p.name for p in tmp_path.iterdir()] == ["task.toml"]


WRONG = {
    "nonsense = ": "not readable as TOML",
    TASK.replace("[start]", "[begin]"): "there is no key 'begin'",
    TASK.replace('robot = "zoo:two_link"', ""): "there is no 'robot'",
    TASK.replace("zoo:two_link", "zoo:two_links"): "robot: there is no built-in robot 'two_links'; did you mean",
    TASK.replace("zoo:two_link", "arm.urdf"): "robot: there is no file",
    TASK.replace('"zoo:two_link"', "3"): "robot: expected a robot file",
    TASK.replace("q = [0.0, -2.0]", "q = [0.0, -2.0, 1.0]"): "start: position has 2 numbers",
    TASK.replace("q = [0.0, -2.0]", 'q = "home"'): "start.q: expected finite numbers",
    TASK.replace("q = [0.0, -2.0]", "q = [nan, -2.0]"): "start.q: expected finite numbers",
    TASK.replace("q = [0.0, -2.0]", "qd = [0.0, -2.0]"): "start: there is no q",
    TASK.replace("= 12", "= 2"): "need",
    TASK.replace("= 12", "= 12.5"): "the number of control points is an integer",
    TASK.replace("force = 10.0", "forces = 10.0"): "limits: there is no quantity 'forces'; did you mean 'force'?",
    TASK.replace("force = 10.0", "force = -10.0"): "limits.force: a bound on force must be above 0",
    TASK.replace("force = 10.0", "force = true"): "limits.force: expected finite numbers",
    TASK.replace("force = 10.0", "force = { least = 1 }"): "limits.force: there is no key 'least'",
    TASK.replace("force = 10.0", 'jerk = "model"'): "limits.jerk: models have limits of position, velocity and force",
    TASK.replace("force = 10.0", 'force = "model"'): "limits.force: the model has no limits of force",
    "minimise = 'speed'\n" + TASK: "minimise: there is no cost 'speed'",
    "minimise = { time = 'much' }\n" + TASK: "minimise: time: expected finite numbers",
    "duration = 0\n" + TASK: "duration: a duration is a positive number",
    "duration = [1, 2, 3]\n" + TASK: "duration: one number of seconds",
    "report = '../up.html'\n" + TASK: "report: '../up.html' is not in the folder of the task",
    "report = '/tmp/up.html'\n" + TASK: "is not in the folder of the task",
    "plan = 'plan.html'\n" + TASK: "plan: expected the name of a .json file",
    "simulate = { kq = 1 }\n" + TASK: "simulate: there is no key 'kq'",
    TASK + "[[limit]]\nwhat = 'reaction'\nbody = 'elbow'\nbound = 1": "limit: there is no body 'elbow'",
    TASK + "[[limit]]\nwhat = 'colour'\nbound = 1": "limit.what: there is no quantity 'colour'",
    TASK + "[[via]]\nwhat = 'position'\nvalue = 0": "via: there is no at",
    TASK + "[[via]]\nat = 2\nwhat = 'position'\nvalue = 0": "via: a point of a motion is between s = 0 and 1",
    TASK + "[via]\nat = 0.5": "via: expected [[via]] tables",
}


@pytest.mark.parametrize("text", WRONG, ids=WRONG.values())
def test_what_is_wrong_with_a_task_is_one_line(text, task, tmp_path, capsys):
    assert task(text) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kinetree: task.toml: ")
    assert WRONG[text] in err
    assert len(err.splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["task.toml"]


def test_usage_and_missing_files(task, capsys):
    assert main(["plan"]) == 2
    assert main(["plan", "nothing.toml"]) == 3
    assert "there is no file" in capsys.readouterr().err
