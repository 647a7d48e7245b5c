"""Arrays that are not in this process's memory: Dask's, and those on a GPU. Calls with them are handed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import InputError
from kinetree.runtime import locks
from kinetree.runtime.arrays import plain
from kinetree.runtime.cuda.arrays import is_on_gpu

if TYPE_CHECKING:
    from kinetree.runtime.function import Function


def is_elsewhere(a: Any) -> bool:
    """Whether NumPy should not be asked to make an array of it."""
    return type(a) is not np.ndarray and (is_on_gpu(a) or is_dask(a))


def is_dask(a: Any) -> bool:
    """Whether it is a Dask array (an xarray has Dask's methods too, and is none)."""
    return type(a).__module__.startswith("dask.array")


def call(function: Function, args: Sequence[Any], out: Any) -> Any:
    """A function of arrays that are elsewhere."""
    if any(map(is_dask, args)):
        return _dask(function, args, out)
    with locks.compiling(call):  # the import is not for the middle of a fork
        from kinetree.runtime.cuda.call import call as call_on_gpu
    return call_on_gpu(function, args, out)


@dataclass(frozen=True)
class _OnBlocks:
    """A function of the blocks of Dask arrays: what has no block dimensions comes as it is, cores as lists of one."""

    function: Function

    @property
    def __name__(self) -> str:
        return self.function.__name__

    def __call__(self, *blocks: Any) -> Any:
        arrays = []
        for block in blocks:
            while isinstance(block, list):
                block = block[0]
            arrays.append(block)
        return self.function(*arrays)


def _dask(function: Function, args: Sequence[Any], out: Any) -> Any:
    """Lazily, block by block; `dask.array.apply_gufunc` would copy every block, and call with arrays of length 1."""
    import dask.array as da

    if out is not None:
        raise InputError(f"{function.name}: Dask arrays can't be written to, leave out= away")
    arrays = [a if is_dask(a) else plain(a, o.name) for a, o in zip(args, function.operands)]
    kind = np.float32 if function.is_single(arrays) else np.float64
    function.check_shapes(arrays)
    # every core dimension gets a name of its own: that two sizes are equal does not make them one
    loops = [a.ndim - len(o.shape) for a, o in zip(arrays, function.operands)]
    batch = [f"b{k}" for k in range(max(loops))]
    pairs: list[Any] = []
    for k, (a, n, o) in enumerate(zip(arrays, loops, function.operands)):
        if is_dask(a) or n:
            whole = da.asarray(a).rechunk({n + d: -1 for d in range(len(o.shape))})
            pairs += [whole, [*batch[len(batch) - n :], *(f"c{k}.{d}" for d in range(len(o.shape)))]]
        else:
            pairs += [a, None]

    def mapped(call: Any, *given: Any, core: tuple[int, ...], dtype: Any) -> Any:
        """The call on all blocks; its results have a core in one piece."""
        axes = {f"r{d}": size for d, size in enumerate(core)}
        empty = np.empty((0,) * (len(batch) + len(core)), dtype)
        return da.blockwise(call, [*batch, *axes], *given, new_axes=axes, dtype=dtype, meta=empty)

    results = function.results
    if len(results) == 1:
        return mapped(_OnBlocks(function), *pairs, core=results[0].shape, dtype=kind)
    # blocks of all results together, of which each takes its own
    together = mapped(_OnBlocks(function), *pairs, core=(), dtype=object)
    return tuple(mapped(itemgetter(k), together, batch, core=r.shape, dtype=kind) for k, r in enumerate(results))
