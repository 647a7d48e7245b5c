"""How the tests run exported code: one entry for each language, and what it takes."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree.export import Code

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
SECONDS = 120
# the program that each language needs, and how to get it
TOOLS = {
    "c": ("gcc", "apt-get install gcc"),
    "cpp": ("g++", "apt-get install g++"),
    "python": (sys.executable, ""),
    "matlab": ("octave-cli", "apt-get install octave"),
    "julia": ("julia", "https://julialang.org; Debian 11 has a package"),
    "rust": ("rustc", "rustup"),
    "wasm": ("node", "apt-get install nodejs"),
}


@cache
def works(tool: str) -> bool:
    """Whether a tool is there and runs: rustup leaves a rustc that does not where no toolchain is chosen."""
    if shutil.which(tool) is None:
        return False
    return subprocess.run([tool, "--version"], capture_output=True, timeout=60, check=False).returncode == 0


def require(target: str) -> None:
    """Skip where the language is not installed."""
    require_tool(*TOOLS[target])


def require_tool(tool: str, hint: str) -> None:
    """Skip where a tool is not installed; fail if KINETREE_ALL_EXPORTS is set, but for tools that it names."""
    if not works(tool):
        _without(tool, hint)


def require_file(path: str, hint: str) -> None:
    """Likewise for a file."""
    if not Path(path).exists():
        _without(path, hint)


def _without(what: str, hint: str) -> None:
    message = f"{what} is not installed ({hint}): exported code can't run"
    excused = os.environ.get("KINETREE_ALL_EXPORTS")
    if excused is not None and what not in excused.split(","):
        pytest.fail(message)
    pytest.skip(message)


def command(program: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder."""
    environment = {**os.environ, "HOME": str(folder)} if "octave" in program[0] else None
    return subprocess.run(
        list(program), cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment
    )


def _compiled(compiler: Sequence[str], program: str) -> Callable[[Path], subprocess.CompletedProcess[str]]:
    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        done = command([*compiler, "-o", program], folder)
        return done if done.returncode else command([str(folder / program)], folder)

    return run


def self_test(target: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the self-test of code that was written to the folder."""
    test = f"{name}_test"
    runners: dict[str, Callable[[Path], subprocess.CompletedProcess[str]]] = {
        "c": _compiled(["gcc", "-std=c99", *WARNINGS, f"{name}.c", f"{test}.c", "-lm"], test),
        "cpp": _compiled(["g++", "-std=c++11", *WARNINGS, f"{test}.cpp"], test),
        "python": lambda where: command([sys.executable, "-W", "error", f"{test}.py"], where),
        "matlab": lambda where: command(["octave-cli", "--quiet", "--norc", "--eval", test], where),
        "julia": lambda where: command(["julia", "--startup-file=no", f"{test}.jl"], where),
        "rust": _compiled(["rustc", "--edition", "2021", "-D", "warnings", f"{test}.rs"], test),
        "wasm": lambda where: command(["node", f"{test}.mjs"], where),
    }
    return runners[target](folder)


def library(codes: Sequence[Code], folder: Path) -> ctypes.CDLL:
    """C code as one shared library."""
    for code in codes:
        code.write(folder)
    sources = [f"{code.name}.c" for code in codes]
    flags = ["-std=c99", *WARNINGS, "-O0", "-shared", "-fPIC"]
    done = command(["gcc", *flags, *sources, "-lm", "-o", "library.so"], folder)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "library.so"))


def call(function: Any, args: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]], kind: Any) -> list[np.ndarray]:
    """Call a C function: arrays by their address, numbers by value."""
    real = ctypes.c_float if kind == np.float32 else ctypes.c_double
    args = [np.asarray(a, kind, order="C") for a in args]  # a number stays one
    results = [np.full(shape, np.nan, kind) for shape in shapes]
    function.restype = None
    function(*(a.ctypes.data_as(ctypes.c_void_p) if a.ndim else real(float(a)) for a in args),
             *(r.ctypes.data_as(ctypes.c_void_p) for r in results))  # fmt: skip
    return results


def module(code: Code, folder: Path) -> Any:
    """Python code as a module."""
    code.write(folder)
    spec = importlib.util.spec_from_file_location(code.name, folder / f"{code.name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
