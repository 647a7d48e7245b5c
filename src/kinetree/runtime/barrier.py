"""What an interior-point method does with rows and their two sides, as NumPy functions; see `emit.llvm.barrier`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kinetree.emit.llvm.entries import BARRIER
from kinetree.runtime import fixed_code, gufunc

_SHAPES = (
    ("e,e,r,e", "e,e,r,3r,3"),
    ("r,e,e", "e,5"),
    ("r,e,e,l", "e,r"),
    ("r,r,e,e,r,l", "r,e,r,2"),
    ("e,e,e,e,e,e,l", "e,1"),
)


class BarrierFunctions(NamedTuple):
    """The five functions."""

    weigh: np.ufunc
    ratios: np.ufunc
    correct: np.ufunc
    move: np.ufunc
    renew: np.ufunc


@cache
def functions() -> BarrierFunctions:
    """Compiled once, or from the cache."""
    loaded = fixed_code.load("barrier", _module, *BARRIER)
    made = []
    for name, address, sides in zip(BARRIER, loaded.addresses, _SHAPES):
        given, results = ([tuple(core) for core in side.split(",")] for side in sides)
        made.append(gufunc.make_gufunc(loaded, address, given, results, False, name, ""))
    return BarrierFunctions(*made)


def _module(triple: str) -> str:
    from kinetree.emit.llvm import barrier  # not needed where the code is in the cache

    return barrier.module(triple)
