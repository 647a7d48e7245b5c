"""``kinetree gait``: a walker in, a gait out; and nothing written where constraints are violated."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

from kinetree.cli import main
from kinetree.gait import Gait, Step
from kinetree.nlp import Termination
from kinetree.plan.plan import Plan
from kinetree.plan.status import PlanStatus

WORST = "moment of L_knee_flexion is 210 at 0.1 s, allowed: -203 to 109"
NORMS = "percent,hip mean,hip sd\n" + "".join(f"{p},{30 - p},5\n" for p in range(0, 101, 10))


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What the search is asked for; it answers with a body that glides, of the status that is set."""
    monkeypatch.chdir(tmp_path)
    calls = {"status": PlanStatus.OPTIMAL}

    def predict(speed=1.2, length=None, walker=None, *, symmetric, callback, progress, time_limit=240.0, **task):
        calls["symmetric"], calls["time_limit"] = symmetric, time_limit
        if calls.get("signal"):
            signal.raise_signal(signal.SIGINT)
        calls["goes on"] = callback(0, 0.25, 1.0)
        task |= {} if length is None else {"length": length}
        step = Step(walker, speed, **task)
        calls["step"] = step
        points = np.linspace(np.zeros(walker.robot.nv), np.full(walker.robot.nv, 0.2), step.control_points)
        plan = Plan(walker.robot, step.spline, points, step.duration, calls["status"], 0.2503, 8e-4, 120,
                    14.2, worst=WORST, constraints=tuple(step.problem().constraints),
                    termination=calls.get("termination", Termination.CONVERGED))  # fmt: skip
        return Gait(step, plan)

    monkeypatch.setattr("kinetree.gait.predict", predict)
    return calls


def test_every_option_reaches_the_step(asked):
    words = "--speed 1.1 --step 0.55 --mass 61 --stature 1.68 --sex female --width 0.12 --points 7 --active 38"
    loads = "--backpack 8 --left-hand 2 --right-hand 0 --weaken knee=0.5 --weaken L_ankle=0.9 --time-limit 30"
    assert main(["gait", *words.split(), *loads.split()]) == 0
    step, walker = asked["step"], asked["step"].walker
    assert (step.speed, step.length, step.width, step.control_points) == (1.1, 0.55, 0.12, 7)
    assert (walker.mass, walker.stature, walker.sex, walker.robot.nv) == (61.0, 1.68, "female", 38)
    assert walker.loads == {"backpack": 8.0, "left hand": 2.0}
    assert walker.strength == {"knee": 0.5, "L_ankle": 0.9}
    assert asked["time_limit"] == 30.0


@pytest.mark.parametrize("words", ["--left-hand 4", "--weaken R_ankle=0.6", "--left-hand 4 --right-hand 2"])
def test_sides_that_differ_are_remarked_on_unless_they_may(asked, capsys, words):
    assert main(["gait", *words.split()]) == 0
    assert asked["symmetric"]
    assert "give --asymmetric" in capsys.readouterr().err
    assert main(["gait", *words.split(), "--asymmetric"]) == 0
    assert not asked["symmetric"]
    assert capsys.readouterr().err == ""
    assert main(["gait", "--left-hand", "2", "--right-hand", "2", "--weaken", "knee=0.9"]) == 0
    assert capsys.readouterr().err == ""


def test_without_options_it_is_the_body_of_the_tables(asked):
    assert main(["gait"]) == 0
    assert (asked["step"].speed, asked["step"].formulation) == (1.2, "natural")
    assert (asked["step"].walker.mass, asked["step"].walker.stature) == (73.0, 1.741)


