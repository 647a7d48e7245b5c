"""The arrays of a kernel and the addresses of their elements, in LLVM IR.

A kernel takes the number of states, scratch memory, and for each operand and then each result its address, the stride
from one state to the next, and where cores are not dense the strides in the core; all in bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd, prod

from kinetree.emit.cuda.entries import alignment
from kinetree.emit.llvm.layout import Types
from kinetree.graph.node import Node
from kinetree.lower.operand import Operand

GLOBAL, SHARED = "ptr addrspace(1)", "ptr addrspace(3)"


@dataclass(frozen=True, eq=False)
class KernelArray:
    """An operand or a result of a kernel."""

    name: str
    operand: Operand
    elements: tuple[Node, ...] = ()  # of a result
    staged: bool = False  # passes through shared memory

    @property
    def width(self) -> int:
        """Of a state's row in shared memory, in numbers: odd, which keeps threads out of each other's banks."""
        return self.operand.size | 1


class Arrays:
    """The parameters of a kernel. Values with names like ``%a0.row`` are addresses of one state's elements."""

    def __init__(self, arrays: Iterable[KernelArray], types: Types, *, dense: bool) -> None:
        self.all, self.types, self.dense = tuple(arrays), types, dense

    def parameters(self) -> Iterator[str]:
        yield "i64 %count"
        yield f"{GLOBAL} %scratch"
        for array in self.all:
            yield f"{GLOBAL} {'noalias' if array.elements else 'noalias readonly'} %{array.name}"
            yield f"i64 %{array.name}.step"
            if not self.dense:
                yield from (f"i64 %{array.name}.stride.{d}" for d in range(len(array.operand.shape)))

    def align(self, array: KernelArray, index: int) -> int:
        """Of an element, which tells the code generator what may move together."""
        item = self.types.item
        return gcd(alignment(array.operand.size, item), index * item) if self.dense else item

    def rows(self, state: str, kind: str, tag: str = "") -> Iterator[str]:
        """%{array}.{kind}{tag}: where the elements of a state begin."""
        for array in self.all:
            name, step = f"%{array.name}.{kind}{tag}", f"%{array.name}.step"
            yield f"  {name}.state = sext i32 {state} to i64"
            if self.dense:  # steps have 32 bits: one multiplication instead of three
                yield f"  {name}.short = trunc i64 {step} to i32"
                yield f"  {name}.step = sext i32 {name}.short to i64"
                step = f"{name}.step"
            yield f"  {name}.offset = mul nsw i64 {name}.state, {step}"
            yield f"  {name} = getelementptr i8, {GLOBAL} %{array.name}, i64 {name}.offset"

    def element(self, array: KernelArray, index: int | str, name: str, row: str) -> Iterator[str]:
        """{name}: the address of an element of a state, by its number in the flattened core, of 32 bits if a value."""
        t, shape = self.types.element, array.operand.shape
        if self.dense:
            yield f"  {name} = getelementptr {t}, {GLOBAL} {row}, i32 {index}"
            return
        last = row
        for d, size in enumerate(shape):
            after = prod(shape[d + 1 :])
            position = str(index // after % size) if isinstance(index, int) else f"{name}.i{d}"
            if not isinstance(index, int):
                yield f"  {name}.q{d} = udiv i32 {index}, {after}"
                yield f"  {name}.r{d} = urem i32 {name}.q{d}, {size}"
                yield f"  {position} = zext i32 {name}.r{d} to i64"
            yield f"  {name}.o{d} = mul i64 {position}, %{array.name}.stride.{d}"
            yield f"  {name}.p{d} = getelementptr i8, {GLOBAL} {last}, i64 {name}.o{d}"
            last = f"{name}.p{d}"
        yield f"  {name} = getelementptr i8, {GLOBAL} {last}, i64 0"


def loop(tag: str, start: str, end: str, step: int, body: Iterable[str], last: str = "") -> Iterator[str]:
    """for (i = start; i < end; i += step) body, with i = %{tag}; it goes on in the block {tag}.end.

    Args:
        tag: of the names.
        start, end, step: of 32 bits.
        body: ends in the block `last`, or is one block.
    """
    yield f"  br label %{tag}.begin"
    yield f"{tag}.begin:"
    yield f"  br label %{tag}.test"
    yield f"{tag}.test:"
    yield f"  %{tag} = phi i32 [ {start}, %{tag}.begin ], [ %{tag}.next, %{last or f'{tag}.body'} ]"
    yield f"  %{tag}.more = icmp slt i32 %{tag}, {end}"
    yield f"  br i1 %{tag}.more, label %{tag}.body, label %{tag}.end"
    yield f"{tag}.body:"
    yield from body
    yield f"  %{tag}.next = add i32 %{tag}, {step}"
    yield f"  br label %{tag}.test"
    yield f"{tag}.end:"


def either(tag: str, condition: str, yes: Iterable[str], no: Iterable[str]) -> Iterator[str]:
    """if (condition) yes; else no; it goes on in the block {tag}.end."""
    yield f"  br i1 {condition}, label %{tag}.yes, label %{tag}.no"
    yield f"{tag}.yes:"
    yield from yes
    yield f"  br label %{tag}.end"
    yield f"{tag}.no:"
    yield from no
    yield f"  br label %{tag}.end"
    yield f"{tag}.end:"
