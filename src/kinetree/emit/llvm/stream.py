"""Results larger than the cache, in LLVM IR: written by non-temporal stores, which bypass it.

An ordinary store reads its cache line from memory first; a line that non-temporal stores fill is not read. Such stores
are fastest where the two lines of a pair follow each other, so that pairs are written, and nothing smaller.

A transposed tile can be stored so if the rows of all lanes begin at the same offset from a pair. Consecutive states do
that for a few sizes only, so the lanes of a block are ``run`` states apart, a multiple of the numbers in a pair. Block
after block, each lane goes through a run of states that is contiguous in memory. The last columns of a block, which do
not fill a pair, are kept in scratch memory; they come before the columns of the next block. At the ends of a run, what
does not fill a pair takes ordinary stores. States that are too few for runs are blocks of consecutive ones: run = 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.llvm.layout import Types, table
from kinetree.emit.llvm.loop import Array, InnerLoop
from kinetree.emit.llvm.tiles import unpacked_tiles, vector_at
from kinetree.lower.program import Program

LARGE = 3 * 1024 * 1024  # bytes of results; fewer stay in the cache, also where two results take turns
PAIR = 128  # bytes of two cache lines
RUN = 64  # states in a run, at most: a multiple of the numbers in a pair
LEAST = 256  # bytes of results for each state; with fewer, or with few results for the operands that `lanes` runs at
RATIO = 4  # once have to read, ordinary stores are as fast


def applies(program: Program, types: Types, triple: str) -> bool:
    """Whether large batches gain by it: the results are many numbers, and many more than the operands."""
    numbers = sum(result.size for result in program.results)
    many = (
        not program.repeats
        and numbers * types.item >= LEAST
        and numbers >= RATIO * sum(operand.size for operand in program.operands)
    )
    return many and triple.startswith("x86_64")


class Stream(InnerLoop):
    """The loop with a second path for results that are large and contiguous."""

    outer = "%across"

    def __init__(self, program: Program, types: Types, triple: str) -> None:
        self.kept = PAIR // types.item - 1  # columns
        super().__init__(program, types, triple, self.kept * len(program.results))
        self.streamed = [array for array in self.outputs if array.operand.size]
        # blocks at either end of a run with numbers of a pair that reaches beyond the run
        self.ends = max(-(-self.kept // array.operand.size) for array in self.streamed)

    def text(self) -> Iterator[str]:
        yield "declare i64 @llvm.umax.i64(i64, i64)"
        yield "declare void @llvm.x86.sse.sfence()"
        yield "!0 = !{i32 1}"
        yield from _stream(self.types)
        yield from super().text()

    def tables(self, array: Array) -> Iterator[str]:
        """Those of ordinary stores, and the same with the kept columns before the others."""
        yield from super().tables(array)
        k = array.number
        first = self.where.size + self.kept * (k - len(self.inputs))
        before = [(first + i) * self.types.bytes for i in range(self.kept)]
        yield table(f"stream.offsets.{k}", "i32", [*before, *self.offsets(array)])
        yield table(f"stream.flags.{k}", "i8", [*[0] * self.kept, *self.constant_tiles(array)])

    def choice(self) -> Iterator[str]:
        """%longest: the longest run, if all results are contiguous and large together; else 0."""
        item, test = self.types.item, "%is.large"
        yield from self.states()
        yield f"  %bytes = mul i64 %states, {item * sum(array.operand.size for array in self.outputs)}"
        yield f"  %is.large = icmp uge i64 %bytes, {LARGE}"
        for array in self.streamed:
            k = array.number
            yield f"  %base.address.{k} = ptrtoint ptr %base.{k} to i64"
            yield f"  %off.{k} = and i64 %base.address.{k}, {item - 1}"
            yield f"  %is.aligned.{k} = icmp eq i64 %off.{k}, 0"
            yield f"  %fits.{k} = and i1 %dense.{k}, %is.aligned.{k}"
            yield f"  %streams.{k} = and i1 {test}, %fits.{k}"
            test = f"%streams.{k}"
        yield f"  %longest = select i1 {test}, i64 {RUN}, i64 0"
        yield from self.run("%run.first", "%count")

    def run(self, name: str, left: str) -> Iterator[str]:
        """The length of the next runs, if so many states are left."""
        yield f"  {name}.each = udiv i64 {left}, {self.types.lanes}"
        yield f"  {name}.whole = and i64 {name}.each, {-PAIR // self.types.item}"
        yield f"  {name}.some = call i64 @llvm.umin.i64(i64 {name}.whole, i64 %longest)"
        yield f"  {name} = call i64 @llvm.umax.i64(i64 {name}.some, i64 1)"

    def position(self) -> Iterator[str]:
        yield from super().position()
        yield f"  %run = phi i64 [%run.first, %memory], [%run.next, %{self.label}]"
        yield f"  %i = phi i64 [0, %memory], [%i.next, %{self.label}]"  # in the run

    def advance(self) -> Iterator[str]:
        """The next state of each run; after the last one, the first state that is in none of these runs."""
        yield "  %i.after = add i64 %i, 1"
        yield "  %is.over = icmp eq i64 %i.after, %run"
        yield "  %i.next = select i1 %is.over, i64 0, i64 %i.after"
        yield f"  %others = mul i64 %run, {self.types.lanes - 1}"
        yield "  %done = select i1 %is.over, i64 %others, i64 0"
        yield "  %b.after = add i64 %b, 1"
        yield "  %b.next = add i64 %b.after, %done"
        yield "  %left = sub i64 %count, %b.next"
        yield from self.run("%run.new", "%left")
        yield "  %run.next = select i1 %is.over, i64 %run.new, i64 %run"

    def block(self) -> Iterator[str]:
        for array in (*self.inputs, *self.outputs):
            yield f"  %across.{array.number} = mul i64 %outer.{array.number}, %run"
        yield from super().block()

    def inside(self) -> Iterator[str]:
        """Only for consecutive states: runs may end where the array does."""
        yield f"  %follow = icmp ugt i64 %rest, {2 * self.types.lanes}"
        yield "  %are.next = icmp eq i64 %run, 1"
        yield "  %is.inside = and i1 %follow, %are.next"

    def results(self) -> Iterator[str]:
        yield "  %streaming = icmp ugt i64 %run, 1"
        yield "  br i1 %streaming, label %stream, label %store"
        yield "stream:"
        for array in self.streamed:
            k, size = array.number, array.operand.size
            yield from self.rows(array, f"%stream.rows.{k}")
            yield f"  %before.{k} = mul i64 %i, {size}"
            yield (
                f"  call void @stream(ptr %stream.rows.{k}, i64 %across.{k}, i64 {size}, ptr %s, "
                f"ptr @stream.offsets.{k}, ptr @stream.flags.{k}, i64 %before.{k})"
            )
        yield f"  %is.begin = icmp ult i64 %i, {self.ends}"
        yield "  br i1 %is.begin, label %begin, label %begun"
        yield "begin:"
        for array in self.streamed:
            yield from self.end(array, "begin", 0)
        yield "  br label %begun"
        yield "begun:"
        yield f"  %run.end = sub i64 %run, {self.ends}"
        yield "  %is.end = icmp uge i64 %i, %run.end"
        yield "  br i1 %is.end, label %end.of.run, label %written"
        yield "end.of.run:"
        for array in self.streamed:
            yield from self.end(array, "end", max(array.operand.size - self.kept, 0))
        yield "  br label %written"
        yield "store:"
        self.label = "store"
        yield from super().results()
        yield "  br label %written"
        yield "written:"
        self.label = "written"

    def end(self, array: Array, name: str, first: int) -> Iterator[str]:
        """The elements of a row that may be in a pair that reaches beyond the run, by ordinary stores."""
        k, item = array.number, self.types.item
        count = min(array.operand.size, self.kept)
        yield f"  %{name}.rows.{k} = getelementptr i8, ptr %stream.rows.{k}, i64 {first * item}"
        yield f"  %{name}.offsets.{k} = getelementptr i32, ptr @offsets.{k}, i64 {first}"
        yield f"  %{name}.flags.{k} = getelementptr i8, ptr @flags.{k}, i64 {first}"
        yield (
            f"  call void @unpack(ptr %{name}.rows.{k}, i64 %across.{k}, i64 {item}, i64 {count}, i64 %lanes, ptr %s, "
            f"ptr %{name}.offsets.{k}, ptr %{name}.flags.{k})"
        )

    def last(self) -> Iterator[str]:
        yield "  %has.streamed = icmp ne i64 %longest, 0"
        yield "  br i1 %has.streamed, label %fence, label %all"
        yield "fence:"
        yield "  call void @llvm.x86.sse.sfence()"
        yield "  br label %all"
        yield "all:"


def _stream(types: Types) -> list[str]:
    """``void stream(first, outer, n, scratch, kept, flags, before)``: whole pairs of rows of n elements.

    ``kept`` are the offsets of the kept columns, and then those of the row; ``before`` is the number of elements of the
    run that come before. A pair that begins before the run is not written.
    """
    kept, step = PAIR // types.item - 1, PAIR // types.item
    return [
        "define internal void @stream(ptr %first, i64 %outer, i64 %n, ptr %scratch, ptr %kept, ptr %kept.flags, "
        "i64 %before) #0 {",
        "entry:",
        "  %address = ptrtoint ptr %first to i64",
        f"  %skew = and i64 %address, {PAIR - 1}",
        "  %back = sub i64 0, %skew",
        "  %rows = getelementptr i8, ptr %first, i64 %back",
        f"  %filled = udiv i64 %skew, {types.item}",
        "  %end = add i64 %n, %filled",
        f"  %unused = sub i64 {kept}, %filled",
        "  %offsets = getelementptr i32, ptr %kept, i64 %unused",
        "  %flags = getelementptr i8, ptr %kept.flags, i64 %unused",
        "  %ends = getelementptr i32, ptr %kept, i64 %n",
        "  %is.cut = icmp ult i64 %before, %filled",
        f"  %start = select i1 %is.cut, i64 {step}, i64 0",
        "  br label %test",
        "test:",
        "  %j.here = phi i64 [%start, %entry], [%j.next, %tile.end]",
        # no instruction, but LLVM does not see the addresses of all rows as one problem, which takes it long to solve
        '  %j = call i64 asm "", "=r,0"(i64 %j.here)',
        f"  %j.next = add i64 %j.here, {step}",
        "  %more = icmp ule i64 %j.next, %end",
        "  br i1 %more, label %tiles, label %keep",
        "tiles:",
        *unpacked_tiles(types, f"align {types.bytes}, !nontemporal !0", PAIR // types.bytes),
        "  br label %test",
        # the last columns, for the next block
        "keep:",
        "  %k = phi i64 [0, %test], [%k.next, %keep]",
        *vector_at("%from", "%ends", "%k"),
        f"  %column = load {types.narrow}, ptr %from, align {types.bytes}",
        *vector_at("%to", "%kept", "%k"),
        f"  store {types.narrow} %column, ptr %to, align {types.bytes}",
        "  %k.next = add i64 %k, 1",
        f"  %k.more = icmp ult i64 %k.next, {kept}",
        "  br i1 %k.more, label %keep, label %done",
        "done:",
        "  ret void",
        "}",
    ]
