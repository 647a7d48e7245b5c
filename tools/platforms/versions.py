"""Tests in every supported version of Python, and with the oldest and newest NumPy and llvmlite in each.

    python tools/platforms/versions.py [INTERPRETER ...]

Interpreters are commands such as python3.12 or python3.14t. Without any: those that are installed or that pyenv has;
of the others, those of Debian, unpacked into .platforms, and one without the interpreter lock, compiled there. Each
pair of versions gets a folder of wheels.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import debian
import interpreter
import source

PLACE = interpreter.HERE / ".platforms" / "versions"
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15", "3.13t", "3.14t")
DEBIAN = {"3.14": "forky", "3.15": "forky"}  # the releases of Debian that have them
SOURCE = {"3.13t": "trixie"}  # and the one whose source is compiled
# the first versions with wheels for an interpreter; from 3.13 on the oldest of the package's own bounds have none
OLDEST_NUMPY = {"3.13": "2.1.*", "3.13t": "2.1.*", "3.14": "2.3.2", "3.14t": "2.3.2", "3.15": "2.5.*"}
OLDEST_LLVMLITE = {"3.13t": "0.47.*", "3.14t": "0.47.*", "3.15": "0.50.*"}
PURE = "hypothesis<6.151"  # later ones have a module of the stable ABI, which free-threaded interpreters lack
TESTS = ("tests/runtime/test_platform.py", "tests/runtime/test_direct.py")
_ASK = "import sys; print('%d.%d' % sys.version_info[:2] + ('t' if 'free-threading' in sys.version else ''))"


class Row(NamedTuple):
    """One line of the table at the end."""

    python: str
    numpy: str
    llvmlite: str
    result: str


def main(commands: list[str]) -> int:
    found = {_version(command): Path(shutil.which(command) or command) for command in commands} or _installed()
    rows = [row for version, python in found.items() for row in _tested(version, python)]
    missing = [] if commands else [version for version in VERSIONS if version not in found]
    print(f"\n{'Python':8}{'NumPy':10}{'llvmlite':10}result")
    for row in rows:
        print(f"{row.python:8}{row.numpy:10}{row.llvmlite:10}{row.result}")
    for version in missing:
        print(f"{version:8}no such interpreter here")
    return any("passed" not in row.result or "failed" in row.result for row in rows)


def _installed() -> dict[str, Path]:
    """The interpreters of this machine, and those that Debian has."""
    found: dict[str, Path] = {}
    for version in VERSIONS:
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        installed = [path for path in (*pyenv, shutil.which(f"python{version}")) if path and _runs(path)]
        if installed:
            found[version] = Path(installed[0])
        elif shutil.which("apt-get") and (python := _fetched(version)):
            found[version] = python
    return found


def _fetched(version: str) -> Path | None:
    """Debian's interpreter, unpacked or compiled."""
    place = PLACE / version
    if version in SOURCE:
        return source.free_threaded(place, SOURCE[version], version)
    if version not in DEBIAN:
        return None
    root = debian.unpacked(place, DEBIAN[version], "amd64", f"python{version}", "libstdc++6")
    return interpreter.of_debian(place, root, "amd64", version)


def _tested(version: str, python: Path) -> list[Row]:
    """With the oldest versions of NumPy and llvmlite, and with the newest."""
    numpy, llvmlite = OLDEST_NUMPY.get(version, "2.0.*"), OLDEST_LLVMLITE.get(version, "0.46.*")
    pairs = {"oldest": [f"numpy=={numpy}", f"llvmlite=={llvmlite}"], "newest": ["numpy", "llvmlite"]}
    return [_row(version, python, age, requirements) for age, requirements in pairs.items()]


def _row(version: str, python: Path, age: str, requirements: list[str]) -> Row:
    place = PLACE / f"{version}-{age}"
    place.mkdir(parents=True, exist_ok=True)
    needed = [*requirements, *interpreter.PACKAGES[2:], *([PURE] if version.endswith("t") else [])]
    site = interpreter.wheels(place, "amd64", version, needed)
    names = {path.name.split("-")[0]: path.name.split("-")[1] for path in site.glob("*.dist-info")}
    numpy, llvmlite = (names[name].removesuffix(".dist") for name in ("numpy", "llvmlite"))
    print(f"\nPython {version}, NumPy {numpy}, llvmlite {llvmlite}", flush=True)
    path = os.pathsep.join(map(str, (site, interpreter.HERE / "src")))
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not gpu", *TESTS]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, cwd=interpreter.HERE, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines()
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-2000:])
    return Row(version, numpy, llvmlite, lines[-1])


def _version(command: str) -> str:
    return subprocess.run([command, "-c", _ASK], capture_output=True, text=True, check=True).stdout.strip()


def _runs(command: str | Path) -> bool:
    return re.match(r"3\.\d+", subprocess.run([command, "-c", _ASK], capture_output=True, text=True).stdout) is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
