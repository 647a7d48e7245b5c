"""What an MJCF file must not say: every mistake has its own error, with file, line and name."""

from __future__ import annotations

import builtins
import io
import os
import random
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree.errors import InertiaError, KinetreeError, ModelError, ModelFileError, ModelWarning, UnknownNameError
from kinetree.model.mechanism import Mechanism
from kinetree.model.mjcf import include as mjcf_include
from kinetree.model.mjcf.reader import mechanism_from_mjcf
from kinetree.model.text import xml as xml_reader

# line 1 is the root element; every mistake below replaces one piece of this text
ARM = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="xyz"/>
  <option gravity="0 0 -9.81"/>
  <default>
    <joint damping="0.1"/>
    <default class="strong">
      <joint armature="0.5"/>
    </default>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 0.5">
      <joint name="shoulder" class="strong" axis="0 1 0" range="-1 1" stiffness="2"/>
      <inertial pos="0 0 0.1" mass="2" diaginertia="0.02 0.02 0.01"/>
      <site name="mark"/>
      <frame euler="0 0 0.1">
        <body name="fore" quat="1 0 0 0">
          <joint name="elbow" type="slide" ref="0.1"/>
          <geom name="rod" type="capsule" size="0.1 0.2"/>
          <site name="tip" pos="0 0 1"/>
        </body>
      </frame>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="upper" body2="fore" anchor="0 0 0"/>
    <joint name="gear" joint1="elbow" joint2="shoulder"/>
    <weld name="glue" site1="mark" site2="tip"/>
  </equality>
