"""A NumPy generalized ufunc from the address of an inner loop, without a C extension.

NumPy publishes its ufunc constructor in the capsule ``_UFUNC_API``; ctypes calls it. Core sizes are written as numbers
into the signature, so that NumPy refuses arrays of any other size before the code sees them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kinetree.runtime.native import LoadedCode

_FROM_FUNC_AND_DATA_AND_SIGNATURE_AND_IDENTITY = 42  # slot of NumPy's ufunc C API, unchanged since NumPy 1.16
_NPY_FLOAT, _NPY_DOUBLE = 11, 12
_PyUFunc_IdentityValue = -3


def numpy_api(name: str) -> Any:
    """The table of addresses that NumPy publishes in a capsule."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(getattr(_multiarray_umath, name), None), ctypes.POINTER(ctypes.c_void_p))


@cache
def _constructor() -> Any:
    words, text, item = ctypes.c_void_p, ctypes.c_char_p, ctypes.py_object
    numbers = [ctypes.c_int] * 4
    make = ctypes.PYFUNCTYPE(item, words, words, text, *numbers, text, text, ctypes.c_int, text, item)
    return make(numpy_api("_UFUNC_API")[_FROM_FUNC_AND_DATA_AND_SIGNATURE_AND_IDENTITY])


Shape = Sequence[int | str]  # a name stands for any size


def signature(operands: Sequence[Shape], results: Sequence[Shape]) -> str:
    """NumPy's notation for core shapes, such as "(6),(6),(6)->(6)"."""

    def group(shapes: Sequence[Shape]) -> str:
        return ",".join("(" + ",".join(map(str, shape)) + ")" for shape in shapes)

    return f"{group(operands)}->{group(results)}"


class _Kept(float):
    """What a ufunc points to: its code and its tables.

    The ufunc holds this as the identity of its reductions, of which a function of whole arrays has none; NumPy wants a
    number there.
    """

    items: tuple[Any, ...]


def make_gufunc(
    code: LoadedCode,
    address: int,
    operands: Sequence[Shape],
    results: Sequence[Shape],
    single: bool,
    name: str,
    doc: str,
) -> np.ufunc:
    """The ufunc with one loop, for float64 or (single) float32; it keeps the code that the loop is in."""
    kind = _NPY_FLOAT if single else _NPY_DOUBLE
    loops = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(None)
    types = ctypes.create_string_buffer(bytes([kind] * (len(operands) + len(results))))
    # NumPy has no size 0, but a name may stand for it
    sizes = signature(*([["z" if n == 0 else n for n in shape] for shape in side] for side in (operands, results)))
    texts = [types, *(ctypes.create_string_buffer(s.encode()) for s in (name, doc, sizes))]
    letters, called, help_text, cores = (ctypes.cast(text, ctypes.c_char_p) for text in texts)
    numbers = 1, len(operands), len(results), _PyUFunc_IdentityValue
    tables = ctypes.addressof(loops), ctypes.addressof(data), letters
    kept = _Kept()
    kept.items = code, loops, data, texts
    return _constructor()(*tables, *numbers, called, help_text, 0, cores, kept)
