"""A recursion of least rows in LLVM IR, from point to point: an inner loop of a generalized ufunc.

    recursion: slope(k,n,r,n), offset(k,n,r) -> x(k,n)

Each element of x_k is the least of its rows slope x_(k - 1) + offset, from x = 0 before the first. Not a number where a
row is not. All arrays are contiguous.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir

from kinetree.emit.llvm.array_loop import DOUBLE, INTEGER, ArrayLoop
from kinetree.emit.llvm.entries import RECURSION


def module(triple: str) -> str:
    """The loop."""
    made = ir.Module()
    made.triple = triple
    minimum = made.declare_intrinsic("llvm.minimum", [DOUBLE], ir.FunctionType(DOUBLE, [DOUBLE, DOUBLE]))
    ArrayLoop(made, RECURSION, ("slope", "offset", "x"), ("k", "n", "r"), lambda w: _recursion(w, minimum))
    return str(made)


def _recursion(w: ArrayLoop, minimum: Any) -> None:
    builder, n = w.builder, w.size["n"]

    def step(k: Any, _: Any) -> None:
        here = builder.mul(k, n)
        before = builder.sub(here, n)
        first = builder.icmp_signed("==", k, INTEGER(0))

        def element(i: Any, _: Any) -> None:
            begin = builder.mul(builder.add(here, i), w.size["r"])

            def row(r: Any, least: Any) -> Any:
                at = builder.add(begin, r)
                slopes = builder.mul(at, n)

                def term(j: Any, total: Any) -> Any:
                    # nothing is before the first; what is read there is not used
                    x = w.load("x", builder.select(first, j, builder.add(before, j)))
                    x = builder.select(first, DOUBLE(0.0), x)
                    return w.plus(total, w.load("slope", builder.add(slopes, j)), x)

                return builder.call(minimum, [least, w.loop(INTEGER(0), n, term, w.load("offset", at))])

            w.store(w.loop(INTEGER(0), w.size["r"], row, DOUBLE(math.inf)), "x", builder.add(here, i))

        w.loop(INTEGER(0), n, element)

    w.loop(INTEGER(0), w.size["k"], step)
