"""Inner loops of generalized ufuncs that are written by hand, in LLVM IR: loops over the elements of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir

POINTER, BYTE, INTEGER, DOUBLE = ir.PointerType(), ir.IntType(8), ir.IntType(64), ir.DoubleType()
LANES = 4
VECTOR: Any = ir.VectorType(DOUBLE, LANES)
_FUSED = ("contract",)


class ArrayLoop:
    """An inner loop over some contiguous arrays of named sizes; ``work`` writes what is done for each system."""

    def __init__(
        self, made: ir.Module, name: str, arrays: Sequence[str], sizes: Sequence[str], work: Callable[[ArrayLoop], None]
    ) -> None:
        function = ir.Function(made, ir.FunctionType(ir.VoidType(), [POINTER] * 4), name)
        function.attributes.add("nounwind")
        self.builder: Any = ir.IRBuilder(function.append_basic_block("entry"))
        self.arrays: dict[str, Any] = dict(zip(("args", "dimensions", "steps"), function.args))
        count, *found = (self.load("dimensions", INTEGER(k), INTEGER) for k in range(len(sizes) + 1))
        self.size: dict[str, Any] = dict(zip(sizes, found))

        def system(k: Any, _: Any) -> None:
            for i, array in enumerate(arrays):
                pointer, step = self.load("args", INTEGER(i), POINTER), self.load("steps", INTEGER(i), INTEGER)
                self.arrays[array] = self.builder.gep(pointer, [self.builder.mul(k, step)], source_etype=BYTE)
            work(self)

        self.loop(INTEGER(0), count, system)
        self.builder.ret_void()

    def load(self, array: str, index: Any, element: Any = DOUBLE) -> Any:
        return self.builder.load(self._address(array, index, element), align=8, typ=element)

    def store(self, value: Any, array: str, index: Any) -> None:
        self.builder.store(value, self._address(array, index, DOUBLE), align=8)

    def _address(self, array: str, index: Any, element: Any) -> Any:
        element = DOUBLE if element is VECTOR else element
        return self.builder.gep(self.arrays[array], [index], source_etype=element)

    def loop(
        self,
        first: Any,
        end: Any,
        body: Callable[[Any, Any], Any],
        start: Any = None,
        by: int = 1,
        element: Any = DOUBLE,
    ) -> Any:
        """From one index to before another; the body gets it and a number, and may give the number for the next."""
        builder = self.builder
        before = builder.block
        head, inside, done = (builder.append_basic_block(name) for name in ("head", "body", "done"))
        builder.branch(head)
        builder.position_at_end(head)
        i, number = builder.phi(INTEGER), builder.phi(element)
        builder.cbranch(builder.icmp_signed("<", i, end), inside, done)
        builder.position_at_end(inside)
        result = body(i, number)
        following = builder.add(i, INTEGER(by))
        i.add_incoming(first, before)
        i.add_incoming(following, builder.block)
        number.add_incoming(zero(element) if start is None else start, before)
        number.add_incoming(number if result is None else result, builder.block)
        builder.branch(head)
        builder.position_at_end(done)
        return number

    def each(self, count: Any, body: Callable[[Any, Any], None]) -> None:
        """All indices below a count: as many as fit in vectors, then one by one; the body gets the type of each."""
        whole = self.builder.and_(count, INTEGER(-LANES))
        self.loop(INTEGER(0), whole, lambda k, _: body(k, VECTOR), by=LANES)
        self.loop(whole, count, lambda k, _: body(k, DOUBLE))

    def dot(self, count: Any, left: str, at: Any, right: str) -> Any:
        """The sum of products of an array from an index on with another one."""
        add, whole = self.builder.add, self.builder.and_(count, INTEGER(-LANES))

        def more(k: Any, total: Any, element: Any) -> Any:
            return self.plus(total, self.load(left, add(at, k), element), self.load(right, k, element))

        sums = self.loop(INTEGER(0), whole, lambda k, x: more(k, x, VECTOR), by=LANES, element=VECTOR)
        lanes = [self.builder.extract_element(sums, ir.IntType(32)(k)) for k in range(LANES)]
        start = reduce(self.builder.fadd, lanes)
        return self.loop(whole, count, lambda k, x: more(k, x, DOUBLE), start)

    def plus(self, start: Any, a: Any, b: Any) -> Any:
        """start + a b."""
        return self.builder.fadd(start, self.builder.fmul(a, b, flags=_FUSED), flags=_FUSED)

    def spread(self, number: Any, element: Any) -> Any:
        """A number in all lanes of a type."""
        if element is DOUBLE:
            return number
        first = self.builder.insert_element(zero(VECTOR), number, ir.IntType(32)(0))
        return self.builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))

    def less(self, start: Any, a: Any, b: Any) -> Any:
        """start - a b."""
        return self.builder.fsub(start, self.builder.fmul(a, b, flags=_FUSED), flags=_FUSED)

    def less_dot(self, start: Any, first: Any, end: Any, left: str, base: Any) -> Any:
        """start less the sum of products of an array with a row of l."""
        add = self.builder.add
        return self.loop(first, end, lambda k, s: self.less(s, self.load(left, k), self.load("l", add(base, k))), start)

    def copy(self, source: str, target: str, size: Any) -> None:
        self.each(size, lambda k, element: self.store(self.load(source, k, element), target, k))

    def fill(self, target: str, size: Any) -> None:
        """With zeros."""
        self.each(size, lambda k, element: self.store(zero(element), target, k))

    def add_to(self, value: Any, array: str, index: Any) -> None:
        self.store(self.builder.fadd(self.load(array, index), value), array, index)


def zero(element: Any) -> Any:
    return ir.Constant(element, [0.0] * LANES if element is VECTOR else 0.0)