</mujoco>
"""
BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><mujoco model="&b;">'
ROOT = '<mujoco model="arm">'
FREE = '<joint name="elbow" type="free"/>'
ELBOW = '<joint name="elbow" type="slide" ref="0.1"/>'
ROD = '<geom name="rod" type="capsule" size="0.1 0.2"/>'
REPEATED = f'<replicate count="99999" sep="{"-" * 100000}"><site name="s"/></replicate>'
MASS = '<inertial pos="0 0 0.1" mass="2" diaginertia="0.02 0.02 0.01"/>'

# what is replaced, by what, and how the message goes on after the name of the file
MISTAKES = [
    ("wrong_root", ARM, "<robot></robot>", "line 1, <robot>: the root element is <robot>; expected <mujoco>"),
    ("cut_off", "</mujoco>", "", "line 30: not readable as XML: no element found"),
    ("entity_bomb", ROOT, BOMB, "line 1: document types and entities"),
    ("misspelt_section", "<worldbody>", "<wordbody/><worldbody>", "line 10, .* did you mean 'worldbody'"),
    # settings
    ("angle", '"radian"', '"grad"', "line 2, <compiler>: .*'grad'>: expected one of 'degree', 'radian'"),
    ("two_axes_of_euler", '"xyz"', '"xy"', "line 2, .* expected three of x, y, z, X, Y, Z"),
    ("letters_of_euler", '"xyz"', '"abc"', "line 2, .* expected three of x, y, z, X, Y, Z"),
    ("global_coordinates", 'angle="radian"', 'coordinate="global"', "line 2, .* is not read; .* MuJoCo 2.3.3"),
    ("from_geom", 'angle="radian"', 'inertiafromgeom="maybe"', "line 2, .* one of 'true', 'false', 'auto'"),
    ("group_range", 'angle="radian"', 'inertiagrouprange="1"', "line 2, .* expected 2 numbers .* got 1"),
    ("gravity_of_two", "0 0 -9.81", "0 0", "line 3, .* expected 3 numbers .* got 2"),
    ("gravity_nan", "0 0 -9.81", "0 0 nan", "line 3, .* 'nan' is not a finite number"),
    ("flag", "<option", '<option><flag gravity="off"/></option><option', "line 3, .* one of 'enable', 'disable'"),
    # classes
    ("unknown_class", 'class="strong" axis', 'class="strnog" axis', "line 12, joint 'shoulder': .* mean 'strong'"),
    ("unknown_childclass", 'name="fore"', 'name="fore" childclass="x"', "line 16, body 'fore': there is no default"),
    ("unknown_frame_class", "<frame", '<frame childclass="x"', "line 15, .* there is no default class 'x'"),
    ("class_without_name", ' class="strong">', ">", "line 6, .* <default> has no class="),
    ("class_twice", "<default>\n    <joint", '<default>\n<default class="strong"/><joint', "line 6, .* second default"),
    ("number_in_a_class", 'damping="0.1"', 'damping="much"', "line 5, .* 'much' is not a finite number"),
    # joints
    ("unknown_type", '"slide"', '"sliding"', "line 17, joint 'elbow': .*'sliding'>: expected one of 'hinge', 'slide'"),
    ("zero_axis", "0 1 0", "0 0 0", "line 12, joint 'shoulder': <joint axis=...>: the direction is zero"),
    ("axis_of_two", "0 1 0", "0 1", "line 12, .* expected 3 numbers separated by spaces, got 2"),
    ("text_in_axis", "0 1 0", "0 up 0", "line 12, .* 'up' is not a finite number"),
    ("endless_ref", 'ref="0.1"', 'ref="inf"', "line 17, joint 'elbow': .* 'inf' is not a finite number"),
    ("two_refs", 'ref="0.1"', 'ref="0.1 2"', "line 17, .* expected one number, got 2"),
    ("negative_damping", 'damping="0.1"', 'damping="-0.1"', "line 5, .* damping -0.1 drives the joint"),
    ("negative_armature", '"0.5"/>', '"-0.5"/>', "line 7, .* armature -0.5 drives the joint"),
    ("negative_stiffness", 'stiffness="2"', 'stiffness="-2"', "line 12, .* stiffness -2 drives the joint"),
    ("negative_friction", 'stiffness="2"', 'frictionloss="-2"', "line 12, .* frictionloss -2 drives the joint"),
    ("four_stiffnesses", 'stiffness="2"', 'stiffness="2 0 0 0"', "line 12, .* expected 3 numbers .* got 4"),
    ("springdamper", 'stiffness="2"', 'springdamper="1 -1"', "line 12, .* both numbers must be above 0"),
    ("swapped_limits", '"-1 1"', '"1 -1"', "line 12, joint 'shoulder': the lower limit 1 is above the upper limit -1"),
    ("limit_of_one", '"-1 1"', '"1"', "line 12, .* expected 2 numbers .* got 1"),
    ("limited", 'range="-1 1"', 'limited="yes"', "line 12, .* one of 'auto', 'true', 'false'"),
    ("free_inside", ELBOW, FREE, "line 17, joint 'elbow': a free joint belongs on a child of the world, not .*'upper'"),
    ("freejoint_inside", ELBOW, "<freejoint/>", "line 17, body 'fore': a free joint belongs on a child of the world"),
    ("free_and_others", "<site name=\"mark\"/>", "<freejoint/>", "line 14, .* leaves nothing for other joints"),
    ("joint_on_the_world", "<worldbody>", "<worldbody><joint/>", "line 10, .* the world has no <joint>; put it into"),
    ("free_world", "<worldbody>", "<worldbody><freejoint/>", "line 10, .* the world has no <freejoint>"),
    ("heavy_world", "<worldbody>", "<worldbody>" + MASS, "line 10, .* the world has no <inertial>"),
    ("mocap_joint", 'name="upper"', 'name="upper" mocap="true"', "line 11, body 'upper': a mocap body is a child"),
    ("misspelt_joint", ELBOW, "<jiont/>", "line 17, body 'fore': there is no <jiont> in a body; expected body, joint"),
    # orientations
    ("two_orientations", 'quat="1 0 0 0"', 'quat="1 0 0 0" euler="0 0 0"', "line 16, .* two orientations, quat and eu"),
    ("zero_quaternion", '"1 0 0 0"', '"0 0 0 0"', "line 16, body 'fore': .* the quaternion is zero; .* 1 0 0 0"),
    ("three_of_four", '"1 0 0 0"', '"1 0 0"', "line 16, .* expected 4 numbers .* got 3"),
    ("zero_zaxis", 'quat="1 0 0 0"', 'zaxis="0 0 0"', "line 16, .* zaxis=...>: the direction is zero"),
    ("zero_axisangle", 'quat="1 0 0 0"', 'axisangle="0 0 0 1"', "line 16, .* axisangle=...>: the direction is zero"),
    ("parallel_xyaxes", 'quat="1 0 0 0"', 'xyaxes="1 0 0 2 0 0"', "line 16, .* the vectors are parallel"),
    ("zero_xyaxes", 'quat="1 0 0 0"', 'xyaxes="0 0 0 2 0 0"', "line 16, .* xyaxes=...>: the direction is zero"),
    ("frame_euler", '"0 0 0.1">', '"0 0">', "line 15, .* expected 3 numbers .* got 2"),
    ("text_in_pos", '"0 0 0.5"', '"0 0 high"', "line 11, body 'upper': .* 'high' is not a finite number"),
    ("comma", '"0 0 0.5"', '"0,0,0.5"', "line 11, .* expected 3 numbers .* got 1"),
    # masses
    ("no_mass", 'mass="2" ', "", "line 13, body 'upper': <inertial> has no mass="),
    ("no_centre", 'pos="0 0 0.1" mass', "mass", "line 13, body 'upper': <inertial> has no pos="),
    ("two_inertials", MASS, MASS + "\n" + MASS, "line 14, body 'upper': a second <inertial>"),
    ("two_inertias", "diaginertia", 'fullinertia="1 1 1 0 0 0" diaginertia', "line 13, .* fullinertia stands alone"),
    ("turned_full", 'diaginertia="0.02 0.02 0.01"', 'fullinertia="1 1 1 0 0 0" euler="1 0 0"', "fullinertia stands al"),
    ("full_of_three", 'diaginertia="0.02 0.02 0.01"', 'fullinertia="1 1 1"', "line 13, .* expected 6 numbers"),
    ("unknown_geom", '"capsule"', '"pill"', "line 18, geom 'rod': .*'pill'>: expected one of 'plane', 'hfield'"),
    ("no_size", ' size="0.1 0.2"', "", "line 18, geom 'rod': the sizes of a capsule must be lengths above 0"),
    ("one_size", "0.1 0.2", "0.1", "line 18, .* the sizes of a capsule must be lengths above 0, got .0.1, 0.0."),
    ("negative_size", "0.1 0.2", "-0.1 0.2", "line 18, .* must be lengths above 0"),
    ("endless_size", "0.1 0.2", "1e300 0.2", "line 18, .* must be lengths above 0"),
    ("four_sizes", "0.1 0.2", "1 1 1 1", "line 18, .* expected 3 numbers .* got 4"),
    ("negative_geom", 'size="0.1 0.2"', 'size="1 1" mass="-1"', "line 18, .* the negative mass -1 kg"),
    ("negative_density", 'size="0.1 0.2"', 'size="1 1" density="-1"', "line 18, .* the density is below 0"),
    ("same_ends", '"0.1 0.2"', '"1" fromto="1 1 1 1 1 1"', "line 18, .* the two points coincide"),
    ("fromto_and_pos", '"0.1 0.2"', '"1" pos="1 0 0" fromto="0 0 0 1 1 1"', "line 18, .* both pos and fromto"),
    ("long_sphere", 'type="capsule"', 'fromto="0 0 0 1 1 1"', "line 18, .* a sphere has no fromto"),
    # names
    ("body_twice", '"fore" quat', '"upper" quat', "line 16, .* a second body is called 'upper', .* line 11; rename"),
    ("joint_twice", '"elbow" type', '"shoulder" type', "line 17, .* a second joint is called 'shoulder', .* line 12"),
    ("site_twice", '"tip" pos', '"mark" pos', "line 19, .* a second site is called 'mark'"),
    ("world_body", '"fore" quat', '"world" quat', "line 16, .* 'world' is the world itself; rename the body"),
    ("endless_name", '"fore" quat', f'"{"x" * 600}" quat', "line 16, .* longer than 500 characters"),
    # what MuJoCo makes bodies of
    ("replicate_of_none", ELBOW, ELBOW + '<replicate count="0"/>', "line 17, .* expected an integer from 1 to 100000"),
    ("replicate_of_half", ELBOW, ELBOW + '<replicate count="1.5"/>', "line 17, .* expected an integer from 1 to 1000"),
    ("replicate_of_much", ELBOW, ELBOW + '<replicate count="1e6"/>', "line 17, .* expected an integer from 1 to 1000"),
    ("replicate_of_all", ELBOW, ELBOW + '<replicate count="99999"><site/><site/></replicate>', "more than 100000 elem"),
    ("replicate_of_length", ELBOW, ELBOW + REPEATED, "line 17, .* longer than 500 characters"),
    ("replicate_without_count", ELBOW, ELBOW + "<replicate/>", "line 17, .* <replicate> has no count"),
    ("replicated_joint", ELBOW, '<replicate count="2"><joint/></replicate>', "line 17, .* can't be copied into one"),
    ("attach_without_prefix", ELBOW, ELBOW + '<attach model="m"/>', "line 17, .* <attach> has no prefix"),
    ("attach_nothing", ELBOW, ELBOW + '<attach model="m" prefix=""/>', "line 17, .* there is no model 'm'"),
    ("attach_itself", ELBOW, ELBOW + '<attach prefix="x"/>', "line 17, .* needs a body or a frame"),
    ("attach_in_itself", ELBOW, ELBOW + '<attach body="fore" prefix="x"/>', "line 17, .* attached to it again"),
    ("attach_nobody", ELBOW, ELBOW + '<attach body="for" prefix="x"/>', "no body in the model 'for'; .* 'fore'"),
    ("included_alone", ARM, "<mujocoinclude></mujocoinclude>", "line 1, .* is a part of a model, meant to be included"),
    ("body_alone", "<worldbody>", "<body/><worldbody>", "line 10, .* part of a model, meant to be included"),
    ("composite", ELBOW, '<composite type="cable"/>', "line 17, .* <composite> is not read"),
    ("flexcomp", ELBOW, '<flexcomp name="f"/>', "line 17, .* <flexcomp> is not read"),
    ("scaled_frame", "<frame", '<frame scale="2"', "line 15, .* <frame scale=...> is not read; compile"),
    # equalities
    ("pinned_nobody", 'body1="upper"', 'body1="uper"', "line 25, connect 'pin': there is no body 'uper'; .* 'upper'"),
    ("pinned_to_nobody", 'body2="fore"', 'body2="for"', "line 25, .* there is no body 'for'; did you mean 'fore'"),
    ("no_body", 'body1="upper" ', "", "line 25, .* <connect> has no body1="),
    ("no_anchor", ' anchor="0 0 0"', "", "line 25, .* <connect> has no anchor="),
    ("unknown_site", 'site2="tip"', 'site2="top"', "line 27, weld 'glue': there is no site 'top'; did you mean 'tip'"),
    ("one_site", ' site2="tip"', "", "line 27, .* <weld> has no site2="),
    ("unknown_follower", 'joint1="elbow"', 'joint1="elbw"', "line 26, joint 'gear': .* did you mean 'elbow'"),
    ("unknown_leader", 'joint2="shoulder"', 'joint2="x"', "line 26, joint 'gear': there is no joint 'x'"),
    ("own_leader", 'joint2="shoulder"', 'joint2="elbow"', "line 26, .* 'elbow' can't follow itself"),
    ("ball_follows", 'type="slide" ref="0.1"', 'type="ball"', "line 26, .* joint1 'elbow' is a ball or a free joint"),
    ("long_polynomial", 'joint2="shoulder"', 'joint2="shoulder" polycoef="1 1 1 1 1 1"', "line 26, .* expected 5 num"),
    ("equality_twice", '"glue"', '"pin"', "line 27, .* a second equality is called 'pin', the first is in line 25"),
    ("half_active", 'name="glue"', 'name="glue" active="maybe"', "line 27, .* one of 'true', 'false'"),
    ("relpose_of_six", 'site1="mark" site2="tip"', 'body1="upper" relpose="1 2 3 4 5 6"', "line 27, .* expected 7"),
]  # fmt: skip
IMPOSSIBLE = [
    ("negative_mass", 'mass="2"', 'mass="-2"', "line 11, body 'upper': .* the negative mass -2 kg"),
    ("triangle", "0.02 0.02 0.01", "0.02 0.02 0.1", "line 11, body 'upper': .*triangle inequality"),
    ("not_positive", 'diaginertia="0.02 0.02 0.01"', 'fullinertia="1 1 1 2 0 0"', "line 11, .* negative principal"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "old", "new", "message"),
    [pytest.param(ModelFileError, *case[1:], id=case[0]) for case in MISTAKES]
    + [pytest.param(InertiaError, *case[1:], id=case[0]) for case in IMPOSSIBLE],
)
def test_a_mistake_is_refused_by_line_and_name(
    error: type[KinetreeError], old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert old in ARM
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(error, match=f"^arm.xml(, |: ).*({message})") as caught:
        mechanism_from_mjcf(path)
    assert type(caught.value) is error


IGNORED = "functions of the robot ignore its 2 loops .'pin', 'glue'. and 1 coupling .'elbow'.; those of kt.ClosedChain"
with_loops = pytest.mark.filterwarnings("ignore:.*functions of the robot ignore:kinetree.errors.ModelWarning")


def test_the_arm_itself_is_read_from_path_and_text(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    with pytest.warns(ModelWarning, match=f"^(text|arm.xml): {IGNORED}") as said:
        robots = [mechanism_from_mjcf(source) for source in (path, str(path), ARM, "\ufeff \n" + ARM)]
    assert len(said) == len(robots)
    assert all(robot == robots[0] for robot in robots)
    robot = robots[0]
    assert (robot.name, robot.joint_names) == ("arm", ("shoulder", "elbow"))
    shoulder, elbow = (body.joint for body in robot.bodies)
    assert (shoulder.damping, shoulder.rotor_inertia, shoulder.stiffness) == ((0.1,), (0.5,), (2.0,))
    assert (elbow.damping, elbow.rotor_inertia) == ((0.1,), (0.0,))
    assert [loop.name for loop in robot.loops] == ["pin", "glue"]
    assert [coupling.joint for coupling in robot.couplings] == ["elbow"]


@pytest.mark.parametrize("case", IMPOSSIBLE, ids=[case[0] for case in IMPOSSIBLE])
@with_loops
def test_strict_false_takes_impossible_inertias(case: tuple[str, str, str, str]) -> None:
    assert mechanism_from_mjcf(ARM.replace(case[1], case[2], 1), strict=False).nv == 2


def test_a_negative_mass_does_not_hide_behind_a_weld() -> None:
    bad = ARM.replace(ELBOW, "").replace(ROD, MASS.replace('"2"', '"-1"')).replace("<equality>", "<custom>")
    bad = bad.replace("</equality>", "</custom>")
    with pytest.raises(InertiaError, match=r"line 16, body 'fore': .* the negative mass -1 kg"):
        mechanism_from_mjcf(bad)
    assert mechanism_from_mjcf(bad, strict=False).bodies[0].inertia.mass == 1.0


def test_a_polynomial_that_overflows_is_refused() -> None:
    text = ARM.replace('ref="0.1"', 'ref="1e200"')
    text = text.replace('joint1="elbow" joint2="shoulder"', 'joint1="shoulder" joint2="elbow" polycoef="0 1 1"')
    with pytest.raises(ModelFileError, match=r"^text, line 26, joint 'gear': the polynomial is not finite"):
        mechanism_from_mjcf(text)


def test_options_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="no moving joint 'elbw'; did you mean 'elbow'"):
        mechanism_from_mjcf(ARM, lock={"elbw": 0.0})
    for value in (np.nan, "half", None, (1.0, 2.0)):
        with pytest.raises(ModelError, match=r"'elbow' can't be held at .*; expected 1 finite number$"):
            mechanism_from_mjcf(ARM, lock={"elbow": value})
    with pytest.raises(ModelError, match="gravity is three numbers"):
        mechanism_from_mjcf(ARM, gravity=(1.0, 2.0))


def test_a_spring_by_time_constant_needs_a_mass_matrix_of_a_size() -> None:
    bodies = "".join('<body><joint springdamper="1 1"/><geom size="1"/></body>' for _ in range(501))
    with pytest.raises(ModelError, match="501 coordinates are more than the 500"):
        mechanism_from_mjcf(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")


# -- files -------------------------------------------------------------------------------------------------------------


def folder(path: Path, **files: str) -> Path:
    """A folder with files, the first of which is the main one."""
    for name, text in files.items():
        file = path / (name.replace("__", "/") + ".xml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path / f"{next(iter(files))}.xml"


def include(file: str) -> str:
    return f'<mujoco>\n<include file="{file}"/>\n</mujoco>'


def refused(source: Path | str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        mechanism_from_mjcf(source)


def test_an_include_names_a_file_that_is_there(tmp_path: Path) -> None:
    refused(
        folder(tmp_path, main=include("none.xml")), r"^main.xml, line 2, <include>: .* there is no file .*none\.xml"
    )
    refused(folder(tmp_path, main=include("")), "^main.xml, line 2, .* <include> has no file=")
    refused(folder(tmp_path, main=include(".")), "^main.xml, line 2, .* there is no file")
    refused(folder(tmp_path, main=include("http://a.b/c.xml")), "^main.xml, line 2, .* is not read")
    refused(include("main.xml"), "^text, line 2, <include>: text has no folder .*; pass the path of a file")


def test_an_included_file_is_read_with_the_same_care(tmp_path: Path) -> None:
    main = folder(tmp_path, main=include("part.xml"), part="<mujoco>\n<worldbody>\n<joint/></worldbody></mujoco>")
    refused(main, "^part.xml, line 3, <joint>: the world has no <joint>|^part.xml, line 3, .*the world has no <joint>")
    main = folder(tmp_path, main=include("part.xml"), part=BOMB + "</mujoco>")
    refused(main, "^part.xml, line 1: document types and entities")
    main = folder(tmp_path, main=include("part.xml"), part="<mujoco>")
    refused(main, "^part.xml, line 1: not readable as XML")


def test_a_file_is_not_included_by_itself_nor_twice(tmp_path: Path) -> None:
    refused(folder(tmp_path, main=include("main.xml")), "^main.xml, line 2, .* includes itself; first: the main file")
    refused(folder(tmp_path, main=include("./x/../main.xml")), "^main.xml, line 2, .* includes itself")
    refused(
        folder(tmp_path, main=include("a.xml"), a=include("b.xml"), b=include("a.xml")), "^b.xml, line 2, .* itself"
    )
    twice = include("a.xml").replace("</mujoco>", '<include file="a.xml"/></mujoco>')
    refused(
        folder(tmp_path, main=twice, a="<mujoco/>"), "^main.xml, line 3, .* a second time.* first: main.xml, line 2"
    )


def test_nothing_outside_the_folder_is_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by .., nor by an absolute path, nor through links; the files outside are not even opened."""
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "deep.xml").write_text("<mujoco/>")
    inside = tmp_path / "inside"
    inside.mkdir()
    os.symlink(tmp_path / "secret.xml", inside / "link.xml")
    os.symlink(tmp_path / "outside", inside / "folder")
    opened: list[str] = []
    real = io.open

    def spy(file: Any, *args: Any, **kwargs: Any) -> Any:
        opened.append(str(file))
        return real(file, *args, **kwargs)

    monkeypatch.setattr(io, "open", spy)
    monkeypatch.setattr(builtins, "open", spy)
    addresses = (
        "../secret.xml", "x/../../secret.xml", str(tmp_path / "secret.xml"), f"file://{tmp_path}/secret.xml",
        "link.xml", "folder/deep.xml", "../outside/deep.xml", "/etc/passwd",
    )  # fmt: skip
    for address in addresses:
        main = inside / "main.xml"
        main.write_text(include(address))
        refused(main, "^main.xml, line 2, .* leads outside the folders .* in the folder of the main file or below")
    assert {Path(file).name for file in opened} <= {"main.xml"}


