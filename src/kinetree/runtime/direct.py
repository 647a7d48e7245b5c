"""Built-in functions of Python whose code was compiled here: single calls without the cost of a ufunc.

The code (`emit.llvm.call`) reads the fields of Python's and NumPy's objects at the offsets that their public headers
give on 64-bit CPython, from version 3.11 on. Where a trial shows any other layout, or on another interpreter, there is
no direct call, and everything goes through the ufunc.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from kinetree.emit.llvm import call as layout

_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_NEW_FROM_DESCR, _ARRAY_TYPE = 94, 2  # slots of NumPy's array C API, unchanged since NumPy 1.x


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def builtin(address: int, fallback: Callable[..., Any], name: str, doc: str) -> Callable[..., Any] | None:
    """A built-in function that runs the code at the address, or hands over to the fallback; None where impossible."""
    table = _table()
    if table is None or not address:
        return None
    method = _MethodDef(name.encode(), address, _METH_FASTCALL_KEYWORDS, doc.encode())
    # the definition must outlive its function, which the garbage collector may meet after all modules are gone
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), (table, fallback), None)


@cache
def _table() -> bytes | None:
    """The addresses that the code needs, packed; None where the layout of objects is not the known one."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    try:
        from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        api = ctypes.cast(pointer(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
        functions = [_address(name) for name in ("PyObject_Vectorcall", "Py_IncRef")]
    except (ImportError, AttributeError):
        return None
    words = [id(np.ndarray), id(np.dtype(np.float64)), api[_NEW_FROM_DESCR], *functions]
    table = struct.pack(f"{len(words)}P", *words)
    return table if api[_ARRAY_TYPE] == id(np.ndarray) and _layout_is_known(table) else None


def _address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _layout_is_known(table: bytes) -> bool:
    """Whether the fields of a trial array, tuple and bytes object are where the code looks for them."""

    def word(item: Any, offset: int, kind: Any = ctypes.c_void_p) -> Any:
        return kind.from_address(id(item) + offset).value

    trial, pair = np.arange(6.0).reshape(2, 3), (table, None)
    shape = (ctypes.c_int64 * 2).from_address(word(trial, layout.SHAPE))
    return (
        word(trial, layout.TYPE) == id(np.ndarray)
        and word(trial, layout.DATA) == trial.ctypes.data
        and word(trial, layout.NDIM, ctypes.c_int) == 2
        and tuple(shape) == (2, 3)
        and word(trial, layout.DTYPE) == id(np.dtype(np.float64))
        and word(trial, layout.FLAGS, ctypes.c_int) == trial.flags.num
        and word(pair, layout.TUPLE_ITEMS) == id(table)
        and ctypes.string_at(id(table) + layout.BYTES_CONTENT, len(table)) == table
    )
