"""The loop of a program that repeats, in LLVM IR: each lane takes steps until its state is done, then the next state.

Lanes don't wait for each other: a lane that is done gives its results and goes on with the next state of the batch, so
that the time follows the mean number of steps. A state meets the same instructions in every lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from kinetree.emit.llvm.entries import LOOP
from kinetree.emit.llvm.layout import Types, constant, element, table
from kinetree.emit.llvm.loop import Array, InnerLoop
from kinetree.lower.program import Program

IDLE, DONE = -1, -2  # instead of the number of its state: a lane for which there is none left; one that wants the next
_LANE = "ptr %s, ptr %args, ptr %steps, i64 %lane, i64 %state"  # its memory, all arrays, and where in both it is


class Repeat(InnerLoop):
    """The loop with a state of its own in each lane. The numbers of the states are at the end of scratch memory."""

    def __init__(self, program: Program, types: Types, triple: str) -> None:
        super().__init__(program, types, triple, 8 // types.item)

    def text(self) -> Iterator[str]:
        lanes, numbers = self.types.lanes, [constant(n.value, single=self.program.single) for n in self.where.constants]
        yield self.flags.declarations
        yield f"declare i1 @llvm.vector.reduce.or.v{lanes}i1({self.types.boolean})"
        yield table("constants", self.types.element, numbers)
        yield from self.lane_moves("take", self.inputs)
        yield from self.lane_moves("give", self.outputs)
        yield from self.feed()
        yield _give_done(lanes)
        yield _take_next(lanes)
        yield f"define void @{LOOP}(ptr %args, ptr %dimensions, ptr %steps, ptr %data) #0 {{"
        yield from self.beginning()
        yield from self.lanes_until_done()
        yield from self.leaving()

    def lanes_until_done(self) -> Iterator[str]:
        """All lanes make steps; where some are done, they give and take between two of them."""
        lanes, t, b = self.types.lanes, self.types.narrow, self.types.boolean
        again = self.where.result(self.program.outputs[-1]) * self.types.bytes
        arrays, v = "ptr %s, ptr %args, ptr %steps, ptr %states", f"<{lanes} x i64>"
        yield "block:"
        yield f"  %states = getelementptr i8, ptr %s, i64 {self.where.size * self.types.bytes}"
        yield f"  store {v} splat (i64 {DONE}), ptr %states"
        yield f"  %first = call i64 @take_next({arrays}, i64 0, i64 %count)"
        yield "  br label %step"
        yield "step:"
        yield "  %next = phi i64 [%first, %block], [%next, %on], [%next.after, %exchange]"
        for k in range(len(self.program.parts)):
            yield f"  call void @part{k}(ptr %s)"
        yield from element("again", t, "%s", again, step="i8")
        yield f"  %goes.on = fcmp ogt {t} %again, zeroinitializer"  # what is NaN does not
        yield f"  %before = load {v}, ptr %states"
        yield f"  %has.state = icmp sge {v} %before, zeroinitializer"
        yield f"  %is.done = select {b} %goes.on, {b} zeroinitializer, {b} %has.state"
        yield f"  %after = select {b} %is.done, {v} splat (i64 {DONE}), {v} %before"
        yield f"  %any.done = call i1 @llvm.vector.reduce.or.v{lanes}i1({b} %is.done)"
        yield "  br i1 %any.done, label %exchange, label %on"
        yield "on:"
        yield "  call void @feed(ptr %s)"
        yield "  br label %step"
        yield "exchange:"
        yield f"  call void @give_done({arrays}, {v} %after)"
        yield f"  store {v} %after, ptr %states"
        yield "  call void @feed(ptr %s)"
        yield f"  %next.after = call i64 @take_next({arrays}, i64 %next, i64 %count)"
        yield f"  %taken = load {v}, ptr %states"
        yield f"  %has.taken = icmp sge {v} %taken, zeroinitializer"
        yield f"  %any.left = call i1 @llvm.vector.reduce.or.v{lanes}i1({b} %has.taken)"
        yield "  br i1 %any.left, label %step, label %finish"

    def lane_moves(self, name: str, arrays: Iterable[Array]) -> Iterator[str]:
        """take: the operands of a state into a lane. give: its results out of it."""
        types, taking = self.types, name == "take"
        yield f"define internal void @{name}({_LANE}) #0 {{"
        yield from self.strides()
        yield f"  %lane.0 = getelementptr {types.element}, ptr %s, i64 %lane"
        for array in arrays:
            k, shape = array.number, array.operand.shape
            yield f"  %row.{k} = mul i64 %state, %outer.{k}"
            yield f"  %cells.{k} = getelementptr i8, ptr %base.{k}, i64 %row.{k}"
            first = self.where.inputs[array.operand.name] * types.bytes if taking else 0
            offsets = [first + j * types.bytes for j in range(array.operand.size)] if taking else self.offsets(array)
            for j, (index, offset) in enumerate(zip(product(*map(range, shape)), offsets)):
                cell, total = f"{k}.{j}", "0"
                for d, i in enumerate(index):
                    yield f"  %i.{cell}.{d} = mul i64 %core.{k}.{d}, {i}"
                    yield f"  %o.{cell}.{d} = add i64 {total}, %i.{cell}.{d}"
                    total = f"%o.{cell}.{d}"
                yield f"  %cell.{cell} = getelementptr i8, ptr %cells.{k}, i64 {total}"
                yield f"  %slot.{cell} = getelementptr i8, ptr %lane.0, i64 {offset}"
                source, target = (f"%cell.{cell}", f"%slot.{cell}")[:: 1 if taking else -1]
                yield f"  %x.{cell} = load {types.element}, ptr {source}, align 1"
                yield f"  store {types.element} %x.{cell}, ptr {target}, align 1"
        yield "  ret void"
        yield "}"

    def feed(self) -> Iterator[str]:
        """Results take the places of operands, in all lanes: all are read before one is written."""
        t, size = self.types.narrow, self.types.bytes
        fed = [(self.where.inputs[name] + k, self.where.result(node)) for name, k, node in self.program.fed_back]
        yield "define internal void @feed(ptr %s) #0 {"
        for j, (_, source) in enumerate(fed):
            yield from element("x", t, "%s", source * size, step="i8", tag=f".{j}")
        for j, (target, _) in enumerate(fed):
            yield f"  %to.{j} = getelementptr i8, ptr %s, i64 {target * size}"
            yield f"  store {t} %x.{j}, ptr %to.{j}"
        yield "  ret void"
        yield "}"


def _give_done(lanes: int) -> str:
    return f"""\
