"""Interpreters that are not installed, as commands: scripts that start them, also for the children of a test.

Each finds its own libraries; its packages are wheels, unpacked into a folder.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
LOADERS = {"arm64": "ld-linux-aarch64.so.1", "amd64": "ld-linux-x86-64.so.2"}
PLATFORMS = {
    "arm64": ("manylinux_2_28_aarch64", "manylinux2014_aarch64"),
    "amd64": ("manylinux_2_28_x86_64", "manylinux2014_x86_64"),
    "windows": ("win_amd64",),
}
# what most tests do with; the last ones for Python 3.10, because pip reads conditions for the version that it runs in
PACKAGES = ("numpy", "llvmlite", "defusedxml", "pytest", "hypothesis", "mpmath", "exceptiongroup", "tomli")
PINNED = ("-c", str(HERE / "constraints.txt"))


def of_debian(place: Path, root: Path, architecture: str, version: str) -> Path:
    """A command for the Python of a version in a folder of Debian's packages (`debian`)."""
    places = (root / lib / LOADERS[architecture] for lib in ("lib", "lib64", "usr/lib", "usr/lib64"))
    loader = next(path for path in places if path.exists())
    libraries = ":".join(sorted({str(path.parent) for path in root.rglob("lib*.so.*")}))
    command = f"'{loader}' --library-path '{libraries}' --argv0 \"$0\" '{root}/usr/bin/python{version}'"
    if architecture == "arm64":
        command = f"'{needed('qemu-aarch64-static', 'qemu-aarch64', package='qemu-user-static')}' {command}"
    return script(place / f"python{version}", f"PYTHONHOME='{root}/usr' exec {command} \"$@\"")


def wheels(place: Path, system: str, version: str, requirements: Sequence[str]) -> Path:
    """A folder with packages for another system."""
    folder, fetched = place / "site", place / "wheels"
    if folder.exists():
        return folder
    shutil.rmtree(fetched, ignore_errors=True)
    if version == "3.13t":  # llvmlite has none for it; its library, called by ctypes, knows nothing of Python
        _fetch(fetched, system, "3.14t", ["--no-deps", *(x for x in requirements if x.startswith("llvmlite"))])
        requirements = [x for x in requirements if not x.startswith("llvmlite")]
    _fetch(fetched, system, version, requirements)
    for wheel in fetched.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(fetched / "unpacked")
    (fetched / "unpacked").rename(folder)
    shutil.rmtree(fetched)
    return folder


def _fetch(folder: Path, system: str, version: str, requirements: Sequence[str]) -> None:
    own = [part for name in PLATFORMS[system] for part in ("--platform", name)]
    if version.endswith("t"):  # free-threaded
        own += ["--abi", f"cp{version.replace('.', '')}"]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", str(folder)]
    binary = ["--python-version", version.rstrip("t"), "--only-binary", ":all:"]
    subprocess.run([*pip, *own, *binary, *requirements], check=True)


def needed(*programs: str, package: str) -> str:
    """The first of some programs that is installed."""
    for program in programs:
        if found := shutil.which(program):
            return found
    sys.exit(f"{programs[0]} is needed: apt-get install {package}")


def script(path: Path, command: str) -> Path:
    path.write_text(f"#!/bin/sh\n{command}\n")
    path.chmod(0o755)
    return path
