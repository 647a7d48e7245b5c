"""What compiled code calls: functions of Python, of the C library and of the system, by name.

LLVM would find most of them itself, in whichever library of the process comes first; here each has its place. What a
library does not have, such as another system's names, is left out; `tests/emit` lists what code for each system needs.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

PYTHON = (
    "PyMem_RawMalloc", "PyMem_RawFree", "PyGILState_Ensure", "PyGILState_Release", "PyErr_NoMemory", "PyErr_Occurred",
    "Py_DecRef",
)  # fmt: skip
# moves of memory; and what x86-64 has no instruction for before its second and third level
C = ("memcpy", "memset", "floor", "floorf", "rint", "rintf", "fma", "fmaf")
# by a part of the triple: advice on huge pages, memset of zeros, and the probes of a stack that grows by guard pages
SYSTEM = {"linux": ("madvise",), "darwin": ("bzero", "__bzero"), "windows": ("__chkstk",)}
# of Windows, that only a linker looks for
MARKERS = ("_fltused",)


def addresses() -> Iterator[tuple[str, int]]:
    """All that are in this process."""
    for name in PYTHON:
        yield name, _address(ctypes.pythonapi, name)
    libraries = [ctypes.CDLL(name) for name in _libraries()]
    for name in (*C, *(name for names in SYSTEM.values() for name in names)):
        for library in libraries:
            with suppress(AttributeError):
                yield name, _address(library, name)
                break


def _libraries() -> tuple[str | None, ...]:
    """The files of the C library and of the system; None stands for what the process has loaded."""
    return ("ucrtbase", "vcruntime140", "ntdll") if sys.platform == "win32" else (None,)


def _address(library: Any, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