define internal void @give_done(ptr %s, ptr %args, ptr %steps, ptr %states, <{lanes} x i64> %after) #0 {{
entry:
  br label %look
look:
  %lane = phi i64 [0, %entry], [%lane.next, %looked]
  %mark = extractelement <{lanes} x i64> %after, i64 %lane
  %is.done = icmp eq i64 %mark, {DONE}
  br i1 %is.done, label %one, label %looked
one:
  %state.p = getelementptr i64, ptr %states, i64 %lane
  %state = load i64, ptr %state.p
  call void @give({_LANE})
  br label %looked
looked:
  %lane.next = add i64 %lane, 1
  %more = icmp ult i64 %lane.next, {lanes}
  br i1 %more, label %look, label %end
end:
  ret void
}}"""


def _take_next(lanes: int) -> str:
    """Gives the number of the next state that no lane has had."""
    return f"""\
define internal i64 @take_next(ptr %s, ptr %args, ptr %steps, ptr %states, i64 %first, i64 %count) #0 {{
entry:
  br label %look
look:
  %lane = phi i64 [0, %entry], [%lane.next, %looked]
  %state = phi i64 [%first, %entry], [%state.next, %looked]
  %mark.p = getelementptr i64, ptr %states, i64 %lane
  %mark = load i64, ptr %mark.p
  %is.done = icmp eq i64 %mark, {DONE}
  br i1 %is.done, label %wanted, label %looked
wanted:
  %exists = icmp ult i64 %state, %count
  %taken = select i1 %exists, i64 %state, i64 {IDLE}
  store i64 %taken, ptr %mark.p
  br i1 %exists, label %one, label %looked
one:
  call void @take({_LANE})
  %after = add i64 %state, 1
  br label %looked
looked:
  %state.next = phi i64 [%state, %look], [%state, %wanted], [%after, %one]
  %lane.next = add i64 %lane, 1
  %more = icmp ult i64 %lane.next, {lanes}
  br i1 %more, label %look, label %end
end:
  ret i64 %state.next
}}"""
