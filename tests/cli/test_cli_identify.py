"""``kinetree identify``: measurements in, parameters out; a motion to measure; and errors in one line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import main
from kinetree.identify import Data, excite
from kinetree.spatial.vec3 import Vec3

LOAD = 0.5  # kg
CLOSE = 0.02  # relative: 1 percent of noise, thousands of samples


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A robot file, and files of what was measured on it, on another motion, and with a load."""
    made = tmp_path_factory.mktemp("measured")
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    (made / "arm.json").write_text(arm.to_json())
    limits = kt.Limits(-0.5, 0.5)  # about where the arm is level
    bodies = tuple(replace(body, joint=replace(body.joint, limits=limits)) for body in arm.bodies)
    (made / "held.json").write_text(replace(arm, bodies=bodies).to_json())
    swing = excite(arm, 5.0, harmonics=3, velocity_limits=4.0, starts=1)
    swing.simulated(500.0).to_csv(made / "data.csv")
    excite(arm, 4.0, harmonics=3, velocity_limits=3.0, seed=4, starts=1).simulated(500.0, seed=2).to_csv(
        made / "other.csv"
    )
    loaded = arm.attach(kt.Inertia(LOAD, (0.1, 0.0, 0.0)), "link2")
    swing.simulated(500.0, robot=loaded, seed=3).to_csv(made / "loaded.csv")
    return made


@pytest.fixture
def run(folder, monkeypatch, tmp_path):
    """Run the command in an empty folder, with the names of the measured files made paths."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> int:
        known = {path.name: str(path) for path in folder.iterdir()}
        return main(["identify", *(known.get(word, word) for word in words)])

    return command


def test_a_table_of_parameters(run, capsys):
    assert run("arm.json", "data.csv", "--validate", "other.csv") == 0
    out = capsys.readouterr().out
    for text in ("link1.ZZR", "Parameters, intervals of 95 %", "of another motion", "joint2", "Dropped"):
        assert text in out


def test_everything_as_json(run, capsys):
    assert run("arm.json", "data.csv", "--validate", "other.csv", "--payload", "loaded.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    base = kt.identify.base_parameters(arm)
    values = {p["name"]: p for p in found["parameters"]}
    for name, value in zip(base.names, base.values()):
        if value:
            assert values[name]["value"] == pytest.approx(value, rel=CLOSE)
            assert values[name]["lower"] < values[name]["value"] < values[name]["upper"]
    assert found["validation"]["relative"] < CLOSE
    assert found["payload"]["mass"] == pytest.approx(LOAD, rel=CLOSE)
    assert found["unidentifiable"] == []
    assert found["outputs"] == {}


def test_files_are_written_and_read_again(run, tmp_path, capsys):
    options = ("--report", "new/report.html", "--save", "new.json", "--physical", "--method", "wls")
    assert run("arm.json", "data.csv", *options) == 0
    assert "link2.MX" in (tmp_path / "new" / "report.html").read_text("utf-8")
    fitted = kt.Robot.from_json(tmp_path / "new.json")
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 2))
    wanted = arm.inverse_dynamics(q, qd, qdd)
    assert np.abs(fitted.inverse_dynamics(q, qd, qdd) - wanted).max() < CLOSE * np.abs(wanted).max()
    assert str(tmp_path / "new.json") in capsys.readouterr().out
    # a robot file is not replaced without being told
    assert run("arm.json", "data.csv", "--save", "new.json") == 3
    assert "exists already; give --force" in capsys.readouterr().err


def test_several_files_are_fitted_together(run, capsys):
    assert run("arm.json", "data.csv", "--json") == 0
    one = json.loads(capsys.readouterr().out)
    assert run("arm.json", "data.csv", "other.csv", "--json") == 0
    both = json.loads(capsys.readouterr().out)
    assert both["samples"] > one["samples"]


def test_a_motion_to_measure(run, tmp_path, capsys):
    limits = ("--velocity-limits", "4,5", "--force-limits", "12", "--duration", "4", "--harmonics", "3")
    assert run("arm.json", "--excite", "swing.csv", *limits, "--rate", "50", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert found["condition"] < 20.0
    table = np.loadtxt(tmp_path / "swing.csv", delimiter=",", skiprows=1)
    assert table.shape == (4 * 50 + 1, 1 + 3 * 2)
    assert np.abs(table[:, 3:5]).max(axis=0) == pytest.approx([4.0, 5.0], rel=0.2)
    assert (np.abs(table[:, 3:5]) <= [4.0, 5.0]).all()


def test_no_motion_within_the_limits_is_status_one_and_writes_nothing(run, tmp_path, capsys):
    assert (
        run("held.json", "--excite", "swing.csv", "--force-limits", "0.5", "--duration", "4", "--harmonics", "2") == 1
    )
    assert "force of joint1 is" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_data_that_does_not_show_everything_is_status_one_and_says_what(run, tmp_path, capsys):
    """The first joint does not move: what it would show of its own can't be seen."""
    t, still = np.arange(600) / 200.0, np.zeros(600)
    q = np.stack([still + 0.3, np.sin(2.0 * t) + 0.5 * np.sin(5.0 * t)], axis=1)
    qd = np.stack([still, 2.0 * np.cos(2.0 * t) + 2.5 * np.cos(5.0 * t)], axis=1)
    qdd = np.stack([still, -4.0 * np.sin(2.0 * t) - 12.5 * np.sin(5.0 * t)], axis=1)
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.01 * np.random.default_rng(0).normal(size=(600, 2))
    Data(t, q, tau, joints=("joint1", "joint2")).to_csv(tmp_path / "still.csv")
    assert run("arm.json", "still.csv") == 1
    out = capsys.readouterr().out
    assert "Not identifiable" in out
    assert "link1.ZZR" in out


