"""Symmetric systems whose rows begin at some column each, in LLVM IR: two inner loops of generalized ufuncs.

    factor: a(N), first(n), base(n) -> l(N), u(n)            solve: l(N), first(n), base(n), b(n) -> x(n)

Row i of the lower triangle begins at column ``first[i]``; its element j is number ``base[i] + j`` of a packed array.
A = L D L^T begins where A does. With u_ij = l_ij d_j,

    u_ij = a_ij - sum_k u_ik l_jk,     l_ij = u_ij / d_j,     d_i = a_ii - sum_k u_ik l_ik;

the diagonal of L holds 1 / d. The arrays ``first`` and ``base`` hold integers as their bits; all are contiguous.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from kinetree.emit.llvm.array_loop import DOUBLE, INTEGER, ArrayLoop
from kinetree.emit.llvm.entries import FACTOR, SOLVE


def module(triple: str) -> str:
    """Both loops."""
    made = ir.Module()
    made.triple = triple
    ArrayLoop(made, FACTOR, ("a", "first", "base", "l", "u"), ("packed", "n"), _factor)
    ArrayLoop(made, SOLVE, ("l", "first", "base", "b", "x"), ("packed", "n"), _solve)
    return str(made)


def _factor(w: ArrayLoop) -> None:
    builder = w.builder
    w.copy("a", "l", w.size["packed"])

    def row(i: Any, _: Any) -> None:
        first, base = w.load("first", i, INTEGER), w.load("base", i, INTEGER)

        def column(j: Any, _: Any) -> None:
            base_j, ij, first_j = w.load("base", j, INTEGER), builder.add(base, j), w.load("first", j, INTEGER)
            both = builder.select(builder.icmp_signed(">", first, first_j), first, first_j)
            u = w.less_dot(w.load("l", ij), both, j, "u", base_j)
            w.store(u, "u", j)
            w.store(builder.fmul(u, w.load("l", builder.add(base_j, j))), "l", ij)

        w.loop(first, i, column)
        ii = builder.add(base, i)
        pivot = w.less_dot(w.load("l", ii), first, i, "u", base)
        w.store(builder.fdiv(DOUBLE(1.0), pivot), "l", ii)

    w.loop(INTEGER(0), w.size["n"], row)


def _solve(w: ArrayLoop) -> None:
    builder = w.builder
    w.copy("b", "x", w.size["n"])

    def forward(i: Any, _: Any) -> None:
        base = w.load("base", i, INTEGER)
        w.store(w.less_dot(w.load("x", i), w.load("first", i, INTEGER), i, "x", base), "x", i)

    def diagonal(i: Any, _: Any) -> None:
        inverse = w.load("l", builder.add(w.load("base", i, INTEGER), i))
        w.store(builder.fmul(w.load("x", i), inverse), "x", i)

    def backward(done: Any, _: Any) -> None:
        i = builder.sub(builder.sub(w.size["n"], done), INTEGER(1))
        base, x, first = w.load("base", i, INTEGER), w.load("x", i), w.load("first", i, INTEGER)
        w.loop(first, i, lambda k, _: w.store(w.less(w.load("x", k), w.load("l", builder.add(base, k)), x), "x", k))

    for step in (forward, diagonal, backward):
        w.loop(INTEGER(0), w.size["n"], step)
