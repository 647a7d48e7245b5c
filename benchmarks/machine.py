"""The machine and the versions with which figures were measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import kinetree as kt
from kinetree.runtime import native

PACKAGES = {"NumPy": "numpy", "Pinocchio": "pin", "MuJoCo": "mujoco", "CasADi": "casadi", "toppra": "toppra"}


def line() -> str:
    """One sentence: the processor, the system, the versions."""
    llvm, _, cpu, _ = native.target()
    versions = [f"Kinetree {kt.__version__}", f"Python {platform.python_version()}", f"LLVM {llvm}"]
    for name, package in PACKAGES.items():
        try:
            versions.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            continue
    return (
        f"{processor()} ({cpu}, vectors of {8 * native.vector_bytes()} bits, {os.cpu_count()} cores), "
        f"{platform.system()} {platform.machine()}; {', '.join(versions)}."
    )


def processor() -> str:
    """The name of the processor as the system has it."""
    try:
        found = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        found = []
    names = [text.partition(":")[2].strip() for text in found if text.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
