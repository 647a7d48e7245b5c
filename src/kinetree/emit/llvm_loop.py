"""NumPy's inner loop around the parts of a program, in LLVM IR.

Per block of ``lanes`` states: `pack` turns rows of each operand into one vector per element, the parts compute, and
`unpack` turns vectors back into rows. Where the last axis is contiguous, both transpose whole tiles in registers with
masked loads and stores; other strides go element by element. In the last block the missing states repeat the last
one and are not written, so every row is computed by the same instructions wherever it stands in a batch, and
nothing outside the arrays is touched.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.emit import llvm
from kinetree.lower.program import Operand, Program

STACK = 32 * 1024  # more scratch than this many bytes comes from the heap
ENTRY = "kinetree_loop"


def module(program: Program, lanes: int, triple: str) -> str:
    """The whole module: its one public function is the inner loop of a generalized ufunc."""
    item = 4 if program.single else 8
    pieces = [
        f'target triple = "{triple}"',
        *llvm.parts(program, lanes),
        _declarations(program.single, lanes),
        _move("pack", program.single, lanes, item),
        _move("unpack", program.single, lanes, item),
        _loop(program, lanes, item),
        f'attributes #0 = {{ nounwind "min-legal-vector-width"="{8 * item * lanes}" '
        f'"prefer-vector-width"="{8 * item * lanes}" "no-trapping-math"="true" }}',
    ]
    return "\n".join(pieces)


def _declarations(single: bool, lanes: int) -> str:
    types = llvm.Types(single, lanes)
    t, v, b = types.narrow, types.suffix, types.boolean
    return "\n".join(
        [
            f"declare {t} @llvm.masked.load.{v}.p0(ptr, i32, {b}, {t})",
            f"declare void @llvm.masked.store.{v}.p0({t}, ptr, i32, {b})",
            "declare ptr @PyMem_RawMalloc(i64)",
            "declare void @PyMem_RawFree(ptr)",
            "declare void @llvm.trap()",
        ]
    )


def _move(name: str, single: bool, lanes: int, item: int) -> str:
    """A function that moves n elements of each of a block's rows to vectors, or back."""
    packing = name == "pack"
    types = llvm.Types(single, lanes)
    iota = ", ".join(f"i64 {k}" for k in range(lanes))
    out = [
        f"define internal void @{name}(ptr %rows, i64 %outer, i64 %inner, i64 %n, ptr %vectors, i64 %lanes) #0 {{",
        "entry:",
        f"  %contiguous = icmp eq i64 %inner, {item}",
        "  br i1 %contiguous, label %tile, label %element",
        "tile:",
        "  %j = phi i64 [0, %entry], [%j.next, %tile]",
        "  %left = sub i64 %n, %j",
        f"  %left.0 = insertelement <{lanes} x i64> poison, i64 %left, i32 0",
        f"  %left.v = shufflevector <{lanes} x i64> %left.0, <{lanes} x i64> poison, <{lanes} x i32> zeroinitializer",
        f"  %mask = icmp ult <{lanes} x i64> <{iota}>, %left.v",
        f"  %offset = mul i64 %j, {item}",
        "  %row.0 = getelementptr i8, ptr %rows, i64 %offset",
    ]
    for r in range(1, lanes):  # the rows beyond the last repeat it
        out += [
            f"  %there.{r} = icmp ult i64 {r}, %lanes",
            f"  %step.{r} = select i1 %there.{r}, i64 %outer, i64 0",
            f"  %row.{r} = getelementptr i8, ptr %row.{r - 1}, i64 %step.{r}",
        ]
    out += [
        f"  %slot.offset = mul i64 %j, {types.bytes}",
        "  %slot.0 = getelementptr i8, ptr %vectors, i64 %slot.offset",
        *(f"  %slot.{c} = getelementptr i8, ptr %slot.0, i64 {c * types.bytes}" for c in range(1, lanes)),
    ]
    out += _tile_in(packing, types, lanes)
    names = _transpose(out, types, lanes)
    out += _tile_out(packing, types, lanes, names)
    out += [
        f"  %j.next = add i64 %j, {lanes}",
        "  %more = icmp ult i64 %j.next, %n",
        "  br i1 %more, label %tile, label %done",
        *_elementwise(packing, types, lanes),
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(out)


def _tile_in(packing: bool, types: llvm.Types, lanes: int) -> Iterator[str]:
    t, v, b = types.narrow, types.suffix, types.boolean
    for r in range(lanes):
        if packing:
            load = f"call {t} @llvm.masked.load.{v}.p0(ptr %row.{r}, i32 1, {b} %mask, {t} zeroinitializer)"
            yield f"  %in.{r} = {load}"
        else:
            yield f"  %in.{r} = load {t}, ptr %slot.{r}, align {types.bytes}"


def _tile_out(packing: bool, types: llvm.Types, lanes: int, names: list[str]) -> Iterator[str]:
    t, v, b = types.narrow, types.suffix, types.boolean
    for r, name in enumerate(names):
        if packing:
            yield f"  store {t} {name}, ptr %slot.{r}, align {types.bytes}"
            continue
        if r:
            yield f"  %keep.{r} = select i1 %there.{r}, {b} %mask, {b} zeroinitializer"
        mask = f"%keep.{r}" if r else "%mask"
        yield f"  call void @llvm.masked.store.{v}.p0({t} {name}, ptr %row.{r}, i32 1, {b} {mask})"


def _transpose(out: list[str], types: llvm.Types, lanes: int) -> list[str]:
    """Swap blocks of 1, 2, 4, ... elements between pairs of vectors."""
    t, names = types.narrow, [f"%in.{r}" for r in range(lanes)]
    block = 1
    while block < lanes:
        swapped = list(names)
        for i in (i for i in range(lanes) if not i & block):
            low = [k if not k & block else lanes + (k ^ block) for k in range(lanes)]
            high = [k ^ block if not k & block else lanes + k for k in range(lanes)]
            for row, picks in ((i, low), (i + block, high)):
                pattern = ", ".join(f"i32 {k}" for k in picks)
                out.append(
                    f"  %t.{block}.{row} = shufflevector {t} {names[i]}, {t} {names[i + block]}, "
                    f"<{lanes} x i32> <{pattern}>"
                )
                swapped[row] = f"%t.{block}.{row}"
        names, block = swapped, 2 * block
    return names


def _elementwise(packing: bool, types: llvm.Types, lanes: int) -> Iterator[str]:
    """Any strides: element by element."""
    item = types.bytes // lanes
    source, target = ("%cell", "%lane.place") if packing else ("%lane.place", "%cell")
    yield from [
        "element:",
        "  %k = phi i64 [0, %entry], [%k.next, %element.end]",
        "  %k.offset = mul i64 %k, %inner",
        "  %k.row = getelementptr i8, ptr %rows, i64 %k.offset",
        f"  %k.vector = mul i64 %k, {types.bytes}",
        "  %k.slot = getelementptr i8, ptr %vectors, i64 %k.vector",
        "  br label %lane",
        "lane:",
        "  %l = phi i64 [0, %element], [%l.next, %lane]",
        "  %last = sub i64 %lanes, 1",
        "  %beyond = icmp ugt i64 %l, %last",
        "  %state = select i1 %beyond, i64 %last, i64 %l",
        "  %state.offset = mul i64 %state, %outer",
        "  %cell = getelementptr i8, ptr %k.row, i64 %state.offset",
        f"  %lane.offset = mul i64 %l, {item}",
        "  %lane.place = getelementptr i8, ptr %k.slot, i64 %lane.offset",
        f"  %value = load {types.element}, ptr {source}, align 1",
        f"  store {types.element} %value, ptr {target}, align 1",
        "  %l.next = add i64 %l, 1",
        f"  %l.more = icmp ult i64 %l.next, {lanes if packing else '%lanes'}",
        "  br i1 %l.more, label %lane, label %element.end",
        "element.end:",
        "  %k.next = add i64 %k, 1",
        "  %k.more = icmp ult i64 %k.next, %n",
        "  br i1 %k.more, label %element, label %done",
    ]


def _loop(program: Program, lanes: int, item: int) -> str:
    """The inner loop: void (char **args, npy_intp *dimensions, npy_intp *steps, void *data)."""
    types, where = llvm.Types(program.single, lanes), llvm.layout(program, lanes)
    size = where.size * types.bytes
    operands = [*program.operands, *program.results]
    places = [*(where.inputs[o.name] for o in program.operands), *where.results]
    out = [
        f"define void @{ENTRY}(ptr %args, ptr %dimensions, ptr %steps, ptr %data) #0 {{",
        "entry:",
        "  %count = load i64, ptr %dimensions",
        "  %any = icmp sgt i64 %count, 0",
        "  br i1 %any, label %start, label %end",
        "start:",
    ]
    if size <= STACK:
        out.append(f"  %s = alloca [{max(size, 1)} x i8], align {types.bytes}")
    else:
        out += [
            f"  %raw = call ptr @PyMem_RawMalloc(i64 {size + types.bytes})",
            "  %full = icmp eq ptr %raw, null",
            "  br i1 %full, label %no.memory, label %memory",
            "no.memory:",
            "  call void @llvm.trap()",
            "  unreachable",
            "memory:",
            "  %raw.i = ptrtoint ptr %raw to i64",
            f"  %up = add i64 %raw.i, {types.bytes - 1}",
            f"  %aligned = and i64 %up, {-types.bytes}",
            "  %s = inttoptr i64 %aligned to ptr",
        ]
    out += _load_strides(operands)
    constants = [(slot, n) for slot, n in llvm.outputs_without_parts(program, lanes) if n.op == "const"]
    for slot, node in constants:
        number = llvm.constant(node.value, False, program.single)
        out.append(f"  %c.{slot} = getelementptr i8, ptr %s, i64 {slot * types.bytes}")
        out.append(
            f"  store {types.narrow} splat ({types.element} {number}), ptr %c.{slot}, align {types.bytes}"
        )
    out += [
        "  br label %block",
        "block:",
        "  %b = phi i64 [0, %LAST], [%b.next, %BLOCKEND]",
        "  %rest = sub i64 %count, %b",
        f"  %partial = icmp ult i64 %rest, {lanes}",
        f"  %lanes = select i1 %partial, i64 %rest, i64 {lanes}",
    ]
    label = "block"
    for k, operand in enumerate(program.operands):
        label = _moves(out, "pack", k, operand, places[k], types, item, label)
    out += [f"  call void @part{k}(ptr %s)" for k in range(len(program.parts))]
    for slot, node in llvm.outputs_without_parts(program, lanes):
        if node.op == "input":  # an output that is an input
            source = where.inputs[node.value[0]] + node.value[1]
            out += [
                f"  %i.{slot} = getelementptr i8, ptr %s, i64 {source * types.bytes}",
                f"  %x.{slot} = load {types.narrow}, ptr %i.{slot}, align {types.bytes}",
                f"  %o.{slot} = getelementptr i8, ptr %s, i64 {slot * types.bytes}",
                f"  store {types.narrow} %x.{slot}, ptr %o.{slot}, align {types.bytes}",
            ]
    for k, operand in enumerate(program.results, len(program.operands)):
        label = _moves(out, "unpack", k, operand, places[k], types, item, label)
    out += [
        f"  %b.next = add i64 %b, {lanes}",
        "  %b.more = icmp slt i64 %b.next, %count",
        "  br i1 %b.more, label %block, label %finish",
        "finish:",
        *(["  call void @PyMem_RawFree(ptr %raw)"] if size > STACK else []),
        "  br label %end",
        "end:",
        "  ret void",
        "}",
    ]
    text = "\n".join(out)
    return text.replace("%LAST", "%memory" if size > STACK else "%start").replace("%BLOCKEND", f"%{label}")


def _load_strides(operands: list[Operand]) -> Iterator[str]:
    """Pointers, outer strides, and then the core strides of all operands in order."""
    for k, _ in enumerate(operands):
        yield f"  %args.{k} = getelementptr ptr, ptr %args, i64 {k}"
        yield f"  %base.{k} = load ptr, ptr %args.{k}"
        yield f"  %steps.{k} = getelementptr i64, ptr %steps, i64 {k}"
        yield f"  %outer.{k} = load i64, ptr %steps.{k}"
    position = len(operands)
    for k, operand in enumerate(operands):
        for d, _ in enumerate(operand.shape):
            yield f"  %core.p.{k}.{d} = getelementptr i64, ptr %steps, i64 {position}"
            yield f"  %core.{k}.{d} = load i64, ptr %core.p.{k}.{d}"
            position += 1


def _moves(
    out: list[str], name: str, k: int, operand: Operand, slot: int, types: llvm.Types, item: int, label: str
) -> str:
    """Calls that move operand k of this block; returns the label of the basic block that follows."""
    if operand.size == 0:
        return label
    out += [
        f"  %bo.{k} = mul i64 %b, %outer.{k}",
        f"  %block.{k} = getelementptr i8, ptr %base.{k}, i64 %bo.{k}",
        f"  %place.{k} = getelementptr i8, ptr %s, i64 {slot * types.bytes}",
    ]
    shape = operand.shape
    inner = f"%core.{k}.{len(shape) - 1}" if shape else str(item)

    def call(rows: str, n: int, vectors: str) -> str:
        return (
            f"  call void @{name}(ptr {rows}, i64 %outer.{k}, i64 {inner}, i64 {n}, ptr {vectors}, i64 %lanes)"
        )

    if len(shape) <= 1:
        out.append(call(f"%block.{k}", operand.size, f"%place.{k}"))
        return label
    # one flat move where the core is contiguous, else one for each of its rows
    last = shape[-1]
    leading = operand.size // last
    flat, size = "true", last
    for d in reversed(range(len(shape) - 1)):
        out.append(f"  %want.{k}.{d} = mul i64 {inner}, {size}")
        out.append(f"  %is.{k}.{d} = icmp eq i64 %core.{k}.{d}, %want.{k}.{d}")
        out.append(f"  %flat.{k}.{d} = and i1 {flat}, %is.{k}.{d}")
        flat, size = f"%flat.{k}.{d}", size * shape[d]
    out += [
        f"  br i1 {flat}, label %flat.{k}, label %rows.{k}",
        f"flat.{k}:",
        call(f"%block.{k}", operand.size, f"%place.{k}"),
        f"  br label %moved.{k}",
        f"rows.{k}:",
        f"  %m.{k} = phi i64 [0, %{label}], [%m.next.{k}, %rows.{k}]",
    ]
    rest, total = leading, "0"
    for d in range(len(shape) - 1):
        rest //= shape[d]
        out += [
            f"  %q.{k}.{d} = udiv i64 %m.{k}, {rest}",
            f"  %i.{k}.{d} = urem i64 %q.{k}.{d}, {shape[d]}",
            f"  %io.{k}.{d} = mul i64 %i.{k}.{d}, %core.{k}.{d}",
            f"  %sum.{k}.{d} = add i64 {total}, %io.{k}.{d}",
        ]
        total = f"%sum.{k}.{d}"
    out += [
        f"  %row.{k} = getelementptr i8, ptr %block.{k}, i64 {total}",
        f"  %vo.{k} = mul i64 %m.{k}, {last * types.bytes}",
        f"  %vector.{k} = getelementptr i8, ptr %place.{k}, i64 %vo.{k}",
        call(f"%row.{k}", last, f"%vector.{k}"),
        f"  %m.next.{k} = add i64 %m.{k}, 1",
        f"  %m.more.{k} = icmp ult i64 %m.next.{k}, {leading}",
        f"  br i1 %m.more.{k}, label %rows.{k}, label %moved.{k}",
        f"moved.{k}:",
    ]
    return f"moved.{k}"
