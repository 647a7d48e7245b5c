"""From a program to PTX, the assembly language of NVIDIA's cards, by the back end for it that LLVM has."""

from __future__ import annotations

from dataclasses import replace

from kinetree.emit.cuda.entries import Kernels
from kinetree.emit.cuda.module import TRIPLE, module
from kinetree.lower.program import Program
from kinetree.runtime import native


def kernels(program: Program, capability: tuple[int, int], ptx_version: tuple[int, int], dense: bool) -> Kernels:
    """The kernels of a program in PTX.

    Args:
        program: lowered.
        capability: the compute capability of the oldest cards that run them, such as (8, 0).
        ptx_version: of the text, such as (7, 8).
        dense: for cores that are contiguous, and results that are contiguous over states; else for any strides.
    """
    made = module(program, capability, dense=dense)
    cpu, features = "sm_{}{}".format(*capability), "+ptx{}{}".format(*ptx_version)
    return replace(made, ptx=native.assembly(made.ptx, TRIPLE, cpu, features))
