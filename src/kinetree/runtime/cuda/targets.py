"""The arrays on a GPU that a caller gives for results, with ``out=``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinetree.errors import InputError
from kinetree.runtime.cuda.arrays import library_of
from kinetree.runtime.cuda.launch import Place
from kinetree.runtime.cuda.libraries import Library, View

if TYPE_CHECKING:
    from kinetree.runtime.function import Function

_EFFORT: Any = 10_000  # of NumPy, to find out whether two arrays share memory


class ResultArray(NamedTuple):
    """An array for a result, and where it is."""

    array: Any
    view: View
    batch: tuple[int, ...]


def checked_targets(function: Function, out: Any, place: Place) -> list[ResultArray | None]:
    """An array for each result, where one was given."""
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) != len(function.results):
        raise InputError(f"{function.name} has {len(function.results)} results, and out= has {len(outs)} arrays")
    targets: list[ResultArray | None] = []
    for t, r in zip(outs, function.results):
        view = None if t is None else _checked(t, f"{function.name}: out= for {r.name}", place)
        core = 0 if view is None else view.ndim - len(r.shape)
        if view is not None and (core < 0 or view.shape[core:] != r.shape):
            raise InputError(f"{function.name}: out= for {r.name} must end in {r.shape}; got {view.shape}")
        targets.append(None if view is None else ResultArray(t, view, view.shape[:core]))
    return targets


def _checked(t: Any, name: str, place: Place) -> View:
    library = place.library
    if library_of(t) is not library:
        raise InputError(f"{name} is a {type(t).__name__}, and the arguments are arrays of {library.name} on a GPU")
    library.check(t, name)
    if library.device(t) != place.device:
        raise InputError(f"{name} is on device {library.device(t)}, and the arguments are on device {place.device}")
    view = library.view(t)
    if view.kind != place.kind:
        raise InputError(f"{name} is {getattr(t, 'dtype', view.kind)}, and the results are {np.dtype(place.kind)}")
    if not view.is_aligned:
        raise InputError(f"{name} begins or strides between numbers in memory; give another array")
    if any(n > 1 and s == 0 for n, s in zip(view.shape, view.strides)):
        raise InputError(f"{name} has several numbers in the same memory; give another array")
    return view


def batch_of_targets(
    function: Function, targets: Sequence[ResultArray | None], batch: tuple[int, ...]
) -> tuple[int, ...]:
    """The leading dimensions of results, into which those of the arguments broadcast."""
    batches = {t.batch for t in targets if t is not None}
    given = next(iter(batches), batch)
    try:
        fits = len(batches) < 2 and np.broadcast_shapes(given, batch) == given
    except ValueError:
        fits = False
    if not fits:
        listed = " and ".join(map(str, sorted(batches)))
        raise InputError(f"{function.name}: out= has the leading dimensions {listed}, and the arguments have {batch}")
    return given


class _Addresses:
    """The memory of an array on a GPU as NumPy knows it, to compare addresses; it must not be read."""

    def __init__(self, view: View) -> None:
        self.__array_interface__ = {
            "data": (view.pointer, False),
            "shape": view.shape,
            "strides": view.strides,
            "typestr": np.dtype(view.kind).str,
            "version": 3,
        }


def apart(
    function: Function,
    library: Library,
    arrays: Sequence[Any],
    places: Sequence[View],
    targets: Sequence[ResultArray | None],
) -> tuple[list[Any], list[View]]:
    """The arguments, copied where results would overwrite them before they are read."""
    written = [np.asarray(_Addresses(t.view)) for t in targets if t is not None]
    for t, u in itertools.combinations(written, 2):
        if np.may_share_memory(t, u, _EFFORT):
            raise InputError(f"{function.name}: two arrays of out= share memory; give each result one of its own")
    free = list(arrays)
    for k, view in enumerate(places):
        read = np.asarray(_Addresses(view))
        if any(np.may_share_memory(read, t, _EFFORT) for t in written):
            free[k] = library.spread(arrays[k], view.shape)
    return free, [view if a is b else library.view(b) for a, b, view in zip(arrays, free, places)]
