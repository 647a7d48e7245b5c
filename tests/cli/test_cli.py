"""The command line: what it prints, what it writes, and with which status it ends."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import kinetree as kt
from kinetree.cli import bench, main, source, terminal
from kinetree.cli.info import facts
from kinetree.cli.info.report import report
from kinetree.cli.info.tree import branches
from kinetree.cli.numbers import formula
from kinetree.cli.source import Source
from kinetree.joints import Fixed, Helical, Prismatic, Revolute, Spherical
from kinetree.parameter import substitute

SOURCES = Path(__file__).resolve().parents[2] / "src"
WIDTHS = (40, 60, 80, 97, 120, 200)

GRIPPER = """<robot name="gripper">
  <link name="palm"/>
  <link name="left"><inertial><origin xyz="0 0 0.02"/><mass value="0.125"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="4e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 0 0.02"/><mass value="0.125"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="4e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="slide_left" type="prismatic"><parent link="palm"/><child link="left"/>
    <origin xyz="0 0.01 0.05"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="0.2" effort="70"/><dynamics damping="0.3"/></joint>
  <joint name="slide_right" type="prismatic"><parent link="palm"/><child link="right"/>
    <origin xyz="0 -0.01 0.05"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" velocity="0.2" effort="70"/><mimic joint="slide_left"/></joint>
  <joint name="left_tip" type="fixed"><parent link="left"/><child link="tip"/>
    <origin xyz="0 0 0.04" rpy="0 0 1.5707963267948966"/></joint>
</robot>
"""

SHOWN_AT_80 = """\
gripper
  file     gripper.urdf
  format   URDF
  freedom  nq 1, nv 1, 2 bodies, fixed base
  mass     0.25 kg
  gravity  0 0 -9.81 m/s^2

Tree
  world
  ├─ left    slide_left (prismatic)
  └─ right   slide_right (prismatic)

Joints [rad or m, N m or N]
  joint        type       axis  parent  body
  ───────────  ─────────  ────  ──────  ─────
  slide_left   prismatic  y     world   left
  slide_right  prismatic  -y    world   right

  joint        lower  upper  velocity  effort  damping  notes
  ───────────  ─────  ─────  ────────  ──────  ───────  ────────────
  slide_left       0   0.04       0.2      70      0.3
  slide_right      0   0.04       0.2      70           = slide_left

Bodies
  body   mass [kg]  com x [m]  y     z
  ─────  ─────────  ─────────  ─  ────
  left       0.125          0  0  0.02
  right      0.125          0  0  0.02

Frames
  frame  body   x [m]  y     z  roll [rad]  pitch    yaw
  ─────  ─────  ─────  ─  ────  ──────────  ─────  ─────
  palm   world      0  0     0
  tip    left       0  0  0.04           0      0  1.571

Findings
  none
"""


def everything() -> kt.Robot:
    """A robot with all that a file may hold."""
    m = kt.parameter("m_load", 2.0)
    spring = {"stiffness": 5.0, "rest": 0.25, "actuated": False}
    bodies = (
        kt.Body("boom", kt.Joint("swing", Revolute(offset=0.5), gear_ratio=100.0), kt.Inertia(1.5)),
        kt.Body(
            "screw", kt.Joint("drive", Helical((0.6, 0, 0.8), 0.01), rotor_inertia=0.25), kt.Inertia(1.0 + m), "boom"
        ),
        kt.Body("ball", kt.Joint("socket", Spherical(), damping=(1.0, 2.0, 3.0)), kt.Inertia(0.5), "screw"),
        kt.Body("mast", kt.Joint("lift", Prismatic((1, 0, 0)), **spring), kt.Inertia(kt.parameter("m_mast"))),
        kt.Body("slave", kt.Joint("follow", Prismatic(), mimic=kt.Mimic("lift", -2.0, 0.5)), kt.Inertia(1.0), "mast"),
    )
    ends = kt.Frame("ball", kt.Transform(p=(0.1, 0.0, 0.0))), kt.Frame("mast")
    return kt.Robot(
        bodies,
        "everything",
        loops=(kt.Loop("closure", Fixed(), *ends),),
        couplings=(kt.Coupling("drive", "swing", (0.0, 2.0, 0.5)),),
    )


SHOWN_IN_ASCII = """\
everything
  file     x.json
  format   JSON
  freedom  nq 7, nv 6, 5 bodies, fixed base
  mass     4 + m_load + m_mast kg
  gravity  0 0 -9.81 m/s^2

