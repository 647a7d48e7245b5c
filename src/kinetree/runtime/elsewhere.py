"""Arrays that are not in this process's memory: Dask's, and those on a GPU. Calls with them are handed over."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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


def _dask(function: Function, args: Sequence[Any], out: Any) -> Any:
    """Dask infers dtypes by calling with arrays of length 1, which fixed core sizes refuse: hand them over."""
    import dask.array as da

    if out is not None:
        raise InputError(f"{function.name}: Dask arrays can't be written to, leave out= away")
    arrays = [a if is_dask(a) else plain(a, o.name) for a, o in zip(args, function.operands)]
    kind = np.float32 if function.is_single(arrays) else np.float64
    function.check_cores(arrays)
    # every core dimension gets a name of its own: that two sizes are equal does not make them one
    names = (f"d{k}" for k in itertools.count())
    sides = function.operands, function.results
    inputs, results = ([[next(names) for _ in o.shape] for o in side] for side in sides)
    groups = [",".join(f"({','.join(labels)})" for labels in side) for side in (inputs, results)]
    sizes = [pair for labels, r in zip(results, function.results) for pair in zip(labels, r.shape)]
    return da.apply_gufunc(
        function,
        "->".join(groups),
        *arrays,
        output_dtypes=[kind] * len(results) if len(results) > 1 else kind,
        output_sizes=dict(sizes),
        allow_rechunk=True,  # a core is small; arrays of different chunks meet
    )