def spoilt(text: str, how: str) -> str:
    lines = text.splitlines()
    if how == "columns":
        lines[0] = lines[0].replace("tau.joint2", "torque_b")
    elif how == "missing":
        lines[200] = lines[200].rsplit(",", 1)[0] + ","
    elif how == "gap":
        del lines[300:420]
    elif how == "short":
        del lines[6:]
    elif how == "words":
        lines[9] = lines[9].replace(",", ",a", 1)
    elif how == "back":
        lines[50], lines[51] = lines[51], lines[50]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("columns", "the columns tau.joint2 are wanted"),
        ("missing", "missing or not numbers"),
        ("gap", "samples are missing between"),
        ("short", "samples are too few"),
        ("words", "is not a number"),
        ("back", "times must rise"),
    ],
)
def test_bad_measurements_are_status_three_and_one_line(run, folder, tmp_path, capsys, how, message):
    (tmp_path / "bad.csv").write_text(spoilt((folder / "data.csv").read_text(), how))
    assert run("arm.json", "bad.csv") == 3
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("kinetree: ")
    assert len(error.splitlines()) == 1


def test_missing_samples_can_be_filled(run, folder, tmp_path, capsys):
    (tmp_path / "gap.csv").write_text(spoilt((folder / "data.csv").read_text(), "missing"))
    assert run("arm.json", "gap.csv", "--fill", "--json") == 0
    assert json.loads(capsys.readouterr().out)["residuals"]["relative"] < CLOSE


def test_wrong_units_are_a_note(run, folder, tmp_path, capsys):
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    data = Data.from_csv(folder / "data.csv", arm)
    Data(data.t, data.q, 1000.0 * data.forces, joints=data.joints).to_csv(tmp_path / "millimetres.csv")
    assert run("arm.json", "millimetres.csv") == 0
    assert "in N mm?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["arm.json"], "give the measurements DATA.csv"),
        (["arm.json", "data.csv", "--excite", "x.csv"], "or --excite OUT.csv"),
        (["arm.json", "data.csv", "--method", "guess"], "invalid choice"),
        (["arm.json", "data.csv", "--save", "robot.stl"], "end it in .urdf or .json"),
        (["arm.json", "--excite", "x.csv", "--velocity-limits", "fast"], "is not like 2.5"),
        (["arm.json", "data.csv", "--set", "a"], "is not like length=1.5"),
        (["arm.json", "data.csv", "--body", "link2"], "give --payload LOADED.csv too"),
        (["arm.json", "--excite", "x.csv", "--body", "link2"], "give --payload LOADED.csv too"),
        (
            ["arm.json", "--excite", "x.csv", "--report", "r.html", "--validate", "data.csv"],
            "--validate, --report: for",
        ),
    ],
)
def test_wrong_usage_is_status_two(run, capsys, words, message):
    assert run(*words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["arm.json", "nowhere.csv"], "can't be read"),
        (["nothing.json", "data.csv"], "nothing.json"),
        (["arm.json", "data.csv", "--include", "colour"], "colour"),
        (["arm.json", "data.csv", "--set", "length=1"], "length"),
        (["arm.json", "data.csv", "--save", "no/where/robot.json"], "make it first"),
        (["arm.json", "data.csv", "--report", "."], "is a folder"),
        (["arm.json", "data.csv", "--payload", "loaded.csv", "--body", "hand"], "hand"),
        (["arm.json", "--excite", "x.csv"], "nothing bounds the velocity"),
        (["arm.json", "--excite", ".", "--velocity-limits", "3", "--duration", "2", "--harmonics", "2"], "is a folder"),
    ],
)
def test_what_can_not_be_done_is_status_three(run, capsys, words, message):
    assert run(*words) == 3
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_symbols_without_values_are_named(run, tmp_path, capsys):
    arm = kt.Robot.from_dh([kt.DH(mass=1.0), kt.DH(a=kt.parameter("reach"), mass=1.0)], "modified")
    (tmp_path / "open.json").write_text(arm.to_json())
    assert run("open.json", "data.csv") == 3
    assert "reach" in capsys.readouterr().err
    assert run("open.json", "--excite", "x.csv", "--velocity-limits", "3") == 3
    assert "reach" in capsys.readouterr().err
    few = ("--velocity-limits", "3", "--duration", "3", "--harmonics", "2", "--include", "inertia")
    assert run("open.json", "--excite", "x.csv", *few, "--set", "reach=0.4") == 0