Tree
  world
  |- boom         swing (revolute)
  |  `- screw     drive (helical)
  |     `- ball   socket (spherical)
  `- mast         lift (prismatic)
     `- slave     follow (prismatic)

Joints [rad or m, N m or N]
  joint   type       axis         parent  body
  ------  ---------  -----------  ------  -----
  swing   revolute   z            world   boom
  drive   helical    (0.6 0 0.8)  boom    screw
  socket  spherical               screw   ball
  lift    prismatic  x            world   mast
  follow  prismatic  z            mast    slave

  joint   damping  rotor  notes
  ------  -------  -----  ------------------------------
  swing                   offset 0.5, gear 100
  drive             0.25  pitch 0.01
  socket    1 2 3
  lift                    not actuated, spring 5 at 0.25
  follow                  = -2 lift + 0.5

Bodies
  body    mass [kg]  com x [m]  y  z
  -----  ----------  ---------  -  -
  boom          1.5          0  0  0
  screw  1 + m_load          0  0  0
  ball          0.5          0  0  0
  mast       m_mast          0  0  0
  slave           1          0  0  0

Parameters
  name    default
  ------  -------
  m_load        2

  without a default: m_mast

Loops
  loop     type   predecessor      successor
  -------  -----  ---------------  -------------
  closure  fixed  ball at 0.1 0 0  mast at 0 0 0

Couplings
  joint  position       x is that of
  -----  -------------  ------------
  drive  2 x + 0.5 x^2  swing

Notes of the reader
  - x.json: a long note that the reader gave, which takes
    more than one line

Findings
  - error: body 'boom' is not what it should be
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def gripper(folder):
    path = folder / "gripper.urdf"
    path.write_text(GRIPPER, encoding="utf-8")
    return path


def refused(capsys: Any, *words: str) -> str:
    """The one message of a command that fails with status 3."""
    assert main(words) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kinetree: ")
    assert err.count("\n") == 1
    return err


# -- info: the look ----------------------------------------------------------------------------------------------------


def test_info_shows_tables_and_a_tree(gripper, capsys):
    assert main(["info", "gripper.urdf"]) == 0
    out, err = capsys.readouterr()
    assert out == SHOWN_AT_80
    assert err == ""


def test_all_that_a_robot_may_have_is_shown():
    note = "x.json: a long note that the reader gave, which takes more than one line"
    found = facts(Source(everything(), "x.json", "JSON", (note,)))
    found["findings"] = [{"severity": "error", "where": "body 'boom'", "message": "is not what it should be"}]
    assert report(found, 60, terminal.PLAIN) + "\n" == SHOWN_IN_ASCII


def long_names() -> kt.Robot:
    """A tree with every kind of joint, long and wide names, and long formulas."""
    tree = kt.robots.random_tree(3, 12, sorted(kt.joints.KINDS), friction=True)
    mass = sum((kt.parameter(f"a_rather_long_name_{k}") for k in range(30)), 0.5)
    bodies = [
        dataclasses.replace(
            b,
            name=f"体_{b.name}_with_a_name_that_nobody_would_want_to_type_twice",
            parent=b.parent and f"体_{b.parent}_with_a_name_that_nobody_would_want_to_type_twice",
            inertia=kt.Inertia(mass),
        )
        for b in tree.bodies
    ]
    return kt.Robot(tuple(bodies), "x" * 300)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [everything, long_names, kt.robots.stanford], ids=lambda make: make.__name__)
@pytest.mark.parametrize("marks", [terminal.FINE, terminal.PLAIN], ids=["fine", "plain"])
def test_no_line_is_wider_than_the_terminal(make, width, marks):
    found = facts(Source(make(), "folder/" * 50 + "file.json", "JSON", ("a note " * 40, "x" * 500)))
    lines = report(found, width, marks).splitlines()
    assert max(map(terminal.columns, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    joints = {joint["name"] for joint in found["joints"]}
    assert joints <= {word for line in lines for word in line.split()}  # these names are short enough to stay whole


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "no-such-encoding"])
def test_only_what_the_encoding_has_is_drawn(encoding):
    class Stream:
        pass

    stream: Any = Stream()
    stream.encoding = encoding
    assert terminal.marks(stream) is (terminal.FINE if encoding == "utf-8" else terminal.PLAIN)


