"""Calls that are like one before: arrays of the same shapes and strides, elsewhere in memory.

What was found out then (how leading dimensions collapse, which kernels serve, what results look like) is kept with the
function, so that such a call costs little more than its launch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.emit.cuda.entries import MANY, WIDEST
from kinetree.runtime.cuda.arrays import FAST, uploaded
from kinetree.runtime.cuda.driver import driver
from kinetree.runtime.cuda.launch import Arrangement, Place
from kinetree.runtime.cuda.libraries import Library, View

if TYPE_CHECKING:
    from kinetree.runtime.function import Function

NUMBERS = (float, int)  # of the host
_MOST = 64  # plans of a function
_LITTLE = 1 << 26  # bytes of scratch memory for all states


class CallPlan:
    """What is the same in all calls of a kind."""

    def __init__(self, place: Place, views: Sequence[View], operands: int, how: Arrangement) -> None:
        self.shapes, self.kind, self.operands = [view.shape for view in views[operands:]], place.kind, operands
        values, self.places = how.values(how.sizes[-1], [0] * len(views), 0)
        self.kernels = [
            (entry, -(-how.sizes[-1] // kernel.states), kernel.threads, kernel.shared)
            for entry, kernel in how.code.launches
        ]
        self.code = how.code  # which stays loaded
        self.scratch = how.code.scratch * how.sizes[-1]
        self.packed, self.mask = ctypes.c_int64 * len(values), (WIDEST if how.inner is None else place.size) - 1
        self.template = bytes(self.packed(*values))
        self.extents = [_extent(view, place.size) for view in views]

    def are_apart(self, pointers: Sequence[int]) -> bool:
        """Whether no memory of a result lies between the ends of that of another array."""
        for k in range(self.operands, len(pointers)):
            low, high = self.extents[k]
            low, high = pointers[k] + low, pointers[k] + high
            for j in range(k):
                before, behind = self.extents[j]
                if low < pointers[j] + behind and pointers[j] + before < high:
                    return False
        return True

    def run(self, library: Library, device: int, stream: int, pointers: Sequence[int]) -> None:
        """Put the launches on a stream."""
        values = self.packed.from_buffer_copy(self.template)
        for k, pointer in zip(self.places, pointers):
            values[k] = pointer
        scratch = library.empty((-(-self.scratch // 8),), "d", device) if self.scratch else None
        if scratch is not None:
            values[1] = library.view(scratch).pointer
        launch = driver().launch
        for entry, blocks, threads, shared in self.kernels:
            launch(device, entry, blocks, threads, shared, stream, values)


def quick(function: Function, args: Sequence[Any], out: Any) -> Any:
    """The results of a call that is like one before; None where it is not."""
    found = _described(args, out)
    if found is None:
        return None
    library, device, pointers, key = found
    plan = function.plans.get(key)
    if plan is None:
        return None
    stream, sent = library.stream(args[0], device), []  # which is kept until the launch
    low = 0
    for k, pointer in enumerate(pointers):
        if pointer is None:
            sent.append(uploaded(np.asarray(args[k], plan.kind), library, device, stream))
            pointers[k] = library.address(sent[-1])
        else:
            low |= pointer
    if low & plan.mask or (out is not None and not plan.are_apart(pointers)):
        return None
    if out is not None:
        plan.run(library, device, stream, pointers)
        return out[0] if type(out) is tuple and len(out) == 1 else out
    results = [library.empty(shape, plan.kind, device) for shape in plan.shapes]
    plan.run(library, device, stream, [*pointers, *map(library.address, results)])
    return results[0] if len(results) == 1 else tuple(results)


def remember(
    function: Function, args: Sequence[Any], out: Any, place: Place, views: Sequence[View], how: Arrangement | None
) -> None:
    """Keep a call for those that are like it."""
    if how is None or how.sizes[-1] > MANY or prod(how.sizes[:-1]) > 1 or how.code.scratch * how.sizes[-1] > _LITTLE:
        return
    if how.inner is not None and any(view.pointer % WIDEST for view in views):
        return  # others of the same shapes may be faster
    found = _described(args, out)
    if found is not None:
        if len(function.plans) >= _MOST:
            function.plans.clear()
        function.quick, function.plans[found[-1]] = quick, CallPlan(place, views, len(args), how)


def _described(args: Sequence[Any], out: Any) -> tuple[Library, int, list[Any], tuple[Any, ...]] | None:
    """The library, the device, where all arrays are, and what they are; None where something asks for a closer look.

    A number of the host is nowhere yet.
    """
    library = FAST.get(type(args[0])) if args else None
    if library is None:
        return None
    pointers: list[int | None] = []
    key: list[Any] = [library, out is None]
    device = -1
    for a in args if out is None else (*args, *out) if type(out) is tuple else (*args, out):
        if FAST.get(type(a)) is not library:
            if type(a) not in NUMBERS:
                return None
            pointers.append(None)
            key.append(NUMBERS)
            continue
        pointer, own, what = library.described(a)
        if own != device and device != -1:
            return None
        device = own
        pointers.append(pointer)
        key.append(what)
    if device < 0 or None in key:
        return None
    key.append(device)
    return library, device, pointers, tuple(key)


def _extent(view: View, size: int) -> tuple[int, int]:
    """How far the memory of an array reaches before and behind its first number [bytes]."""
    if not prod(view.shape):
        return 0, 0
    steps = [(n - 1) * s for n, s in zip(view.shape, view.strides)]
    return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + size
