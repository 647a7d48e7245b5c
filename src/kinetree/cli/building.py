"""Compiling a package that was written: CMake in a folder ``build`` beside its files, and its tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from kinetree.cli import terminal
from kinetree.errors import InputError

_SHOWN = 1500  # characters of what a tool said


def built(package: Path) -> int:
    """Configure, compile and test; says where the nodes are, or what went wrong. Gives the exit status."""
    if shutil.which("cmake") is None:
        raise InputError("--build needs CMake, which is not installed; the package itself is written")
    folder = package / "build"
    configure = ["cmake", "-S", str(package), "-B", str(folder)]
    for command in (
        configure,
        ["cmake", "--build", str(folder), "--parallel", "2"],
        ["ctest", "--test-dir", str(folder)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stdout + done.stderr)[-_SHOWN:].strip()
            hint = (
                "; is ROS 2 set up in this terminal (source /opt/ros/DISTRIBUTION/setup.bash)?"
                if command is configure
                else ""
            )
            terminal.complain(f"{' '.join(command)} failed{hint}\n{said}")
            return 1
    for node in ("gravity_compensation", "computed_torque"):
        terminal.say(str((folder / node).absolute()))
    return 0
