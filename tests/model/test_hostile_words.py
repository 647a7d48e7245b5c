"""Names and numbers that would do harm: half characters, characters that move the cursor, numbers that vanish."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InertiaError, ModelError, ModelFileError, printable
from kinetree.identify import Samples, base_parameters, fit
from kinetree.model.moments import Moments

HALVES = ("\ud800", "arm\udfff", "\udc80")  # lone surrogates; the last stands for a byte that is not UTF-8
EVIL = "\x1b[2J\x07\r\x9b\x00"  # clears the screen, rings, goes back
URDF = """<robot name="{name}"><link name="base"/><link name="{link}"><inertial><mass value="{mass}"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="{joint}" type="continuous"><parent link="base"/><child link="{link}"/></joint></robot>"""
MJCF = """<mujoco model="{name}"><worldbody><body name="{link}"><joint name="{joint}"/>
  <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
TOML = 'name = "{name}"\n[[link]]\nname = "{link}"\nmass = {mass}\ninertia = [1, 1, 1]\n'
CSV = "# name: {name}\nname, joint, mass, ixx, iyy, izz\n{link}, revolute, {mass}, 1, 1, 1\n"
PAR = """(* Robotname = '{name}' *)\nNL = 1\nNJ = 1\nNF = 1\nType = 0\nant = {{0}}\nsigma = {{0}}\nb = {{0}}
gamma = {{0}}\nd = {{0}}\nalpha = {{0}}\ntheta = {{t1}}\nr = {{0}}
M = {{ {mass} }}\nXX = {{1}}\nYY = {{1}}\nZZ = {{1}}\n"""
GOOD = {"name": "arm", "link": "upper", "joint": "shoulder", "mass": "2"}


def arm(text: str = "") -> kt.Robot:
    """Two links in one plane, with this text in every name."""
    robot = kt.robots.two_link()

    def named(body: kt.Body) -> kt.Body:
        parent = body.parent and body.parent + text
        return replace(
            body, name=body.name + text, parent=parent, joint=replace(body.joint, name=body.joint.name + text)
        )

    return kt.Robot(tuple(map(named, robot.bodies)), robot.name + text)


def json_text(name: str = "arm", link: str = "upper", joint: str = "shoulder", mass: str = "2") -> str:
    words = {name: "arm", link: "upper", joint: "shoulder"}
    body = kt.Body("upper", kt.Joint("shoulder", kt.joints.Revolute()), kt.Inertia(2.0, about_com=(1.0, 1.0, 1.0)))
    text = kt.Robot((body,), "arm").to_json()
    for new, old in words.items():
        text = text.replace(f'"{old}"', json.dumps(new))
    return text.replace('"mass": 2.0', f'"mass": {mass}')


# -- half characters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", HALVES, ids=ascii)
@pytest.mark.parametrize("word", ["name", "link", "joint"])
def test_half_a_character_in_a_name_is_refused(half: str, word: str) -> None:
    given: dict[str, Any] = {**GOOD, word: half}
    with pytest.raises(ModelFileError, match="half of a character"):
        kt.Robot.from_json(json_text(**{word: half}))
    for read, text in ((kt.Robot.from_urdf, URDF), (kt.Robot.from_mjcf, MJCF)):
        assert read(text.format(**GOOD)).nv == 1
        with pytest.raises(ModelFileError, match="can't be read"):
            read(text.format(**given))
    if word == "name":
        with pytest.raises(ModelError, match="half of a character"):
            kt.Robot.from_par(PAR.format(**given))


@pytest.mark.parametrize("half", HALVES, ids=ascii)
def test_half_a_character_in_a_name_of_python_is_refused(half: str) -> None:
    robot = kt.robots.two_link()
    joint = robot.bodies[0].joint
    for make in (
        lambda: replace(robot, name=half),
        lambda: replace(robot, bodies=(replace(robot.bodies[0], name=half),)),
        lambda: replace(robot, bodies=(replace(robot.bodies[0], joint=replace(joint, name=half)),)),
        lambda: replace(robot, named_frames={half: kt.Frame("link1")}),
        lambda: replace(robot, loops=(kt.Loop(half, joint.kind, kt.Frame(None), kt.Frame("link2")),)),
    ):
        with pytest.raises(ModelError, match="half of a character; leave it out") as caught:
            make()
        str(caught.value).encode()  # the message itself can be printed


def test_whole_characters_outside_of_the_basic_plane_are_names() -> None:
    name = "\U0001d54f\u0301 é 腕"
    robot = kt.Robot.from_json(arm(name).to_json())
    assert robot.bodies[0].name == "link1" + name
    assert kt.Robot.from_json(json.dumps(json.loads(robot.to_json()))) == robot


# -- characters that do not print --------------------------------------------------------------------------------------


def test_what_does_not_print_is_written_out() -> None:
    assert printable("a\x1b[2J\n\u202eb") == "a\\x1b[2J\\n\\u202eb"
    assert printable("a\x1b[2J\nb", keep="\n") == "a\\x1b[2J\nb"
    assert printable("腕 é") == "腕 é"


def test_names_do_nothing_where_results_are_printed() -> None:
    robot, rng = arm(EVIL), np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 60, 2))
    samples = Samples(np.arange(60) / 100.0, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd))
    found, base = fit(robot, samples), base_parameters(robot)
    motion = kt.simulate(robot, q[0], qd[0], 0.02, dt=0.01)
    results = [robot, robot.equations(), base, found, found.parameters, found.validation, motion, robot.check()]
    for result in results:
        for text in (str(result), repr(result)):
            assert printable(text, keep="\n") == text
    assert "\\x1b[2J" in str(robot.equations())
    assert "\\x1b[2J" in str(found)


def test_names_do_nothing_in_messages() -> None:
    bodies = arm(EVIL).bodies
    cycle = (replace(bodies[0], parent=bodies[1].name), bodies[1])
    with pytest.raises(ModelError, match=r"cycle: link2\\x1b\[2J") as caught:
        kt.Robot(cycle)
    assert str(caught.value).isprintable()


# -- numbers that vanish -----------------------------------------------------------------------------------------------

READERS = {".urdf": URDF, ".xml": MJCF, ".par": PAR, ".csv": CSV, ".toml": TOML, ".json": ""}


@pytest.mark.parametrize("suffix", READERS)
def test_a_number_too_small_for_a_float_is_refused_and_not_zero(suffix: str, tmp_path: Path) -> None:
    def read(mass: str) -> kt.Robot:
        text = READERS[suffix].format(**{**GOOD, "mass": mass}) if suffix != ".json" else json_text(mass=mass)
        file = tmp_path / f"arm{suffix}"
        file.write_text(text, encoding="utf-8")
        return kt.Robot.from_file(file)

    for tiny in ("1e-400", "0.001e-350", "0.00000000000000000000000000001e-300"):
        with pytest.raises(ModelError, match=f"{tiny}.* is not zero and smaller than any number"):
            read(tiny)
    for number in ("1e-300", "0", "0.0", "0e-400", "0.000"):
        assert [body.inertia.mass for body in read(number).bodies] == [float(number)]


@pytest.mark.parametrize("strict", [True, False])
def test_moments_of_a_mass_so_small_that_its_inverse_is_infinite(strict: bool) -> None:
    body = kt.Body("upper", kt.Joint("shoulder", kt.joints.Revolute()), Moments(5e-324, second=(1.0, 1.0, 1.0)))
    with pytest.raises(InertiaError, match="not finite: its mass is too small for its moments"):
        kt.Robot((body,))
    (found,) = kt.Robot((body,), strict=False).check()
    assert "its mass is too small" in str(found)