def test_names_do_nothing_to_the_terminal(capsys):
    evil = "\x1b[2J\x07name\r\n\u202e"
    robot = kt.Robot((kt.Body(evil, kt.Joint("j" + evil, Revolute()), kt.Inertia(1.0)),), evil)
    found = facts(Source(robot, evil, "JSON", (evil,)))
    for width in WIDTHS:
        assert all(c.isprintable() or c == "\n" for c in report(found, width, terminal.FINE))
    assert "\\x1b[2J\\x07name\\r\\n\\u202e" in report(found, 200, terminal.FINE)
    terminal.complain(evil)
    assert capsys.readouterr().err == "kinetree: \\x1b[2J\\x07name\n\\u202e\n"


@given(st.text(alphabet="abc体é", max_size=40), st.integers(1, 30), st.sampled_from(["…", "..."]))
def test_a_shortened_text_keeps_its_ends(text, most, cut):
    short = terminal.shortened(text, most, cut)
    if terminal.columns(text) <= most:
        assert short == text
    else:
        head, tail = short.split(cut)
        assert text.startswith(head)
        assert text.endswith(tail)
        assert 0 <= len(head) - len(tail) <= 1
        assert terminal.columns(short) <= max(most, len(cut))


def test_a_tree_is_drawn_parents_first_and_may_be_deep():
    parents = {"a": "world", "b": "world", "c": "a", "d": "a", "e": "c"}
    lines, names = branches(parents, "world", terminal.PLAIN, 40)
    assert names == ["world", "a", "c", "e", "d", "b"]
    assert lines == ["", "|- ", "|  |- ", "|  |  `- ", "|  `- ", "`- "]
    chain = {str(k): str(k - 1) if k else "world" for k in range(3000)}
    lines, names = branches(chain, "world", terminal.FINE, 40)
    assert len(names) == 3001
    assert max(map(len, lines)) == 40
    assert lines[-1].startswith("…")
    assert lines[-1].endswith("└─ ")


# -- info: the numbers -------------------------------------------------------------------------------------------------

NAMES = {"a": 0.7, "b": -1.3, "c": 2.9}
REGROUPED = 1e-9  # a formula writes a (1/b) as a/b and (a b) c as a b c, which round differently


@given(st.recursive(
    st.sampled_from([kt.parameter(name) for name in NAMES]) | st.sampled_from([0.1, -2.5, 1e-3, 3.0]),
    lambda inner: st.tuples(st.sampled_from("+-*/n"), inner, inner),
    max_leaves=12,
))  # fmt: skip
def test_a_formula_reads_as_it_computes(tree):
    operations = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "n": lambda a, _: -a}
    operations["/"] = lambda a, b: a / b if b != 0 else a

    def built(node):
        if not isinstance(node, tuple):
            return node
        return operations[node[0]](built(node[1]), built(node[2]))

    value = built(tree)
    computed = substitute(value, NAMES)
    assert math.isclose(computed, eval(formula(value, repr), {}, NAMES), rel_tol=REGROUPED, abs_tol=REGROUPED)


def test_a_formula_has_no_more_signs_than_it_needs():
    a, b, c = (kt.parameter(name) for name in "abc")
    assert formula(a * (1.0 / b)) == "a/b"
    assert formula(a - (b - c)) == "a - (b - c)"
    assert formula((a - b) - c) == "a - b - c"
    assert formula(-(a + b) / (b * c)) == "(-(a + b))/(b*c)"
    assert formula(kt.scalar.sin(a + 0.25) * b) == "sin(a + 0.25)*b"


def test_a_formula_that_would_fill_pages_is_its_parameters():
    a, b = kt.parameter("a"), kt.parameter("b")
    value = a
    for _ in range(60):  # as text this has more than 10^18 characters
        value = value * value + b
    assert formula(value) == "f(a, b)"


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


def strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=refuse_constant)


