"""The arrays that compiled functions take and give: their types, and arrays of other libraries in NumPy's eyes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
_READABLE = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")  # what NumPy itself reads


def plain(a: Any, name: str) -> np.ndarray:
    """Anything like an array as NumPy's, on the same memory where its layout allows; not what would lose its meaning.

    Arrays of other libraries are read by ``__array__``, by the buffer protocol, or by DLPack where they have nothing
    else.

    Args:
        a: an array of any library in this process's memory, a list, a number.
        name: of the argument, for messages.
    """
    if type(a) is np.ndarray:
        return a
    if isinstance(a, np.matrix | np.ma.MaskedArray):
        given = name.split(": ")[-1]
        right = f"np.asarray({given})" if isinstance(a, np.matrix) else f"{given}.filled(value)"
        raise InputError(f"{name} is a {type(a).__name__}, whose meaning would be lost: give {right}")
    if isinstance(a, np.ndarray):
        return a
    kind = type(a)
    if hasattr(kind, "__dlpack__") and not any(hasattr(kind, way) for way in _READABLE):
        try:
            return np.from_dlpack(a)
        except Exception as error:  # each library has its own
            raise InputError(
                f"{name} is a {kind.__module__}.{kind.__qualname__} whose memory NumPy can't read ({error}); copy it "
                "to that of the CPU"
            ) from error
    return np.asarray(a)
