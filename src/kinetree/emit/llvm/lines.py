"""Results larger than the cache whose rows are short, in LLVM IR: written by non-temporal stores, line after line.

Rows of consecutive states follow each other in memory, so that a block of them is whole cache lines even where a row is
less than one: 8 rows of 7 doubles are 7 lines. A block goes to a buffer that stays in the cache, and from there past
the cache. Beside `stream`, which has no such detour but needs rows of some lines, this moves each number once more.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.loop import InnerLoop
from kinetree.emit.llvm.stream import LARGE
from kinetree.lower.program import Program

BUFFER = 16 * 1024  # bytes of a block of one result, at most: a part of the nearest cache
RATIO = 1 / 4  # of results to operands: with fewer, what is read decides


def applies(program: Program, types: Types, triple: str) -> bool:
    """Whether large batches gain by it."""
    sizes = [result.size for result in program.results]
    enough = sum(sizes) > RATIO * sum(operand.size for operand in program.operands)
    fits = 0 < max(sizes, default=0) * types.bytes <= BUFFER
    return enough and fits and not program.repeats and triple.startswith("x86_64")


class Lines(InnerLoop):
    """The loop with a second path for results that are large, contiguous and aligned to vectors."""

    def __init__(self, program: Program, types: Types, triple: str) -> None:
        super().__init__(program, types, triple, more=max(result.size for result in program.results) + 1)
        self.lined = [array for array in self.outputs if array.operand.size]

    def text(self) -> Iterator[str]:
        yield "declare i64 @llvm.umax.i64(i64, i64)"
        yield "declare void @llvm.x86.sse.sfence()"
        yield "!0 = !{i32 1}"
        yield from _past(self.types)
        yield from super().text()

    def choice(self) -> Iterator[str]:
        """%past: whether all results are contiguous and aligned, and large together."""
        item = self.types.item
        yield from self.states()
        yield f"  %bytes = mul i64 %states, {item * sum(array.operand.size for array in self.lined)}"
        yield f"  %is.large = icmp uge i64 %bytes, {LARGE}"
        test = "%is.large"
        for array in self.lined:
            k = array.number
            yield f"  %base.address.{k} = ptrtoint ptr %base.{k} to i64"
            yield f"  %off.{k} = and i64 %base.address.{k}, {self.types.bytes - 1}"
            yield f"  %is.aligned.{k} = icmp eq i64 %off.{k}, 0"
            yield f"  %fits.{k} = and i1 %dense.{k}, %is.aligned.{k}"
            yield f"  %past.{k} = and i1 {test}, %fits.{k}"
            test = f"%past.{k}"
        yield f"  %past = and i1 {test}, true"

    def results(self) -> Iterator[str]:
        yield "  %is.past = select i1 %partial, i1 false, i1 %past"
        yield "  br i1 %is.past, label %lines, label %store"
        yield "lines:"
        yield f"  %buffer = getelementptr i8, ptr %s, i64 {self.where.size * self.types.bytes}"
        for array in self.lined:
            k, size, item = array.number, array.operand.size, self.types.item
            tile = max(size, self.types.lanes)  # what reaches beyond a row is written again, by the next one
            yield from self.rows(array, f"%lines.{k}")
            yield (
                f"  call void @unpack(ptr %buffer, i64 {size * item}, i64 {item}, i64 {tile}, i64 %lanes, ptr %s, "
                f"ptr @offsets.{k}, ptr @flags.{k})"
            )
            yield f"  call void @past(ptr %buffer, ptr %lines.{k}, i64 {size})"
        yield "  br label %written"
        yield "store:"
        self.label = "store"
        yield from super().results()
        yield "  br label %written"
        yield "written:"
        self.label = "written"

    def last(self) -> Iterator[str]:
        yield "  br i1 %past, label %fence, label %all"
        yield "fence:"
        yield "  call void @llvm.x86.sse.sfence()"
        yield "  br label %all"
        yield "all:"


def _past(types: Types) -> list[str]:
    """``void past(from, to, n)``: n vectors to memory, past the cache."""
    t = types.narrow
    return [
        "define internal void @past(ptr %from, ptr %to, i64 %n) #0 {",
        "entry:",
        "  br label %vector",
        "vector:",
        "  %k = phi i64 [0, %entry], [%k.next, %vector]",
        f"  %k.from = getelementptr {t}, ptr %from, i64 %k",
        f"  %x = load {t}, ptr %k.from, align {types.bytes}",
        f"  %k.to = getelementptr {t}, ptr %to, i64 %k",
        f"  store {t} %x, ptr %k.to, align {types.bytes}, !nontemporal !0",
        "  %k.next = add i64 %k, 1",
        "  %more = icmp ult i64 %k.next, %n",
        "  br i1 %more, label %vector, label %done",
        "done:",
        "  ret void",
        "}",
    ]
