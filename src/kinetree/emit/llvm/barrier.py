"""What an interior-point method does with rows and their two sides, in LLVM IR: inner loops of five generalized ufuncs.

    weigh:   d(e), z(e), residual(r), open(e) -> inverse(e), products(e), S(r), vectors(3,r), sums(3)
    ratios:  ds(r), inverse(e), products(e) -> relative(e), sums(5)
    correct: ds(r), inverse(e), products(e), limits(l) -> corrector(e), row(r)
    move:    s(r), ds(r), d(e), relative(e), g(r), length(l) -> s(r), d(e), residual(r), sums(2)
    renew:   z(e), inverse(e), relative(e), corrector(e), d(e), open(e), limits(l) -> z(e), sums(1)

There are r rows and e = 2 r sides, all lower ones first; a side that is infinite has 0 in ``open``, else 1. Each is one
pass over arrays that fit in the cache, where NumPy would make a dozen. All arrays are contiguous.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from kinetree.emit.llvm.array_loop import DOUBLE, INTEGER, ArrayLoop
from kinetree.emit.llvm.entries import BARRIER
from kinetree.emit.llvm.lanes import Lanes, Totals, larger, smaller

SPREAD = 1e10  # how far multipliers may be from mu / d, as a factor


def module(triple: str) -> str:
    """The five loops."""
    made = ir.Module()
    made.triple = triple
    arrays = (
        ("d z residual open inverse products S vectors sums", "e r three", _weigh),
        ("ds inverse products relative sums", "r e five", _ratios),
        ("ds inverse products limits corrector row", "r e l", _correct),
        ("s ds d relative g length s_ d_ residual sums", "r e l two", _move),
        ("z inverse relative corrector d open limits z_ sums", "e l one", _renew),
    )
    for name, (own, sizes, work) in zip(BARRIER, arrays):
        ArrayLoop(made, name, own.split(), sizes.split(), work)
    return str(made)


def _weigh(w: ArrayLoop) -> None:
    r, add = w.size["r"], w.builder.add
    totals = Totals(w, ("sum", "max", "sum"))

    def row(k: Any, kind: Any) -> None:
        sums, slopes, inverses = [], [], []
        for at in (k, add(k, r)):
            d, z, open_ = (Lanes.load(w, name, at, kind) for name in ("d", "z", "open"))
            inverse, product = open_ / d, d * z
            inverse.store("inverse", at)
            product.store("products", at)
            totals.more(product, product, z)
            sums.append(z * inverse)
            slopes.append(z)
            inverses.append(inverse)
        weight = sums[0] + sums[1]
        weight.store("S", k)
        (slopes[1] - slopes[0]).store("vectors", k)
        (inverses[1] - inverses[0]).store("vectors", add(r, k))
        (weight * Lanes.load(w, "residual", k, kind)).store("vectors", add(add(r, r), k))

    w.each(r, row)
    totals.store("sums")


def _ratios(w: ArrayLoop) -> None:
    r, add = w.size["r"], w.builder.add
    totals = Totals(w, ("min", "max", "sum", "sum", "sum"))

    def row(k: Any, kind: Any) -> None:
        ds = Lanes.load(w, "ds", k, kind)
        for at, change in ((k, ds), (add(k, r), -ds)):
            relative = change * Lanes.load(w, "inverse", at, kind)
            relative.store("relative", at)
            with_d = Lanes.load(w, "products", at, kind) * relative
            totals.more(relative, relative, relative, with_d, with_d * relative)

    w.each(r, row)
    totals.store("sums")


def _correct(w: ArrayLoop) -> None:
    r, add, limit = w.size["r"], w.builder.add, w.load("limits", INTEGER(0))

    def row(k: Any, kind: Any) -> None:
        ds, most, sides = Lanes.load(w, "ds", k, kind), Lanes.spread(w, limit, kind), []
        for at, change in ((k, ds), (add(k, r), -ds)):
            inverse = Lanes.load(w, "inverse", at, kind)
            relative = change * inverse
            both = Lanes.load(w, "products", at, kind) * relative * (-relative - 1.0)
            both = smaller(larger(both, -most), most)
            both.store("corrector", at)
            sides.append(both * inverse)
        (sides[1] - sides[0]).store("row", k)

    w.each(r, row)


def _move(w: ArrayLoop) -> None:
    r, add, length = w.size["r"], w.builder.add, w.load("length", INTEGER(0))
    totals = Totals(w, ("sum", "max"))

    def row(k: Any, kind: Any) -> None:
        a = Lanes.spread(w, length, kind)
        s = Lanes.load(w, "s", k, kind) + a * Lanes.load(w, "ds", k, kind)
        residual = Lanes.load(w, "g", k, kind) - s
        s.store("s_", k)
        residual.store("residual", k)
        size = larger(residual, -residual)
        totals.more(size, size)
        for at in (k, add(k, r)):
            d = Lanes.load(w, "d", at, kind)
            (d + d * a * Lanes.load(w, "relative", at, kind)).store("d_", at)

    w.each(r, row)
    totals.store("sums")


def _renew(w: ArrayLoop) -> None:
    mu, room = (w.load("limits", INTEGER(k)) for k in range(2))
    totals = Totals(w, ("min",))

    def change(k: Any, kind: Any) -> tuple[Lanes, Lanes]:
        z, inverse, relative, corrector = (
            Lanes.load(w, name, k, kind) for name in ("z", "inverse", "relative", "corrector")
        )
        target = Lanes.spread(w, mu, kind) - corrector
        return z, target * inverse - z * (relative + 1.0)

    def ratio(k: Any, kind: Any) -> None:
        z, dz = change(k, kind)
        totals.more((dz / z.where_positive(z, otherwise=1.0)).where_positive(z))  # 0 / 0 would be told by a flag

    w.each(w.size["e"], ratio)
    totals.store("sums")
    builder = w.builder
    fall = builder.fsub(DOUBLE(0.0), w.load("sums", INTEGER(0)))
    length = builder.select(builder.fcmp_ordered("<=", fall, room), DOUBLE(1.0), builder.fdiv(room, fall))

    def renewed(k: Any, kind: Any) -> None:
        z, dz = change(k, kind)
        central = Lanes.load(w, "open", k, kind) * Lanes.spread(w, mu, kind) / Lanes.load(w, "d", k, kind)
        new = z + Lanes.spread(w, length, kind) * dz
        smaller(larger(new, central * (1.0 / SPREAD)), central * SPREAD).store("z_", k)

    w.each(w.size["e"], renewed)
