"""Symmetric systems whose rows begin at some column each, in LLVM IR: two inner loops of generalized ufuncs.

    factor: a(N), first(n), base(n) -> l(N), u(n)            solve: l(N), first(n), base(n), b(n) -> x(n)

Row i of the lower triangle begins at column ``first[i]``; its element j is number ``base[i] + j`` of a packed array.
A = L D L^T begins where A does. With u_ij = l_ij d_j,

    u_ij = a_ij - sum_k u_ik l_jk,     l_ij = u_ij / d_j,     d_i = a_ii - sum_k u_ik l_ik;

the diagonal of L holds 1 / d. The arrays ``first`` and ``base`` hold integers as their bits; all are contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from kinetree.emit.llvm.entries import FACTOR, SOLVE

POINTER, BYTE, INTEGER, DOUBLE = ir.PointerType(), ir.IntType(8), ir.IntType(64), ir.DoubleType()


def module(triple: str) -> str:
    """Both loops."""
    made = ir.Module()
    made.triple = triple
    _Loop(made, FACTOR, ("a", "first", "base", "l", "u"), _factor)
    _Loop(made, SOLVE, ("l", "first", "base", "b", "x"), _solve)
    return str(made)


class _Loop:
    """An inner loop over some arrays; ``work`` writes what is done for each system."""

    def __init__(self, made: ir.Module, name: str, arrays: Sequence[str], work: Callable[[_Loop], None]) -> None:
        function = ir.Function(made, ir.FunctionType(ir.VoidType(), [POINTER] * 4), name)
        function.attributes.add("nounwind")
        self.builder: Any = ir.IRBuilder(function.append_basic_block("entry"))
        self.arrays: dict[str, Any] = dict(zip(("args", "dimensions", "steps"), function.args))
        count, self.packed, self.n = (self.load("dimensions", INTEGER(k), INTEGER) for k in range(3))

        def system(k: Any, _: Any) -> None:
            for i, array in enumerate(arrays):
                pointer, step = self.load("args", INTEGER(i), POINTER), self.load("steps", INTEGER(i), INTEGER)
                self.arrays[array] = self.builder.gep(pointer, [self.builder.mul(k, step)], source_etype=BYTE)
            work(self)

        self.loop(INTEGER(0), count, system)
        self.builder.ret_void()

    def load(self, array: str, index: Any, element: Any = DOUBLE) -> Any:
        return self.builder.load(self._address(array, index, element), typ=element)

    def store(self, value: Any, array: str, index: Any) -> None:
        self.builder.store(value, self._address(array, index, DOUBLE))

    def _address(self, array: str, index: Any, element: Any) -> Any:
        return self.builder.gep(self.arrays[array], [index], source_etype=element)

    def loop(self, first: Any, end: Any, body: Callable[[Any, Any], Any], start: float | Any = 0.0) -> Any:
        """From one index to before another; the body gets it and a number, and may give the number for the next."""
        builder = self.builder
        before = builder.block
        head, inside, done = (builder.append_basic_block(name) for name in ("head", "body", "done"))
        builder.branch(head)
        builder.position_at_end(head)
        i, number = builder.phi(INTEGER), builder.phi(DOUBLE)
        builder.cbranch(builder.icmp_signed("<", i, end), inside, done)
        builder.position_at_end(inside)
        result = body(i, number)
        following = builder.add(i, INTEGER(1))
        i.add_incoming(first, before)
        i.add_incoming(following, builder.block)
        number.add_incoming(start if isinstance(start, ir.Value) else DOUBLE(start), before)
        number.add_incoming(number if result is None else result, builder.block)
        builder.branch(head)
        builder.position_at_end(done)
        return number

    def less(self, start: Any, a: Any, b: Any) -> Any:
        """start - a b."""
        contract = ("contract",)
        return self.builder.fsub(start, self.builder.fmul(a, b, flags=contract), flags=contract)

    def less_dot(self, start: Any, first: Any, end: Any, left: str, base: Any) -> Any:
        """start less the sum of products of an array with a row of l."""
        add = self.builder.add
        return self.loop(first, end, lambda k, s: self.less(s, self.load(left, k), self.load("l", add(base, k))), start)

    def copy(self, source: str, target: str, size: Any) -> None:
        self.loop(INTEGER(0), size, lambda k, _: self.store(self.load(source, k), target, k))


def _factor(w: _Loop) -> None:
    builder = w.builder
    w.copy("a", "l", w.packed)

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

    w.loop(INTEGER(0), w.n, row)


def _solve(w: _Loop) -> None:
    builder = w.builder
    w.copy("b", "x", w.n)

    def forward(i: Any, _: Any) -> None:
        base = w.load("base", i, INTEGER)
        w.store(w.less_dot(w.load("x", i), w.load("first", i, INTEGER), i, "x", base), "x", i)

    def diagonal(i: Any, _: Any) -> None:
        inverse = w.load("l", builder.add(w.load("base", i, INTEGER), i))
        w.store(builder.fmul(w.load("x", i), inverse), "x", i)

    def backward(done: Any, _: Any) -> None:
        i = builder.sub(builder.sub(w.n, done), INTEGER(1))
        base, x, first = w.load("base", i, INTEGER), w.load("x", i), w.load("first", i, INTEGER)
        w.loop(first, i, lambda k, _: w.store(w.less(w.load("x", k), w.load("l", builder.add(base, k)), x), "x", k))

    for step in (forward, diagonal, backward):
        w.loop(INTEGER(0), w.n, step)
