"""Matrices in blocks, one for each of some points, in LLVM IR: inner loops of three generalized ufuncs.

    assemble:   m(k,t), begins(j), targets(i,t), base(N) -> a(N), sums(t)
    product:    jacobian(k,r,m), columns(k,m), x(w), factors(k,r), rows(k,r), base(a) -> y(a), own(m)
    transposed: y(v,a), factors(k,r), rows(k,r), jacobian(k,r,m), columns(k,m), base(v,w) -> x(v,w), sums(m)

Points from ``begins[i]`` to before ``begins[i + 1]`` have the same variables: their elements are added up first. The
elements then go to their ``targets``. Row r of point k is number ``rows[k, r]`` of all, or none where that is negative;
its variables are at ``columns[k]``. All results begin as their base. Indices are integers as their bits; all arrays are
contiguous.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from kinetree.emit.llvm.array_loop import DOUBLE, INTEGER, VECTOR, ArrayLoop
from kinetree.emit.llvm.entries import ASSEMBLE, PRODUCT, TRANSPOSED

_ZERO = INTEGER(0)


def module(triple: str) -> str:
    """The three loops."""
    made = ir.Module()
    made.triple = triple
    ArrayLoop(made, ASSEMBLE, ("m", "begins", "targets", "base", "a", "sums"), ("k", "t", "j", "i", "N"), _assemble)
    both = "factors", "rows"
    ArrayLoop(
        made, PRODUCT, ("jacobian", "columns", "x", *both, "base", "y", "own"), ("k", "r", "m", "w", "a"), _product
    )
    arrays = "y", *both, "jacobian", "columns", "base", "x", "sums"
    ArrayLoop(made, TRANSPOSED, arrays, ("v", "a", "k", "r", "m", "w"), _transposed)
    return str(made)


def _assemble(w: ArrayLoop) -> None:
    add, mul, t = w.builder.add, w.builder.mul, w.size["t"]
    w.copy("base", "a", w.size["N"])

    def group(i: Any, _: Any) -> None:
        w.fill("sums", t)
        own = mul(i, t)

        def point(k: Any, _: Any) -> None:
            at = mul(k, t)

            def more(e: Any, kind: Any) -> None:
                w.store(w.builder.fadd(w.load("sums", e, kind), w.load("m", add(at, e), kind)), "sums", e)

            w.each(t, more)

        w.loop(w.load("begins", i, INTEGER), w.load("begins", add(i, INTEGER(1)), INTEGER), point)
        w.loop(_ZERO, t, lambda e, _: w.add_to(w.load("sums", e), "a", w.load("targets", add(own, e), INTEGER)))

    w.loop(_ZERO, w.size["i"], group)


def _product(w: ArrayLoop) -> None:
    add, mul, m, r = w.builder.add, w.builder.mul, w.size["m"], w.size["r"]
    w.copy("base", "y", w.size["a"])

    def point(k: Any, _: Any) -> None:
        own = mul(k, m)
        w.loop(_ZERO, m, lambda e, _: w.store(w.load("x", w.load("columns", add(own, e), INTEGER)), "own", e))

        def row(e: Any, _: Any) -> None:
            at = add(mul(k, r), e)
            target, used = _row(w, at)
            value = w.builder.fmul(w.dot(m, "jacobian", mul(at, m), "own"), w.load("factors", at))
            w.add_to(w.builder.select(used, value, DOUBLE(0.0)), "y", target)

        w.loop(_ZERO, r, row)

    w.loop(_ZERO, w.size["k"], point)


def _transposed(w: ArrayLoop) -> None:
    add, mul, m, r = w.builder.add, w.builder.mul, w.size["m"], w.size["r"]
    w.copy("base", "x", mul(w.size["v"], w.size["w"]))

    def point(k: Any, _: Any) -> None:
        own = mul(k, m)

        def vector(v: Any, _: Any) -> None:
            w.fill("sums", m)
            begin, out = mul(v, w.size["a"]), mul(v, w.size["w"])

            def row(e: Any, _: Any) -> None:
                at = add(mul(k, r), e)
                source, used = _row(w, at)
                given = w.builder.fmul(w.load("y", add(begin, source)), w.load("factors", at))
                number = w.builder.select(used, given, DOUBLE(0.0))
                lanes, first = {kind: w.spread(number, kind) for kind in (VECTOR, DOUBLE)}, mul(at, m)

                def more(c: Any, kind: Any) -> None:
                    here = w.load("jacobian", add(first, c), kind)
                    w.store(w.plus(w.load("sums", c, kind), lanes[kind], here), "sums", c)

                w.each(m, more)

            w.loop(_ZERO, r, row)
            to = lambda c: add(out, w.load("columns", add(own, c), INTEGER))  # noqa: E731
            w.loop(_ZERO, m, lambda c, _: w.add_to(w.load("sums", c), "x", to(c)))

        w.loop(_ZERO, w.size["v"], vector)

    w.loop(_ZERO, w.size["k"], point)


def _row(w: ArrayLoop, at: Any) -> tuple[Any, Any]:
    """The number of a row among all, the first where it is none; and whether it is one."""
    row = w.load("rows", at, INTEGER)
    used = w.builder.icmp_signed(">=", row, _ZERO)
    return w.builder.select(used, row, _ZERO), used
