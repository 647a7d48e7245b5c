"""Calls of a compiled function with arrays on a GPU.

Leading dimensions broadcast as in NumPy. Arrays of the host are refused, but for single numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import InputError
from kinetree.lower.operand import Operand
from kinetree.runtime.cuda.arrays import library_of, uploaded
from kinetree.runtime.cuda.driver import driver
from kinetree.runtime.cuda.launch import Place, compute
from kinetree.runtime.cuda.libraries import Library, View
from kinetree.runtime.cuda.plans import NUMBERS, remember
from kinetree.runtime.cuda.targets import apart, batch_of_targets, checked_targets

if TYPE_CHECKING:
    from kinetree.runtime.function import Function

_FLOATS, _INTEGERS = "fd", "bBhHiIlLqQ"


def call(function: Function, args: Sequence[Any], out: Any) -> Any:
    """The results of a function, in the library of its arguments and on their device and stream."""
    place, views = _found(function, args)
    arrays, places = [], []
    for a, view, o in zip(args, views, function.operands):
        if view is None or view.kind != place.kind:
            a = _sent(function, a, o, place) if view is None else _cast(function, a, view, o, place)
            view = place.library.view(a)
        elif not view.is_aligned:
            raise InputError(f"{function.name}: {o.name} begins or strides between numbers in memory; give a copy")
        arrays.append(a)
        places.append(view)
    batch = _batch(function, places)
    if out is None:
        results = [place.library.empty((*batch, *r.shape), place.kind, place.device) for r in function.results]
    else:
        targets = checked_targets(function, out, place)
        batch = batch_of_targets(function, targets, batch)
        arrays, places = apart(function, place.library, arrays, places, targets)
        results = [
            place.library.empty((*batch, *r.shape), place.kind, place.device) if t is None else t.array
            for t, r in zip(targets, function.results)
        ]
    if prod(batch) and any(r.size for r in function.results):
        views = [*places, *map(place.library.view, results)]
        how = compute(function, place, arrays, views, batch)
        if all(a is b or type(b) in NUMBERS for a, b in zip(arrays, args)):
            remember(function, args, out, place, views, how)
    return results[0] if len(results) == 1 else tuple(results)


def _found(function: Function, args: Sequence[Any]) -> tuple[Place, list[View | None]]:
    """Where the arrays are, and each of them; None for what is on the host."""
    library: Library | None = None
    device, stream, single, views = 0, 0, True, list[View | None]()
    for a, o in zip(args, function.operands):
        found = library_of(a)
        if found is None:
            views.append(None)
            continue
        found.check(a, f"{function.name}: {o.name}")
        own = found.device(a)
        if library is None:
            library, device, stream = found, own, found.stream(a, own)
        elif found is not library:
            raise InputError(
                f"{function.name}: {o.name} is an array of {found.name}, and others are of {library.name}; give arrays "
                "of one library: cupy.from_dlpack(x) and torch.from_dlpack(x) share memory"
            )
        elif own != device:
            raise InputError(
                f"{function.name}: {o.name} is on device {own}, and others are on device {device}; give arrays of one"
            )
        view = found.view(a)
        single = single and view.kind == "f"
        views.append(view)
    if library is None:
        driver()  # says so where there is no GPU
        raise InputError(
            f"{function.name} is compiled for a GPU and takes arrays that are there (CuPy, PyTorch, Numba); got "
            f"{', '.join(type(a).__name__ for a in args)}: cupy.asarray(x) copies an array there"
        )
    kind = function.dtype.char if function.dtype is not None else "f" if single else "d"
    return Place(library, device, stream, kind), views


def _cast(function: Function, a: Any, view: View, o: Operand, place: Place) -> Any:
    if view.kind not in _FLOATS + _INTEGERS:
        raise InputError(
            f"{function.name}: {o.name} is of a type that is not computed with ({getattr(a, 'dtype', view.kind)}); "
            "give float64 or float32"
        )
    return place.library.cast(a, place.kind)


def _sent(function: Function, a: Any, o: Operand, place: Place) -> Any:
    """A number of the host, on the device; whole arrays of the host are refused."""
    if o.shape or np.ndim(a):
        copying = "torch.as_tensor(x, device='cuda')" if place.library.name == "PyTorch" else "cupy.asarray(x)"
        raise InputError(
            f"{function.name}: {o.name} is on the host ({type(a).__name__}), and others are on a GPU; copy it there, "
            f"as with {copying}, or all others to the host"
        )
    number = np.asarray(a)
    if number.dtype.kind not in "fiu":
        raise InputError(f"{function.name}: {o.name} is no number: {a!r:.60}")
    return uploaded(number.astype(place.kind), place.library, place.device, place.stream)


def _batch(function: Function, places: Sequence[View]) -> tuple[int, ...]:
    """The leading dimensions of all arrays together."""
    batches = []
    for view, o in zip(places, function.operands):
        core = len(view.shape) - len(o.shape)
        if core < 0 or view.shape[core:] != o.shape:
            function.check_shapes(places)
        batches.append(view.shape[:core])
    largest = max(batches, key=len)
    if all(batch == largest or not batch for batch in batches):
        return largest
    function.check_shapes(places)
    return np.broadcast_shapes(*batches)
