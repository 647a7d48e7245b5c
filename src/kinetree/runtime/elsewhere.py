"""Arrays that are not in this process's memory: Dask's, and those on a GPU. Calls with them are handed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import InputError
from kinetree.runtime import dask_blocks, locks
from kinetree.runtime.cuda.arrays import is_on_gpu
from kinetree.runtime.dask_blocks import is_dask

if TYPE_CHECKING:
    from kinetree.runtime.function import Function


def is_elsewhere(a: Any) -> bool:
    """Whether NumPy should not be asked to make an array of it."""
    return type(a) is not np.ndarray and (is_on_gpu(a) or is_dask(a))


def call(function: Function, args: Sequence[Any], out: Any) -> Any:
    """A function of arrays that are elsewhere."""
    if any(map(is_dask, args)):
        if out is not None:
            raise InputError(f"{function.name}: Dask arrays can't be written to, leave out= away")
        return dask_blocks.call(function, args)
    with locks.compiling(call):  # the import is not for the middle of a fork
        from kinetree.runtime.cuda.call import call as call_on_gpu
    return call_on_gpu(function, args, out)
