"""What a URDF file must not say: every mistake has its own error, with file, line and name."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from kinetree.errors import InertiaError, KinetreeError, ModelError, ModelFileError, ModelWarning, UnknownNameError
from kinetree.model.inertia import Inertia
from kinetree.model.joint import Mimic
from kinetree.model.mechanism import Mechanism
from kinetree.model.text import file as text_file, xml as xml_reader
from kinetree.model.urdf.reader import mechanism_from_urdf

# line 1 is the robot element; every mistake below replaces one piece of this text
ARM = """<robot name="arm">
  <link name="base_link"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="2.0"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base_link"/>
    <child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="upper"/>
    <child link="tool"/>
  </joint>
</robot>
"""
INERTIA = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/>'
SECOND_SHOULDER = (
    '<link name="spare"/>'
    '<joint name="shoulder" type="fixed"><parent link="base_link"/><child link="spare"/></joint></robot>'
)
LOOSE_CYCLE = (
    '<link name="a"/><link name="b"/>'
    '<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>'
    '<joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint></robot>'
)
BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><robot name="&b;">'


def grips(*leaders: str, type_: str = "prismatic") -> str:
    """Links and joints grip0, grip1, ... on the tool, each with <mimic joint=...> in a line of its own, from 24 on."""
    return "".join(
        f'<link name="l{i}"/><joint name="grip{i}" type="{type_}"><parent link="tool"/><child link="l{i}"/>\n'
        f'<mimic joint="{leader}"/></joint>'
        for i, leader in enumerate(leaders)
    ) + "</robot>"  # fmt: skip


def drive(*inside: str) -> str:
    """A transmission of the shoulder; its insides stand in lines of their own, from 24 on."""
    return "\n".join(['<transmission><joint name="shoulder"/>', *inside]) + "</transmission></robot>"


OUTSIDE = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;">'

RICH = (
    ARM.replace("</robot>", grips("shoulder", "grip0"))
    .replace("</robot>", drive("<actuator name='m'><drake:rotor_inertia value='1'/>", "</actuator>"))
    .replace('0.5" rpy="0 0 0"', '0.5" quat_xyzw="0 0 0.6 0.8"')
)
FLOATING = ARM.replace("revolute", "floating").replace("</robot>", grips("shoulder"))

# what is replaced, by what, and how the message goes on after the name of the file
MISTAKES = [
    ("wrong_root", ARM, "<sdf></sdf>", "line 1, <sdf>: the root element is <sdf>"),
    ("cut_off", "</robot>", "", "line 24: not readable as XML: no element found"),
    ("wrong_end_tag", "</inertial>", "</inertia>", "line 8: .* mismatched tag"),
    ("no_quotes", 'value="2.0"', "value=2.0", "line 6: .* not well-formed"),
    ("same_attribute_twice", 'ixy="0"', 'ixx="0"', "line 7: .* duplicate attribute"),
    ("undefined_entity", 'value="2.0"', 'value="&m;"', "line 6: .* undefined entity"),
    ("entity_bomb", '<robot name="arm">', BOMB, "line 1: document types and entities"),
    ("external_entity", '<robot name="arm">', OUTSIDE, "line 1: document types and entities"),
    ("doctype", '<robot name="arm">', '<!DOCTYPE robot><robot name="arm">', "document types"),
    ("xacro", '  <link name="tool"/>', "<xacro:arm/>", "line 10, <xacro:arm>: .* expand it first"),
    ("link_without_name", '<link name="tool"/>', "<link/>", "line 10, <link>: .* no name="),
    ("blank_joint_name", '"mount"', '" "', "line 19, joint ' ': .* no name="),
    ("endless_name", '"mount"', f'"{"x" * 600}"', "line 19, .* longer than 500"),
    ("link_twice", '"tool"/>\n  <j', '"upper"/>\n  <j', "line 10, .* a second link .* line 3"),
    ("joint_twice", "</robot>", SECOND_SHOULDER, "line 23, .* a second joint"),
    ("no_links", ARM, '<robot name="arm"></robot>', "line 1, <robot>: the robot has no <link>"),
    ("no_type", ' type="fixed"', "", "line 19, joint 'mount': <joint> has no type="),
    ("unknown_type", '"fixed"', '"screw"', "line 19, joint 'mount': .* not one of 'revolute'"),
    ("no_parent", '<parent link="upper"/>', "", "line 19, joint 'mount': .* no <parent>"),
    ("no_child_name", '<child link="tool"/>', "<child/>", "line 21, joint 'mount': .* no link="),
    ("unknown_parent", '<parent link="upper"/>', '<parent link="uper"/>', "line 19, .* mean 'upper'"),
    ("unknown_child", '<child link="tool"/>', '<child link="hand"/>', "no child link 'hand'"),
    ("two_roots", "</robot>", '<link name="spare"/></robot>', "'base_link' and 'spare'"),
    ("own_parent", '<parent link="upper"/>', '<parent link="tool"/>', "cycle: tool -> tool"),
    ("cycle", '<parent link="base_link"/>', '<parent link="tool"/>', "cycle: .*upper -> tool"),
    ("loose_cycle", "</robot>", LOOSE_CYCLE, "line 23, .* cycle: (a -> b -> a|b -> a -> b)"),
    ("two_parents", '<child link="tool"/>', '<child link="upper"/>', "the child of joint 'shoulder'"),
    ("zero_axis", "0 1 0", "0 0 0", "line 15, joint 'shoulder': the axis is zero"),
    ("axis_of_two", "0 1 0", "0 1", "line 15, .* expected 3 numbers separated by spaces, got 2"),
    ("axis_without_xyz", '<axis xyz="0 1 0"/>', "<axis/>", "line 15, .* no xyz="),
    ("two_axes", "<axis", '<axis xyz="1 0 0"/><axis', "line 15, .* a second <axis>"),
    ("nan", "0 0 0.5", "0 0 nan", "line 14, joint 'shoulder': .* 'nan' is not a finite number"),
    ("infinity", 'upper="1"', 'upper="inf"', "line 16, .* 'inf' is not a finite number"),
    ("overflow", 'upper="1"', 'upper="1e999"', "line 16, .* '1e999' is not a finite number"),
    ("text", "0 0 0.1", "0 0 high", "line 5, link 'upper': .* 'high' is not a finite number"),
    ("commas", "0 0 0.1", "0,0,0.1", "line 5, .* expected 3 numbers .* got 1"),
    ("underscore", 'value="2.0"', 'value="2_0"', "line 6, .* '2_0' is not a finite number"),
    ("other_digits", 'value="2.0"', 'value="\u0662"', "line 6, .* is not a finite number"),
    ("endless_number", 'value="2.0"', f'value="{"2" * 200}"', "line 6, .* is not a finite number"),
    ("four_angles", '0.5" rpy="0 0 0"', '0.5" rpy="0 0 0 1"', "line 14, .* 3 numbers .* got 4"),
    ("two_rotations", '0.5" rpy', '0.5" quat_xyzw="0 0 0 1" rpy', "line 14, .* both rpy=.* and quat_xyzw="),
    ("three_of_four", '0.5" rpy="0 0 0"', '0.5" quat_xyzw="0 0 1"', "line 14, .* 4 numbers .* got 3"),
    ("long_quaternion", '0.5" rpy="0 0 0"', '0.5" quat_xyzw="0 0 1 1"', "line 14, .* length 1.41421; .* of length 1"),
    ("zero_quaternion", '0.5" rpy="0 0 0"', '0.5" quat_xyzw="0 0 0 0"', "line 14, .* length 0; .* of length 1"),
    ("no_mass", '<mass value="2.0"/>', "", "line 4, link 'upper': <inertial> has no <mass>"),
    ("no_inertia", INERTIA, "", "line 4, link 'upper': <inertial> has no <inertia>"),
    ("no_izz", 'izz="0.01"', "", "line 7, link 'upper': <inertia> has no izz="),
    ("negative_damping", 'damping="0.1"', 'damping="-0.1"', "line 17, .* damping -0.1 drives"),
    ("limits_swapped", 'lower="-1"', 'lower="3"', "line 11, .* lower limit 3 is above .* limit 1"),
    ("planar_axis", "revolute", "planar", "line 11, .* planar joint with axis .0.0, 1.0, 0.0."),
    ("own_mimic", "</robot>", grips("grip0"), "line 24, joint 'grip0': the joint mimics itself; name another"),
    ("mimic_circle", "</robot>", grips("grip1", "grip0"), "line 23, .* in a circle: grip0 -> grip1 -> grip0; one must"),
    ("mimic_spiral", "</robot>", grips("grip1", "grip2", "grip1"), "line 24, .* circle: grip1 -> grip2 -> grip1; one"),
    ("mimic_nobody", "</robot>", grips("sholder"), "line 24, .* joint to mimic 'sholder'; did you mean 'shoulder'"),
    ("mimic_fixed", "</robot>", grips("mount"), "line 24, .* 'mount' can't be mimicked: it is fixed and has not just"),
    ("mimic_floating", ARM, FLOATING, "line 24, .* 'shoulder' can't be mimicked: it is floating and"),
    ("floating_mimics", "</robot>", grips("shoulder", type_="floating"), "line 24, .* a floating joint can't mimic"),
    ("planar_mimics", "</robot>", grips("shoulder", type_="planar"), "line 24, .* a planar joint can't mimic"),
    ("mimic_without_joint", "</robot>", grips(""), "line 24, joint 'grip0': <mimic> has no joint="),
    ("two_mimics", "<axis", '<mimic joint="a"/><mimic joint="b"/><axis', "line 15, .* a second <mimic>"),
    ("mimic_of_text", "<axis", '<mimic joint="a" multiplier="x"/><axis', "line 15, .* 'x' is not a finite number"),
    ("mimic_nan", "<axis", '<mimic joint="a" offset="nan"/><axis', "line 15, .* 'nan' is not a finite number"),
    ("transmission_of_none", "</robot>", drive("<joint/>"), "line 24, .* <joint> has no name="),
    ("no_reduction", "</robot>", drive("<mechanicalReduction/>"), "line 24, .* expected one number, got 0"),
    ("text_reduction", "</robot>", drive("<mechanicalReduction>1:9</mechanicalReduction>"), "line 24, .* '1:9' is not"),
    ("zero_reduction", "</robot>", drive("<actuator>", "<mechanicalReduction>0</mechanicalReduction></actuator>"),
     "line 25, .* <mechanicalReduction> is 0; expected the turns"),
    ("zero_gear", "</robot>", drive("<actuator>", "<drake:gear_ratio value='0'/></actuator>"),
     "line 25, .* <drake:gear_ratio> is 0; expected the turns"),
    ("negative_rotor", "</robot>", drive("<rotorInertia>-1</rotorInertia>"), "line 24, .* <rotorInertia> is -1; exp"),
    ("rotor_without_value", "</robot>", drive("<drake:rotor_inertia/>"), "line 24, .*rotor_inertia> has no value="),
    ("two_rotors", "</robot>", drive(*["<rotorInertia>1</rotorInertia>"] * 2), "line 25, .* a second <rotorInertia>"),
]  # fmt: skip
IMPOSSIBLE = [
    ("negative_mass", "2.0", "-2.0", "line 3, link 'upper': the mass -2 kg is below 0"),
    ("triangle", 'izz="0.01"', 'izz="0.05"', "body 'upper' .*triangle inequality"),
    ("not_positive", 'ixy="0"', 'ixy="0.03"', "body 'upper' .* negative principal moment"),
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
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(error, match=f"^arm.urdf(, |: ).*{message}") as caught:
        mechanism_from_urdf(path)
    assert type(caught.value) is error


def test_the_arm_itself_is_read_from_path_and_text(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    robots = [mechanism_from_urdf(source) for source in (path, str(path), ARM, "\ufeff \n" + ARM)]
    assert all(robot == robots[0] for robot in robots)
    (body,) = robots[0].bodies
    assert (body.name, body.joint.name, body.inertia.mass) == ("upper", "shoulder", 2.0)
    assert (body.joint.damping, body.joint.coulomb) == ((0.1,), (0.2,))
    assert {name: frame.body for name, frame in robots[0].named_frames} == {"base_link": None, "tool": "upper"}


def test_lines_of_text_are_counted_from_its_own_beginning() -> None:
    with pytest.raises(ModelFileError, match=r"^text, line 17, joint 'shoulder': the axis is zero"):
        mechanism_from_urdf("\n \n" + ARM.replace("0 1 0", "0 0 0"))


def test_no_number_is_a_negative_zero() -> None:
    text = ARM.replace('ixy="0" ixz="0"', 'ixy="-0" ixz="-0.0e5"').replace('lower="-1"', 'lower="-0"')
    (body,) = mechanism_from_urdf(text).bodies
    numbers = (body.inertia.about_com.xy, body.inertia.about_com.xz, body.joint.limits.lower)
    assert [math.copysign(1.0, x) for x in numbers] == [1.0, 1.0, 1.0]


def test_strict_false_takes_impossible_inertias_and_limits() -> None:
    bad = ARM.replace('"2.0"', '"-2.0"').replace('izz="0.01"', 'izz="0.05"').replace('"-1"', '"3"')
    (body,) = mechanism_from_urdf(bad, strict=False).bodies
    assert (body.inertia.mass, body.inertia.about_com.zz, body.joint.limits.lower) == (-2.0, 0.05, 3.0)


def test_a_negative_mass_does_not_hide_behind_a_weld() -> None:
    inertial = '<inertial><mass value="-1"/>' + INERTIA + "</inertial>"
    bad = ARM.replace('<link name="tool"/>', f'<link name="tool">{inertial}</link>')
    with pytest.raises(InertiaError, match="line 10, link 'tool': the mass -1 kg is below 0"):
        mechanism_from_urdf(bad)
    assert mechanism_from_urdf(bad, strict=False).bodies[0].inertia.mass == 1.0


def warned(text: str | Path) -> tuple[Mechanism, str]:
    with pytest.warns(ModelWarning) as caught:
        mechanism = mechanism_from_urdf(text, strict=False)
    assert len(caught) == 1
    return mechanism, str(caught[0].message)


def test_strict_false_reads_an_inertia_without_products() -> None:
    mechanism, said = warned(ARM.replace('ixy="0" ixz="0"', 'ixz="0.001"'))
    assert said == "text: line 7, link 'upper': ixy counts as 0"
    assert (mechanism.bodies[0].inertia.about_com.xy, mechanism.bodies[0].inertia.about_com.xz) == (0.0, 0.001)
    with pytest.raises(ModelFileError, match="line 7, link 'upper': <inertia> has no izz="):
        mechanism_from_urdf(ARM.replace('izz="0.01"', ""), strict=False)


def test_strict_false_counts_equal_elements_once() -> None:
    axis, mount = '<axis xyz="0 1 0"/>', ARM[ARM.index('<joint name="mount"') : ARM.index("</robot>")]
    text = ARM.replace(axis, f"{axis}\n{axis}").replace("</robot>", f'<link name="tool"/>{mount}</robot>')
    mechanism, said = warned(text)
    assert mechanism == mechanism_from_urdf(ARM)
    assert said == (
        "text: elements that are there twice count once: <axis> in line 16, <link> in line 24, <joint> in line 24"
    )
    with pytest.raises(ModelFileError, match="a second <axis>"):
        mechanism_from_urdf(ARM.replace(axis, '<axis xyz="1 0 0"/>' + axis), strict=False)
    with pytest.raises(ModelFileError, match="a second link is called 'tool'"):
        mechanism_from_urdf(ARM.replace("</robot>", '<link name="tool"><visual/></link></robot>'), strict=False)


def test_strict_false_leaves_out_what_is_left_of_xacro() -> None:
    text = ARM.replace("</robot>", '<xacro:include filename="x"/>\n<xacro:macro><link name="x"/></xacro:macro></robot>')
    mechanism, said = warned(text.replace('<link name="tool"/>', '<link name="tool"><xacro:shape/></link>'))
    assert mechanism == mechanism_from_urdf(ARM)
    given = "<xacro:shape> in line 10, <xacro:include> in line 23, <xacro:macro> in line 24"
    assert said == f"text: what belongs to a xacro file is left out: {given}"


def test_strict_false_leaves_out_gear_ratios_that_are_no_numbers() -> None:
    words = "<actuator name='m'><mechanicalReduction>${reduction}</mechanicalReduction>{}</actuator>"
    text = ARM.replace("</robot>", drive(words.replace("{}", "")))
    mechanism, said = warned(text)
    assert mechanism == mechanism_from_urdf(ARM)
    assert said == "text: line 24: <mechanicalReduction>'${reduction}' is no number and left out"
    with pytest.raises(ModelFileError, match=r"line 24, .* is not a finite number"):
        mechanism_from_urdf(text)
    rotor = words.replace("{}", "<rotorInertia>1</rotorInertia>")
    with pytest.raises(ModelFileError, match=r"line 24, .* is not a finite number"):
        mechanism_from_urdf(ARM.replace("</robot>", drive(rotor)), strict=False)


def test_all_bodies_that_are_refused_are_named() -> None:
    names = [f"b{i}" for i in range(40)]
    bad = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial>"
    links = "".join(f'\n<link name="{name}">{bad}</link>' for name in names)
    joints = "".join(
        f'<joint name="j{name}" type="continuous"><parent link="tool"/><child link="{name}"/></joint>' for name in names
    )
    text = ARM.replace("</robot>", f"{links}{joints}</robot>")
    listed = ", ".join(map(repr, sorted(names)[1:31]))
    with pytest.raises(
        InertiaError, match=rf"^text, line 24, link 'b0': .*\. Refused, too: 39 bodies: {listed}, \.\.\.$"
    ):
        mechanism_from_urdf(text)
    negative = text.replace("value='1'", "value='-1'")
    with pytest.raises(
        InertiaError, match=r"^text, line 24, link 'b0': the mass -1 kg .* Refused, too: 39 links: 'b1', 'b2'"
    ):
        mechanism_from_urdf(negative)


# -- files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["\n\n", "\ufeff", "\ufeff\r\n \t"])
def test_blank_lines_before_the_declaration_are_read_from_files(blank: str, tmp_path: Path) -> None:
    declared = f'{blank}<?xml version="1.0" encoding="utf-8"?>\n{ARM}'
    file = tmp_path / "arm.urdf"
    file.write_bytes(declared.encode())
    assert mechanism_from_urdf(file) == mechanism_from_urdf(ARM)
    file.write_bytes(declared.replace('"mount"', '" "').encode())
    with pytest.raises(ModelFileError, match=rf"^arm.urdf, line {20 + blank.count(chr(10))}, joint"):
        mechanism_from_urdf(file)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    for source, message in (
        (tmp_path / "none.urdf", "there is no file .*none.urdf'; expected the path"),
        ("none.urdf", "there is no file 'none.urdf'"),
        ("", "there is no file"),
        (tmp_path, "there is no file"),
        ("a\0b", "can't open|there is no file"),
        ("x" * 5000, "can't open|there is no file"),
        (b"<robot/>", "can't read a model from a bytes"),
        (None, "can't read a model from a NoneType"),
    ):
        with pytest.raises(ModelFileError, match=message):
            mechanism_from_urdf(source)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "nothing in it"),
        (b"\x7fELF\x02\x01\x01\x00\x00" * 50, "not well-formed"),
        (ARM.encode("utf-16")[:-3], "not well-formed|no element found|unclosed|partial"),
        (ARM.replace("arm", "\u00e4rm").encode("latin-1"), "not well-formed"),
        (
            b'<?xml version="1.0" encoding="klingon"?>' + ARM.encode(),
            "unknown encoding: klingon; save the file as UTF-8",
        ),
        (b'<?xml version="1.0" encoding="utf-7"?>' + ARM.encode(), "multi-byte encodings are not supported"),
    ],
    ids=["empty", "binary", "half_utf16", "latin1", "unknown_encoding", "multibyte_encoding"],
)
def test_bytes_that_are_no_xml_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "junk.urdf"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=f"^junk.urdf, line .*({message})"):
        mechanism_from_urdf(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_file_may_be_written_in_the_encoding_that_it_declares(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>\n' + ARM.replace('"arm"', '"\u00e4rm"')
    path.write_bytes(text.encode(encoding))
    assert mechanism_from_urdf(path).name == "\u00e4rm"
    assert mechanism_from_urdf(text).name == "\u00e4rm"


def test_size_depth_and_elements_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.urdf"
    with path.open("wb") as stream:
        stream.truncate(200 * 10**6)  # sparse: takes no room
    with pytest.raises(ModelFileError, match=r"huge\.urdf is larger than the 33554432 bytes"):
        mechanism_from_urdf(path)
    with pytest.raises(ModelFileError, match="characters; model files may have 33554432"):
        mechanism_from_urdf("<robot>" + " " * text_file.MAX_BYTES)
    with pytest.raises(ModelFileError, match="line 2: elements are nested more than 100 deep"):
        mechanism_from_urdf("<robot>\n" + "<a>" * 10**6)
    monkeypatch.setattr(xml_reader, "MAX_ELEMENTS", 50)
    with pytest.raises(ModelFileError, match="line 2: there are more than 50 elements"):
        mechanism_from_urdf("<robot>\n" + "<a/>" * 100)
    assert mechanism_from_urdf(ARM).nv == 1


def test_a_long_chain_is_read_without_recursion() -> None:
    links = "".join(f'<link name="l{i}"/>' for i in range(1500))
    ends = [f'<parent link="l{i}"/><child link="l{i + 1}"/>' for i in range(1499)]
    joints = "".join(
        f'<joint name="j{i}" type="fixed">{links_of_joint}<origin xyz="0 0 1"/></joint>'
        for i, links_of_joint in enumerate(ends)
    )
    robot = mechanism_from_urdf(f'<robot name="rope">{links}{joints}</robot>')
    assert robot.frames["l1499"].pose.p.z == 1499.0


# -- options -------------------------------------------------------------------------------------------------


def test_options_are_checked() -> None:
    with pytest.raises(ModelError, match="base 'free' is not one of 'fixed', 'floating'"):
        mechanism_from_urdf(ARM, base="free")
    for name in ("sholder", "mount"):  # unknown, and fixed already
        with pytest.raises(UnknownNameError, match=f"no moving joint '{name}'.*Known: 'shoulder'"):
            mechanism_from_urdf(ARM, lock={name: 0.0})
    for value in (np.nan, "half", None, (1.0, 2.0), ()):
        with pytest.raises(ModelError, match=r"'shoulder' can't be held at .*; expected 1 finite number$"):
            mechanism_from_urdf(ARM, lock={"shoulder": value})
    floating = ARM.replace("revolute", "floating")
    with pytest.raises(ModelError, match="expected 7 finite numbers"):
        mechanism_from_urdf(floating, lock={"shoulder": 1.0})
    with pytest.raises(ModelError, match="its quaternion is zero"):
        mechanism_from_urdf(floating, lock={"shoulder": [0.0] * 7})


def test_a_locked_quarter_turn_is_exact() -> None:
    robot = mechanism_from_urdf(ARM, base="floating", lock={"shoulder": np.float64(np.pi / 2)})
    (turn,) = robot.frames["tool"].pose.R.factors
    assert (turn.c, turn.s) == (0.0, 1.0)
    assert [body.name for body in robot.bodies] == ["base_link"]
    assert tuple(robot.bodies[0].inertia.com) == (0.1, 0.0, 0.5)
    assert mechanism_from_urdf(ARM, lock={"shoulder": np.float32(0.5)}) == mechanism_from_urdf(
        ARM, lock={"shoulder": [0.5]}
    )


def test_the_base_joint_and_the_world_keep_their_names() -> None:
    with pytest.raises(ModelFileError, match=r"line 11, joint 'base': .* joint of the floating base"):
        mechanism_from_urdf(ARM.replace("shoulder", "base"), base="floating")
    assert mechanism_from_urdf(ARM.replace("shoulder", "base")).joint_names == ("base",)
    world = ARM.replace("base_link", "world")
    assert [*mechanism_from_urdf(world).frames] == ["world", "upper", "tool"]
    assert [body.name for body in mechanism_from_urdf(world, base="floating").bodies] == ["world_link", "upper"]
    taken = world.replace('"tool"', '"world_link"')
    assert {*mechanism_from_urdf(taken, base="floating").frames} == {"world", "world_link_", "upper", "world_link"}


def test_a_mimic_joint_is_locked_by_its_source_only() -> None:
    text = ARM.replace("</robot>", grips("shoulder", "grip0"))
    for lock in ({"grip1": 0.1}, {"shoulder": 0.1, "grip1": 0.1}):
        with pytest.raises(ModelError, match=r"^lock: joint 'grip1' mimics 'shoulder' and .*; lock 'shoulder'$"):
            mechanism_from_urdf(text, lock=lock)
    for value in (np.nan, "half", (1.0, 2.0)):
        with pytest.raises(ModelError, match=r"'shoulder' can't be held at .*; expected 1 finite number$"):
            mechanism_from_urdf(text, lock={"shoulder": value})
    assert mechanism_from_urdf(text, lock={"shoulder": 0.1}).nbodies == 0


def test_a_missing_mimic_source_is_refused_only_when_strict() -> None:
    text = ARM.replace("</robot>", grips("sholder", "grip0", "gone"))
    with pytest.warns(
        ModelWarning, match="^text: the joints that 'grip0', 'grip2' should mimic do not exist"
    ) as caught:
        robot = mechanism_from_urdf(text, strict=False)
    assert len(caught) == 1
    assert robot.joint_names == ("shoulder", "grip0", "grip2")
    assert robot.bodies[2].joint.mimic == Mimic("grip0")


def test_a_fixed_joint_that_mimics_stays_fixed() -> None:
    text = ARM.replace("</robot>", grips("shoulder", type_="fixed"))
    assert mechanism_from_urdf(text).joint_names == ("shoulder",)
    assert mechanism_from_urdf(ARM.replace("</robot>", grips("nobody", type_="fixed"))).nbodies == 1


def test_transmissions_of_joints_that_do_not_exist_are_named_in_one_warning() -> None:
    more = "".join(f'<transmission><joint name="{name}"/></transmission>' for name in ("a", "mount", "b"))
    with pytest.warns(ModelWarning, match=r"^text: transmissions of .* do not exist are left out: 'a', 'b'$") as caught:
        robot = mechanism_from_urdf(ARM.replace("</robot>", more + "</robot>"))
    assert len(caught) == 1
    assert robot == mechanism_from_urdf(ARM)


def test_a_payload_must_be_a_possible_inertia_on_a_link() -> None:
    with pytest.raises(UnknownNameError, match=r"no link to attach to 'tol'; did you mean 'tool'\?"):
        mechanism_from_urdf(ARM, attach={"tol": Inertia(1.0)})
    with pytest.raises(ModelError, match=r"attach: the payload of link 'tool' must be an Inertia, got 2\.0"):
        mechanism_from_urdf(ARM, attach={"tool": 2.0})  # type: ignore[dict-item]
    with pytest.raises(InertiaError, match="'payload of tool' has the negative mass -1 kg"):
        mechanism_from_urdf(ARM, attach={"tool": Inertia(-1.0)})
    assert mechanism_from_urdf(ARM, attach={"tool": Inertia(-1.0)}, strict=False).bodies[0].inertia.mass == 1.0
    assert mechanism_from_urdf(ARM, attach={"base_link": Inertia(5.0)}) == mechanism_from_urdf(ARM)


@pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")
@pytest.mark.parametrize("whole", [ARM, RICH], ids=["arm", "rich"])
def test_damaged_files_raise_only_errors_of_kinetree(whole: str) -> None:
    rng = random.Random(0)
    values = ('"nan"', '"1e400"', '"-1"', '"0 0 0"', '""', '"world"', '"upper"', '"floating"', '"planar"')
    refused = 0
    for _ in range(1500):
        text = whole
        match rng.randrange(3):
            case 0:
                spot = rng.choice([*re.finditer('"[^"]*"', text)])
                text = text[: spot.start()] + rng.choice(values) + text[spot.end() :]
            case 1:
                i = rng.randrange(1, len(text))
                text = text[:i] + chr(rng.randrange(1, 400)) + text[i + rng.randrange(3) :]
            case _:
                i, j = sorted(rng.choices(range(1, len(text)), k=2))
                text = text[:i] + text[j:]
        try:
            mechanism_from_urdf(text, base=rng.choice(["fixed", "floating"]), strict=rng.random() < 0.8)
        except KinetreeError:
            refused += 1
    assert 700 < refused < 1500
