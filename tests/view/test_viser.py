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
        assert np.allclose(frame.wxyz, quaternion(pose[:3, :3]), rtol=0, atol=1e-12)
    assert len(scene.meshes) > robot.nbodies
    with pytest.raises(InputError, match="finite"):
        move(np.full(robot.nq, np.nan))


def test_quaternions_are_those_of_the_rotations():
    for axis in np.eye(3):
        for angle in (0.3, 2.0, np.pi):
            expected = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
            c, s = np.cos(angle), np.sin(angle)
            cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
            R = np.eye(3) * c + s * cross + (1 - c) * np.outer(axis, axis)
            assert np.allclose(np.abs(quaternion(R) @ expected), 1.0)
