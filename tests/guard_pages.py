"""Arrays in every layout, between pages that kill the process that touches them.

As a script it calls compiled functions on such arrays and dies where they reach outside; see test_memory.py:

    python guard_pages.py (host | x86-64 | x86-64-v3) (float64 | float32)      the cases, progress on stderr
    python guard_pages.py trap (before | after | loop)                  must die: the guard is real
"""

from __future__ import annotations

import ctypes
import faulthandler
import itertools
import math
import mmap
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import kinetree as kt

Array = np.ndarray
Shape = tuple[int, ...]

# -- layouts: the strides in bytes of (rows, *core) --------------------------------------------------------------------


def contiguous(shape: Shape, item: int) -> Shape:
    return tuple(item * math.prod(shape[k + 1 :]) for k in range(len(shape)))


def _reversed_rows(shape: Shape, item: int) -> Shape:
    rows, *core = contiguous(shape, item)
    return (-rows, *core)


def _reversed_core(shape: Shape, item: int) -> Shape:
    rows, *core = contiguous(shape, item)
    return (rows, *(-s for s in core))


def _strided_rows(shape: Shape, item: int) -> Shape:
    rows, *core = contiguous(shape, item)
    return (rows + 3 * item, *core)


def _strided_core(shape: Shape, item: int) -> Shape:
    return tuple(2 * s for s in contiguous(shape, item))


def _sliced_core(shape: Shape, item: int) -> Shape:
    """Columns of a larger matrix: rows of the core that are contiguous each, and apart."""
    return contiguous((*shape[:-1], shape[-1] + 1), item)


def _columns(shape: Shape, item: int) -> Shape:
    """One array for each element, as in a structure of arrays."""
    return tuple(item * math.prod(shape[:k]) for k in range(len(shape)))


def _turned_core(shape: Shape, item: int) -> Shape:
    """Rows one after the other, the core of each transposed."""
    rows, *_ = contiguous(shape, item)
    return (rows, *_columns(shape[1:], item))


def _everything(shape: Shape, item: int) -> Shape:
    return tuple(-3 * s for s in _columns(shape, item))


def _one_row(shape: Shape, item: int) -> Shape:
    _, *core = contiguous(shape, item)
    return (0, *core)


def _one_number(shape: Shape, item: int) -> Shape:
    return (0,) * len(shape)


WRITABLE: dict[str, Callable[[Shape, int], Shape]] = {
    "contiguous": contiguous,
    "reversed rows": _reversed_rows,
    "reversed core": _reversed_core,
    "strided rows": _strided_rows,
    "strided core": _strided_core,
    "sliced core": _sliced_core,
    "columns": _columns,
    "turned core": _turned_core,
    "everything": _everything,
}
READABLE = {**WRITABLE, "one row": _one_row, "one number": _one_number}


def placed(buffer: Any, shape: Shape, strides: Shape, kind: Any, at_end: bool) -> Array:
    """An array in a buffer, flush with its end or its beginning."""
    item = np.dtype(kind).itemsize
    reach = [(n - 1) * s for n, s in zip(shape, strides)] if 0 not in shape else []
    low, high = sum(min(0, r) for r in reach), sum(max(0, r) for r in reach) + (item if reach or not shape else 0)
    offset = len(buffer) - high if at_end else -low
    assert 0 <= offset + low <= offset + high <= len(buffer), "the buffer is too small"
    return np.ndarray(shape, kind, buffer, offset, strides)


# -- the functions -----------------------------------------------------------------------------------------------------


def _vectors(a: Any, x: list[Any]) -> Any:
    return [a * v + x[-1] for v in x]


def _matrices(x: list[Any], m: list[list[Any]]) -> Any:
    trace = m[0][0] + m[1][1]
    return [[m[i][j] * x[i] for i in range(2)] for j in range(3)], [x[k % 9] - trace for k in range(17)], trace * x[8]


def _large(x: list[Any]) -> Any:
    """Results of many numbers, some of them constants, whole stretches of them too; the scratch is on the heap."""
    matrix = [[x[(i + j) % 3] * (i - j + 0.5) if j % 4 else i - 3.0 for j in range(11)] for i in range(13)]
    return matrix, [x[k % 3] + k if k % 97 < 40 else 0.5 * k for k in range(400)]


def _constants(m: list[list[Any]]) -> Any:
    """Constants lie behind the last operand in scratch memory; its core is moved by rows where it is not contiguous."""
    return [2.5, m[0][0] + m[3][1], -1.5]


def _repeated(x: list[Any], count: Any, m: list[list[Any]]) -> Any:
    """States that take different numbers of steps."""
    again = kt.scalar.select(count < 6.0 * x[0], 1.0, 0.0)
    return [*x[1:], 0.5 * x[0]], count + 1.0, [[m[i][j] * count for i in range(2)] for j in range(3)], again


_repeated.repeats = True  # type: ignore[attr-defined]


FUNCTIONS = {  # operands and results of one number, of less and of more than the lanes of any processor, 1-D and 2-D
    "vectors": (_vectors, "(),(5)->(5)"),
    "matrices": (_matrices, "(9),(2,3)->(3,2),(17),()"),
    "large": (_large, "(3)->(13,11),(400)"),
    "constants": (_constants, "(4,2)->(3)"),
    "repeated": (_repeated, "x(5),count(),m(2,3)->x(5),count(),y(3,2),again()"),
}


def compiled(name: str) -> kt.runtime.function.Function:
    function, signature = FUNCTIONS[name]
    return kt.compile(function, signature=signature, name=name)


