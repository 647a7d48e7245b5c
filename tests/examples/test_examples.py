"""Every script in examples/ runs in an empty folder, says what it should, and writes into report/ alone."""

from __future__ import annotations

import os
import re
import runpy
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SOURCES = EXAMPLES.parent / "src"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
ARGUMENTS = {"00_demo.py": ["--states", "20000"], "30_billion_states.py": ["--states", "3e5", "--block", "1e5"]}
EXPECTED = {
    "00_demo.py": ["revolute", "million states per second", "852", "satisfies all constraints", "energy gained"],
    "01_first_robot.py": ["torques to hold it", "mass matrix (2, 2)"],
    "02_batches.py": ["(1000, 6, 6)", "float32", "million states per second"],
    "03_named_parameters.py": ["forearm = 0.4", "payload 4.0 kg"],
    "04_your_own_function.py": ["Lagrange and Newton-Euler agree"],
    "05_floating_base.py": ["10 coordinates, 9 velocities", "momentum changed by"],
    "06_urdf.py": ["cartpole: joints ('slide', 'hinge')", "tip"],
    "07_zoo.py": ["gough_stewart            13   24        6      6         53", "human55", "zoo.svg"],
    "08_derivatives.py": ["gradient along a random direction", "reaction force at the elbow", "always zero at [1]"],
    "09_motors_on_any_link.py": [
        "motor on the base",
        "= gear * spin = 0.01",
        "elastic joints ('joint3',)",
        "energy is conserved",
    ],
    "10_closed_loops.py": ["1 degree of freedom", "361 configurations closed", "full turn", "closed_loops.html"],
    "11_parallel_robot.py": ["driven by leg1_slide", "accelerate the platform as they should", "condition number inf"],
    "12_double_pendulum.py": ["by the elliptic integral", "neighbours part by 1 rad", "double_pendulum.html"],
    "13_satellite.py": ["tumbling for 60 s", "the hull has turned by", "satellite.html"],
    "14_flexible_joint.py": ["stiff spring, rk4", "diverged", "joint 3 settles at 0.2000"],
    "15_hexapod_motion.py": ["24 velocities, 6 loops", "loops are closed to", "sunk by 15 cm", "hexapod.html"],
    "16_control.py": ["largest error [mrad]", "computed torque", "a straight line, motors as they are"],
    "17_mixed_elastic_control.py": ["no reproduction", "V2 falls from", "7 pictures"],
    "18_minimum_time.py": ["0.3923", "at its upper limit", "minimum_time.html"],
    "19_prismatic_revolute.py": ["0.5858   0.7732", "0.6463   0.8531", "snapshots.svg"],
    "20_export.py": [
        "for a Cortex-M7: Stack: ",
        "for ROS 2: rx90_dynamics",
        "differ by",
        "self-test in Python: rx90_inverse_dynamics: 3 states as expected",
        "void weight(const float q[6]",
    ],
    "21_identification.py": [
        "52 base parameters; the motion is (locally) optimal and satisfies all constraints",
        "with the data sheet, 0.1",
        "load on link6: mass 2.",
        "identification.html",
    ],
    "22_walking.py": [
        "iteration 100",
        "satisfies all constraints",
        "330 variables",
        "residual",
        "vertical valley",
        "walking.html",
    ],
    "23_walking_studies.py": ["normal walking", "a backpack of 15 kg", "ankles of 70 % strength", "1.3 m/s"],
    "26_million_arms.py": ["arms, 1000 steps of 1 ms on", "payload 4 to 5 kg", "million_arms.html"],
    "24_asymmetric_walking.py": [
        "iteration 100",
        "satisfies all constraints",
        "468 free variables",
        "moment of knee_flexion",
        "right_leg.csv",
    ],
    "25_jax_rollout.py": ["slope along a random direction", "in the mean, 0.00", "farthest from the goal"],
    "31_measured_walking.py": ["2 of the left leg", "mm from those of the model", "measured_walking.html"],
    "30_billion_states.py": ["300,000 states in 3 blocks: 0.1 GB", "million states per second", "wrist_3_joint"],
    "28_obstacles.py": ["m from post at", "the post has moved by a centimetre", "obstacles.html"],
    "27_pytorch.py": ["a load of 1.50 kg at 0.040", "from standing upright", "swing-up with at most"],
    "29_replanning.py": ["the first plan takes 0.9", "rad of its moved goal after", "plans, median"],
}
NEEDS = {
    "25_jax_rollout.py": "jax",
    "27_pytorch.py": "torch",
    "30_billion_states.py": "distributed",
}  # packages that are extras of their own
PROMISE = re.compile(r"^Takes about \d+ s(, from the second run on \d+ s)?\.$", re.MULTILINE)  # of each docstring
# predictions of half a minute and more
SLOW = {"22_walking.py", "23_walking_studies.py", "24_asymmetric_walking.py", "31_measured_walking.py"}


