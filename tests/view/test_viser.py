"""A robot in a scene of viser; a stand-in for its server notes what is put there."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError
from kinetree.scene.viser import add_robot, quaternion


class Scene:
    def __init__(self):
        self.frames, self.meshes = {}, {}

    def add_frame(self, name, **options):
        self.frames[name] = SimpleNamespace(**options)
        return self.frames[name]

    def add_mesh_simple(self, name, points, faces, **options):
        assert faces.min() >= 0
        assert faces.max() < len(points)
        self.meshes[name] = points


def test_its_frames_are_the_bodies():
    robot, scene = kt.robots.panda(), Scene()
    move = add_robot(SimpleNamespace(scene=scene), robot)
    q = np.linspace(-1.0, 1.0, robot.nq)
    move(q)
    for body in robot.bodies:
        frame, pose = scene.frames[f"/robot/{body.name}"], robot.pose(q, body.name)
        assert np.allclose(frame.position, pose[:3, 3], rtol=0, atol=1e-12)
        expected = quaternion(pose[:3, :3])
        sign = np.copysign(1.0, expected @ frame.wxyz)  # both are the same rotation
        assert np.allclose(frame.wxyz, sign * expected, rtol=0, atol=1e-12)
    assert len(scene.meshes) > robot.nbodies
    with pytest.raises(InputError, match="finite"):
        move(np.full(robot.nq, np.nan))


def test_it_has_the_shapes_of_its_file():
    shapes = {
        "box": '<box size="0.2 0.4 0.6"/>', "cylinder": '<cylinder radius="0.1" length="0.6"/>',
        "sphere": '<sphere radius="0.3"/>',
    }  # fmt: skip
    for kind, text in shapes.items():
        urdf = f"""<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
          <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry>{text}</geometry>
          <material name="m"><color rgba="1 0 0 1"/></material></visual></link>
          <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
          <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
        scene = Scene()
        add_robot(SimpleNamespace(scene=scene), kt.Robot.from_urdf(urdf))
        (points,) = (points for name, points in scene.meshes.items() if "/b/" in name)
        assert np.ptp(points[:, 2]) == pytest.approx(0.6), kind


def test_quaternions_are_those_of_the_rotations():
    for axis in np.eye(3):
        for angle in (0.3, 2.0, np.pi):
            expected = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
            c, s = np.cos(angle), np.sin(angle)
            cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
            R = np.eye(3) * c + s * cross + (1 - c) * np.outer(axis, axis)
            assert np.allclose(np.abs(quaternion(R) @ expected), 1.0)


def test_a_real_server_sends_the_robot_to_its_clients():
    """What a browser gets through the websocket of viser itself; `make test-viewers` has it installed."""
    viser, client = pytest.importorskip("viser"), pytest.importorskip("websockets.sync.client")
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        robot = kt.robots.panda()
        move = add_robot(server, robot, "/arm")
        q = np.linspace(-1.0, 1.0, robot.nq)
        move(q)
        port, version = server.get_port(), f"viser-v{viser.__version__}"
        with client.connect(f"ws://127.0.0.1:{port}", subprotocols=[version], max_size=None) as connection:
            found = received(connection, f"/arm/{robot.bodies[-1].name}")
    finally:
        server.stop()
    for body in robot.bodies:
        pose, own = robot.pose(q, body.name), found[f"/arm/{body.name}"]
        assert np.allclose(own["position"], pose[:3, 3], rtol=0, atol=1e-6)
        assert abs(np.dot(own["wxyz"], quaternion(pose[:3, :3]))) == pytest.approx(1.0, abs=1e-6)
    assert sum("/part" in name for name in found) > robot.nbodies


def received(connection, last):
    """Positions and orientations by the names of nodes, until that of the last is known."""
    import msgspec
    import zstandard

    found: dict[str, dict[str, object]] = {}
    while not {"position", "wxyz"} <= {*found.get(last, ())}:
        raw = connection.recv(timeout=20)
        size, packed = (int.from_bytes(raw[k : k + 8], "little") for k in (0, 8))
        inner = zstandard.ZstdDecompressor().decompress(raw[16 : 16 + packed], max_output_size=size)
        for message in msgspec.msgpack.decode(inner)["messages"]:
            own = found.setdefault(message.get("name", ""), {})
            own |= {key: message[key] for key in ("position", "wxyz") if key in message}
    return found
