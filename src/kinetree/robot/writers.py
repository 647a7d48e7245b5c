"""What is doubtful in the description of a robot, and the description as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.model.check import Finding
    from kinetree.robot.robot import Robot


def check(robot: Robot) -> tuple[Finding, ...]:
    """What is wrong or doubtful in the description: impossible inertias, empty limits, massless leaves, ...

    Returns:
        Findings, each with a ``severity``, "error" or "warning", with ``where`` and ``message``. Errors are there
        only in a robot made with ``strict=False``; others are refused when they are made.

    Example:
        >>> import kinetree as kt
        >>> kt.robots.two_link().check()
        ()
        >>> empty = kt.Body("hand", kt.Joint("wrist", kt.joints.Revolute()))
        >>> [finding.where for finding in kt.Robot((empty,)).check()]
        ["joint 'wrist'"]
    """
    from kinetree.model.check import findings

    return findings(robot)


def to_json(robot: Robot) -> str:
    """The whole description as JSON text; `from_json` gives back an equal robot, bit for bit.

    Raises `ModelError` for kinds of joints of your own and for numbers that are not finite.

    Example:
        >>> import kinetree as kt
        >>> print(kt.robots.two_link().to_json()[:71])
        {
          "format": "kinetree robot",
          "version": 1,
          "name": "two_link",
    """
    from kinetree.model.json.writer import json_text

    return json_text(robot)


def to_urdf(robot: Robot) -> str:
    """The robot as URDF text; `from_urdf` gives back its numbers, rotations to the last bit but one.

    Raises `ModelError` where the robot has what a URDF can't say: helical, cylindrical, universal or spherical
    joints, springs, rotors, loops, couplings, parameters. `to_json` says everything. Gravity and ``actuated`` are
    left out, infinite limits of prismatic joints are written as the largest number. Named frames are links on fixed
    joints; bodies on fixed joints are frames when they are read. Read a robot on a floating base with
    ``base="floating"``. Warns where the order of the coordinates is one that no URDF has.

    Example:
        >>> import kinetree as kt
        >>> text = kt.robots.seven_link().to_urdf()
        >>> kt.Robot.from_urdf(text).joint_names == kt.robots.seven_link().joint_names
        True
    """
    from kinetree.model.urdf.writer import urdf_text

    return urdf_text(robot)
