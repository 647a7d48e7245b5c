"""Memory of large results, kept for the next ones: arrays that own it, through NumPy's allocator protocol (NEP 49).

Memory that an array gives back to the system costs page faults when the next array comes, several times what it takes
to fill it. Large results are therefore allocated by functions of our own (`emit.llvm.pool`), which keep what is freed,
up to a limit.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import operator
import os
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import InputError
from kinetree.runtime import locks
from kinetree.runtime.gufunc import numpy_api

LEAST = 1 << 20  # bytes of all results of a call; fewer cost no page faults
_PART, _MOST = 4, 2 << 30  # by default a quarter of the machine's memory is kept, and no more bytes than this
_SET_HANDLER = 304  # slot of NumPy's array C API, since NumPy 1.22
_VERSION = 1  # of the handler


class _Pool(NamedTuple):
    handler: Any
    set_handler: Callable[[Any], Any]  # gives the handler before
    limit: Callable[[int], int]
    held: Callable[[], int]


def large(batches: Sequence[tuple[int, ...]], cores: Sequence[tuple[int, ...]], dtype: Any) -> Any:
    """Arrays for the results of a call, in memory that is kept; None where they are small.

    Args:
        batches: the leading dimensions of the operands.
        cores: the shapes of the results for one state.
        dtype: of the results.
    """
    batch = batches[0] if batches else ()
    if any(other != batch for other in batches):
        batch = np.broadcast_shapes(*batches)
    if math.prod(batch) * sum(map(math.prod, cores)) * np.dtype(dtype).itemsize < LEAST:
        return None
    pool = _pool()
    before = pool.set_handler(pool.handler)
    try:
        return tuple([np.empty(batch + core, dtype) for core in cores])
    finally:
        pool.set_handler(before)


def memory_limit(limit: int | None = None) -> int:
    """How much memory of dropped results is kept for the next ones; with an argument, set it first.

    Args:
        limit: in bytes; 0 keeps nothing. The default is a quarter of the machine's memory, 2 GiB at the most.

    Returns:
        The limit now in force [bytes].

    Example:
        >>> import kinetree as kt
        >>> before = kt.memory_limit()
        >>> kt.memory_limit(1 << 28)
        268435456
        >>> kt.memory_limit(before) == before
        True
    """
    if limit is None:
        return _pool().limit(-1)
    if isinstance(limit, bool) or not hasattr(limit, "__index__") or operator.index(limit) < 0:
        raise InputError(f"the limit of memory is an integer number of bytes from 0 up, got {limit!r}")
    return _pool().limit(min(operator.index(limit), (1 << 63) - 1))


def release_memory() -> int:
    """Give the memory of dropped results back to the system.

    Returns:
        How much was kept [bytes].

    Example:
        >>> import kinetree as kt
        >>> _ = kt.release_memory()
        >>> kt.release_memory()
        0
    """
    pool = _pool()
    held, limit = pool.held(), pool.limit(-1)
    pool.limit(0)
    pool.limit(limit)
    return held


@cache
def _pool() -> _Pool:
    with locks.compiling(_pool):
        from kinetree.emit.llvm.entries import POOL  # not with the package
        from kinetree.runtime import fixed_code

        code = fixed_code.load("pool", _module, *POOL)
    *functions, limit, held = code.addresses
    # PyDataMem_Handler, in a capsule: a name, a version, a context and the functions
    form = struct.pack("127sB5P", b"kinetree", _VERSION, 0, *functions)
    memory, name = ctypes.create_string_buffer(form, len(form)), ctypes.create_string_buffer(b"mem_handler")
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    handler = new(ctypes.addressof(memory), ctypes.addressof(name), None)
    for kept in (code, memory, name, handler):  # arrays may outlive everything here: they are never freed
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    size = ctypes.c_int64
    pool = _Pool(
        handler,
        ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(numpy_api("_ARRAY_API")[_SET_HANDLER]),
        ctypes.CFUNCTYPE(size, size)(limit),
        ctypes.CFUNCTYPE(size)(held),
    )
    pool.limit(_default_limit())
    return pool


def _module(triple: str) -> str:
    from kinetree.emit.llvm import pool  # not needed where the code is in the cache

    return pool.module(triple)


def _default_limit() -> int:
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return min(_MOST, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _PART)
    return _MOST // _PART
