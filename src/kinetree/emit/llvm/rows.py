"""Moving rows of arrays to vectors of lanes and back, in LLVM IR.

A block is ``lanes`` states. `pack` turns n elements of each of its rows into n vectors, one after the other; `unpack`
does the reverse, with vectors whose offsets in scratch memory are in a table. Where the elements of a
row are contiguous, whole tiles are transposed in registers (`tiles`); the first may overlap the second, and the
last the one before. Rows shorter than a tile and blocks with fewer states use masks: the missing states repeat the last
and are not written, and nothing outside the arrays is touched. Other strides go element by element.

`unpack` writes whole lines of the cache where it can, and tiles of one and the same constant without transposing them.
`spread` puts constants into all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.llvm import tiles
from kinetree.emit.llvm.layout import Types

DECLARATIONS = """\
declare void @pack(ptr, i64, i64, i64, i64, ptr)
declare void @unpack(ptr, i64, i64, i64, i64, ptr, ptr, ptr)
declare void @spread(ptr, i64, ptr)"""


def functions(types: Types) -> Iterator[str]:
    """The functions and what they need."""
    t, v, b = types.narrow, types.suffix, types.boolean
    yield f"declare {t} @llvm.masked.load.{v}.p0(ptr, i32, {b}, {t})"
    yield "declare i64 @llvm.umin.i64(i64, i64)"
    yield f"declare void @llvm.masked.store.{v}.p0({t}, ptr, i32, {b})"
    for name in ("pack", "unpack"):
        yield from _edge(name, types)
        yield from _move(name, types)
    yield from _spread(types)


def _move(name: str, types: Types) -> list[str]:
    """Move n elements of each row; unpack also gets a flag for each element at which a constant tile begins."""
    packing, lanes, item = name == "pack", types.lanes, types.item
    more = "ptr %vectors" if packing else "ptr %scratch, ptr %offsets, ptr %flags"
    edge = "ptr %e.vectors" if packing else "ptr %scratch, ptr %e.offsets"
    return [
        f"define hidden void @{name}(ptr %rows, i64 %outer, i64 %inner, i64 %n, i64 %lanes, {more}) #0 {{",
        "entry:",
        f"  %contiguous = icmp eq i64 %inner, {item}",
        "  br i1 %contiguous, label %start, label %element",
        "start:",
        # a few columns first, so that whole tiles begin where lines of the cache do
        "  %address = ptrtoint ptr %rows to i64",
        "  %below = sub i64 0, %address",
        f"  %skew = and i64 %below, {types.bytes - 1}",
        f"  %head = udiv i64 %skew, {item}",
        "  %is.skew = icmp ne i64 %head, 0",
        f"  %is.long = icmp ugt i64 %n, {4 * lanes}",
        "  %may.align = and i1 %is.skew, %is.long",
        f"  %step = select i1 %may.align, i64 %head, i64 {lanes}",
        f"  %last = sub i64 %n, {lanes}",
        f"  %is.wide = icmp uge i64 %n, {lanes}",
        f"  %is.whole = icmp eq i64 %lanes, {lanes}",
        "  %any = and i1 %is.wide, %is.whole",
        "  br i1 %any, label %tile, label %edge",
        *_tiles(packing, types),
        "edge:",
        "  %e = phi i64 [0, %start], [%e.next, %edge]",
        f"  %e.offset = mul i64 %e, {item}",
        "  %e.rows = getelementptr i8, ptr %rows, i64 %e.offset",
        f"  %e.vectors = getelementptr {types.narrow}, ptr %vectors, i64 %e"
        if packing
        else "  %e.offsets = getelementptr i32, ptr %offsets, i64 %e",
        "  %e.left = sub i64 %n, %e",
        f"  call void @{name}_edge(ptr %e.rows, i64 %outer, i64 %e.left, i64 %lanes, {edge})",
        f"  %e.next = add i64 %e, {lanes}",
        "  %e.more = icmp ult i64 %e.next, %n",
        "  br i1 %e.more, label %edge, label %done",
        *_elements(packing, types),
        "done:",
        "  ret void",
        "}",
    ]


def _tiles(packing: bool, types: Types) -> Iterator[str]:
    """The loop over whole tiles, of which the first and the last two may overlap."""
    lanes, t = types.lanes, types.narrow
    end = "tile" if packing else "tile.end"
    yield "tile:"
    yield f"  %j = phi i64 [0, %start], [%j.next, %{end}]"
    yield f"  %by = phi i64 [%step, %start], [{lanes}, %{end}]"
    if packing:
        yield f"  %offset = mul i64 %j, {types.item}"
        yield from tiles.rows(lanes)
        yield f"  %slots = getelementptr {t}, ptr %vectors, i64 %j"
        yield from tiles.consecutive_vectors("%slots", types)
        names = yield from tiles.transposed_from_memory("%row", 1, types)
        yield from (f"  store {t} {name}, ptr %slot.{r}, align {types.bytes}" for r, name in enumerate(names))
    else:
        yield from tiles.unpacked_tiles(types, "align 1")
    yield "  %j.after = add i64 %j, %by"
    yield "  %j.next = call i64 @llvm.umin.i64(i64 %j.after, i64 %last)"
    yield "  %more = icmp ult i64 %j, %last"
    yield "  br i1 %more, label %tile, label %done"


def _edge(name: str, types: Types) -> Iterator[str]:
    """Move one tile with fewer columns or rows."""
    packing, lanes, t, v, b = name == "pack", types.lanes, types.narrow, types.suffix, types.boolean
    i, more = f"<{lanes} x i64>", "ptr %vectors" if packing else "ptr %scratch, ptr %offsets"
    yield f"define internal void @{name}_edge(ptr %row.0, i64 %outer, i64 %count, i64 %lanes, {more}) #0 {{"
    yield f"  %mask.0 = insertelement {i} poison, i64 %count, i32 0"
    yield f"  %mask.v = shufflevector {i} %mask.0, {i} poison, <{lanes} x i32> zeroinitializer"
    yield f"  %mask = icmp ult {i} <{', '.join(f'i64 {k}' for k in range(lanes))}>, %mask.v"
    yield from tiles.consecutive_vectors("%vectors", types) if packing else tiles.vectors_at("%offsets", types)
    for r in range(1, lanes):  # rows beyond the last repeat it
        yield f"  %there.{r} = icmp ult i64 {r}, %lanes"
        yield f"  %step.{r} = select i1 %there.{r}, i64 %outer, i64 0"
        yield f"  %row.{r} = getelementptr i8, ptr %row.{r - 1}, i64 %step.{r}"
    for r in range(lanes):
        masked = f"call {t} @llvm.masked.load.{v}.p0(ptr %row.{r}, i32 1, {b} %mask, {t} zeroinitializer)"
        yield f"  %in.{r} = " + (masked if packing else f"load {t}, ptr %slot.{r}, align {types.bytes}")
    names = yield from tiles.transposed([f"%in.{r}" for r in range(lanes)], "%t", types, lanes)
    for r, value in enumerate(names):
        if packing:
            yield f"  store {t} {value}, ptr %slot.{r}, align {types.bytes}"
            continue
        if r:
            yield f"  %keep.{r} = select i1 %there.{r}, {b} %mask, {b} zeroinitializer"
        kept = f"%keep.{r}" if r else "%mask"
        yield f"  call void @llvm.masked.store.{v}.p0({t} {value}, ptr %row.{r}, i32 1, {b} {kept})"
    yield "  ret void"
    yield "}"


def _elements(packing: bool, types: Types) -> list[str]:
    """Any strides: element by element."""
    source, target = ("%cell", "%lane.slot") if packing else ("%lane.slot", "%cell")
    vector = [f"  %k.slot = getelementptr {types.narrow}, ptr %vectors, i64 %k"]
    return [
        "element:",
        "  %k = phi i64 [0, %entry], [%k.next, %element.end]",
        "  %k.offset = mul i64 %k, %inner",
        "  %k.row = getelementptr i8, ptr %rows, i64 %k.offset",
        *(vector if packing else tiles.vector_at("%k.slot", "%offsets", "%k")),
        "  %l.last = sub i64 %lanes, 1",
        "  br label %lane",
        "lane:",
        "  %l = phi i64 [0, %element], [%l.next, %lane]",
        "  %beyond = icmp ugt i64 %l, %l.last",
        "  %state = select i1 %beyond, i64 %l.last, i64 %l",
        "  %state.offset = mul i64 %state, %outer",
        "  %cell = getelementptr i8, ptr %k.row, i64 %state.offset",
        f"  %l.offset = mul i64 %l, {types.item}",
        "  %lane.slot = getelementptr i8, ptr %k.slot, i64 %l.offset",
        f"  %value = load {types.element}, ptr {source}, align 1",
        f"  store {types.element} %value, ptr {target}, align 1",
        "  %l.next = add i64 %l, 1",
        f"  %l.more = icmp ult i64 %l.next, {types.lanes if packing else '%lanes'}",
        "  br i1 %l.more, label %lane, label %element.end",
        "element.end:",
        "  %k.next = add i64 %k, 1",
        "  %k.more = icmp ult i64 %k.next, %n",
        "  br i1 %k.more, label %element, label %done",
    ]


def _spread(types: Types) -> list[str]:
    """Put each of n constants into all lanes of its vector."""
    t = types.narrow
    return [
        "define hidden void @spread(ptr %numbers, i64 %n, ptr %vectors) #0 {",
        "entry:",
        "  br label %loop",
        "loop:",
        "  %k = phi i64 [0, %entry], [%k.next, %loop]",
        f"  %from = getelementptr {types.element}, ptr %numbers, i64 %k",
        f"  %x = load {types.element}, ptr %from",
        f"  %x.0 = insertelement {t} poison, {types.element} %x, i32 0",
        f"  %x.v = shufflevector {t} %x.0, {t} poison, <{types.lanes} x i32> zeroinitializer",
        f"  %to = getelementptr {t}, ptr %vectors, i64 %k",
        f"  store {t} %x.v, ptr %to, align {types.bytes}",
        "  %k.next = add i64 %k, 1",
        "  %more = icmp ult i64 %k.next, %n",
        "  br i1 %more, label %loop, label %done",
        "done:",
        "  ret void",
        "}",
    ]
