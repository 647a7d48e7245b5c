"""Numbers in LLVM IR with the operators of Python, one or several lanes of them, and totals over a loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from llvmlite import ir

from kinetree.emit.llvm.array_loop import DOUBLE, INTEGER, LANES, VECTOR, ArrayLoop, zero

_FUSED = ("contract",)


class Lanes:
    """A value of an `ArrayLoop`: of one element, or of as many as a vector has."""

    def __init__(self, loop: ArrayLoop, value: Any) -> None:
        self.loop, self.value = loop, value

    @staticmethod
    def load(loop: ArrayLoop, array: str, index: Any, kind: Any) -> Lanes:
        return Lanes(loop, loop.load(array, index, kind))

    @staticmethod
    def spread(loop: ArrayLoop, value: Any, kind: Any) -> Lanes:
        """One number in all lanes."""
        return Lanes(loop, loop.spread(value, kind))

    def store(self, array: str, index: Any) -> None:
        self.loop.store(self.value, array, index)

    def _operand(self, other: Lanes | float) -> Any:
        return other.value if isinstance(other, Lanes) else _constant(self.value.type, other)

    def _with(self, operation: str, other: Lanes | float) -> Lanes:
        made = getattr(self.loop.builder, operation)(self.value, self._operand(other), flags=_FUSED)
        return Lanes(self.loop, made)

    def __add__(self, other: Lanes | float) -> Lanes:
        return self._with("fadd", other)

    def __sub__(self, other: Lanes | float) -> Lanes:
        return self._with("fsub", other)

    def __mul__(self, other: Lanes | float) -> Lanes:
        return self._with("fmul", other)

    def __truediv__(self, other: Lanes | float) -> Lanes:
        return self._with("fdiv", other)

    def __neg__(self) -> Lanes:
        return self * -1.0

    def where_positive(self, of: Lanes, otherwise: float = 0.0) -> Lanes:
        """This where another number is above 0, else a number."""
        above = self.loop.builder.fcmp_ordered(">", of.value, zero(of.value.type))
        return Lanes(self.loop, self.loop.builder.select(above, self.value, _constant(self.value.type, otherwise)))


def smaller(one: Lanes, other: Lanes) -> Lanes:
    return _chosen("<", one, other)


def larger(one: Lanes, other: Lanes) -> Lanes:
    return _chosen(">", one, other)


def _chosen(relation: str, one: Lanes, other: Lanes) -> Lanes:
    builder = one.loop.builder
    return Lanes(
        one.loop, builder.select(builder.fcmp_ordered(relation, one.value, other.value), one.value, other.value)
    )


_MERGED = {"sum": Lanes.__add__, "min": smaller, "max": larger}


class Totals:
    """Sums, least and largest numbers of a loop, from 0 on; ``more`` in its body, ``store`` after it."""

    def __init__(self, loop: ArrayLoop, kinds: Sequence[str]) -> None:
        self.loop, self.kinds = loop, kinds
        with loop.builder.goto_entry_block():
            self.places = {kind: [loop.builder.alloca(kind) for _ in kinds] for kind in (VECTOR, DOUBLE)}
        for kind, places in self.places.items():
            for place in places:
                loop.builder.store(zero(kind), place)

    def more(self, *numbers: Lanes) -> None:
        for how, number, place in zip(self.kinds, numbers, self.places[numbers[0].value.type]):
            before = Lanes(self.loop, self.loop.builder.load(place, typ=number.value.type))
            self.loop.builder.store(_MERGED[how](before, number).value, place)

    def store(self, array: str) -> None:
        builder = self.loop.builder
        for k, how in enumerate(self.kinds):
            lanes = builder.load(self.places[VECTOR][k], typ=VECTOR)
            each = [builder.extract_element(lanes, ir.IntType(32)(i)) for i in range(LANES)]
            each.append(builder.load(self.places[DOUBLE][k], typ=DOUBLE))
            reduce(_MERGED[how], (Lanes(self.loop, x) for x in each)).store(array, INTEGER(k))


def _constant(kind: Any, value: float) -> Any:
    return ir.Constant(kind, [value] * LANES if kind is VECTOR or isinstance(kind, ir.VectorType) else value)
