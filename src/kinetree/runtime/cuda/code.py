"""Kernels from the cache, or compiled: PTX by this package, machine code by the driver.

Both are kept on the disk under the rules of `kinetree.runtime.cache`. PTX is text for a compute capability, made on any
machine; machine code is the driver's, for one version of it and one card. A process that finds the latter compiles
nothing, and needs no LLVM.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from kinetree.emit.cuda.entries import Kernel, Kernels
from kinetree.errors import DeviceError
from kinetree.runtime import cache, locks
from kinetree.runtime.collector import collector_paused
from kinetree.runtime.cuda.driver import Driver, driver
from kinetree.runtime.cuda.versions import Pair, code_for
from kinetree.runtime.traced import Traced, lowered

_unused: list[tuple[int, int]] = []  # devices and modules that nobody holds any more


class KernelSource:
    """The kernels of a function for a compute capability, made where they are not in the cache.

    Args:
        key: of the cache.
        make: the kernels.
    """

    def __init__(self, key: str, make: Callable[[], Kernels]) -> None:
        self.key, self._make = key, make

    def kernels(self) -> Kernels:
        """The kernels in PTX."""
        found = cache.load(self.key)
        if found is not None:
            launches, ptx = unpacked(found)
            return Kernels(ptx.decode(), launches)
        with collector_paused():
            made = self._make()
        cache.store(self.key, packed(made.launches, made.ptx.encode()))
        return made


def written(traced: Traced, single: bool, capability: Pair, ptx_version: Pair, dense: bool) -> Kernels:
    """The kernels of a traced function."""
    from kinetree.runtime.cuda.ptx import kernels  # not needed where they are in the cache

    return kernels(lowered(traced, single, chained=single), capability, ptx_version, dense)


class LoadedKernels:
    """Kernels in the memory of a device, as long as this object."""

    def __init__(self, ordinal: int, module: int, launches: tuple[tuple[int, Kernel], ...]) -> None:
        self.ordinal, self.module, self.launches = ordinal, module, launches
        self.scratch = max(kernel.scratch for _, kernel in launches)  # bytes for each state

    def __del__(self, interpreter_ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if not interpreter_ends():
            _unused.append((self.ordinal, self.module))  # freed before others are loaded: it waits for the device


def load(ordinal: int, source: Callable[[Pair, Pair], KernelSource]) -> LoadedKernels:
    """The kernels of a function on a device.

    Args:
        ordinal: of the device.
        source: for a compute capability and a version of PTX.
    """
    known = driver()
    device = known.device(ordinal)
    found = source(*code_for(device.capability))
    key = cache.digest(repr((found.key, known.version, device.capability)))
    content = cache.load(key)
    if content is None:
        kernels = found.kernels()
        with locks.generating():  # no fork comes in between
            code = known.compile(ordinal, kernels.ptx)
        launches = kernels.launches
        cache.store(key, packed(launches, code))
    else:
        launches, code = unpacked(content)
    return _loaded(known, ordinal, launches, code)


def _loaded(known: Driver, ordinal: int, launches: tuple[Kernel, ...], code: bytes) -> LoadedKernels:
    device = known.device(ordinal)
    most = max((kernel.shared for kernel in launches), default=0)
    if most > device.shared:
        raise DeviceError(f"a block needs {most} bytes of shared memory, and {device.name} has {device.shared}")
    while _unused:
        known.unload(*_unused.pop())
    module = known.load(ordinal, code)
    entries = [known.entry(ordinal, module, kernel.name, kernel.shared) for kernel in launches]
    return LoadedKernels(ordinal, module, tuple(zip(entries, launches)))


def packed(launches: tuple[Kernel, ...], code: bytes) -> bytes:
    """Kernels as bytes: how they are launched, a line's end, and their code."""
    return json.dumps([astuple(kernel) for kernel in launches]).encode() + b"\n" + code


def unpacked(content: bytes) -> tuple[tuple[Kernel, ...], bytes]:
    head, _, code = content.partition(b"\n")
    rows: list[list[Any]] = json.loads(head)
    return tuple(Kernel(*row) for row in rows), code
