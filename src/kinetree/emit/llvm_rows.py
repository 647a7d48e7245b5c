"""Moving rows of arrays to vectors of lanes and back, in LLVM IR.

A block is ``lanes`` states. `pack` turns n elements of each of its rows into n vectors, `unpack` does the reverse.
Where the elements of a row are contiguous, whole tiles are transposed in registers; the last columns and the last rows
use masks. Other strides go element by element. In a block with fewer states the missing ones repeat the last and are
not written: nothing outside the arrays is touched.

A large result is transposed in scratch memory first (`transpose`) and then copied row by row (`write`), since caches
don't bear stores to many rows at once. `spread` puts constants into all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit.llvm import Types


def functions(types: Types) -> Iterator[str]:
    """The functions and what they need."""
    t, v, b = types.narrow, types.suffix, types.boolean
    yield f"declare {t} @llvm.masked.load.{v}.p0(ptr, i32, {b}, {t})"
    yield f"declare void @llvm.masked.store.{v}.p0({t}, ptr, i32, {b})"
    yield "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    yield _move("pack", types)
    yield _move("unpack", types)
    yield _transpose(types)
    yield _WRITE
    yield _spread(types)


def _move(name: str, types: Types) -> str:
    packing, lanes = name == "pack", types.lanes
    out = [
        f"define internal void @{name}(ptr %rows, i64 %outer, i64 %inner, i64 %n, ptr %vectors, i64 %lanes) #0 {{",
        "entry:",
        f"  %contiguous = icmp eq i64 %inner, {types.item}",
        "  br i1 %contiguous, label %start, label %element",
        "start:",
        f"  %whole.rows = icmp eq i64 %lanes, {lanes}",
        f"  %whole.columns = and i64 %n, {-lanes}",
        "  %whole = select i1 %whole.rows, i64 %whole.columns, i64 0",
        "  %any.whole = icmp ne i64 %whole, 0",
        "  br i1 %any.whole, label %tile, label %rest",
        *_tile("tile", packing, types, "%start", "0", "%whole", masked=False, then="rest"),
        "rest:",
        "  %any.rest = icmp ult i64 %whole, %n",
        "  br i1 %any.rest, label %edge, label %done",
        *_tile("edge", packing, types, "%rest", "%whole", "%n", masked=True, then="done"),
        *_elements(packing, types),
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(out)


def _tile(
    label: str, packing: bool, types: Types, before: str, first: str, end: str, *, masked: bool, then: str
) -> Iterator[str]:
    """A loop over tiles of lanes x lanes elements."""
    lanes, x = types.lanes, f"%{label}"
    yield f"{label}:"
    yield f"  {x}.j = phi i64 [{first}, {before}], [{x}.next, {x}]"
    yield f"  {x}.offset = mul i64 {x}.j, {types.item}"
    yield f"  {x}.row.0 = getelementptr i8, ptr %rows, i64 {x}.offset"
    for r in range(1, lanes):
        step = "%outer"
        if masked:  # rows beyond the last repeat it
            step = f"{x}.step.{r}"
            yield f"  {x}.there.{r} = icmp ult i64 {r}, %lanes"
            yield f"  {step} = select i1 {x}.there.{r}, i64 %outer, i64 0"
        yield f"  {x}.row.{r} = getelementptr i8, ptr {x}.row.{r - 1}, i64 {step}"
    if masked:
        yield f"  {x}.left = sub i64 %n, {x}.j"
        yield from _mask(f"{x}.mask", f"{x}.left", lanes)
    yield f"  {x}.slots = mul i64 {x}.j, {types.bytes}"
    yield f"  {x}.slot.0 = getelementptr i8, ptr %vectors, i64 {x}.slots"
    for c in range(1, lanes):
        yield f"  {x}.slot.{c} = getelementptr i8, ptr {x}.slot.0, i64 {c * types.bytes}"
    for r in range(lanes):
        yield f"  {x}.in.{r} = " + (_load_row(x, r, types, masked) if packing else _load_slot(x, r, types))
    shuffles, names = _transposed([f"{x}.in.{r}" for r in range(lanes)], x, types)
    yield from shuffles
    for r, name in enumerate(names):
        yield from [_store_slot(x, r, name, types)] if packing else _store_row(x, r, name, types, masked)
    yield f"  {x}.next = add i64 {x}.j, {lanes}"
    yield f"  {x}.more = icmp ult i64 {x}.next, {end}"
    yield f"  br i1 {x}.more, label {x}, label %{then}"


def _mask(name: str, count: str, lanes: int) -> Iterator[str]:
    """A mask of the first so many lanes."""
    v = f"<{lanes} x i64>"
    yield f"  {name}.0 = insertelement {v} poison, i64 {count}, i32 0"
    yield f"  {name}.v = shufflevector {v} {name}.0, {v} poison, <{lanes} x i32> zeroinitializer"
    yield f"  {name} = icmp ult {v} <{', '.join(f'i64 {k}' for k in range(lanes))}>, {name}.v"


def _load_row(x: str, r: int, types: Types, masked: bool) -> str:
    t, v, b = types.narrow, types.suffix, types.boolean
    if not masked:
        return f"load {t}, ptr {x}.row.{r}, align 1"
    return f"call {t} @llvm.masked.load.{v}.p0(ptr {x}.row.{r}, i32 1, {b} {x}.mask, {t} zeroinitializer)"


def _load_slot(x: str, r: int, types: Types) -> str:
    return f"load {types.narrow}, ptr {x}.slot.{r}, align {types.bytes}"


def _store_slot(x: str, r: int, name: str, types: Types) -> str:
    return f"  store {types.narrow} {name}, ptr {x}.slot.{r}, align {types.bytes}"


def _store_row(x: str, r: int, name: str, types: Types, masked: bool) -> Iterator[str]:
    t, v, b = types.narrow, types.suffix, types.boolean
    if not masked:
        yield f"  store {t} {name}, ptr {x}.row.{r}, align 1"
        return
    mask = f"{x}.mask"
    if r:
        mask = f"{x}.keep.{r}"
        yield f"  {mask} = select i1 {x}.there.{r}, {b} {x}.mask, {b} zeroinitializer"
    yield f"  call void @llvm.masked.store.{v}.p0({t} {name}, ptr {x}.row.{r}, i32 1, {b} {mask})"


def _transposed(names: list[str], x: str, types: Types) -> tuple[list[str], list[str]]:
    """Swap blocks of 1, 2, 4, ... elements between pairs of vectors."""
    lanes, t = types.lanes, types.narrow
    lines: list[str] = []
    block = 1
    while block < lanes:
        swapped = list(names)
        low = [k if not k & block else lanes + (k ^ block) for k in range(lanes)]
        high = [k ^ block if not k & block else lanes + k for k in range(lanes)]
        for i in (i for i in range(lanes) if not i & block):
            for row, picks in ((i, low), (i + block, high)):
                pattern = ", ".join(f"i32 {k}" for k in picks)
                swapped[row] = f"{x}.t.{block}.{row}"
                lines.append(
                    f"  {swapped[row]} = shufflevector {t} {names[i]}, {t} {names[i + block]}, "
                    f"<{lanes} x i32> <{pattern}>"
                )
        names, block = swapped, 2 * block
    return lines, names


def _elements(packing: bool, types: Types) -> Iterator[str]:
    """Any strides: element by element."""
    source, target = ("%cell", "%place") if packing else ("%place", "%cell")
    yield from [
        "element:",
        "  %k = phi i64 [0, %entry], [%k.next, %element.end]",
        "  %k.offset = mul i64 %k, %inner",
        "  %k.row = getelementptr i8, ptr %rows, i64 %k.offset",
        f"  %k.vector = mul i64 %k, {types.bytes}",
        "  %k.slot = getelementptr i8, ptr %vectors, i64 %k.vector",
        "  %last = sub i64 %lanes, 1",
        "  br label %lane",
        "lane:",
        "  %l = phi i64 [0, %element], [%l.next, %lane]",
        "  %beyond = icmp ugt i64 %l, %last",
        "  %state = select i1 %beyond, i64 %last, i64 %l",
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


def _transpose(types: Types) -> str:
    """Turn tiles of vectors into rows that are ``stride`` bytes apart."""
    lanes, t = types.lanes, types.narrow
    out = [
        "define internal void @transpose(ptr %vectors, i64 %tiles, ptr %rows, i64 %stride) #0 {",
        "entry:",
        "  br label %loop",
        "loop:",
        "  %k = phi i64 [0, %entry], [%k.next, %loop]",
        f"  %from.offset = mul i64 %k, {lanes * types.bytes}",
        "  %from.0 = getelementptr i8, ptr %vectors, i64 %from.offset",
        f"  %to.offset = mul i64 %k, {types.bytes}",
        "  %to.0 = getelementptr i8, ptr %rows, i64 %to.offset",
    ]
    for r in range(lanes):
        if r:
            out.append(f"  %from.{r} = getelementptr i8, ptr %from.0, i64 {r * types.bytes}")
            out.append(f"  %to.{r} = getelementptr i8, ptr %to.{r - 1}, i64 %stride")
        out.append(f"  %in.{r} = load {t}, ptr %from.{r}, align {types.bytes}")
    shuffles, names = _transposed([f"%in.{r}" for r in range(lanes)], "%x", types)
    out += shuffles
    out += [f"  store {t} {name}, ptr %to.{r}, align {types.bytes}" for r, name in enumerate(names)]
    out += [
        "  %k.next = add i64 %k, 1",
        "  %more = icmp ult i64 %k.next, %tiles",
        "  br i1 %more, label %loop, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(out)


_WRITE = """define internal void @write(ptr %rows, i64 %outer, i64 %size, ptr %turned, i64 %stride, i64 %lanes) #0 {
entry:
  br label %row
row:
  %r = phi i64 [0, %entry], [%r.next, %row]
  %to = phi ptr [%rows, %entry], [%to.next, %row]
  %from = phi ptr [%turned, %entry], [%from.next, %row]
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
  %to.next = getelementptr i8, ptr %to, i64 %outer
  %from.next = getelementptr i8, ptr %from, i64 %stride
  %r.next = add i64 %r, 1
  %more = icmp ult i64 %r.next, %lanes
  br i1 %more, label %row, label %done
done:
  ret void
}"""


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
