"""Objects of Python whose call is code compiled here: single calls without the cost of a ufunc.

The code (`emit.llvm.call`) has the signature of the vectorcall protocol, and reads the fields of Python's and NumPy's
objects at the offsets that their public headers give on 64-bit CPython, from version 3.11 on. Where a trial shows any
other layout, or on another interpreter, there is no direct call, and everything goes through the ufunc.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from kinetree.emit.llvm import call as layout
from kinetree.runtime.gufunc import numpy_api

Shape = tuple[int, ...]

_NEW_FROM_DESCR, _ARRAY_TYPE = 94, 2  # slots of NumPy's array C API, unchanged since NumPy 1.x
_TP_CALL, _TP_MEMBERS = 50, 72  # slots of a type, in the stable ABI of CPython
_HAVE_VECTORCALL = 1 << 11
_SSIZE, _READ_ONLY = 19, 1  # of a member


class _Fields:
    """What a direct call is to the rest of Python: the function that it falls back to."""

    __slots__ = ("code", "fallback", "table")  # in memory they are in alphabetical order

    code: Any  # which stays loaded for it
    fallback: Callable[..., Any]
    table: bytes

    @property
    def __wrapped__(self) -> Callable[..., Any]:  # `inspect` finds the signature through it
        return self.fallback

    @property
    def __name__(self) -> str:
        return self.fallback.__name__

    @property
    def __self__(self) -> Any:
        return self.fallback.__self__  # type: ignore[attr-defined]

    def __get__(self, instance: Any, owner: Any = None) -> Any:  # so that `help` takes it for a function
        return self

    def __repr__(self) -> str:
        return repr(self.fallback)

    def __reduce__(self) -> Any:
        return self.fallback.__reduce__()


def call(
    code: Any,
    address: int,
    fallback: Callable[..., Any],
    cores: tuple[Sequence[Shape], Sequence[Shape]],
    quaternions: Sequence[int] = (),
    tolerance: float = 0.0,
) -> Callable[..., Any] | None:
    """An object that runs the code at the address when called, or hands over to the fallback; None where impossible.

    It hands over too where the squared length of a quaternion in the first argument is not one to a tolerance. The
    cores are those of the operands and of the results.
    """
    table = _table()
    if table is None or not address:
        return None
    operands, results = cores
    shapes = [[number for core in side for number in (len(core), *core)] for side in cores]
    strides = [8 * prod(core[d + 1 :]) for core in (*operands, *results) for d in range(len(core))]
    words = [*shapes[0], *quaternions, *shapes[1], *[0] * len((*operands, *results)), *strides]
    counts = len(operands), len(results), len(quaternions)
    made = _type()()
    made.code, made.fallback = code, fallback
    made.table = table + struct.pack(f"3qd{len(words)}q", *counts, tolerance, *words)
    ctypes.c_void_p.from_address(id(made) + _Fields.__basicsize__).value = address
    return made


@cache
def _type() -> Any:
    """`_Fields` followed by the address of the code that a call runs, as a type that Python calls through it."""
    end = _Fields.__basicsize__

    def memory(form: str, *values: Any) -> int:
        """A structure of C, which is never freed: types outlive the modules that made them."""
        buffer = ctypes.create_string_buffer(struct.pack(form, *values))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(buffer))
        return ctypes.addressof(buffer)

    def text(content: bytes) -> int:
        return memory(f"{len(content)}sx", content)

    member = text(b"__vectorcalloffset__"), _SSIZE, end, _READ_ONLY, 0  # PyMemberDef, then one of zeros
    slots = _TP_CALL, _address("PyVectorcall_Call"), _TP_MEMBERS, memory("PiniP40x", *member), 0, 0  # PyType_Slot
    spec = (
        text(b"kinetree.runtime.direct.Call"),
        end + struct.calcsize("P"),
        0,
        _HAVE_VECTORCALL,
        memory("iPiPiP", *slots),
    )
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    made = make(memory("PiiIP", *spec), (_Fields,))
    made.__doc__ = property(lambda self: self.fallback.__doc__)
    return made


@cache
def _table() -> bytes | None:
    """The addresses that the code needs, packed; None where the layout of objects is not the known one."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or "free-threading" in sys.version:
        return None
    try:
        api = numpy_api("_ARRAY_API")
        of_numpy = [id(np.ndarray), id(np.dtype(np.float64)), api[_NEW_FROM_DESCR]]
        words = [*of_numpy, *map(_address, layout.ADDRESSES[len(of_numpy) :])]
        _type()
    except (ImportError, AttributeError, TypeError):
        return None
    table = struct.pack(f"{len(words)}P", *words)
    return table if api[_ARRAY_TYPE] == id(np.ndarray) and _layout_is_known(table) else None


def _address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _layout_is_known(table: bytes) -> bool:
    """Whether the fields of a trial array, call and bytes object are where the code looks for them."""

    def word(item: Any, offset: int, kind: Any = ctypes.c_void_p) -> Any:
        return kind.from_address(id(item) + offset).value

    trial, call = np.arange(6.0).reshape(2, 3), _type()()
    call.code, call.fallback, call.table = None, print, table
    shape = (ctypes.c_int64 * 2).from_address(word(trial, layout.SHAPE))
    return (
        word(trial, layout.TYPE) == id(np.ndarray)
        and word(trial, layout.DATA) == trial.ctypes.data
        and word(trial, layout.NDIM, ctypes.c_int) == 2
        and tuple(shape) == (2, 3)
        and word(trial, layout.DTYPE) == id(np.dtype(np.float64))
        and word(trial, layout.FLAGS, ctypes.c_int) == trial.flags.num
        and word(call, layout.CALL_FALLBACK) == id(print)
        and word(call, layout.CALL_TABLE) == id(table)
        and ctypes.string_at(id(table) + layout.BYTES_CONTENT, len(table)) == table
    )
