"""Sums and products over matrices in blocks, as NumPy functions; see `emit.llvm.blocks`."""

from __future__ import annotations

from functools import cache

import numpy as np

from kinetree.emit.llvm.entries import ASSEMBLE, PRODUCT, TRANSPOSED
from kinetree.runtime import fixed_code, gufunc
from kinetree.runtime.arrays import Array, Indices

_SHAPES = {
    ASSEMBLE: ("kt,j,it,N", "N,t"),
    PRODUCT: ("krm,km,w,kr,kr,a", "a,m"),
    TRANSPOSED: ("va,kr,kr,krm,km,vw", "vw,m"),
}


@cache
def functions() -> tuple[np.ufunc, np.ufunc, np.ufunc]:
    """assemble, product and transposed; compiled once, or from the cache."""
    loaded = fixed_code.load("blocks", _module, *_SHAPES)
    made = []
    for address, (name, sides) in zip(loaded.addresses, _SHAPES.items()):
        given, results = ([tuple(core) for core in side.split(",")] for side in sides)
        made.append(gufunc.make_gufunc(loaded, address, given, results, False, name, ""))
    assemble, product, transposed = made
    return assemble, product, transposed


def bits(indices: Indices) -> Array:
    """Integers as these functions take them."""
    return np.ascontiguousarray(indices, np.int64).view(np.float64)


def _module(triple: str) -> str:
    from kinetree.emit.llvm import blocks  # not needed where the code is in the cache

    return blocks.module(triple)
