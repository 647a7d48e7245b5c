"""Xacro files: expanded by xacrodoc, read as URDF, refused by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import kinetree as kt

ARM = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2.0"/>
  <xacro:arg name="tool" default="false"/>
  <xacro:include filename="$(find arm_description)/link.xacro"/>
  <link name="base"/>
  <xacro:weighed name="upper" mass="$(arg mass)"/>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  </joint>
  <xacro:if value="$(arg tool)">
    <link name="tool"/>
    <joint name="mount" type="fixed"><parent link="upper"/><child link="tool"/></joint>
  </xacro:if>
</robot>
"""
LINK = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="weighed" params="name mass">
  <link name="${name}"><inertial><origin xyz="0 0 ${1 / 4}"/><mass value="${mass}"/>
    <inertia ixx="${0.1 * mass}" iyy="${0.1 * mass}" izz="${0.1 * mass}" ixy="0" ixz="0" iyz="0"/></inertial></link>
</xacro:macro></robot>"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for folder in ("arm_description", "models"):
        (tmp_path / folder).mkdir()
    (tmp_path / "arm_description" / "link.xacro").write_text(LINK)
    (tmp_path / "models" / "arm.urdf.xacro").write_text(ARM)
    return tmp_path / "models" / "arm.urdf.xacro"


def test_a_xacro_file_is_read(file: Path) -> None:
    pytest.importorskip("xacrodoc")
    shelf = file.parents[1]
    for packages in ([shelf], [shelf / "arm_description"], {"arm_description": shelf / "arm_description"}):
        robot = kt.Robot.from_xacro(file, packages=packages)
        assert (robot.name, robot.joint_names, robot.bodies[0].inertia.mass) == ("arm", ("shoulder",), 2.0)
        assert robot.bodies[0].inertia.com.z == 0.25
    robot = kt.Robot.from_xacro(file, arguments={"mass": 3, "tool": True}, packages=[shelf], base="floating")
    assert (robot.bodies[1].inertia.mass, "tool" in robot.frames, robot.nv) == (3.0, True, 7)


def test_what_xacro_refuses_has_the_name_of_the_file(file: Path) -> None:
    pytest.importorskip("xacrodoc")
    for text, packages, message in (
        (ARM, [], "xacro can't expand it: .*arm_description"),
        (ARM.replace("$(arg mass)", "${1 / 0}"), [file.parents[1]], "xacro can't expand it: .*division"),
        (ARM.replace("</robot>", ""), [file.parents[1]], "xacro can't expand it"),
        (ARM.replace('"2.0"', '"-2.0"'), [file.parents[1]], "the mass -2 kg is below 0"),
    ):
        file.write_text(text)
        with pytest.raises(kt.errors.ModelError, match=rf"^arm.urdf.xacro: .*{message}"):
            kt.Robot.from_xacro(file, packages=packages)
    with pytest.raises(kt.errors.ModelError, match="arguments: 'mass' must be a text or a number, got list"):
        kt.Robot.from_xacro(file, arguments={"mass": [1]})
    with pytest.raises(kt.errors.ModelFileError, match="there is no file"):
        kt.Robot.from_xacro(file.parent / "none.xacro")


def test_a_missing_package_and_the_other_reader_say_what_to_do(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(kt.errors.MissingExtraError, match=r"pip install 'kinetree\[xacro\]'"):
        kt.Robot.from_xacro(file)
    with pytest.raises(
        kt.errors.ModelFileError, match="is a xacro file, which runs expressions; if you trust it, read it by"
    ):
        kt.Robot.from_file(file)
