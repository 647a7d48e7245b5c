"""The launches that compute all states of a batch.

Arrays are read and written where they are, whatever their strides. Where the leading dimensions of all of them are not
one dimension with one stride each, there are a few launches, or a copy.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from kinetree.emit.cuda.entries import MANY, alignment
from kinetree.runtime import locks
from kinetree.runtime.cuda.driver import driver
from kinetree.runtime.cuda.libraries import Library, View, row_major
from kinetree.status import waiting

if TYPE_CHECKING:
    from kinetree.runtime.cuda.code import LoadedKernels
    from kinetree.runtime.function import Function

_FEW = 8  # launches that are cheaper than a copy
_FAR = 1 << 31  # bytes between two states of dense arrays
_SCRATCH = 1 << 30  # bytes of memory for intermediate values, at most; larger batches go in pieces

Shape = tuple[int, ...]


class Place(NamedTuple):
    """Where a function is computed: the caller's library, device and stream, and NumPy's letter for the precision."""

    library: Library
    device: int
    stream: int
    kind: str

    @property
    def size(self) -> int:
        """Of a number [bytes]."""
        return 4 if self.kind == "f" else 8


class Arrangement(NamedTuple):
    """How the states of a batch are laid out: sizes of dimensions, strides of each array along them and inside."""

    code: LoadedKernels
    sizes: Shape
    strides: Sequence[Shape]
    inner: Sequence[Shape] | None  # None where all is row-major without gaps

    def values(self, count: int, pointers: Sequence[int], scratch: int) -> tuple[list[int], list[int]]:
        """The parameters of a launch along the last dimension, and where among them the pointers are."""
        values, places = [count, scratch], []
        for k, (pointer, strides) in enumerate(zip(pointers, self.strides)):
            places.append(len(values))
            values += (pointer, strides[-1])
            if self.inner is not None:
                values += self.inner[k]
        return values, places


def compute(
    function: Function, place: Place, arrays: Sequence[Any], views: Sequence[View], batch: Shape
) -> Arrangement | None:
    """Put launches on the stream that compute all states.

    Args:
        function: to be computed.
        place: where.
        arrays: its arguments.
        views: of its arguments, and of arrays for its results.
        batch: the leading dimensions of the results.

    Returns:
        How the states are laid out; None where arrays were copied.
    """
    cores = [o.shape for o in (*function.operands, *function.results)]
    sizes, strides = collapsed(batch, [_outer(view, core, batch) for view, core in zip(views, cores)])
    copied = prod(sizes[:-1]) > _FEW and place.library.computes
    if copied:
        arrays = [_spread(place, *x, batch) for x in zip(arrays, views, cores)]  # kept until the launches are put
        views = [*map(place.library.view, arrays), *views[len(arrays) :]]
        sizes, strides = collapsed(batch, [_outer(view, core, batch) for view, core in zip(views, cores)])
    inner = [view.strides[view.ndim - len(core) :] for view, core in zip(views, cores)]
    packed = sizes[-1] == 1 or all(
        strides[k][-1] == prod(cores[k]) * place.size for k in range(len(arrays), len(cores))
    )
    dense = packed and all(_is_dense(*x, place.size) for x in zip(views, cores, inner, strides))
    code = loaded(function, place.device, place.kind == "f", dense)
    how = Arrangement(code, sizes, strides, None if dense else inner)
    for index in itertools.product(*map(range, sizes[:-1])):
        starts = [view.pointer + sum(k * s for k, s in zip(index, each)) for view, each in zip(views, strides)]
        _launch(how, place, starts)
    return None if copied else how


def _outer(view: View, core: Shape, batch: Shape) -> Shape:
    """The strides of an array along the leading dimensions of a batch: 0 where it broadcasts."""
    own = view.ndim - len(core)
    steps = [s if n > 1 else 0 for n, s in zip(view.shape[:own], view.strides)]
    return (*(0,) * (len(batch) - own), *steps)


def _spread(place: Place, array: Any, view: View, core: Shape, batch: Shape) -> Any:
    """An array whose leading dimensions collapse with those of the results; a copy, where they don't."""
    shape, own = (*batch, *core), _outer(view, core, batch)
    wanted = tuple(s if n > 1 else 0 for n, s in zip(batch, row_major(shape, place.size)))
    return array if own == wanted or not any(own) else place.library.spread(array, shape)


def collapsed(batch: Shape, strides: Sequence[Shape]) -> tuple[Shape, list[Shape]]:
    """The same states with as few dimensions as possible, at least one.

    Args:
        batch: the sizes of the dimensions.
        strides: of each array.
    """
    sizes: list[int] = []
    columns: list[Shape] = []
    for n, column in zip(batch, zip(*strides)):
        if n == 1:
            continue
        if sizes and all(before == n * s for before, s in zip(columns[-1], column)):
            sizes[-1], columns[-1] = sizes[-1] * n, column
        else:
            sizes.append(n)
            columns.append(column)
    if not sizes:
        return (1,), [(0,)] * len(strides)
    return tuple(sizes), [*zip(*columns)]


def _is_dense(view: View, core: Shape, inner: Shape, outer: Shape, size: int) -> bool:
    """Whether the numbers of a state are row-major and without gaps, and states where threads move several at once."""
    together = alignment(prod(core), size)
    if view.pointer % together or any(step % together for step in outer) or abs(outer[-1]) >= _FAR:
        return False
    for n, stride in zip(reversed(core), reversed(inner)):
        if n > 1 and stride != size:
            return False
        size *= n
    return True


def _launch(how: Arrangement, place: Place, starts: Sequence[int]) -> None:
    """All kernels for the states along the last dimension."""
    put, library, count, each = driver().launch, place.library, how.sizes[-1], how.code.scratch
    most = min(count, MANY, max(_SCRATCH // each, 1) if each else count)
    scratch = library.empty((-(-each * most // 8),), "d", place.device) if each else None
    address = library.view(scratch).pointer if each else 0
    for first in range(0, count, most):
        n = min(most, count - first)
        pointers = [start + first * strides[-1] for start, strides in zip(starts, how.strides)]
        values, _ = how.values(n, pointers, address)
        packed = (ctypes.c_int64 * len(values))(*values)
        for entry, kernel in how.code.launches:
            put(place.device, entry, -(-n // kernel.states), kernel.threads, kernel.shared, place.stream, packed)


def loaded(function: Function, device: int, single: bool, dense: bool) -> LoadedKernels:
    """The kernels of a function on a device, compiled where they are not there yet."""
    key = device, single, dense
    found = function.kernels.get(key)
    if found is None:
        with locks.compiling(function):
            from kinetree.runtime.cuda import code

            found = function.kernels.get(key)
            if found is None:
                with waiting(f"compiling {function.name} for a GPU"):
                    found = code.load(device, partial(function.source.kernels, single, dense))
                function.kernels[key] = found
    return found