def test_json_has_every_number_to_the_last_bit(gripper, capsys):
    assert main(["info", "gripper.urdf", "--json"]) == 0
    found = strict_json(capsys.readouterr().out)
    robot = kt.Robot.from_urdf(gripper)
    assert (found["name"], found["nq"], found["nv"], found["nbodies"]) == ("gripper", 1, 1, 2)
    assert (found["kinetree"], found["format"], found["base"]) == (kt.__version__, "URDF", "fixed")
    assert found["gravity"] == [0.0, 0.0, -9.81]
    for body, b, j in zip(robot.bodies, found["bodies"], found["joints"], strict=True):
        assert (b["name"], b["mass"], b["com"]) == (body.name, body.inertia.mass, [*body.inertia.com])
        assert b["inertia"] == [*body.inertia.about_com]
        assert j["axes"] == [[*body.joint.kind.axis]]
        assert j["placement"]["position"] == [*body.joint.placement.p]
        assert j["placement"]["rotation"] == [[*row] for row in body.joint.placement.R.matrix]
        assert (j["lower"], j["upper"]) == (0.0, 0.04)
        assert j["damping"] == [*body.joint.damping]
        assert j["q"] == j["v"] == [0, 1]
    assert [j["mimic"] for j in found["joints"]] == [None, {"joint": "slide_left", "multiplier": 1.0, "offset": 0.0}]
    frames = {frame["name"]: frame for frame in found["frames"]}
    assert frames["tip"]["rotation"] == [[*row] for row in robot.frames["tip"].pose.R.matrix]


def test_json_says_null_for_what_is_not_there_and_a_formula_for_what_is_open():
    found = facts(Source(everything(), "x.json", "JSON"))
    text = json.dumps(found, allow_nan=False)
    assert strict_json(text) == found
    swing, drive, *_ = found["joints"]
    assert [swing[key] for key in ("lower", "upper", "velocity", "effort")] == [None] * 4
    assert drive["constants"] == {"pitch": 0.01}
    assert found["bodies"][1]["mass"] == "1 + m_load"
    assert found["total_mass"] == "4 + m_load + m_mast"
    assert found["parameters"] == [{"name": "m_load", "default": 2.0}, {"name": "m_mast", "default": None}]
    assert found["couplings"] == [{"joint": "drive", "leader": "swing", "coefficients": [0.0, 2.0, 0.5]}]
    assert found["loops"][0]["predecessor"]["position"] == [0.1, 0.0, 0.0]


def test_the_base_can_be_set_free(gripper, capsys):
    assert main(["info", "gripper.urdf", "--json", "--base", "floating"]) == 0
    found = strict_json(capsys.readouterr().out)
    assert (found["nq"], found["nv"], found["base"]) == (8, 7, "floating")
    assert main(["info", "zoo:two_link", "--json", "--base", "floating"]) == 0
    found = strict_json(capsys.readouterr().out)
    assert (found["nq"], found["nv"], found["base"]) == (9, 8, "floating")


def test_what_the_reader_warns_about_is_a_note(gripper, capsys, monkeypatch):
    read = kt.Robot.from_file

    def warning(path, **options):
        warnings.warn("gripper.urdf:7: <sensor> is not read", kt.errors.ModelWarning, stacklevel=2)
        return read(path, **options)

    monkeypatch.setattr(kt.Robot, "from_file", warning)
    assert main(["info", "gripper.urdf"]) == 0
    out, err = capsys.readouterr()
    assert "Notes of the reader\n  - gripper.urdf:7: <sensor> is not read\n" in out
    assert err == ""
    assert main(["convert", "gripper.urdf", "b.json"]) == 0
    assert capsys.readouterr().err == "kinetree: note: gripper.urdf:7: <sensor> is not read\n"
    assert main(["bench", "gripper.urdf", *QUICK]) == 0
    assert capsys.readouterr().err == "kinetree: note: gripper.urdf:7: <sensor> is not read\n"


@pytest.mark.parametrize("name", sorted(source.built_in()))
def test_every_built_in_robot_can_be_looked_at(name, capsys):
    errors = any(finding.severity == "error" for finding in source.built_in()[name]().check())
    assert main(["info", f"zoo:{name}"]) == errors
    assert f"file     zoo:{name}" in capsys.readouterr().out


def test_the_built_in_robots_are_listed(folder, capsys):
    assert main(["robots"]) == 0
    out = capsys.readouterr().out
    assert all(f"zoo:{name} " in out for name in source.built_in())
    assert "random_tree" not in out  # it needs arguments
    assert max(map(len, out.splitlines())) <= 80
    assert "12 joints, floating base. HyQ" in out
    assert out.count("Source: ") == len(source.built_in())


