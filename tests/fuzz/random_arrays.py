"""Arrays in every layout that NumPy has, with numbers on which operations go wrong.

An array is made from its numbers. One to write into comes with the memory around it, so that it can be seen whether
anything else was written.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from guard_pages import Guarded, placed

Array = np.ndarray
Shape = tuple[int, ...]
GUARDED = 1 << 15  # bytes between two pages that kill
PAINT = 0xA5


def numbers(random: Random, shape: Shape, kind: Any) -> Array:
    """Usual numbers, of all sizes, integers and halves, of random bits, or with edge cases among them."""
    rng = np.random.default_rng(random.randrange(2**63))
    size, profile = (
        max(1, math.prod(shape)),
        random.choice(("usual", "usual", "sizes", "halves", "bits", "edges", "edges")),
    )
    if profile == "sizes":
        values = rng.normal(size=size) * 10.0 ** rng.uniform(-18, 18, size)
    elif profile == "halves":
        values = rng.integers(-9, 10, size) / 2.0
    elif profile == "bits":
        values = rng.integers(0, 2**64, size, np.uint64, endpoint=False).view(np.float64)
    else:
        values = rng.uniform(-4, 4, size)
    with np.errstate(all="ignore"):
        values = values.astype(kind)
    if profile == "edges":
        info = np.finfo(kind)
        edges = [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            info.smallest_subnormal,
            -info.tiny,
            info.max,
            -info.max,
            1.0,
            -1.0,
        ]
        where = rng.random(size) < random.choice((0.05, 0.3, 1.0))
        values[where] = rng.choice(np.array(edges, kind), int(where.sum()))
    return values[: math.prod(shape)].reshape(shape)


# -- layouts -----------------------------------------------------------------------------------------------------------


@dataclass
class Memory:
    """Guarded memory, used again and again; a place for each array of a call."""

    places: dict[int, Guarded] = field(default_factory=dict)

    def __getitem__(self, place: int) -> Guarded:
        if place not in self.places:
            self.places[place] = Guarded(GUARDED)
        return self.places[place]


def _contiguous(random: Random, x: Array, memory: Guarded) -> Array:
    return x.copy()


def _fortran(random: Random, x: Array, memory: Guarded) -> Array:
    return np.array(x, order="F")


def _turned(random: Random, x: Array, memory: Guarded) -> Array:
    axes = random.sample(range(x.ndim), x.ndim)
    return np.array(x.transpose(axes), order="C").transpose(np.argsort(axes).tolist())


def _strided(random: Random, x: Array, memory: Guarded) -> Array:
    steps = [random.choice((1, 2, 3)) for _ in x.shape]
    around = np.empty([n * s for n, s in zip(x.shape, steps)], x.dtype)
    around[...] = 1.25
    view = around[(*(slice(None, None, s) for s in steps), ...)]
    view[...] = x
    return view


def _reversed(random: Random, x: Array, memory: Guarded) -> Array:
    turn = (*(slice(None, None, random.choice((1, -1))) for _ in x.shape), ...)
    return x[turn].copy()[turn]


def _offset(random: Random, x: Array, memory: Guarded) -> Array:
    """A few numbers, or a few bytes, after the beginning of a line of the cache."""
    skew = random.choice((1, 2, 3, 4, x.itemsize, 3 * x.itemsize))
    view = np.ndarray(x.shape, x.dtype, bytearray(x.nbytes + 64), skew)
    view[...] = x
    return view


def _guarded(random: Random, x: Array, memory: Guarded) -> Array:
    if x.nbytes > GUARDED:
        return x.copy()
    strides = tuple(x.itemsize * math.prod(x.shape[k + 1 :]) for k in range(x.ndim))
    view = placed(memory.buffer, x.shape, strides, x.dtype, at_end=random.random() < 0.5)
    view[...] = x
    return view


def _swapped(random: Random, x: Array, memory: Guarded) -> Array:
    return x.astype(x.dtype.newbyteorder())


def _read_only(random: Random, x: Array, memory: Guarded) -> Array:
    x = x.copy()
    x.flags.writeable = False
    return x


Layout = Callable[[Random, Array, Guarded], Array]
WRITABLE: tuple[Layout, ...] = (_contiguous, _fortran, _turned, _strided, _reversed, _offset, _guarded, _guarded)
READABLE: tuple[Layout, ...] = (*WRITABLE, _read_only)


def laid_out(random: Random, x: Array, memory: Guarded, *, any_type: bool) -> Any:
    """The numbers in some layout; with ``any_type`` perhaps in another byte order, or as a list."""
    if any_type and random.random() < 0.1:
        return _swapped(random, x, memory)
    if any_type and x.size and random.random() < 0.03:
        return x.tolist()
    return random.choice(READABLE)(random, x, memory)


class Target:
    """An array to write into; `damage` says whether anything beside it was written."""

    def __init__(self, random: Random, shape: Shape, kind: Any, memory: Guarded) -> None:
        memory.buffer[:] = bytes([PAINT]) * len(memory.buffer)
        if kind == np.float32 and random.random() < 0.05:
            kind = np.float64  # takes all numbers of float32
        layout = _swapped if random.random() < 0.05 else random.choice(WRITABLE)
        self.array = layout(random, np.full(shape, -7.25, kind), memory)
        self.around: Any = self.array
        while isinstance(self.around, Array) and self.around.base is not None:
            self.around = self.around.base
        if not isinstance(self.around, Array | bytearray):
            self.around = memory.buffer  # without the pages around it
        self.before = self._bytes()

    def _bytes(self) -> bytes:
        return self.around.tobytes() if isinstance(self.around, Array) else bytes(self.around)

    def damage(self) -> bool:
        kept = self.array.copy()
        self.array[...] = -7.25
        good = self._bytes() == self.before
        self.array[...] = kept
        return not good
