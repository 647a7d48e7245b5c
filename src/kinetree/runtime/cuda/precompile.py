"""Kernels made ahead of calls, for the GPU of this machine or for those of others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kinetree.errors import InputError
from kinetree.runtime.cuda.driver import driver
from kinetree.runtime.cuda.launch import loaded
from kinetree.runtime.cuda.versions import code_for

if TYPE_CHECKING:
    from kinetree.runtime.function import Function


def precompile(function: Function, single: bool, capability: str | None) -> None:
    """Put the kernels of a function into the cache.

    Args:
        function: whose code is wanted.
        single: whether for float32.
        capability: of GPUs that may be elsewhere, such as "9.0"; None: the first GPU of this machine, and the kernels
            are loaded there.
    """
    if capability is None:
        driver().device(0)
        loaded(function, 0, single, dense=True)
        return
    if not re.fullmatch(r"\d+\.\d", str(capability)):
        raise InputError(f"a compute capability looks like '9.0', got {capability!r}")
    major, minor = str(capability).split(".")
    for dense in (True, False):
        function.source.kernels(single, dense, *code_for((int(major), int(minor)))).kernels()
