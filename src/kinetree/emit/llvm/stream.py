"""Results that no cache holds, in LLVM IR: written past it.

A line of the cache that is written in one go need not be read before; such stores (``nontemporal``) cost memory half as
much, and another fifth less where the two lines of a pair follow each other. Usual stores among them that wait for
memory hold them up, so that lines where one state ends and the next one begins are written in one go as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.loop import Loop
from kinetree.emit.llvm.tiles import mask, skew, tiles_of_places, transposed_places
from kinetree.lower.program import Program

FAR = 24 * 1024 * 1024  # bytes of results
LINE = 64  # bytes of the cache
PAST = f"align {LINE}, !nontemporal !0"


def applies(program: Program, types: Types, triple: str) -> bool:
    """Tiles as wide as a line, and results that are whole tiles and large enough to be worth it."""
    sizes = [result.size for result in program.results]
    whole = all(size % types.lanes == 0 for size in sizes)
    return whole and types.bytes == LINE and sum(sizes) >= LINE * types.lanes and triple.startswith("x86_64")


class Stream(Loop):
    """The loop with another way to write large contiguous results.

    Scratch memory has a vector more for each result, with the end of the state before a block.
    """

    def slots(self) -> int:
        return super().slots() + len(self.outputs)

    def text(self) -> Iterator[str]:
        yield "declare void @llvm.x86.sse.sfence()"
        yield "!0 = !{i32 1}"
        yield from (_tiles(count, self.types) for count in (1, 2))
        yield from (_stream(self.types), _borders(self.types), _end(self.types))
        yield from super().text()

    def choice(self) -> Iterator[str]:
        """%far: whether the results are large and contiguous."""
        item, test = self.types.item, "%is.large"
        yield f"  %bytes = mul i64 %count, {item * sum(array.operand.size for array in self.outputs)}"
        yield f"  %is.large = icmp uge i64 %bytes, {FAR}"
        for array in self.outputs:
            k = array.number
            yield f"  %is.dense.{k} = icmp eq i64 %outer.{k}, {item * array.operand.size}"
            yield f"  %is.one.{k} = and i1 %flat.{k}, %is.dense.{k}"
            yield f"  %base.address.{k} = ptrtoint ptr %base.{k} to i64"
            yield f"  %off.{k} = and i64 %base.address.{k}, {item - 1}"
            yield f"  %is.aligned.{k} = icmp eq i64 %off.{k}, 0"
            yield f"  %fits.{k} = and i1 %is.one.{k}, %is.aligned.{k}"
            yield f"  %far.{k} = and i1 {test}, %fits.{k}"
            test = f"%far.{k}"
        yield f"  %far = and i1 {test}, true"

    def results(self) -> Iterator[str]:
        yield "  br i1 %partial, label %near, label %whole"
        yield "whole:"
        yield "  br i1 %far, label %stream, label %near"
        yield "stream:"
        yield "  %is.first = icmp eq i64 %b, 0"
        for array in self.outputs:
            k = array.number
            yield from self.rows(array, f"%far.rows.{k}")
            yield from self.end_before(k, f"%before.{k}")
            yield (
                f"  call void @stream(ptr %far.rows.{k}, i64 %outer.{k}, i64 {array.operand.size}, ptr %s, "
                f"ptr @places.{k}, ptr @flags.{k}, ptr %before.{k}, i1 %is.first)"
            )
        yield "  br label %written"
        yield "near:"
        self.label = "near"
        yield from super().results()
        yield "  br label %written"
        yield "written:"
        self.label = "written"

    def end_before(self, k: int, name: str) -> Iterator[str]:
        slot = super().slots() + k - len(self.inputs)
        yield f"  {name} = getelementptr i8, ptr %s, i64 {slot * self.types.bytes}"

    def last(self) -> Iterator[str]:
        """The end of the last state that was written so."""
        yield "  br i1 %far, label %remainder, label %all"
        yield "remainder:"
        yield f"  %streamed = and i64 %count, {-self.types.lanes}"
        for array in self.outputs:
            k = array.number
            yield from self.rows(array, f"%end.{k}", "%streamed")
            yield from self.end_before(k, f"%last.{k}")
            yield f"  call void @stream_end(ptr %end.{k}, ptr %last.{k})"
        yield "  call void @llvm.x86.sse.sfence()"
        yield "  br label %all"
        yield "all:"


def _stream(types: Types) -> str:
    """``void stream(rows, outer, n, scratch, places, flags, before, first)``: whole tiles, past the cache."""
    lines = [
        "define internal void @stream(ptr %rows, i64 %outer, i64 %n, ptr %scratch, ptr %places, ptr %flags, "
        "ptr %before, i1 %first) #0 {",
        "entry:",
        *skew("%rows", types),
        f"  %left = sub i64 {types.lanes}, %head",
        "  br i1 %is.skew, label %borders, label %tiles",
        "borders:",
        "  %end = sub i64 %n, %left",
        "  %end.places = getelementptr i32, ptr %places, i64 %end",
        "  %back = sub i64 0, %left",
        f"  %lines = getelementptr {types.element}, ptr %rows, i64 %back",
        "  call void @borders(ptr %lines, i64 %outer, i64 %left, ptr %scratch, ptr %end.places, "
        "ptr %before, i1 %first)",
        "  br label %tiles",
        "tiles:",
        f"  %pairs.skew = and i64 %below, {2 * LINE - 1}",
        f"  %pairs = udiv i64 %pairs.skew, {types.item}",
    ]
    start = "%head"
    for k, (count, end) in enumerate(((1, "%pairs"), (2, "%n"), (1, "%n"))):
        given = f"ptr %rows, i64 %outer, i64 {start}, i64 {end}, ptr %scratch, ptr %places, ptr %flags"
        start = f"%done.{k}"
        lines.append(f"  {start} = call i64 @stream_tiles.{count}({given})")
    return "\n".join([*lines, "  ret void", "}"])


def _tiles(count: int, types: Types) -> str:
    """``i64 stream_tiles``: so many tiles at a time from one element on; where there are not so many more."""
    step = count * types.lanes
    lines = [
        f"define internal i64 @stream_tiles.{count}(ptr %rows, i64 %outer, i64 %first, i64 %n, ptr %scratch, "
        "ptr %places, ptr %flags) #0 {",
        "entry:",
        "  br label %test",
        "test:",
        "  %j = phi i64 [%first, %entry], [%j.next, %tile.end]",
        f"  %j.next = add i64 %j, {step}",
        "  %more = icmp ule i64 %j.next, %n",
        "  br i1 %more, label %tiles, label %done",
        "tiles:",
        *tiles_of_places(types, PAST, count),
        "  br label %test",
        "done:",
        "  ret i64 %j",
        "}",
    ]
    return "\n".join(lines)


def _borders(types: Types) -> str:
    """``borders``: the lines in which one state ends, with ``left`` elements, and the next one begins.

    Of the first line of all, what belongs to no state is not written; the end of the last state is left in ``before``.
    """
    lanes, t, v, b = types.lanes, types.narrow, types.suffix, types.boolean
    lines, names = transposed_places("%places", types)
    out = [
        "define internal void @borders(ptr %lines, i64 %outer, i64 %left, ptr %scratch, ptr %places, ptr %before, "
        "i1 %first) #0 {",
        "entry:",
        *mask("%end", "%left", lanes),
        f"  %begin = xor {b} %end, splat (i1 true)",
        *lines,
        f"  %state.before = load {t}, ptr %before, align {LINE}",
        f"  store {t} {names[-1]}, ptr %before, align {LINE}",
    ]
    for r, (one, other) in enumerate(zip(["%state.before", *names], names)):
        out.append(f"  %line.{r} = select {b} %end, {t} {one}, {t} {other}")
    out += [
        "  br i1 %first, label %some, label %whole",
        "some:",
        f"  call void @llvm.masked.store.{v}.p0({t} %line.0, ptr %lines, i32 {LINE}, {b} %begin)",
        "  br label %others",
        "whole:",
        f"  store {t} %line.0, ptr %lines, {PAST}",
        "  br label %others",
        "others:",
    ]
    for r in range(1, lanes):
        out.append(f"  %at.{r} = getelementptr i8, ptr {f'%at.{r - 1}' if r > 1 else '%lines'}, i64 %outer")
        out.append(f"  store {t} %line.{r}, ptr %at.{r}, {PAST}")
    return "\n".join([*out, "  ret void", "}"])


def _end(types: Types) -> str:
    """``void stream_end(rows, before)``: the end of the last state, before the rows that follow."""
    t, v, b = types.narrow, types.suffix, types.boolean
    lines = [
        "define internal void @stream_end(ptr %rows, ptr %before) #0 {",
        "entry:",
        *skew("%rows", types),
        f"  %left = sub i64 {types.lanes}, %head",
        "  br i1 %is.skew, label %some, label %done",
        "some:",
        *mask("%end", "%left", types.lanes),
        f"  %line = load {t}, ptr %before, align {LINE}",
        "  %back = sub i64 0, %left",
        f"  %at = getelementptr {types.element}, ptr %rows, i64 %back",
        f"  call void @llvm.masked.store.{v}.p0({t} %line, ptr %at, i32 {LINE}, {b} %end)",
        "  br label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)
