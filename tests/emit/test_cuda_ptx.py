"""The text of kernels for GPUs: as it was, accepted by NVIDIA's assembler, with registers enough.

``ptxas`` comes with CUDA, or from PyPI: ``pip install nvidia-cuda-nvcc-cu12``. What needs it is skipped without.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from sample_functions import every_operation

import kinetree as kt
from kinetree.emit.cuda.entries import ENTRY, Kernels
from kinetree.emit.cuda.module import module
from kinetree.lower.program import Program, lower
from kinetree.runtime.cuda.ptx import kernels

FOLDER = Path(__file__).parent / "golden"
PTX = {(7, 0): (6, 3), (8, 0): (7, 0), (9, 0): (7, 8)}
# registers of UR5 functions that they may take, in double and in single precision
REGISTERS = {
    "inverse_dynamics": (104, 64),
    "forward_dynamics": (128, 72),
    "mass_matrix": (72, 48),
    "inverse_dynamics_derivatives": (192, 136),
    "forward_dynamics_derivatives": (255, 192),
}
SPILLS = 512  # bytes, of the last of them in double precision alone


def assembler() -> str | None:
    """Where ``ptxas`` is."""
    found = shutil.which("ptxas")
    for package in ("nvidia", "triton"):
        spec = None if found else find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            found = found or next(map(str, Path(folder).rglob("bin/ptxas")), None)
    return found


def program(name: str, *, single: bool) -> Program:
    traced = kt.robots.ur5().function(name).source.trace()
    return lower(traced.operands, traced.results, traced.outputs, single=single)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("dense", [True, False])
def test_the_emitted_text_is_as_it_was(precision: str, dense: bool) -> None:
    traced = kt.trace(every_operation, signature="x(3)->y(9)")
    lowered = lower(traced.operands, traced.results, traced.outputs, single=precision == "single")
    text = module(lowered, (8, 0), dense=dense).ptx + "\n"
    file = FOLDER / f"kernel_{precision}_{'dense' if dense else 'strided'}.ll"
    if os.environ.get("KINETREE_UPDATE_GOLDEN"):
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize("capability", PTX)
def test_ptx_is_for_the_card_and_the_driver(capability: tuple[int, int]) -> None:
    lowered = program("mass_matrix", single=False)
    made = kernels(lowered, capability, PTX[capability], dense=True)
    assert ".version {}.{}\n.target sm_{}{}\n".format(*PTX[capability], *capability) in made.ptx
    assert made.ptx.count(f".visible .entry {ENTRY}(") == 1
    # the number of states, scratch memory; for each of q and M an address and the stride between states
    assert made.ptx.count("_param_5") > 0
    assert "_param_6" not in made.ptx
    assert ".local" not in made.ptx
    (launch,) = made.launches
    assert launch.states == launch.threads
    assert launch.shared == 37 * 8 * launch.threads  # a row for each thread, of odd length
    assert made == kernels(lowered, capability, PTX[capability], dense=True)


def assembled(made: Kernels, capability: tuple[int, int], folder: Path) -> tuple[int, int]:
    """Registers and bytes of spilled values."""
    ptxas = assembler()
    if ptxas is None:
        pytest.skip("there is no ptxas")
    (folder / "kernel.ptx").write_text(made.ptx)
    arch = "-arch=sm_{}{}".format(*capability)
    command = [ptxas, "-v", arch, str(folder / "kernel.ptx"), "-o", str(folder / "kernel.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "is not defined for option 'gpu-name'" in done.stderr:
        pytest.skip(f"this ptxas knows no {arch}")
    assert done.returncode == 0, done.stderr
    registers, spilled = (re.search(rf"(\d+) {what}", done.stderr) for what in ("registers", "bytes spill stores"))
    assert registers
    assert spilled
    return int(registers[1]), int(spilled[1])


@pytest.mark.parametrize("capability", [(9, 0), *(pytest.param(c, marks=pytest.mark.slow) for c in ((7, 0), (8, 0)))])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", REGISTERS)
def test_registers_are_enough(name: str, single: bool, capability: tuple[int, int], tmp_path: Path) -> None:
    for dense in (True, False):
        made = kernels(program(name, single=single), capability, PTX[capability], dense=dense)
        registers, spilled = assembled(made, capability, tmp_path)
        assert registers <= REGISTERS[name][single]
        assert spilled <= (SPILLS if (name, single) == ("forward_dynamics_derivatives", False) else 0)


@pytest.mark.slow
def test_a_large_function_is_assembled(tmp_path: Path) -> None:
    """Its results leave in pieces."""
    traced = kt.robots.random_tree(3, 24, ["revolute"]).function("inverse_dynamics_derivatives").source.trace()
    made = kernels(lower(traced.operands, traced.results, traced.outputs, single=True), (8, 0), PTX[8, 0], dense=True)
    assert f"{ENTRY}_$_r0_$_1" in made.ptx  # the table of the second
    assert made.launches[0].shared <= 163 << 10
    assembled(made, (8, 0), tmp_path)
