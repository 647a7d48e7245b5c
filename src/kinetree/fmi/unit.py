"""A robot, a closed chain or a controlled robot as an FMU: a zip archive with C code, a description and a library.

The library is made by a C compiler: LLVM inside Kinetree makes object code but can't link, and the functions of FMI are
C anyway. Without a compiler the unit has its sources alone, which many importers compile.
"""

from __future__ import annotations

import hashlib
import io
import math
import platform
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.closed import ClosedChain
from kinetree.emit.text.c import C
from kinetree.errors import CompileError, InputError, ModelWarning
from kinetree.export.generate import ascii_text, named
from kinetree.files import Name, check_place, whole
from kinetree.fmi.description import model_description
from kinetree.fmi.model import UnitModel
from kinetree.robot import Robot
from kinetree.simulation.options import Options
from kinetree.simulation.setup import Setup

# by system and processor: the folder of binaries, how a library's name ends
_PLATFORMS = {("linux", "x86_64"): ("linux64", ".so"), ("darwin", "x86_64"): ("darwin64", ".dylib")}
_FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
_LONGEST = 40  # letters of the identifier, which functions begin with
_DATE = (1980, 1, 1, 0, 0, 0)  # of all files, so that equal robots make equal archives


def write(
    robot: Robot | ClosedChain,
    path: Name,
    controller: Any = None,
    *,
    q0: Any = None,
    qd0: Any = None,
    step: float = 1e-3,
    values: Mapping[str, float] | None = None,
    compiler: str | None = "cc",
) -> Path:
    """Write a robot as a Functional Mock-up Unit, FMI 2.0, for model exchange and co-simulation.

    States and outputs are the positions and velocities of all joints. Inputs are the forces of the actuators [N m, N];
    with a controller these are outputs. Named parameters of the robot and of the controller are tunable parameters.

    Args:
        robot: a `Robot` or a `ClosedChain`.
        path: of the file, which is replaced where it exists.
        controller: a `kinetree.control.Controller` without a memory of its own.
        q0, qd0: the state at the start, which importers may change; at rest in the reference configuration by default.
        step: of the integration in co-simulation, at most [s]; a parameter of the unit.
        values: of named parameters at the start, for those without a default.
        compiler: the C compiler for the library inside; None for a unit with its sources alone.

    Returns:
        The absolute path. Where the compiler is not there, a warning says that the unit has no library.

    Example:
        >>> import tempfile, zipfile
        >>> import kinetree as kt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = kt.fmi.write(kt.robots.two_link(), f"{folder}/arm.fmu", compiler=None)
        ...     print(*zipfile.ZipFile(path).namelist()[:3])
        modelDescription.xml sources/fmu.c sources/model.h
    """
    place = check_place(path)
    if not isinstance(step, int | float) or not 0 < step < math.inf:
        raise InputError(f"step={step!r} must be a time above zero [s]")
    if isinstance(robot, Robot) and (robot.loops or robot.couplings):
        raise InputError(f"{robot.name!r} has loops, which a Robot ignores; give kinetree.ClosedChain(robot)")
    setup = Setup(robot, controller, Options())
    if setup.python is not None:
        raise InputError(
            f"{controller!r} is a function of Python, which no unit can call; make it a kinetree.control.Law"
        )
    if setup.native is not None and setup.native.memory(setup.robot):
        raise InputError(
            f"{type(controller).__name__} keeps a memory from sample to sample, which a unit has no states for"
        )
    model = UnitModel(setup.system, named(None, setup.robot.name, "", C)[:_LONGEST].rstrip("_"))
    files = _files(model, setup, _start(setup, q0, qd0, dict(values or {})), float(step))
    library = _library(model.identifier, files, compiler)
    with whole(place) as file:
        file.write(_archive({**files, **library}))
    return place


def _start(setup: Setup, q0: Any, qd0: Any, values: dict[str, Any]) -> list[float]:
    """Positions, velocities, zeros for what is computed or put in, and parameters."""
    robot = setup.robot
    q, qd = robot.neutral if q0 is None else q0, np.zeros(robot.nv) if qd0 is None else qd0
    if setup.chain is not None and q0 is None:
        raise InputError("give q0= with closed loops, such as chain.close([...]).check()")
    batch = setup.batch(q, qd, values)
    if batch.count != 1:
        raise InputError(f"a unit has one start, not {batch.count}")
    zeros = [0.0] * (robot.nq + robot.nv + setup.system.nforces)
    return [*batch.q.ravel().tolist(), *batch.qd.ravel().tolist(), *zeros,
            *(float(np.ravel(x)[0]) for x in setup.parameter_values(values))]  # fmt: skip


def _files(model: UnitModel, setup: Setup, start: list[float], step: float) -> dict[str, str]:
    """The texts of the unit."""
    starts, sources = [*start, step], model.sources()
    content = "".join([*sources.values(), repr(starts), repr(setup.names)])
    guid = hashlib.sha256(content.encode()).hexdigest()[:32]
    own = resources.files("kinetree.fmi").joinpath("fmu.c").read_text(encoding="utf-8")
    listed = ["fmu.c", *(name for name in sources if name.endswith(".c"))]
    description = model_description(model, ascii_text(setup.robot.name), guid, starts, listed)
    code = {"fmu.c": own, "model.h": model.header(guid, starts), **sources}
    return {"modelDescription.xml": description, **{f"sources/{name}": text for name, text in code.items()}}


def _library(identifier: str, files: Mapping[str, str], compiler: str | None) -> dict[str, bytes]:
    """The library for this system, where it can be made."""
    if compiler is None:
        return {}
    found = _PLATFORMS.get((sys.platform, platform.machine()))
    program = shutil.which(compiler)
    if program is None or found is None:
        why = f"{compiler!r} is not installed" if program is None else f"FMI 2.0 has no name for {platform.machine()}"
        warnings.warn(f"the unit has its sources alone, and no library: {why}", ModelWarning, stacklevel=3)
        return {}
    folder, suffix = found
    with tempfile.TemporaryDirectory() as place:
        for name, text in files.items():
            Path(place, Path(name).name).write_text(text, encoding="utf-8")
        sources = [Path(name).name for name in files if name.endswith(".c")]
        command = [program, *_FLAGS, *sources, "-lm", "-o", "library"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(f"{compiler} could not make the library of the unit: {done.stderr[-600:].strip()}")
        return {f"binaries/{folder}/{identifier}{suffix}": Path(place, "library").read_bytes()}


def _archive(files: Mapping[str, str | bytes]) -> bytes:
    """The files in a zip archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()