def test_includes_are_bounded_in_depth_number_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = {f"f{i}": include(f"f{i + 1}.xml") for i in range(30)}
    refused(folder(tmp_path, **chain), f"^f{mjcf_include.MAX_INCLUDES}.xml, line 2, .* more than 20 deep")
    nest = "<a>" * 60, "</a>" * 60
    parts = {name: f"<mujoco><worldbody>{nest[0]}{inside}{nest[1]}</worldbody></mujoco>"
             for name, inside in (("m", '<include file="n.xml"/>'), ("n", ""))}  # fmt: skip
    refused(folder(tmp_path, **parts), "^n.xml, line 1, .* nested more than 100 deep")
    with (tmp_path / "big.xml").open("wb") as stream:
        stream.truncate(200 * 10**6)
    refused(folder(tmp_path, main=include("big.xml")), "^main.xml, line 2, .* larger than the 33554432 bytes")
    monkeypatch.setattr(mjcf_include, "MAX_ELEMENTS", 50)
    many = "<mujoco>" + "<custom/>" * 40 + "{}</mujoco>"
    main = folder(tmp_path, main=many.format('<include file="more.xml"/>'), more=many.format(""))
    refused(main, "^more.xml, line 1, .* more than 50 elements")


def test_depth_elements_and_defaults_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("<mujoco>\n" + "<worldbody>" + "<body>" * 10**5, "^text, line 2: elements are nested more than 100 deep")
    defaults = '<default><joint damping="1"/></default>' * 300
    refused(f"<mujoco>{defaults}</mujoco>", "^text, line 1, .* more than 200 defaults for <joint>")
    bodies = "<body>" * 95 + "</body>" * 95
    assert mechanism_from_mjcf(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>").nv == 0
    monkeypatch.setattr(xml_reader, "MAX_ELEMENTS", 50)
    refused("<mujoco>\n" + "<custom/>" * 100, "^text, line 2: there are more than 50 elements")


def test_a_wide_file_is_read_in_time_that_grows_with_its_size() -> None:
    bodies = "".join(
        f'<body name="b{i}"><joint pos="1 0 0"/><geom size="1"/><site name="s{i}"/></body>' for i in range(3000)
    )
    robot = mechanism_from_mjcf(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert (robot.nbodies, len(robot.frames)) == (3000, 9001)


# -- damaged files -----------------------------------------------------------------------------------------------------

VALUES = (
    '"nan"', '"1e400"', '"1e308"', '"1e-308"', '"-1"', '"0"', '"0 0 0"', '"1e308 1e308 1e308"', '"0 0 0 0"', '""',
    '"1 2 3 4 5 6"', '"1e300 0 0 -1e300 0 0"', '"world"', '"upper"', '"free"', '"ball"', '"mesh"', '"true"', '"false"',
)  # fmt: skip
PIECES = (
    ROD, MASS, ELBOW, "<freejoint/>", '<joint springdamper="1e-200 1e200"/>', '<compiler settotalmass="1e300"/>',
    '<geom type="box" shellinertia="true" size="1 1 1"/>', '<compiler boundinertia="1" balanceinertia="true"/>',
    '<geom type="ellipsoid" shellinertia="true" size="1e29 1e-29 1"/>', '<site name="x" fromto="0 0 0 1 1 1"/>',
    '<frame xyaxes="1 0 0 0 1e308 1e308">', "</frame>", '<body gravcomp="1">', "</body>",
    '<default class="x"><geom mass="1e308"/></default>',
)  # fmt: skip


def damaged(rng: random.Random, text: str) -> str:
    match rng.randrange(4):
        case 0:
            places = [*re.finditer(r'"[^"]*"', text)]
            place = rng.choice(places)
            return text[: place.start()] + rng.choice(VALUES) + text[place.end() :]
        case 1:
            lines = text.splitlines()
            lines.insert(rng.randrange(len(lines)), rng.choice(PIECES))
            return "\n".join(lines)
        case 2:
            lines = text.splitlines()
            del lines[rng.randrange(len(lines))]
            return "\n".join(lines)
        case _:
            start = rng.randrange(len(text))
            return text[:start] + rng.choice('<>"/= a1') + text[start + rng.randrange(2) :]


def outcome(text: str, strict: bool) -> Mechanism | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return mechanism_from_mjcf(text, strict=strict)
        except KinetreeError:
            return None


@pytest.mark.parametrize("count", [1500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_damaged_files_raise_only_errors_of_kinetree(count: int) -> None:
    rng = random.Random(count)
    read = 0
    for k in range(count):
        text = ARM
        for _ in range(rng.randrange(1, 4)):
            text = damaged(rng, text)
        read += outcome(text, strict=k % 2 == 0) is not None
    assert 0.05 * count < read < 0.95 * count
