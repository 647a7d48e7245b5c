"""Processors that this machine emulates: how a C program with an object file is linked for them and run."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import languages
import pytest

BOARD = Path(__file__).parent / "board"


@dataclass(frozen=True)
class Machine:
    """A processor: the compiler of its C, what runs its programs, and what links them."""

    triple: str
    compiler: str
    runner: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    package: str = ""

    def require(self) -> None:
        for tool in (self.compiler, *self.runner[:1]):
            languages.require_tool(tool, f"apt-get install {self.package}")

    def run(self, sources: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
        """Compile, link and run a program."""
        command = [self.compiler, "-std=gnu99", "-O1", *self.flags, *sources, "-lm", "-o", "program"]
        done = languages.command(command, folder)
        return done if done.returncode else languages.command([*self.runner, str(folder / "program")], folder)


_SILENT = "-display", "none", "-serial", "none", "-monitor", "none"
MACHINES = {
    "Cortex-M7": Machine(
        "thumbv7em-none-eabihf",
        "arm-none-eabi-gcc",
        ("qemu-system-arm", "-M", "mps2-an500", *_SILENT, "-semihosting-config", "enable=on,target=native", "-kernel"),
        ("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "--specs=rdimon.specs", "-T",
         str(BOARD / "board.ld"), str(BOARD / "startup.c")),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
    ),
    "AArch64": Machine(
        "aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc", ("qemu-aarch64",), ("-static",),
        "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
    ),
    "x86-64": Machine("x86_64-unknown-linux-gnu", "gcc", package="gcc"),
}  # fmt: skip


def machine(name: str) -> Machine:
    """One of them, where its tools are installed and, for code that is not emulated, where this is one."""
    found = MACHINES[name]
    if name == "x86-64" and (platform.machine() != "x86_64" or "fma" not in _features()):
        pytest.skip("this machine is not an x86-64 with fused multiply-add")
    found.require()
    return found


def _features() -> list[str]:
    return Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
