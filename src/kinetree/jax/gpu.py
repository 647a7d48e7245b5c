"""The kernels of a function on the GPUs that JAX computes on, as `kinetree.emit.llvm.xla_cuda` takes them."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (JAX need not be installed where types are checked)

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import jax

from kinetree.emit.llvm import xla_cuda
from kinetree.runtime.cuda.driver import driver
from kinetree.runtime.cuda.launch import loaded
from kinetree.runtime.function import Function

_REPLAYED = 1  # XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE: calls may be captured in graphs, and replayed


def table(function: Function, single: bool) -> tuple[int, int, Any]:
    """The address of the table, the traits of the handler, and all that must stay as long as it is used."""
    known, kept, first, traits = driver(), list[Any](), 0, _REPLAYED
    for ordinal in ordinals():
        code = loaded(function, ordinal, single, dense=True) if any(r.size for r in function.results) else None
        launches = () if code is None else code.launches
        device = words(xla_cuda.device(first, known.context(ordinal), launches))
        first = ctypes.addressof(device)
        kept += [code, device]
        if any(kernel.scratch for _, kernel in launches):  # memory is another one in each call
            traits = 0
    made = words([*map(known.address, xla_cuda.FUNCTIONS), first])
    return ctypes.addressof(made), traits, (made, kept)


def ordinals() -> list[int]:
    """The numbers that CUDA has for the GPUs of JAX in this process."""
    return [d.id if d.local_hardware_id is None else d.local_hardware_id for d in jax.local_devices(backend="cuda")]


def words(values: Sequence[int]) -> Any:
    """Memory with some words of 64 bits."""
    return (ctypes.c_int64 * len(values))(*values)
