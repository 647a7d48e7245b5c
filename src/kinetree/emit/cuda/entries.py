"""Kernels and how they are launched: all that a program needs to know whose code is in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

ENTRY = "kinetree_kernel"
MANY = 1 << 30  # states of a launch: kernels count with 32 bits
WIDEST = 16  # bytes that a thread moves at once


@dataclass(frozen=True)
class Kernel:
    """One kernel of a module. Blocks of it cover all states."""

    name: str  # of the entry
    threads: int  # of a block
    states: int  # that one block computes
    shared: int  # dynamic shared memory of a block [bytes]
    scratch: int  # global memory for each state of a launch [bytes]


@dataclass(frozen=True)
class Kernels:
    """Code for GPUs, in PTX or before that in LLVM IR, and its kernels in the order in which they are launched."""

    ptx: str
    launches: tuple[Kernel, ...]


def alignment(size: int, item: int) -> int:
    """Of the states of dense arrays [bytes]: what a thread can move at once where they are packed.

    Args:
        size: of a state, in numbers.
        item: bytes of a number.
    """
    return gcd(size * item, WIDEST)
