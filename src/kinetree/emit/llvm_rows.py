"""Moving rows of arrays to vectors of lanes and back, in LLVM IR.

A block is ``lanes`` states. `pack` turns n elements of each of its rows into n vectors, one after the other; `unpack`
does the reverse, with vectors that stand wherever a table of places in scratch memory [bytes] says. Where the elements of a row are contiguous, whole tiles of lanes x lanes elements are transposed in registers; the
first and last columns and the last rows use masks. Other strides go element by element. In a block with fewer states
the missing ones repeat the last and are not written: nothing outside the arrays is touched.

`unpack` writes whole lines of the cache where it can, and tiles of nothing but constants without transposing them.
`spread` puts constants into all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.llvm import Types


def functions(types: Types) -> Iterator[str]:
    """The functions and what they need."""
    t, v, b = types.narrow, types.suffix, types.boolean
    yield f"declare {t} @llvm.masked.load.{v}.p0(ptr, i32, {b}, {t})"
    yield "declare i64 @llvm.umin.i64(i64, i64)"
    yield f"declare void @llvm.masked.store.{v}.p0({t}, ptr, i32, {b})"
    for name in ("pack", "unpack"):
        yield _edge(name, types)
        yield _move(name, types)
    yield _spread(types)


def _move(name: str, types: Types) -> str:
    """Move n elements of each row; unpack also gets a flag for each element at which a constant tile begins."""
    packing, lanes, item = name == "pack", types.lanes, types.item
    more = "ptr %vectors" if packing else "ptr %scratch, ptr %places, ptr %flags, ptr %numbers"
    source = "ptr %vectors" if packing else "ptr %scratch, ptr %places"
    out = [
        f"define internal void @{name}(ptr %rows, i64 %outer, i64 %inner, i64 %n, i64 %lanes, {more}) #0 {{",
        "entry:",
        f"  %contiguous = icmp eq i64 %inner, {item}",
        "  br i1 %contiguous, label %start, label %element",
        "start:",
        # a few columns first, so that whole tiles begin where lines of the cache do
        "  %address = ptrtoint ptr %rows to i64",
        "  %below = sub i64 0, %address",
        f"  %skew = and i64 %below, {types.bytes - 1}",
        f"  %columns = udiv i64 %skew, {item}",
        "  %is.skew = icmp ne i64 %columns, 0",
        f"  %is.long = icmp ugt i64 %n, {4 * lanes}",
        "  %may.align = and i1 %is.skew, %is.long",
        f"  %step = select i1 %may.align, i64 %columns, i64 {lanes}",
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
        else "  %e.places = getelementptr i32, ptr %places, i64 %e",
        "  %e.left = sub i64 %n, %e",
        f"  call void @{name}_edge(ptr %e.rows, i64 %outer, i64 %e.left, i64 %lanes, "
        + source.replace("%vectors", "%e.vectors").replace("%places", "%e.places")
        + ")",
        f"  %e.next = add i64 %e, {lanes}",
        "  %e.more = icmp ult i64 %e.next, %n",
        "  br i1 %e.more, label %edge, label %done",
        *_elements(packing, types),
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(out)


def _tiles(packing: bool, types: Types) -> Iterator[str]:
    """The loop over whole tiles, of which the first and the last two may overlap."""
    lanes, t = types.lanes, types.narrow
    end = "tile" if packing else "tile.end"
    yield "tile:"
    yield f"  %j = phi i64 [0, %start], [%j.next, %{end}]"
    yield f"  %by = phi i64 [%step, %start], [{lanes}, %{end}]"
    yield f"  %offset = mul i64 %j, {types.item}"
    yield "  %row.0 = getelementptr i8, ptr %rows, i64 %offset"
    for r in range(1, lanes):
        yield f"  %row.{r} = getelementptr i8, ptr %row.{r - 1}, i64 %outer"
    if packing:
        yield f"  %slots = getelementptr {t}, ptr %vectors, i64 %j"
        yield from _in_a_row("%slots", types)
        lines, names = _transposed_from_memory("row", 1, types)
        yield from lines
        yield from (f"  store {t} {name}, ptr %slot.{r}, align {types.bytes}" for r, name in enumerate(names))
    else:
        yield "  %flag.p = getelementptr i8, ptr %flags, i64 %j"
        yield "  %flag = load i8, ptr %flag.p"
        yield "  %is.constant = icmp ne i8 %flag, 0"
        yield "  br i1 %is.constant, label %constant, label %computed"
        yield "constant:"
        yield "  %numbers.p = getelementptr i8, ptr %numbers, i64 %offset"
        yield f"  %same = load {t}, ptr %numbers.p, align 1"
        yield from (f"  store {t} %same, ptr %row.{r}, align 1" for r in range(lanes))
        yield "  br label %tile.end"
        yield "computed:"
        yield "  %slots = getelementptr i32, ptr %places, i64 %j"
        yield from _in_places("%slots", types)
        lines, names = _transposed_from_memory("slot", types.bytes // 2, types)
        yield from lines
        yield from (f"  store {t} {name}, ptr %row.{r}, align 1" for r, name in enumerate(names))
        yield "  br label %tile.end"
        yield "tile.end:"
    yield "  %j.after = add i64 %j, %by"
    yield "  %j.next = call i64 @llvm.umin.i64(i64 %j.after, i64 %last)"
    yield "  %more = icmp ult i64 %j, %last"
    yield "  br i1 %more, label %tile, label %done"


def _in_a_row(first: str, types: Types) -> Iterator[str]:
    """%slot.0, %slot.1, ...: vectors one after the other."""
    return (f"  %slot.{c} = getelementptr {types.narrow}, ptr {first}, i64 {c}" for c in range(types.lanes))


def _in_places(first: str, types: Types) -> Iterator[str]:
    """%slot.0, %slot.1, ...: vectors at the places of a table, from one of its entries on."""
    for c in range(types.lanes):
        yield f"  %place.p.{c} = getelementptr i32, ptr {first}, i64 {c}"
        yield f"  %place.i.{c} = load i32, ptr %place.p.{c}"
        yield f"  %place.{c} = zext i32 %place.i.{c} to i64"
        yield f"  %slot.{c} = getelementptr i8, ptr %scratch, i64 %place.{c}"


def _transposed_from_memory(source: str, align: int, types: Types) -> tuple[list[str], list[str]]:
    """A tile in memory, transposed: the lines and the names. Halves of vectors are exchanged by crosswise loads."""
    lanes, half = types.lanes, types.lanes // 2
    h = f"<{half} x {types.element}>"
    both = ", ".join(f"i32 {k}" for k in range(lanes))
    loads = []
    for target in range(lanes):
        row, offset = target % half, target // half * half * types.item
        for k in (0, 1):
            name = f"%half.{target}.{k}"
            loads.append(f"  {name}.p = getelementptr i8, ptr %{source}.{row + k * half}, i64 {offset}")
            loads.append(f"  {name} = load {h}, ptr {name}.p, align {align}")
        pair = f"{h} %half.{target}.0, {h} %half.{target}.1"
        loads.append(f"  %in.{target} = shufflevector {pair}, <{lanes} x i32> <{both}>")
    lines, names = _transposed([f"%in.{r}" for r in range(lanes)], "%t", types, half)
    return loads + lines, names


def _edge(name: str, types: Types) -> str:
    """Move one tile with fewer columns or rows."""
    packing, lanes, t, v, b = name == "pack", types.lanes, types.narrow, types.suffix, types.boolean
    more = "ptr %vectors" if packing else "ptr %scratch, ptr %places"
    out = [
        f"define internal void @{name}_edge(ptr %row.0, i64 %outer, i64 %count, i64 %lanes, {more}) #0 {{",
        *_mask("%mask", "%count", lanes),
        *(_in_a_row("%vectors", types) if packing else _in_places("%places", types)),
    ]
    for r in range(1, lanes):  # rows beyond the last repeat it
        out += [
            f"  %there.{r} = icmp ult i64 {r}, %lanes",
            f"  %step.{r} = select i1 %there.{r}, i64 %outer, i64 0",
            f"  %row.{r} = getelementptr i8, ptr %row.{r - 1}, i64 %step.{r}",
        ]
    for r in range(lanes):
        masked = f"call {t} @llvm.masked.load.{v}.p0(ptr %row.{r}, i32 1, {b} %mask, {t} zeroinitializer)"
        out.append(f"  %in.{r} = " + (masked if packing else f"load {t}, ptr %slot.{r}, align {types.bytes}"))
    lines, names = _transposed([f"%in.{r}" for r in range(lanes)], "%t", types, lanes)
    out += lines
    for r, value in enumerate(names):
        if packing:
            out.append(f"  store {t} {value}, ptr %slot.{r}, align {types.bytes}")
        else:
            if r:
                out.append(f"  %keep.{r} = select i1 %there.{r}, {b} %mask, {b} zeroinitializer")
            mask = f"%keep.{r}" if r else "%mask"
            out.append(f"  call void @llvm.masked.store.{v}.p0({t} {value}, ptr %row.{r}, i32 1, {b} {mask})")
    return "\n".join([*out, "  ret void", "}"])


def _mask(name: str, count: str, lanes: int) -> Iterator[str]:
    """A mask of the first so many lanes."""
    v = f"<{lanes} x i64>"
    yield f"  {name}.0 = insertelement {v} poison, i64 {count}, i32 0"
    yield f"  {name}.v = shufflevector {v} {name}.0, {v} poison, <{lanes} x i32> zeroinitializer"
    yield f"  {name} = icmp ult {v} <{', '.join(f'i64 {k}' for k in range(lanes))}>, {name}.v"


def _transposed(names: list[str], x: str, types: Types, end: int) -> tuple[list[str], list[str]]:
    """Swap blocks of 1, 2, 4, ... elements (less than ``end``) between pairs of vectors."""
    lanes, t = types.lanes, types.narrow
    lines: list[str] = []
    block = 1
    while block < end:
        swapped = list(names)
        low = [k if not k & block else lanes + (k ^ block) for k in range(lanes)]
        high = [k ^ block if not k & block else lanes + k for k in range(lanes)]
        for i in (i for i in range(lanes) if not i & block):
            for row, picks in ((i, low), (i + block, high)):
                pattern = ", ".join(f"i32 {k}" for k in picks)
                swapped[row] = f"{x}.{block}.{row}"
                lines.append(
                    f"  {swapped[row]} = shufflevector {t} {names[i]}, {t} {names[i + block]}, "
                    f"<{lanes} x i32> <{pattern}>"
                )
        names, block = swapped, 2 * block
    return lines, names


def _elements(packing: bool, types: Types) -> Iterator[str]:
    """Any strides: element by element."""
    source, target = ("%cell", "%place") if packing else ("%place", "%cell")
    slot = [f"  %k.slot = getelementptr {types.narrow}, ptr %vectors, i64 %k"]
    if not packing:
        slot = [
            "  %k.place.p = getelementptr i32, ptr %places, i64 %k",
            "  %k.place.i = load i32, ptr %k.place.p",
            "  %k.place = zext i32 %k.place.i to i64",
            "  %k.slot = getelementptr i8, ptr %scratch, i64 %k.place",
        ]
    yield from [
        "element:",
        "  %k = phi i64 [0, %entry], [%k.next, %element.end]",
        "  %k.offset = mul i64 %k, %inner",
        "  %k.row = getelementptr i8, ptr %rows, i64 %k.offset",
        *slot,
        "  %l.last = sub i64 %lanes, 1",
        "  br label %lane",
        "lane:",
        "  %l = phi i64 [0, %element], [%l.next, %lane]",
        "  %beyond = icmp ugt i64 %l, %l.last",
        "  %state = select i1 %beyond, i64 %l.last, i64 %l",
        "  %state.offset = mul i64 %state, %outer",
        "  %cell = getelementptr i8, ptr %k.row, i64 %state.offset",
        f"  %l.offset = mul i64 %l, {types.item}",
        "  %place = getelementptr i8, ptr %k.slot, i64 %l.offset",
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


def _spread(types: Types) -> str:
    """Put each of n constants into all lanes of its vector."""
    t = types.narrow
    return "\n".join(
        [
            "define internal void @spread(ptr %numbers, i64 %n, ptr %vectors) #0 {",
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
    )