def test_the_page_of_the_built_in_robots_has_a_picture_of_each(folder, capsys):
    assert main(["robots", "--report", "zoo.html"]) == 0
    assert capsys.readouterr().out.endswith(f"report: {folder / 'zoo.html'}\n")
    page = (folder / "zoo.html").read_text(encoding="utf-8")
    for name in source.built_in():
        assert f"<h3>{name}</h3>" in page
        assert f"<title>{source.built_in()[name]().name}</title>" in page
    assert page.count("<svg") == len(source.built_in())
    assert not re.search(r"[=\"ML ]nan\b", page)
    assert main(["robots", "--report", "zoo.html/page.html"]) == 3
    assert "zoo.html" in capsys.readouterr().err


# -- the exit status ---------------------------------------------------------------------------------------------------


def test_errors_in_the_robot_are_status_1_and_warnings_0(folder, capsys):
    impossible = GRIPPER.replace('izz="4e-5"', 'izz="4"')
    (folder / "impossible.urdf").write_text(impossible, encoding="utf-8")
    assert "triangle" in refused(capsys, "info", "impossible.urdf")
    assert main(["info", "impossible.urdf", "--no-strict"]) == 1
    assert "error: " in capsys.readouterr().out
    massless = GRIPPER.replace('<mass value="0.125"/>', '<mass value="0"/>').replace("1e-4", "0").replace("4e-5", "0")
    (folder / "massless.urdf").write_text(massless, encoding="utf-8")
    assert main(["info", "massless.urdf"]) == 0
    assert "warning: " in capsys.readouterr().out


@pytest.mark.parametrize("words", [
    [], ["nonsense"], ["info"], ["info", "zoo:stanford", "--nonsense"], ["info", "zoo:stanford", "--base", "up"],
    ["convert", "zoo:stanford"], ["convert", "zoo:stanford", "-"], ["convert", "zoo:stanford", "b.stl"],
    ["bench", "zoo:stanford", "--functions", "dance"], ["bench", "zoo:stanford", "--functions", "pose"],
    ["bench", "zoo:stanford", "--batch", "0"], ["bench", "zoo:stanford", "--batch", "x"],
    ["bench", "zoo:stanford", "--seconds", "-1"], ["bench", "zoo:stanford", "--seconds", "nan"],
])  # fmt: skip
def test_wrong_usage_is_status_2(words, capsys):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: kinetree")


def test_a_file_that_can_not_be_read_is_status_3_and_one_message(folder, capsys):
    (folder / "broken.urdf").write_text("<robot>\n<link", encoding="utf-8")
    (folder / "robot.stl").write_text("solid", encoding="utf-8")
    assert "broken.urdf, line 2: " in refused(capsys, "info", "broken.urdf")
    assert "missing.urdf" in refused(capsys, "info", "missing.urdf")
    assert "robot.stl" in refused(capsys, "info", "robot.stl")
    assert "can't tell the format" in refused(capsys, "info", ".")
    assert "did you mean 'stanford'" in refused(capsys, "bench", "zoo:stanfort")
    assert "random_tree" in refused(capsys, "info", "zoo:random_tree")