def test_a_closed_chain_gets_its_open_symbols_before_its_loops_are_looked_at(run, tmp_path, capsys):
    bar = kt.robots.four_bar()
    (pin,) = bar.loops
    place = replace(pin.successor.pose, p=Vec3(-kt.parameter("reach"), 0.0, 0.36))
    opened = replace(bar, loops=(replace(pin, successor=replace(pin.successor, pose=place)),))
    (tmp_path / "open.json").write_text(opened.to_json())
    (tmp_path / "bar.json").write_text(bar.to_json())
    motion = ("--velocity-limits", "3", "--duration", "3", "--harmonics", "2", "--include", "inertia")
    assert run("open.json", "--excite", "swing.csv", *motion) == 3
    assert "reach" in capsys.readouterr().err
    assert run("open.json", "--excite", "swing.csv", *motion, "--set", "reach=0.15") == 0
    excite(kt.ClosedChain(bar), 4.0, harmonics=3, velocity_limits=6.0, starts=1).simulated(200.0).to_csv("crank.csv")
    capsys.readouterr()
    found = []
    for words in (["bar.json"], ["open.json", "--set", "reach=0.15"]):
        assert run(words[0], "crank.csv", "--include", "inertia", "--json", *words[1:]) in (0, 1)
        found.append([p["value"] for p in json.loads(capsys.readouterr().out)["parameters"]])
    assert found[0] == pytest.approx(found[1], rel=1e-6)  # 0.15 is the number of the model but for rounding
    assert run("open.json", "crank.csv", "--set", "reach=nan") == 3
    assert "must be a finite number" in capsys.readouterr().err


def refuse_to_work(*_, **__):
    raise AssertionError("work began before all names were looked at")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["data.csv", "--report", "arm"], "is a folder"),
        (["data.csv", "--report", "file/r.html"], "is not a folder"),
        (["data.csv", "--report", "a" * 300], "too long"),
        (["data.csv", "--save", "arm/arm.json"], "is a folder"),
        (["data.csv", "--save", "nowhere/arm.json"], "make it first"),
        (["--excite", "arm", "--velocity-limits", "3"], "is a folder"),
        (["--excite", "file/x.csv", "--velocity-limits", "3"], "is not a folder"),
        (["--excite", "", "--velocity-limits", "3"], "is empty"),
    ],
)
def test_names_of_outputs_are_looked_at_before_the_work(run, tmp_path, capsys, monkeypatch, words, message):
    (tmp_path / "arm" / "arm.json").mkdir(parents=True)
    (tmp_path / "file").write_bytes(b"")
    for name in ("fit", "excite", "prepare"):
        monkeypatch.setattr(kt.identify, name, refuse_to_work)
    monkeypatch.setattr("kinetree.cli.source.read", refuse_to_work)
    assert run("arm.json", *words) == 3
    assert message in capsys.readouterr().err


def test_all_measurements_are_read_before_the_fit(run, capsys, monkeypatch):
    monkeypatch.setattr(kt.identify, "fit", refuse_to_work)
    for option in ("--validate", "--payload"):
        assert run("arm.json", "data.csv", option, "nowhere.csv") == 3
        assert "nowhere.csv can't be read" in capsys.readouterr().err
