"""Arrays on a GPU, whatever their library: which they are, and numbers of the host beside them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from kinetree.errors import InputError
from kinetree.runtime.cuda.libraries import CuPy, Library, Numba, Torch

FAST: dict[type, Library] = {}  # types whose arrays can be described
_KNOWN: dict[str, Library] = {"cupy": CuPy(), "torch": Torch(), "numba": Numba()}
_UNKNOWN = Library()
_HOST = (int, float, complex, str, bytes, list, tuple, np.generic, np.ndarray, type(None))


@lru_cache(256)
def _library_of_type(kind: type) -> Library | None:
    if issubclass(kind, _HOST):
        return None
    found = _known(kind)
    if found.computes:
        FAST[kind] = found
    return found


def _known(kind: type) -> Library:
    roots = [str(base.__module__).split(".")[0].removesuffix("_cuda") for base in kind.__mro__]
    return next((_KNOWN[root] for root in roots if root in _KNOWN), _UNKNOWN)


def library_of(a: Any) -> Library | None:
    """The library of an array on a GPU; None for everything else."""
    if type(a) is np.ndarray:
        return None
    library = _library_of_type(type(a))
    return library if library is not None and library.holds(a) else None


def is_on_gpu(a: Any) -> bool:
    """Whether an array is on a GPU."""
    return library_of(a) is not None


def beside(x: Any, *others: Any) -> Any:
    """A constant of the host where the first of the others that is on a GPU is; as it is, where none is there."""
    for a in others:
        if (library := library_of(a)) is not None:
            if is_on_gpu(x):
                return x
            device = library.device(a)
            kind = "f" if library.view(a).kind == "f" else "d"
            return uploaded(np.asarray(x, kind), library, device, library.stream(a, device))
    return x


def dtype_of(a: Any) -> str:
    """NumPy's letter for the type of an array on a GPU."""
    library = library_of(a)
    return library.view(a).kind if library else ""


def on_host(a: Any) -> np.ndarray:
    """As an array of the host; waits for one on a GPU."""
    library = library_of(a)
    return np.asarray(a) if library is None else library.host(a)


def columns(x: Any, indices: Sequence[int]) -> Any:
    """Some elements along the last axis; a view, for an array on a GPU whose library can't copy."""
    if is_on_gpu(x) and len(indices):
        step = indices[1] - indices[0] if len(indices) > 1 else 1
        if [*indices] == [*range(indices[0], indices[0] + step * len(indices), step)] and step > 0:
            return x[..., indices[0] : indices[-1] + 1 : step]
    return x[..., list(indices)]


def joined(values: Sequence[Any], others: Sequence[Any] = ()) -> Any:
    """Numbers and arrays along a new last axis; on the GPU where any of them, or of others, is there."""
    there = [a for a in (*values, *others) if is_on_gpu(a)]
    library = library_of(there[0]) if there else None
    if library is None:
        return np.stack(np.broadcast_arrays(*values), axis=-1)
    if not all(is_on_gpu(x) or np.ndim(x) == 0 for x in values):
        raise InputError("some parameters are arrays of the host, and other arguments are on a GPU; copy them there")
    if not any(map(is_on_gpu, values)):
        return beside(np.array(values, float), *there)
    return library.joined([beside(x, *there) for x in values])


_UPLOADED: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_KEPT = 256  # small arrays


def uploaded(x: np.ndarray, library: Library, device: int, stream: int) -> Any:
    """Few numbers on a device; the same ones are sent once, for each stream, on which they are in order."""
    key = library.name, device, stream, x.dtype.char, x.shape, x.tobytes()
    found = _UPLOADED.get(key)
    if found is None:
        found = _UPLOADED[key] = library.upload(x, device)
        while len(_UPLOADED) > _KEPT:
            _UPLOADED.popitem(last=False)
    return found