def test_what_people_read(asked, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    given = "--formulation thesis --mass 80 --backpack 5 --weaken knee=0.5"
    assert main(["gait", *given.split()]) == 0
    out = capsys.readouterr().out
    for wanted in ("satisfies all constraints", "80 kg", "backpack 5 kg", "knee at 50%", "330, of which 216 are free",
                   "joint angles", "924", "first vertical peak", "effort     0.2503", WORST[:20]):  # fmt: skip
        assert wanted in out, wanted
    assert "toe clearance in mid-swing" in out


def test_files_are_written_and_named_in_the_json(asked, capsys, tmp_path):
    (tmp_path / "norms.csv").write_text(NORMS)
    files = "--save out/gait.json --csv out/stride.csv --report out/gait.html"
    assert main(["gait", "--norms", "norms.csv", "--json", *files.split()]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert found["effort"] == 0.2503
    assert found["counts"]["free variables"] == asked["step"].control_points * 36
    assert {x["name"]: x["goal"] for x in found["realism"]}["correlation of hip angle"] == "at least 0.95"
    assert found["stopped"] == ""
    assert {k: v.rsplit("/", 1)[1] for k, v in found["outputs"].items()} == {
        "save": "gait.json", "csv": "stride.csv", "report": "gait.html",
    }  # fmt: skip
    assert Gait.load(found["outputs"]["save"]).step == asked["step"]
    assert (tmp_path / "out" / "stride.csv").read_text().startswith("percent,hip angle [deg]")
    assert "correlation of hip angle" in (tmp_path / "out" / "gait.html").read_text("utf-8")


FILES = "--save g.json --csv s.csv --report g.html --mot m.mot --grf f.sto --trc t.trc"


def test_the_best_motion_so_far_is_written_and_says_what_it_is(asked, capsys, tmp_path):
    asked["status"], asked["termination"] = PlanStatus.NOT_FOUND, Termination.USER_STOP
    assert main(["gait", *FILES.split()]) == 1
    out = capsys.readouterr().out
    assert WORST in out
    assert "at the time limit; this is the best motion so far" in out
    assert "vertical peak" not in out  # a walker that does not walk is not measured
    assert len([*tmp_path.iterdir()]) == 6
    again = Gait.load(tmp_path / "g.json")
    assert (again.status, again.plan.termination) == (PlanStatus.NOT_FOUND, Termination.USER_STOP)
    assert "This is no prediction" in (tmp_path / "g.html").read_text("utf-8")
    for name in ("s.csv", "m.mot", "f.sto"):
        assert "no prediction" in (tmp_path / name).read_text(), name
    assert main(["gait", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["worst"], found["realism"], found["stopped"]) == (False, WORST, [], "time limit")


@pytest.mark.parametrize("status", [PlanStatus.FEASIBLE, PlanStatus.NOT_FOUND])
def test_ctrl_c_writes_what_there_is_and_says_so_in_the_exit_status(asked, capsys, tmp_path, status):
    asked["status"], asked["termination"], asked["signal"] = status, Termination.USER_STOP, True
    assert main(["gait", *FILES.split()]) == 130
    assert asked["goes on"] is False
    assert "by Ctrl-C; this is the best motion so far" in capsys.readouterr().out
    assert len([*tmp_path.iterdir()]) == 6


def test_a_solver_that_left_no_numbers_writes_nothing(asked, tmp_path):
    asked["status"], asked["termination"] = PlanStatus.FAILED, Termination.EVALUATION_ERROR
    assert main(["gait", *FILES.split()]) == 1
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("--weaken knee", 2, "is not like knee=0.5"),
        ("--weaken knees=0.5", 3, "knees"),
        ("--weaken knee=-1", 3, "positive number"),
        ("--active 40", 2, "invalid choice"),
        ("--backpack -3", 3, "a mass in kg"),
        ("--mass 0", 3, "0"),
        ("--norms missing.csv", 3, "missing.csv"),
        ("--mot walk.csv", 3, "ends in .mot or .sto"),
        ("--csv same --report same", 3, "would write the same file"),
        ("--report no/such\0file", 3, "can't be written"),
        ("--save /proc/gait.json", 3, "not a plain file"),
    ],
)
def test_bad_words_are_refused_before_any_search(asked, capsys, words, status, message):
    assert main(["gait", *words.split()]) == status
    assert message in capsys.readouterr().err
    assert "step" not in asked


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--step 2", "no leg of"),
        ("--speed 9", "walking ends at"),
        ("--speed 0", "pos"),
        ("--speed 0.05", "people walk with 30 to 200"),
        ("--stature 1.8 --mass 12", "nobody of 1.8 m has a mass of 12 kg"),
        ("--weaken ankle=0.02", "nobody walks: give it"),
        ("--time-limit 0", "a positive number of seconds"),
        ("--time-limit nan", "a positive number of seconds"),
    ],
)
def test_steps_that_no_leg_can_take_are_refused(capsys, words, message):
    assert main(["gait", *words.split()]) == 3
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_a_step_is_predicted_and_saved(capsys, tmp_path):
    path = tmp_path / "gait.json"
    assert (
        main(["gait", "--speed", "1.2", "--step", "0.6", "--mass", "73", "--stature", "1.74", "--save", str(path)]) == 0
    )
    assert "satisfies all constraints" in capsys.readouterr().out
    assert Gait.load(path).violation <= 1e-3
