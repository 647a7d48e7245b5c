"""The JSON form loses nothing, and what is wrong with a file has its own error with its place."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import re
import warnings
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import States, states, trees

import kinetree as kt
from kinetree import scalar
from kinetree.errors import InertiaError, KinetreeError, ModelError, ModelFileError
from kinetree.joints import KINDS, Fixed, Revolute, Spherical
from kinetree.model.json import number as json_number, reader as json_reader
from kinetree.model.loops import Coupling, Loop
from kinetree.model.mechanism import Frame
from kinetree.model.moments import Moments
from kinetree.parameter import Expression, Parameter
from kinetree.spatial.rotation import Rotation


def again(robot: kt.Robot) -> kt.Robot:
    return kt.Robot.from_json(robot.to_json())


def assert_same(robot: kt.Robot) -> None:
    """Equal, to the sign of zeros and the type of numbers, which the fingerprint sees."""
    copy = again(robot)
    assert copy == robot
    assert copy.fingerprint == robot.fingerprint
    assert (copy.name, copy.strict) == (robot.name, robot.strict)
    assert copy.to_json() == robot.to_json()


def zoo() -> Iterator[kt.Robot]:
    for name in kt.robots.names():
        arguments = {"random_tree": (3, 8, tuple(KINDS), True), "planar_eel": (3,)}.get(name, ())
        yield getattr(kt.robots, name)(*arguments)


# -- nothing is lost ---------------------------------------------------------------------------------------------------


def test_the_zoo_comes_back_bit_for_bit() -> None:
    for robot in zoo():
        assert_same(robot)


@settings(max_examples=60)
@given(trees(most=6))
def test_every_tree_comes_back_bit_for_bit(robot: kt.Robot) -> None:
    assert_same(robot)


@given(st.integers(0, 10**6))
def test_axes_are_not_normalised_a_second_time(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=3)
    axis = Revolute((x / np.linalg.norm(x)).tolist()).axis
    assert_same(kt.Robot((kt.Body("b", kt.Joint("j", Revolute(axis))),)))


def everything() -> kt.Robot:
    """A robot with all that a description can have."""
    m, length = Parameter("m", 1.5), Parameter("length")
    open_turn = Rotation.about(0, length)
    bodies = (
        kt.Body("a", kt.Joint("j1", Revolute((0.6, 0.0, 0.8), 0.1), kt.Transform(open_turn, (length * 2.0, -0.0, 1))),
                kt.Inertia(m + 2.0, (m / 3.0, scalar.sqrt(length), -0.0), (m, m, m))),
        kt.Body("b", kt.Joint("j2", Revolute(offset=-0.0), mimic=kt.Mimic("j1", -2, length), gear_ratio=50,
                actuated=False), Moments(0.0, (1e-3, 0.0, 0.0), (1.0, 2.0, 3.0, 0.0, -0.0, 0.1)), "a"),
        kt.Body("c é \u2603", kt.Joint("j3", Spherical(), stiffness=2.0, rest=(0.0, 0.6, 0.0, 0.8),
                limits=kt.Limits(-1, 2.5, effort=3.0), damping=(0.1, 0.2, 0.3), coulomb=1e-300), parent="b"),
    )  # fmt: skip
    select = Expression("select", (Expression("lt", (length, 1.0)), 2, m))
    return kt.Robot(
        bodies,
        "everything",
        (0.0, select, -9.81),
        {"tool": Frame("c é \u2603", kt.Transform(Rotation.about(2, 0.3))), "home": Frame(None)},
        (Loop("pin", Spherical(), Frame("b"), Frame(None, kt.Transform(p=(1.0, 2.0, 3.0)))),),
        (Coupling("j2", "j1", (0, 1.0, m)), Coupling("j1", None, (0.5,))),
        strict=False,
    )


def test_everything_comes_back_bit_for_bit() -> None:
    robot = everything()
    assert_same(robot)
    assert [*again(robot).parameters] == ["length", "m"]
    assert all(ord(character) < 128 for character in robot.to_json())


def test_the_copy_computes_the_same_bits() -> None:
    robot = kt.robots.random_tree(5, 6, tuple(KINDS), friction=True)
    s: States = states(robot)
    np.testing.assert_array_equal(
        again(robot).inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd)
    )
    mass = kt.parameter("mass", 1.0)
    arm = kt.Robot.from_dh([kt.DH(a=0.5, mass=mass * 2.0, com=(-0.2, 0.0, 0.0), alpha=0.3, damping=0.1)] * 3)
    q = np.array([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(again(arm).gravity_forces(q, mass=0.7), arm.gravity_forces(q, mass=0.7))


def test_the_text_is_strict_json_and_fields_at_their_default_are_left_out() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    for robot in zoo():
        json.loads(robot.to_json(), parse_constant=refuse)
    written = json.loads(kt.Robot((kt.Body("b", kt.Joint("j", Fixed())),)).to_json())
    bodies = [{"name": "b", "joint": {"name": "j", "kind": {"type": "fixed"}}}]
    assert written == {"format": "kinetree robot", "version": 1, "bodies": bodies}


def test_a_file_is_read_like_its_text(tmp_path: Path) -> None:
    robot = kt.robots.puma560()
    path = tmp_path / "puma.json"
    path.write_text("\ufeff" + robot.to_json(), encoding="utf-8")
    for source in (path, str(path), robot.to_json(), "\n " + robot.to_json()):
        assert kt.Robot.from_json(source) == robot


def urdf_files() -> list[Path]:
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


@pytest.mark.parametrize("step", [pytest.param(6, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])
def test_robots_of_urdf_files_come_back_bit_for_bit(step: int, capsys: pytest.CaptureFixture[str]) -> None:
    if not urdf_files():
        pytest.skip("example-robot-data is not installed")
    count = 0
    for file in urdf_files()[::step]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                robots = [kt.Robot.from_urdf(file, base=base, strict=False) for base in ("fixed", "floating")]
        except ModelFileError:
            continue  # two of the files are broken
        for robot in robots:
            assert_same(robot)
            count += 1
    with capsys.disabled():
        print(f" {count} robots of URDF files through JSON ", end="")
    assert count >= 20


# -- what has no form --------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Wobble(Revolute):
    """A kind of joint that Kinetree does not know."""


def test_what_json_can_not_hold_is_refused_with_its_path() -> None:
    def robot(**joint: Any) -> kt.Robot:
        return kt.Robot((kt.Body("b", kt.Joint("j", **{"kind": Revolute(), **joint})),), "odd")

    with pytest.raises(ModelError, match=r"robot 'odd', bodies\[0\].joint.kind: Wobble can't be written .* revolute, "):
        robot(kind=Wobble()).to_json()
    with pytest.raises(ModelError, match=r"bodies\[0\].joint.limits.lower: inf can't be written"):
        robot(limits=kt.Limits(lower=math.inf)).to_json()
    deep: Any = Parameter("x")
    for _ in range(json_number.MAX_DEPTH):
        deep = scalar.sin(deep)
    assert_same(robot(damping=deep))
    with pytest.raises(ModelError, match=r"bodies\[0\].joint.damping: operations more than 200 deep"):
        robot(damping=scalar.sin(scalar.sin(deep))).to_json()


# -- bad input ---------------------------------------------------------------------------------------------------------

ARM = """{
  "format": "kinetree robot",
  "version": 1,
  "name": "arm",
  "gravity": [0.0, 0.0, -9.8],
  "bodies": [
    {
      "name": "upper",
      "joint": {
        "name": "shoulder",
        "kind": {"type": "revolute", "axis": [0.0, 1.0, 0.0]},
        "placement": {"R": [{"type": "turn", "axis": 0, "c": 0.0, "s": 1.0}], "p": [0.0, 0.0, 0.5]},
        "damping": [0.1],
        "limits": {"lower": -1.0},
        "actuated": false
      },
      "inertia": {"mass": 2.0, "about_com": [0.02, 0.02, 0.01, 0.0, 0.0, 0.0]}
    }
  ],
  "frames": {"tool": {"body": "upper"}}
}
"""
JOINT = r", bodies\[0\].joint"
DEEP = '{"op": "sin", "args": [' * 300 + "1.0" + "]}" * 300
KEYS_OF_LIMITS = "Known: 'effort', 'lower', 'upper', 'velocity'."

# what is replaced, by what, and how the message goes on after the name of the file
MISTAKES = [
    ("cut_off", '"frames": {"tool": {"body": "upper"}}\n}', "", ", line 21: not readable as JSON: Expecting prop"),
    ("no_comma", '"version": 1,', '"version": 1', ", line 4: not readable as JSON: Expecting ',' delimiter$"),
    ("trailing", "}}\n}", "}}\n} x", ", line 21: not readable as JSON: Extra data$"),
    ("list", ARM, f"[{ARM}]", ": expected an object, got a list$"),
    ("other_format", "kinetree robot", "my robot", ": the \"format\" is 'my robot'; expected 'kinetree robot', the"),
    ("no_format", '"format": "kinetree robot",', "", ': the "format" is missing; expected \'kinetree robot\''),
    ("newer", '"version": 1', '"version": 2', ": version 2 was written by a newer Kinetree; this one reads up to ver"),
    ("older", '"version": 1', '"version": 0', ", version: expected an integer from 1 to 1, got 0$"),
    ("text_version", '"version": 1', '"version": "1"', ", version: expected an integer from 1 to 1, got '1'$"),
    ("unknown_key", '"name": "arm"', '"nam": "arm"', ": there is no key 'nam'; did you mean 'name'[?] Known: 'bo"),
    ("unknown_inner", '"lower"', '"lowest"', f"{JOINT}.limits: there is no key 'lowest'; .* {KEYS_OF_LIMITS}$"),
    ("twice", '"mass": 2.0', '"mass": 2.0, "mass": 3.0', r", bodies\[0\].inertia: the key 'mass' occurs twice in one"),
    ("text_number", "[0.1]", '"high"', f"{JOINT}.damping: expected a number or a list of numbers, got 'high'$"),
    ("text_in_list", "[0.1]", '["0.1"]', rf"{JOINT}.damping\[0\]: expected a number, got '0.1'$"),
    ("true_number", "[0.1]", "true", f"{JOINT}.damping: expected a number or a list of numbers, got true$"),
    ("null_number", "-1.0", "null", f"{JOINT}.limits.lower: expected a number, got null$"),
    ("negative", "[0.1]", "[-0.1]", f"{JOINT}: joint 'shoulder': viscous -0.1 must be a number not below 0$"),
    ("two_dampings", "[0.1]", "[1, 2]", f"{JOINT}: joint 'shoulder' has 1 velocities but 2 values of damping"),
    ("nan", "[0.1]", "[NaN]", rf"{JOINT}.damping\[0\]: NaN is not a finite number such as -1.5"),
    ("infinity", "-1.0", "-Infinity", f"{JOINT}.limits.lower: -Infinity is not a finite number"),
    ("overflow", "-1.0", "1e999", f"{JOINT}.limits.lower: 1e999 is not a finite number"),
    ("huge_integer", "-1.0", "9" * 5000, f"{JOINT}.limits.lower: 9{{20}}... is not a finite number"),
    ("endless_float", "-1.0", "0." + "1" * 5000, f"{JOINT}.limits.lower: 0.1{{18}}... is not a finite"),
    ("deep", "[0.1]", "[" * 10**5 + "]" * 10**5, ": values are nested too deep$"),
    ("deep_operations", "[0.1]", DEEP, f"{JOINT}.damping: operations are nested more than 200 deep$"),
    ("unknown_operation", "[0.1]", '{"op": "exec", "args": []}', f"{JOINT}.damping: there is no operation 'exec'"),
    ("list_operation", "[0.1]", '{"op": [], "args": []}', rf"{JOINT}.damping: there is no operation \[\]"),
    ("one_argument", "[0.1]", '{"op": "mul", "args": [1.0]}', ".* the operation 'mul' takes 2 arguments, got 1$"),
    ("bad_argument", "[0.1]", '{"op": "sin", "args": [[1.0]]}', f"{JOINT}.damping: expected a number, got a list$"),
    ("parameter", "[0.1]", '{"parameter": "a b"}', f"{JOINT}.damping: a parameter's name must be a Python identifier"),
    ("parameter_of_list", "[0.1]", '{"parameter": []}', f"{JOINT}.damping: a parameter's name must be a Python"),
    ("default", "[0.1]", '{"parameter": "a", "default": "1"}', f"{JOINT}.damping.default: expected a number, got '1'$"),
    ("no_name", '"name": "upper",', "", r", bodies\[0\]: there is no 'name', which must be given$"),
    ("number_name", '"upper",', "7,", r", bodies\[0\].name: expected a string, got 7$"),
    ("empty_name", '"upper",', '"",', ": the name of a body must be a non-empty string, got ''$"),
    ("no_type", '"type": "revolute", ', "", f"{JOINT}.kind: there is no 'type', which must be one of revolute, pris"),
    ("unknown_type", "revolute", "screw", f"{JOINT}.kind: there is no type 'screw'. Known: 'cylindrical', "),
    ("list_type", '"revolute"', "[]", f"{JOINT}.kind.type: expected a string, got a list$"),
    ("kind_is_text", '{"type": "revolute", "axis": [0.0, 1.0, 0.0]}', '"revolute"', f"{JOINT}.kind: expected an obj"),
    ("two_coordinates", "[0.0, 1.0, 0.0]", "[0, 1]", f"{JOINT}.kind.axis: expected a list of 3 numbers, got 2$"),
    ("number_axis", "[0.0, 1.0, 0.0]", "1", f"{JOINT}.kind.axis: expected a list of 3 numbers, got 1$"),
    ("long_axis", "[0.0, 1.0, 0.0]", "[0, 2, 0]", rf"{JOINT}.kind: the axis \(0, 2, 0\) has length 2"),
    ("endless_axis", "[0.0, 1.0, 0.0]", "[0, 1e300, 0]", rf"{JOINT}.kind: the axis \(0, 1e\+300, 0\) has length inf"),
    ("no_rotation", '"s": 1.0', '"s": 2.0', rf"{JOINT}.placement.R\[0\]: this is not a rotation; expected ortho"),
    ("fourth_axis", '"axis": 0', '"axis": 3', rf"{JOINT}.placement.R\[0\]: a turn is about axis 0, 1 or 2, got 3$"),
    ("half_axis", '"axis": 0', '"axis": 0.5', rf"{JOINT}.placement.R\[0\].axis: expected an integer, got 0.5$"),
    ("flag", "false", "0", f"{JOINT}.actuated: expected true or false, got 0$"),
    ("unknown_body", '"body": "upper"', '"body": "uper"', ": frame 'tool': there is no body 'uper'; did you mean"),
    ("frame", '"body": "upper"', '"body": []', r", frames\['tool'\].body: expected a string, got a list$"),
    ("gravity", "-9.8]", '"g"]', r", gravity\[2\]: expected a number, got 'g'$"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), [pytest.param(*case[1:], id=case[0]) for case in MISTAKES])
def test_a_mistake_is_refused_with_its_path(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert ARM.count(old) >= 1
    path = tmp_path / "arm.json"
    path.write_text(ARM.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ModelFileError, match=f"^arm.json{message}") as caught:
        kt.Robot.from_json(path)
    assert type(caught.value) is ModelFileError
    assert len(str(caught.value)) < 700


def test_the_arm_itself_is_read() -> None:
    robot = kt.Robot.from_json(ARM)
    assert (robot.joint_names, robot.bodies[0].inertia.mass, [*robot.frames]) == (
        ("shoulder",), 2.0, ["world", "upper", "tool"],
    )  # fmt: skip


def test_an_impossible_inertia_is_an_inertia_error() -> None:
    with pytest.raises(InertiaError, match=r"^text: body 'upper' has the negative mass -2 kg"):
        kt.Robot.from_json(ARM.replace('"mass": 2.0', '"mass": -2.0'))
    assert kt.Robot.from_json(
        ARM.replace('"mass": 2.0', '"mass": -2.0').replace('"frames"', '"strict": false, "frames"')
    )


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    path.write_bytes(ARM.encode("utf-16"))
    with pytest.raises(
        ModelFileError, match=r"^arm.json, line 1: the byte 0xff can't be read as text; save the file as"
    ):
        kt.Robot.from_json(path)
    with pytest.raises(ModelFileError, match=r"^there is no file .*nothing.json'; expected the path of a file, or"):
        kt.Robot.from_json(tmp_path / "nothing.json")
    with pytest.raises(ModelFileError, match=r"^can't read a model from a dict; expected the path of a file, or text"):
        kt.Robot.from_json({})  # type: ignore[arg-type]


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "MAX_PARTS", 20)
    with pytest.raises(ModelFileError, match=r"^text: there are more than 20 objects and lists"):
        kt.Robot.from_json(kt.robots.puma560().to_json())
    monkeypatch.setattr(json_reader, "MAX_BYTES", 100)
    with pytest.raises(ModelFileError, match=r"^text: there are .* characters; model files may have 100$"):
        kt.Robot.from_json(ARM)


@settings(max_examples=300)
@given(st.data())
def test_damaged_text_gives_a_robot_or_an_error_of_ours(data: st.DataObject) -> None:
    text = everything().to_json()
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    pieces = [*re.findall(r"[\w.+-]+|\W", ARM), "1e999", "NaN", "null", "-1", "{}", "[]", '""']
    piece = data.draw(st.sampled_from(pieces))
    with contextlib.suppress(KinetreeError):
        kt.Robot.from_json("{" + (text[:start] + piece + text[end:])[1:])
