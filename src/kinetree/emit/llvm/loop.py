"""NumPy's inner loop around the parts of a program, in LLVM IR.

Per block of ``lanes`` states the operands are packed into scratch memory, the parts compute, and the results are
unpacked (`rows`). Every row is computed by the same instructions wherever it is in a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from kinetree.emit.llvm.entries import LOOP
from kinetree.emit.llvm.flags import flags_of
from kinetree.emit.llvm.layout import Layout, Types, constant, element, table
from kinetree.graph.node import Node
from kinetree.lower.program import Operand, Program

STACK = 64 * 1024  # more scratch than this many bytes comes from the heap
AHEAD = 2  # blocks by which operands are asked for before they are needed
LINE, PAGE = 64, 4096  # bytes of a line of the cache; of what a processor asks for by itself once it has seen its begin


@dataclass(frozen=True)
class Array:
    """One operand or result of the loop: its number among NumPy's arguments, and its elements."""

    number: int
    operand: Operand
    elements: tuple[Node, ...] = ()  # of a result


class InnerLoop:
    """The text of ``void loop(char **args, npy_intp *dimensions, npy_intp *steps, void *data)``."""

    outer = "%outer"  # the strides from one lane of a block to the next are called so

    def __init__(self, program: Program, types: Types, triple: str, more: int = 0) -> None:
        """With so many slots of scratch memory more than the program needs."""
        self.program, self.types = program, types
        self.flags = flags_of(triple)
        self.where = Layout(program, types.lanes)
        self.inputs = [Array(k, o) for k, o in enumerate(program.operands)]
        elements = iter(program.outputs)
        self.outputs = [
            Array(k, o, tuple(islice(elements, o.size))) for k, o in enumerate(program.written, len(self.inputs))
        ]
        self.size = (self.where.size + more) * types.bytes
        self.heap = self.size > STACK
        self.label = "block"

    def text(self) -> Iterator[str]:
        yield self.flags.declarations
        yield "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
        numbers = [constant(node.value, single=self.program.single) for node in self.where.constants]
        yield table("constants", self.types.element, numbers)
        for array in self.outputs:
            yield from self.tables(array)
        yield f"define void @{LOOP}(ptr %args, ptr %dimensions, ptr %steps, ptr %data) #0 {{"
        yield from self.beginning()
        body = list(self.block())  # also moves self.label to the last basic block
        yield "block:"
        yield from self.position()
        yield from body
        yield from self.ending()

    def tables(self, array: Array) -> Iterator[str]:
        """Of a result: the offsets of its elements in scratch memory, and where tiles of one constant begin.

        After the last element come the first ones again, for tiles that reach beyond it.
        """
        k, offsets = array.number, self.offsets(array)
        yield table(f"offsets.{k}", "i32", [*offsets, *islice(cycle(offsets), self.types.lanes)])
        yield table(f"flags.{k}", "i8", self.constant_tiles(array))

    def offsets(self, array: Array) -> list[int]:
        """Where the elements of a result are in scratch memory [bytes]."""
        return [self.where.result(node) * self.types.bytes for node in array.elements]

    def constant_tiles(self, array: Array) -> list[int]:
        """For each element of a result: whether a tile of one and the same constant begins there."""
        elements, lanes = array.elements, self.types.lanes
        return [int(node.op == "const" and {*elements[j : j + lanes]} == {node}) for j, node in enumerate(elements)]

    def beginning(self) -> Iterator[str]:
        yield "entry:"
        yield self.flags.room  # in the first block, else the frame has no fixed size
        if not self.heap:
            yield f"  %s = alloca [{max(self.size, 1)} x i8], align {self.types.bytes}"
        # in the first block, so that the frame is made there: LLVM may make it in a later one, and touches the pages of
        # a large frame with a register (r11) that it does not know to be taken there
        yield self.flags.save
        yield "  %count = load i64, ptr %dimensions"
        yield "  %any = icmp sgt i64 %count, 0"
        yield "  br i1 %any, label %start, label %end"
        yield "start:"
        yield from self.strides()
        for array in (*self.inputs, *self.outputs):
            yield from self.flat(array)
        yield from self.choice()
        yield from self.allocation()
        if constants := self.where.constants:  # they stay for all blocks
            first = self.where.results[constants[0]]
            yield f"  %constants = getelementptr i8, ptr %s, i64 {first * self.types.bytes}"
            yield f"  call void @spread(ptr @constants, i64 {len(constants)}, ptr %constants)"
        yield "  br label %block"

    def states(self) -> Iterator[str]:
        """%states: of the whole call, of which these may be a piece."""
        yield "  %is.whole.call = icmp eq ptr %data, null"
        yield "  %word = select i1 %is.whole.call, ptr %dimensions, ptr %data"
        yield "  %told = load i64, ptr %word"
        yield "  %states = call i64 @llvm.umax.i64(i64 %told, i64 %count)"

    def choice(self) -> Iterator[str]:
        """What depends on the arrays but not on the block."""
        yield from ()

    def allocation(self) -> Iterator[str]:
        align = self.types.bytes
        if not self.heap:
            yield "  br label %memory"
            yield "memory:"
            return
        yield f"  %raw = call ptr @PyMem_RawMalloc(i64 {self.size + align})"
        yield "  %none = icmp eq ptr %raw, null"
        yield "  br i1 %none, label %no.memory, label %memory"
        yield "no.memory:"
        yield "  %is.numpy = icmp eq ptr %data, null"  # others give a word to note it in, with the number of all states
        yield "  br i1 %is.numpy, label %tell.python, label %note"
        yield "note:"
        yield "  store i64 -1, ptr %data"
        yield "  br label %end"
        yield "tell.python:"
        yield "  %gil = call i32 @PyGILState_Ensure()"  # NumPy has released it
        yield "  %error = call ptr @PyErr_NoMemory()"
        yield "  call void @PyGILState_Release(i32 %gil)"
        yield "  br label %end"
        yield "memory:"
        yield "  %raw.i = ptrtoint ptr %raw to i64"
        yield f"  %up = add i64 %raw.i, {align - 1}"
        yield f"  %aligned = and i64 %up, {-align}"
        yield "  %s = inttoptr i64 %aligned to ptr"

    def strides(self) -> Iterator[str]:
        """Pointers, outer strides, and then the core strides of all arrays in order."""
        arrays = [*self.inputs, *self.outputs]
        position = len(arrays)
        for array in arrays:
            k = array.number
            yield f"  %args.{k} = getelementptr ptr, ptr %args, i64 {k}"
            yield f"  %base.{k} = load ptr, ptr %args.{k}"
            yield f"  %steps.{k} = getelementptr i64, ptr %steps, i64 {k}"
            yield f"  %outer.{k} = load i64, ptr %steps.{k}"
            for d, _ in enumerate(array.operand.shape):
                yield from element("core", "i64", "%steps", position, tag=f".{k}.{d}")
                position += 1

    def flat(self, array: Array) -> Iterator[str]:
        """%flat.k, %dense.k: whether the core of an array is contiguous, and whether all of it is."""
        k, length, test = array.number, 1, "true"
        for d, size in reversed([*enumerate(array.operand.shape)]):
            yield f"  %is.flat.{k}.{d} = icmp eq i64 %core.{k}.{d}, {length * self.types.item}"
            yield f"  %all.flat.{k}.{d} = and i1 {test}, %is.flat.{k}.{d}"
            test, length = f"%all.flat.{k}.{d}", length * size
        yield f"  %flat.{k} = and i1 {test}, true"
        yield f"  %is.dense.{k} = icmp eq i64 %outer.{k}, {array.operand.size * self.types.item}"
        yield f"  %dense.{k} = and i1 %flat.{k}, %is.dense.{k}"

    def block(self) -> Iterator[str]:
        """One block of states."""
        lanes = self.types.lanes
        yield "  %rest = sub i64 %count, %b"
        yield f"  %partial = icmp ult i64 %rest, {lanes}"
        yield f"  %lanes = select i1 %partial, i64 %rest, i64 {lanes}"
        yield from self.inside()
        for array in self.inputs:
            yield from self.ahead(array)
        for array in self.inputs:
            yield from self.move("pack", array)
        for k in range(len(self.program.parts)):
            yield f"  call void @part{k}(ptr %s)"
        yield from self.results()

    def inside(self) -> Iterator[str]:
        """%is.inside: whether so many states follow that a tile which begins in a row of the block ends in it."""
        yield f"  %is.inside = icmp ugt i64 %rest, {2 * self.types.lanes}"

    def ahead(self, array: Array) -> Iterator[str]:
        """Ask for the rows of a block that comes soon: while one is computed there is time to fetch them.

        A processor does not look as far ahead by itself. Addresses may lie beyond the array, where nothing is fetched.
        """
        k, size = array.number, array.operand.size * self.types.bytes
        if size <= PAGE:
            yield f"  %soon.{k} = add i64 %b, {AHEAD * self.types.lanes}"
            yield f"  %soon.offset.{k} = mul i64 %soon.{k}, %outer.{k}"
            for at in range(0, size, LINE):
                yield f"  %soon.more.{k}.{at} = add i64 %soon.offset.{k}, {at}"
                yield f"  %soon.line.{k}.{at} = getelementptr i8, ptr %base.{k}, i64 %soon.more.{k}.{at}"
                yield f"  call void @llvm.prefetch.p0(ptr %soon.line.{k}.{at}, i32 0, i32 3, i32 1)"

    def results(self) -> Iterator[str]:
        for array in self.outputs:
            yield from self.move("unpack", array)

    def position(self) -> Iterator[str]:
        """%b: the first state of a block."""
        yield f"  %b = phi i64 [0, %memory], [%b.next, %{self.label}]"

    def advance(self) -> Iterator[str]:
        yield f"  %b.next = add i64 %b, {self.types.lanes}"

    def ending(self) -> Iterator[str]:
        yield from self.advance()
        yield "  %b.more = icmp slt i64 %b.next, %count"
        yield "  br i1 %b.more, label %block, label %finish"
        yield from self.leaving()

    def leaving(self) -> Iterator[str]:
        yield "finish:"
        yield from self.last()
        yield self.flags.restore
        if self.heap:
            yield "  call void @PyMem_RawFree(ptr %raw)"
        yield "  br label %end"
        yield "end:"
        yield "  ret void"
        yield "}"

    def last(self) -> Iterator[str]:
        """What is left to do after the last block."""
        yield from ()

    def rows(self, array: Array, name: str) -> Iterator[str]:
        """Where the first row of this block begins."""
        k = array.number
        yield f"  {name}.offset = mul i64 %b, %outer.{k}"
        yield f"  {name} = getelementptr i8, ptr %base.{k}, i64 {name}.offset"

    def move(self, name: str, array: Array) -> Iterator[str]:
        """Move an array's rows of this block: in one stretch where its core is contiguous, else row by row."""
        k, shape = array.number, array.operand.shape
        if array.operand.size == 0:
            return
        yield from self.rows(array, f"%rows.{k}")
        inner = f"%core.{k}.{len(shape) - 1}" if shape else str(self.types.item)
        if len(shape) <= 1:
            yield from self.call(name, array, f"%rows.{k}", inner)
            return
        yield f"  br i1 %flat.{k}, label %at.once.{k}, label %by.row.{k}"
        yield f"at.once.{k}:"
        yield from self.call(name, array, f"%rows.{k}", str(self.types.item))
        yield f"  br label %moved.{k}"
        yield from self.by_row(name, array, inner)
        yield f"moved.{k}:"
        self.label = f"moved.{k}"

    def by_row(self, name: str, array: Array, inner: str) -> Iterator[str]:
        """Any core strides: one move for each row of the core."""
        k, shape = array.number, array.operand.shape
        leading, last = array.operand.size // shape[-1], shape[-1]
        yield f"by.row.{k}:"
        yield f"  %m.{k} = phi i64 [0, %{self.label}], [%m.next.{k}, %by.row.{k}]"
        rest, total = leading, "0"
        for d in range(len(shape) - 1):
            rest //= shape[d]
            yield f"  %q.{k}.{d} = udiv i64 %m.{k}, {rest}"
            yield f"  %i.{k}.{d} = urem i64 %q.{k}.{d}, {shape[d]}"
            yield f"  %io.{k}.{d} = mul i64 %i.{k}.{d}, %core.{k}.{d}"
            yield f"  %at.{k}.{d} = add i64 {total}, %io.{k}.{d}"
            total = f"%at.{k}.{d}"
        yield f"  %row.{k} = getelementptr i8, ptr %rows.{k}, i64 {total}"
        yield f"  %first.{k} = mul i64 %m.{k}, {last}"
        yield from self.call(name, array, f"%row.{k}", inner, f"%first.{k}")
        yield f"  %m.next.{k} = add i64 %m.{k}, 1"
        yield f"  %m.more.{k} = icmp ult i64 %m.next.{k}, {leading}"
        yield f"  br i1 %m.more.{k}, label %by.row.{k}, label %moved.{k}"

    def call(self, name: str, array: Array, rows: str, inner: str, first: str | None = None) -> Iterator[str]:
        """Move all elements, or one row of the core from an element on."""
        k, operand = array.number, array.operand
        count: Any = operand.size if first is None else operand.shape[-1]
        at = f"%at.{'flat' if first is None else 'row'}.{k}"
        if name == "pack":
            if first is None and count < self.types.lanes:  # whole tiles, where they don't end beyond the array
                yield f"  %reaches.{k} = and i1 %is.inside, %dense.{k}"
                yield f"  %n.{k} = select i1 %reaches.{k}, i64 {self.types.lanes}, i64 {count}"
                count = f"%n.{k}"
            slot = self.where.inputs[operand.name] * self.types.bytes
            yield f"  {at}.0 = getelementptr i8, ptr %s, i64 {slot}"
            yield f"  {at} = getelementptr {self.types.narrow}, ptr {at}.0, i64 {first or 0}"
            more = f"ptr {at}"
        else:
            yield f"  {at} = getelementptr i32, ptr @offsets.{k}, i64 {first or 0}"
            yield f"  {at}.flags = getelementptr i8, ptr @flags.{k}, i64 {first or 0}"
            more = f"ptr %s, ptr {at}, ptr {at}.flags"
        yield f"  call void @{name}(ptr {rows}, i64 {self.outer}.{k}, i64 {inner}, i64 {count}, i64 %lanes, {more})"
