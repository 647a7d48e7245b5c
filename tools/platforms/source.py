"""CPython without the interpreter lock, compiled from Debian's source: no package has one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import debian
import interpreter


def free_threaded(place: Path, suite: str, version: str) -> Path:
    """The interpreter, such as 3.13t; made where it is not there yet, in some minutes."""
    python = place / "install" / "bin" / f"python{version}"
    if python.exists():
        return python
    interpreter.needed("cc", package="gcc make zlib1g-dev libffi-dev")
    folder = debian.source(place, suite, f"python{version.rstrip('t')}")
    configure = ["./configure", "--quiet", "--disable-gil", "--disable-test-modules", "--without-ensurepip", "OPT=-O1"]
    make = ["make", "--silent", f"--jobs={os.cpu_count()}"]
    for command in ([*configure, f"--prefix={place / 'install'}"], make, ["make", "--silent", "install"]):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(folder)
    return python
