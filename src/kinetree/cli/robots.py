"""``kinetree robots``: the built-in robots, which every command knows as ``zoo:NAME``."""

from __future__ import annotations

import argparse
import inspect
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kinetree.cli import source, terminal
from kinetree.files import check_place
from kinetree.robot import Robot

if TYPE_CHECKING:
    from kinetree.view import Report

DESCRIPTION = "List the built-in robots; every command takes them as zoo:NAME instead of a file."

# how robots stand in the pictures that are not at their neutral configuration: a coordinate [rad, m] by the end of the
# joint's name
_SHOWN: dict[str, dict[str, float]] = {
    "atlas": {"hpy": -0.4, "kny": 0.8, "aky": -0.4, "l_arm_shx": -1.2, "r_arm_shx": 1.2, "l_arm_elx": 0.8,
              "r_arm_elx": -0.8, "arm_ely": 1.57},
    "eel": {f"joint{k}": 0.3 * (-1) ** (k // 4) for k in range(1, 13)},
    "hyq": {"f_hfe_joint": 0.75, "f_kfe_joint": -1.5, "h_hfe_joint": -0.75, "h_kfe_joint": 1.5},
    "iiwa14": {"joint_2": 0.6, "joint_4": -1.3, "joint_6": 0.9},
    "mixed_elastic": {"joint2": 0.9, "joint3": -1.2},
    "panda": {"joint2": -0.785, "joint4": -2.356, "joint6": 1.571, "joint7": 0.785},
    "planar_eel": {f"joint{k}": 0.3 * (-1) ** (k // 4) for k in range(1, 12)},
    "prismatic_revolute": {"joint1": 0.2, "joint2": 0.6},
    "puma560": {"joint2": -0.9, "joint3": 0.6, "joint5": 0.6},
    "quadruped": {"thigh_joint": 0.7, "knee_joint": -1.4},
    "rx90": {"joint2": 0.7, "joint3": 0.6, "joint5": 0.6},
    "scara": {"joint1": 0.3, "joint2": 0.8, "joint3": 0.1},
    "seven_link": {"joint2": 0.6, "joint4": -1.3, "joint6": 0.9},
    "shuttle_rms": {"shoulder_pitch": -0.6, "elbow_pitch": 1.2, "wrist_pitch": -0.4},
    "stanford": {"joint2": -1.2, "joint3": 0.5, "joint5": 0.5},
    "two_link": {"joint1": 0.3, "joint2": 0.8},
    "ur5": {"lift_joint": -1.0, "elbow_joint": 1.2, "wrist_1_joint": -0.6, "wrist_2_joint": -0.8},
    "ur10": {"lift_joint": -1.0, "elbow_joint": 1.2, "wrist_1_joint": -0.6, "wrist_2_joint": -0.8},
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("--report", metavar="REPORT.html", help="a page with a picture of each")


def run(args: argparse.Namespace) -> int:
    """Print their names, how many joints they have, what they are and where their numbers come from; draw them."""
    if args.report is not None:
        check_place(args.report)
    made = source.built_in()
    margin = 4 + max(len(source.ZOO + name) for name in made)
    for name, make in made.items():
        about, origin = _about(make)
        head = f"  {source.ZOO}{name}".ljust(margin)
        for text in (f"{_joints(make())}. {about}", f"Source: {origin}"):
            terminal.say(textwrap.fill(text, terminal.width(), initial_indent=head, subsequent_indent=" " * margin))
            head = " " * margin
    if args.report is not None:
        terminal.say(f"\nreport: {_page(made).write(args.report)}")
    return 0


def _page(made: dict[str, Callable[[], Robot]]) -> Report:
    from kinetree.view import Report, portrait  # loaded when it is wanted

    report = Report("The built-in robots", "Each is kt.robots.NAME() in Python, and zoo:NAME on the command line.")
    for name, make in made.items():
        robot, (about, origin) = make(), _about(make)
        caption = f"{_joints(robot)}. {about}\nSource: {origin}"
        report.add_picture(portrait(robot, _configuration(robot)), name, caption)
    return report


def _about(make: Callable[[], Robot]) -> tuple[str, str]:
    """What a robot is and where its numbers come from, by its docstring."""
    words = (inspect.getdoc(make) or "").replace("`", "")
    first, *others = (" ".join(part.split()) for part in words.split("\n\n"))
    return first, next((part.removeprefix("Source: ") for part in others if part.startswith("Source: ")), "-")


def _joints(robot: Robot) -> str:
    moving = [body.joint.name for body in robot.bodies if body.joint.kind.nv and not body.joint.mimic]
    free = len(set(robot.base_joints) & {*moving})
    return f"{len(moving) - free} joints" + (", floating base" if free else "")


def _configuration(robot: Robot) -> np.ndarray:
    q, wanted = np.array(robot.neutral), _SHOWN.get(robot.name.partition("(")[0], {})
    for body, place in zip(robot.bodies, robot.q_slices):
        q[place] = next((x for end, x in wanted.items() if body.joint.name.endswith(end)), q[place])
    return q
