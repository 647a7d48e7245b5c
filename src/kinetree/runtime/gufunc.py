"""A NumPy generalized ufunc from the address of an inner loop, without a C extension.

NumPy publishes its ufunc constructor in the capsule ``_UFUNC_API``; ctypes calls it. Core sizes are written as numbers
into the signature, so that NumPy refuses arrays of any other size before the code sees them.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

_FROM_FUNC_AND_DATA_AND_SIGNATURE = 31  # slot of NumPy's ufunc C API, unchanged since NumPy 1.x
_NPY_FLOAT, _NPY_DOUBLE = 11, 12
_PyUFunc_None = -1
_KEEP: list[Any] = []  # NumPy keeps pointers to these tables


def numpy_api(name: str) -> Any:
    """The table of addresses that NumPy publishes in a capsule."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(getattr(_multiarray_umath, name), None), ctypes.POINTER(ctypes.c_void_p))


@cache
def _constructor() -> Any:
    words, text = ctypes.c_void_p, ctypes.c_char_p
    make = ctypes.PYFUNCTYPE(ctypes.py_object, words, words, text, *[ctypes.c_int] * 4, text, text, ctypes.c_int, text)
    return make(numpy_api("_UFUNC_API")[_FROM_FUNC_AND_DATA_AND_SIGNATURE])


Shape = tuple[int | str, ...]  # a name stands for any size


def signature(operands: Sequence[Shape], results: Sequence[Shape]) -> str:
    """NumPy's notation for core shapes, such as "(6),(6),(6)->(6)"."""

    def group(shapes: Sequence[Shape]) -> str:
        return ",".join("(" + ",".join(map(str, shape)) + ")" for shape in shapes)

    return f"{group(operands)}->{group(results)}"


def make_gufunc(
    address: int, operands: Sequence[Shape], results: Sequence[Shape], single: bool, name: str, doc: str
) -> np.ufunc:
    """The ufunc with one loop, for float64 or (single) float32."""
    kind = _NPY_FLOAT if single else _NPY_DOUBLE
    loops = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(None)
    types = ctypes.create_string_buffer(bytes([kind] * (len(operands) + len(results))))
    sizes = re.sub(r"\b0\b", "z", signature(operands, results))  # NumPy has no size 0, but a name may stand for it
    texts = [types, *(ctypes.create_string_buffer(s.encode()) for s in (name, doc, sizes))]
    _KEEP.append((loops, data, texts))
    letters, called, help_text, cores = (ctypes.cast(text, ctypes.c_char_p) for text in texts)
    numbers = 1, len(operands), len(results), _PyUFunc_None
    tables = ctypes.addressof(loops), ctypes.addressof(data), letters
    return _constructor()(*tables, *numbers, called, help_text, 0, cores)