def test_version_and_help_are_status_0(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kinetree {kt.__version__}\n"
    for words in ([], ["info"], ["convert"], ["bench"], ["robots"]):
        assert main([*words, "--help"]) == 0
        assert capsys.readouterr().out.startswith("usage: kinetree")


# -- convert -----------------------------------------------------------------------------------------------------------


def test_a_converted_robot_is_the_same(gripper, folder, capsys):
    assert main(["convert", "gripper.urdf", "b.json"]) == 0
    assert main(["convert", "b.json", "c.urdf"]) == 0
    assert main(["convert", "c.urdf", "d.json"]) == 0
    assert capsys.readouterr() == ("", "")
    assert kt.Robot.from_json(folder / "b.json") == kt.Robot.from_urdf(gripper)
    assert (folder / "b.json").read_bytes() == (folder / "d.json").read_bytes()


def test_a_file_is_replaced_only_by_force(gripper, folder, capsys):
    (folder / "b.json").write_text("precious", encoding="utf-8")
    (folder / "b.json").chmod(0o640)
    assert "--force" in refused(capsys, "convert", "gripper.urdf", "b.json")
    assert (folder / "b.json").read_text("utf-8") == "precious"
    assert main(["convert", "gripper.urdf", "b.json", "--force"]) == 0
    assert kt.Robot.from_json(folder / "b.json").name == "gripper"
    if sys.platform != "win32":
        assert stat.S_IMODE((folder / "b.json").stat().st_mode) == 0o640
    assert sorted(os.listdir(folder)) == ["b.json", "gripper.urdf"]


@pytest.mark.parametrize(("event", "status"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left"), 3)])
@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_nothing_is_half_written(event, status, moment, gripper, folder, capsys, monkeypatch):
    (folder / "b.json").write_text("precious", encoding="utf-8")

    def fail(*args):
        raise event

    monkeypatch.setattr(os, moment, fail)
    assert main(["convert", "gripper.urdf", "b.json", "--force"]) == status
    assert main(["convert", "gripper.urdf", "new.json"]) == status
    assert (folder / "b.json").read_text("utf-8") == "precious"
    assert sorted(os.listdir(folder)) == ["b.json", "gripper.urdf"]
    assert capsys.readouterr().err.startswith("kinetree: ")


def test_what_the_format_can_not_say_is_refused_and_nothing_written(folder, capsys):
    (folder / "a.json").write_text(everything().to_json(), encoding="utf-8")
    refused(capsys, "convert", "a.json", "b.urdf")
    assert os.listdir(folder) == ["a.json"]


def test_paths_that_are_no_file_are_refused(gripper, folder, capsys):
    (folder / "sub.json").mkdir()
    assert "plain file" in refused(capsys, "convert", "gripper.urdf", "sub.json", "--force")
    assert "no folder" in refused(capsys, "convert", "gripper.urdf", "nowhere/b.json")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_stays_and_its_target_is_written(gripper, folder):
    (folder / "real.json").write_text("old", encoding="utf-8")
    (folder / "link.json").symlink_to("real.json")
    assert main(["convert", "gripper.urdf", "link.json", "--force"]) == 0
    assert (folder / "link.json").is_symlink()
    assert kt.Robot.from_json(folder / "real.json").name == "gripper"


def test_a_dash_is_the_standard_output(gripper, folder, capsysbinary):
    assert main(["convert", "gripper.urdf", "-", "--to", "json"]) == 0
    out = capsysbinary.readouterr().out
    assert kt.Robot.from_json(out.decode("utf-8")) == kt.Robot.from_urdf(gripper)
    assert os.listdir(folder) == ["gripper.urdf"]
    assert main(["convert", "gripper.urdf", "robot.txt", "--to", "json"]) == 0
    assert (folder / "robot.txt").read_bytes() == out


# -- bench -------------------------------------------------------------------------------------------------------------

QUICK = ["--batch", "64", "--seconds", "0"]


def test_bench_times_and_counts(folder, capsys, monkeypatch):
    monkeypatch.setenv("KINETREE_CACHE_DIR", str(folder / "cache"))
    assert main(["bench", "zoo:two_link", "--json", *QUICK]) == 0
    out, err = capsys.readouterr()
    result = strict_json(out)
    assert err == ""  # progress is for terminals
    assert [f["name"] for f in result["functions"]] == [*bench.DEFAULT]
    assert (result["batch"], result["threads"], result["nv"]) == (64, 1, 2)
    robot = kt.robots.two_link()
    for f in result["functions"]:
        assert f["operations"] == robot.operations(f["name"])
        assert 0 < f["seconds_per_state"] < f["compile_seconds"]
        assert math.isclose(f["states_per_second"] * f["seconds_per_state"], 1.0)
    assert os.environ["KINETREE_CACHE_DIR"] == str(folder / "cache")
    assert not (folder / "cache").exists()  # compiled for real, and not kept


def test_bench_shows_a_table(folder, capsys):
    assert main(["bench", "zoo:two_link", "--functions", "jacobian,rates", "--frame", "dh2", *QUICK]) == 0
    title, batch, machine, _, head, rule, first, second = capsys.readouterr().out.splitlines()
    assert title == "two_link: nq 2, nv 2"
    assert batch == "  batch    64 states, float64, one thread"
    assert machine.startswith("  machine  ")
    assert "state [ns]" in head
    assert set(rule) <= {" ", "─"}
    assert (first.split()[0], second.split()[0]) == ("jacobian", "rates")
    assert len(first.split()) == len(second.split()) == 7


def test_bench_gives_unit_quaternions_and_a_number_for_every_parameter():
    robot = everything()
    function = robot.function("inverse_dynamics")
    q, *_, load, mast = bench.states(robot, function, 32)
    start = robot.quaternions[0][1]
    assert abs((q[:, start : start + 4] ** 2).sum(-1) - 1).max() < 1e-12  # rounding of a square root
    assert load == 2.0
    assert 0.5 <= mast <= 1.5


def test_bench_takes_robots_with_very_many_parameters(folder, capsys):
    coefficients = tuple(kt.parameter(f"c{k}") for k in range(90))
    coupling = kt.Coupling("joint2", "joint1", coefficients)
    robot = dataclasses.replace(kt.robots.two_link(), couplings=(coupling,))
    (folder / "open.json").write_text(robot.to_json(), encoding="utf-8")
    assert main(["bench", "open.json", "--json", *QUICK]) == 0
    assert len(strict_json(capsys.readouterr().out)["functions"]) == len(bench.DEFAULT)


def test_bench_reports_what_a_robot_does_not_have_and_times_the_rest(folder, capsys):
    massless = kt.Robot((kt.Body("leaf", kt.Joint("hinge", Revolute())),))
    (folder / "massless.json").write_text(massless.to_json(), encoding="utf-8")
    assert main(["bench", "massless.json", "--json", *QUICK]) == 3
    out, err = capsys.readouterr()
    assert [f["name"] for f in strict_json(out)["functions"]] == ["inverse_dynamics", "mass_matrix"]
    assert err.startswith("kinetree: forward_dynamics: ")
    (folder / "still.json").write_text(kt.Robot((), "rock").to_json(), encoding="utf-8")
    assert "'rock' has no joint that moves" in refused(capsys, "bench", "still.json")


# -- as a process ------------------------------------------------------------------------------------------------------


def environment(**more: str) -> dict[str, str]:
    paths = [str(SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8", **more}


def kinetree(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "kinetree", *words]
    return subprocess.run(
        command, env=environment(**more), capture_output=True, encoding="utf-8", timeout=120, check=False
    )


def test_it_runs_as_a_module(gripper):
    done = kinetree("info", "gripper.urdf", COLUMNS="80")
    assert (done.returncode, done.stdout, done.stderr) == (0, SHOWN_AT_80, "")
    done = kinetree("info", "missing.urdf")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback" not in done.stderr
    done = kinetree("info", "gripper.urdf", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "|- left" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end differently there")
@pytest.mark.parametrize(
    "words", [["--help"], ["info", "zoo:two_link"], ["convert", "zoo:two_link", "-", "--to", "json"]]
)
def test_a_reader_that_leaves_is_no_trouble(words):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-W", "error", "-m", "kinetree", *words]
    buffered = environment(PYTHONUNBUFFERED="")
    done = subprocess.run(command, env=buffered, stdout=writing, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def heed_ctrl_c():
    """A process that was started in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT goes to the whole console")
def test_progress_is_shown_on_a_terminal_and_ctrl_c_ends_it_in_one_line(folder):
    import pty

    command = [sys.executable, "-m", "kinetree", "bench", "zoo:two_link", "--seconds", "100"]
    ours, theirs = pty.openpty()
    pipes = {"stdout": subprocess.PIPE, "stderr": theirs}
    with subprocess.Popen(command, env=environment(), preexec_fn=heed_ctrl_c, **pipes) as process:
        os.close(theirs)
        shown = b""
        while b"inverse_dynamics" not in shown:
            shown += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    with contextlib.suppress(OSError):  # the other side is closed
        while more := os.read(ours, 1000):
            shown += more
    os.close(ours)
    assert (process.returncode, out) == (130, b"")
    assert shown.endswith(b"\r\x1b[Kkinetree: stopped\r\n")  # in place of the progress


def test_the_package_does_not_load_the_command_line():
    script = "import sys, kinetree; print([m for m in sys.modules if m.startswith(('kinetree.cli', 'argparse'))])"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    assert done.stdout == "[]\n"