def environment() -> dict[str, str]:
    paths = [str(SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}


def run(script: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(script), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, encoding="utf-8", timeout=600, check=False
    )


def test_every_example_is_numbered_and_known():
    assert [script.name for script in SCRIPTS] == sorted(EXPECTED)
    assert [int(script.name[:2]) for script in SCRIPTS] == list(range(len(SCRIPTS)))


@pytest.mark.parametrize(
    "script", [pytest.param(x, marks=pytest.mark.slow if x.name in SLOW else (), id=x.stem) for x in SCRIPTS]
)
def test_it_runs_and_says_what_it_should(script, tmp_path):
    if script.name in NEEDS:
        pytest.importorskip(NEEDS[script.name])
    done = run(script, tmp_path, *ARGUMENTS.get(script.name, []))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    for text in (PROMISE.search(script.read_text("utf-8"))[0], *EXPECTED[script.name]):
        assert text in done.stdout
    assert done.stdout.startswith("Takes about")
    assert {path.name for path in tmp_path.iterdir()} <= {"report"}
    assert "\033" not in done.stdout  # colours are for terminals


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder, the output and the report of one run of the demo."""
    folder = tmp_path_factory.mktemp("demo")
    done = run(EXAMPLES / "00_demo.py", folder, "--states", "20000", "--out", "here/it is.html")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout, Path(done.stdout.splitlines()[-1])


def test_the_demo_writes_one_file_and_ends_with_its_path(demo):
    folder, _, path = demo
    assert path.is_absolute()
    assert [p for p in folder.rglob("*") if p.is_file()] == [path]
    assert path.stat().st_size < 1_000_000


def test_the_demo_agrees_with_itself(demo):
    _, output, _ = demo
    error = float(re.search(r"largest error (\S+)", output)[1])
    drift = float(re.search(r"energy gained = work done, to (\S+) of", output)[1])
    violations = [float(x) for x in re.findall(r"violation at 10,000 points (\S+)", output)]
    assert error < 1e-12
    assert drift < 1e-3  # trapezoids over torques with corners
    assert len(violations) == 2
    assert max(violations) < 1e-5


def test_the_compiled_code_is_shorter_than_the_textbook(demo):
    _, output, _ = demo
    textbook, compiled = ([int(x) for x in re.findall(r"  (\d+)", line)] for line in _counts(output))
    assert textbook == [852, 738]
    assert all(a < b / 2 for a, b in zip(compiled, textbook))


def _counts(output: str) -> list[str]:
    lines = output.splitlines()
    start = next(k for k, line in enumerate(lines) if "multiplications" in line)
    return lines[start + 1 : start + 3]


def test_the_report_needs_nothing_else(demo):
    html = demo[2].read_text("utf-8")
    parser = HTMLParser()
    parser.feed(html)
    parser.close()
    assert html.count("<svg") == 7
    assert html.count("<canvas") == 1
    assert not re.search(r"https?://", html.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    assert not re.search(r"""<(link|img|iframe)|\bsrc\s*=|@import|url\(""", html)
    for text in (
        "joint6",
        "arm = kt.Robot.from_dh(rows)",
        "Energy balance",
        "Active constraints",
        "prefers-reduced-motion",
        "prefers-color-scheme: dark",
        "26.2 kg",
    ):
        assert text in html


def test_the_lines_of_the_report_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = runpy.run_path(str(EXAMPLES / "00_demo.py"))
    rows = [kt.DH(**dict(zip(known["COLUMNS"], row))) for row in known["ARM"]]
    given = {"rows": rows, "table": known["TABLE"], "shelf": known["SHELF"], "torques": known["TORQUES"]}
    given |= dict.fromkeys(("q", "qd", "qdd"), np.ones(6))
    exec(known["LINES"], given)
    assert given["tau"].shape == (6,)
    assert given["plan"].ok
    assert (tmp_path / "motion.html").stat().st_size > 10_000


@pytest.mark.parametrize("arguments", [["--states", "0"], ["--states", "many"], ["--nonsense"]])
def test_the_demo_refuses_bad_options(arguments, tmp_path):
    done = run(EXAMPLES / "00_demo.py", tmp_path, *arguments)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_the_demo_says_so_when_it_can_not_write(tmp_path):
    done = run(EXAMPLES / "00_demo.py", tmp_path, "--states", "100", "--out", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("the report could not be written")
    assert len(done.stderr.splitlines()) == 1


def heed_ctrl_c():
    """A process that was started in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT goes to the whole console")
def test_ctrl_c_ends_the_demo_in_one_line(tmp_path):
    command = [sys.executable, "-u", str(EXAMPLES / "00_demo.py"), "--states", "2000000"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    heed = {"preexec_fn": heed_ctrl_c}
    with subprocess.Popen(command, cwd=tmp_path, env=environment(), **pipes, **heed) as process:
        while "checked against" not in process.stdout.readline():
            pass
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "stopped"
    assert list(tmp_path.iterdir()) == []
