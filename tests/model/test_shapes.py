"""The shapes of bodies: read for pictures, carried along by changes of a model, and never a reason to refuse it."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.scene.shapes import simplified

URDF = """<robot name="arm">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base">
    <visual><geometry><cylinder radius="0.1" length="0.2"/></geometry><material name="blue"/></visual>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/><geometry><box size="0.1 0.2 1"/></geometry></visual>
    <visual><geometry><mesh filename="meshes/arm.stl" scale="2 2 2"/></geometry></visual>
    <visual><geometry><sphere radius="wide"/></geometry></visual>
  </link>
  <link name="tool"><visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 1"/></joint>
</robot>"""
MJCF = """<mujoco>
  <default><default class="visual"><geom rgba="1 0 0 1" group="2"/></default></default>
  <worldbody><geom type="plane" size="1 1 1"/>
    <body name="arm"><joint name="hinge" axis="0 1 0"/>
      <geom class="visual" type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
      <geom type="box" size="1 1 1" group="3"/>
    </body></worldbody></mujoco>"""
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def stl():
    record = np.zeros(len(FACES), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    record["corners"] = CORNERS[np.array(FACES)]
    return bytes(80) + len(FACES).to_bytes(4, "little") + record.tobytes()


def model(tmp_path, mesh=True):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    if mesh:
        (tmp_path / "meshes").mkdir()
        (tmp_path / "meshes" / "arm.stl").write_bytes(stl())
    return kt.Robot.from_urdf(path)


def test_visuals_of_a_urdf_file_and_of_its_fixed_links(tmp_path):
    robot = model(tmp_path)
    kinds = [(x.frame.body, x.kind, x.size) for x in robot.shapes]
    assert kinds == [
        (None, "cylinder", (0.1, 0.1)),
        ("arm", "box", (0.05, 0.1, 0.5)),
        ("arm", "mesh", ()),
        ("arm", "sphere", (0.05,)),
    ]
    assert robot.shapes[0].colour == (0.0, 0.0, 1.0, 1.0)
    assert [*robot.shapes[3].frame.pose.p] == [0.0, 0.0, 1.0]


def test_geoms_of_an_mjcf_file_that_mujoco_draws():
    (shape,) = kt.Robot.from_mjcf(MJCF).shapes
    assert (shape.frame.body, shape.kind, shape.size, shape.colour) == ("arm", "capsule", (0.1, 0.5), (1.0, 0, 0, 1.0))
    assert [*shape.frame.pose.p] == pytest.approx([0, 0, 0.5])


def test_shapes_change_nothing_and_are_not_written(tmp_path):
    robot = model(tmp_path)
    plain = kt.Robot.from_json(robot.to_json())
    assert plain.shapes == ()
    assert plain == robot
    assert plain.fingerprint == robot.fingerprint


def test_surgery_carries_them_along(tmp_path):
    robot = model(tmp_path)
    locked = robot.lock({"hinge": 0.5})
    assert {x.frame.body for x in locked.shapes} == {None}
    twice = robot.attach(robot, "tool", prefix="second_")
    assert [x.frame.body for x in twice.shapes].count("second_arm") == 3
    assert robot.scale(length=2.0).shapes[1].size == (0.1, 0.2, 1.0)
    assert robot.mirror((1.0, 0.0, 0.0)).shapes[2].mesh.matrix[0][0] == -2.0
    assert len(robot.subtree("arm").shapes) == 3


def test_a_view_draws_them_and_says_once_what_is_missing(tmp_path):
    parts = model(tmp_path).view()._data["parts"]
    assert [x["kind"] for x in parts if x["role"] == "visual"] == ["cylinder", "box", "mesh", "sphere"]
    assert all(x["plain"] for x in parts if x["role"] != "visual")
    view = model(tmp_path / "..", mesh=False).view()
    assert view._data["notes"] == ["Drawn as plain bodies, for want of their meshes: arm.stl (not found)."]
    assert not all(x["plain"] for x in view._data["parts"] if x["role"] == "link")


@pytest.mark.parametrize(
    ("content", "why"), [(b"solid of nothing", "not readable"), (None, "40 MB, at most 34 are read")]
)
def test_meshes_that_are_broken_or_too_large_are_said_to_be(tmp_path, content, why):
    robot = model(tmp_path)
    with open(tmp_path / "meshes" / "arm.stl", "wb") as file:
        if content is None:
            file.truncate(40_000_000)
        else:
            file.write(content)
    assert robot.view()._data["notes"] == [f"Drawn as plain bodies, for want of their meshes: arm.stl ({why})."]


def test_huge_meshes_are_simplified():
    n = 220
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, n), np.linspace(0.01, np.pi - 0.01, n), indexing="ij")
    points = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1).reshape(-1, 3)
    k = np.arange(n * n).reshape(n, n)
    squares = [k[:-1, :-1], k[1:, :-1], k[:-1, 1:], k[1:, :-1], k[1:, 1:], k[:-1, 1:]]
    faces = np.stack([x.ravel() for x in squares], axis=1).reshape(-1, 3)
    coarse, few = simplified(points, faces, 4000)
    assert 1000 < len(few) <= 4000
    assert np.abs(np.linalg.norm(coarse, axis=1) - 1.0).max() < 0.02
