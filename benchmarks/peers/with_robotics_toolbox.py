"""Robotics Toolbox for Python: rne, accel and inertia of a robot from URDF, with rows of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol import FORWARD, INVERSE, MASS, Way, run
from roboticstoolbox.models.URDF.URDFRobot import URDF_read
from roboticstoolbox.robot.Robot import Robot


def functions(urdf: str, names: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Way]]:
    links, name, _ = URDF_read(urdf)
    robot = Robot(links, name=name, gravity=(0.0, 0.0, -9.81))
    joints = sorted((link for link in robot.links if link.isjoint), key=lambda link: link.jindex)
    loop = "a loop over the states; the toolbox takes rows of states and does the same"
    return [link._joint_name for link in joints], {
        INVERSE: Way(robot.rne, how=loop),
        FORWARD: Way(robot.accel, how=loop),
        MASS: Way(lambda q, _, __: robot.inertia(q), how=loop),
    }


if __name__ == "__main__":
    run(functions, "roboticstoolbox-python", "numpy")