def inputs(function: Any, rows: int, kind: Any) -> list[Array]:
    rng = np.random.default_rng(rows)
    return [rng.normal(size=(rows, *o.shape)).astype(kind) for o in function.operands]


def results(function: Any, args: Sequence[Array]) -> tuple[Array, ...]:
    """On ordinary arrays."""
    out = function(*args)
    return out if isinstance(out, tuple) else (out,)


# -- guards ------------------------------------------------------------------------------------------------------------

PAGE = mmap.PAGESIZE


class Guarded:
    """Memory between two pages that can't be touched."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // PAGE) * PAGE
        self._map = mmap.mmap(-1, self.size + 2 * PAGE)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for page in (self._base, self._base + PAGE + self.size):
            if protect(page, PAGE, 0) != 0:  # PROT_NONE
                raise OSError(ctypes.get_errno(), "mprotect")
        self.buffer = memoryview(self._map)[PAGE : PAGE + self.size]

    @property
    def before(self) -> int:
        """The address of the last byte that must not be touched below."""
        return self._base + PAGE - 1

    @property
    def after(self) -> int:
        """The address of the first byte that must not be touched above."""
        return self._base + PAGE + self.size


def cases() -> Iterator[tuple[str, str, range]]:
    """Layouts of the inputs and of the outputs, and the lengths of the batches."""
    for name in WRITABLE:
        yield name, name, range(41)
    for a, b in itertools.product(READABLE, WRITABLE):
        if a != b:
            yield a, b, range(1, 41, 8)


def run_cases(kind: Any) -> int:
    """How many calls were right."""
    calls = 0
    for name in FUNCTIONS:
        function = compiled(name)
        operands = [*function.operands, *function.results]
        memory = [Guarded(4 * 40 * o.size * 8 + 40 * 4 * 8) for o in operands]
        n = len(function.operands)
        for (read, write, lengths), at_end in itertools.product(cases(), (True, False)):
            place = "end" if at_end else "beginning"
            print(f"{name}: {read} -> {write}, at the {place}", file=sys.stderr, flush=True)
            for rows in lengths:
                _run(function, kind, memory[:n], memory[n:], READABLE[read], WRITABLE[write], rows, at_end)
                calls += 1
    return calls


def _run(function: Any, kind: Any, sources: Any, targets: Any, read: Any, write: Any, rows: int, at_end: bool) -> None:
    def array(memory: Guarded, shape: Shape, layout: Callable[[Shape, int], Shape]) -> Array:
        return placed(memory.buffer, shape, layout(shape, np.dtype(kind).itemsize), kind, at_end)

    args = [array(m, (rows, *o.shape), read) for m, o in zip(sources, function.operands)]
    outs = tuple(array(m, (rows, *o.shape), write) for m, o in zip(targets, function.results))
    for a, values in zip(args, inputs(function, rows, kind)):
        a[...] = values
    expected = results(function, [a.copy() for a in args])
    function(*args, out=outs)
    for actual, wanted in zip(outs, expected):
        if not np.array_equal(actual, wanted):
            raise SystemExit(f"{rows} rows: {actual} instead of {wanted}")


def run_threads(kind: Any) -> None:
    """A batch so large that several threads share it."""
    function, rows = compiled("matrices"), 1 + kt.runtime.threads.LARGE // 9
    kt.threads(3)
    operands = [*function.operands, *function.results]
    memory = [Guarded(rows * o.size * 8) for o in operands]
    print("three threads", file=sys.stderr, flush=True)
    n = len(function.operands)
    _run(function, kind, memory[:n], memory[n:], contiguous, contiguous, rows, True)


def run_direct() -> int:
    """Single states past the ufunc; what is handed over to it is not counted."""
    function, handed = compiled("vectors"), []

    def fallback(*args: Any) -> None:
        handed.append(args)

    call = function.direct(fallback)
    if call is fallback:  # no direct calls on this interpreter
        return 0
    memory = [Guarded(o.size * 8) for o in function.operands]
    for at_end in (True, False):
        print(f"direct, at the {'end' if at_end else 'beginning'}", file=sys.stderr, flush=True)
        args = []
        for m, o, values in zip(memory, function.operands, inputs(function, 1, np.float64)):
            args.append(placed(m.buffer, o.shape, contiguous(o.shape, 8), np.float64, at_end))
            args[-1][...] = values[0]
        if not np.array_equal(call(*args), function(*args)):
            raise SystemExit("the direct call is wrong")
    return 2 - len(handed)


def trap(where: str) -> None:
    """Touch what is guarded."""
    memory = Guarded(PAGE)
    if where == "loop":  # one row more than there is, straight to the compiled loop
        function = compiled("vectors")
        code = function.source.code(False)
        rows = placed(memory.buffer, (4, 5), contiguous((4, 5), 8), np.float64, at_end=True)
        arrays = [np.ones(5), rows, np.empty((5, 5))]
        words = ctypes.c_int64
        loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.addresses[0])
        loop(
            (ctypes.c_void_p * 3)(*(a.ctypes.data for a in arrays)),
            (words * 1)(5),
            (words * 5)(*(a.strides[0] for a in arrays), 8, 8),
            None,
        )
    else:
        ctypes.string_at(getattr(memory, where), 1)


if __name__ == "__main__":
    if sys.argv[1] == "trap":
        trap(sys.argv[2])
    else:
        from processors import code_for

        faulthandler.enable()
        kind = np.dtype(sys.argv[2]).type
        with code_for(sys.argv[1]):
            calls = run_cases(kind)
            run_threads(kind)
            print(f"{calls} calls, {run_direct()} direct calls")
