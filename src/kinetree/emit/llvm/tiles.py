"""Square tiles of lanes x lanes elements in LLVM IR: of rows in memory, or of vectors in scratch memory; transposed.

Vectors are consecutive, or their offsets in scratch memory [bytes] are in a table.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from kinetree.emit.llvm.layout import Types, element


def unpacked_tiles(types: Types, how: str, count: int = 1) -> Iterator[str]:
    """Write some tiles from element %j on: of one constant as they are, others transposed."""
    lanes, t, each = types.lanes, types.narrow, range(count)
    yield f"  %offset = mul i64 %j, {types.item}"
    yield from rows(lanes)
    yield "  %flags.p = getelementptr i8, ptr %flags, i64 %j"
    for i in each:
        yield from element("flag", "i8", "%flags.p", i * lanes, tag=f".{i}")
        yield f"  %all.{i} = and i8 %flag.{i}, {f'%all.{i - 1}' if i else 1}"
    yield f"  %is.constant = icmp ne i8 %all.{count - 1}, 0"
    yield "  br i1 %is.constant, label %constant, label %computed"
    yield "constant:"
    yield "  %same.slots = getelementptr i32, ptr %offsets, i64 %j"
    for i in each:
        yield from vector_at(f"%same.{i}", "%same.slots", i * lanes)
        yield f"  %same.{i}.v = load {t}, ptr %same.{i}, align {types.bytes}"
    yield from _stored([[f"%same.{i}.v"] * lanes for i in each], types, how, "constant")
    yield "  br label %tile.end"
    yield "computed:"
    yield "  %slots = getelementptr i32, ptr %offsets, i64 %j"
    tiles: list[list[str]] = []
    for i in each:
        yield f"  %slots.{i} = getelementptr i32, ptr %slots, i64 {i * lanes}"
        yield from vectors_at(f"%slots.{i}", types, f".{i}")
        tiles.append((yield from transposed_from_memory(f"%slot.{i}", types.bytes // 2, types, f".{i}")))
    yield from _stored(tiles, types, how, "computed")
    yield "  br label %tile.end"
    yield "tile.end:"


def _stored(tiles: list[list[str]], types: Types, how: str, tag: str) -> Iterator[str]:
    """Tiles that are neighbours, row by row."""
    for r, row in enumerate(zip(*tiles)):
        for i, name in enumerate(row):
            yield f"  %to.{tag}.{r}.{i} = getelementptr {types.narrow}, ptr %row.{r}, i64 {i}"
            yield f"  store {types.narrow} {name}, ptr %to.{tag}.{r}.{i}, {how}"


def rows(lanes: int) -> Iterator[str]:
    """%row.0, %row.1, ...: from an offset on."""
    yield "  %row.0 = getelementptr i8, ptr %rows, i64 %offset"
    for r in range(1, lanes):
        yield f"  %row.{r} = getelementptr i8, ptr %row.{r - 1}, i64 %outer"


def consecutive_vectors(first: str, types: Types) -> Iterator[str]:
    """%slot.0, %slot.1, ...: vectors one after the other."""
    return (f"  %slot.{c} = getelementptr {types.narrow}, ptr {first}, i64 {c}" for c in range(types.lanes))


def vectors_at(first: str, types: Types, tag: str = "") -> Iterator[str]:
    """%slot.0, %slot.1, ...: the vectors whose offsets are in a table, from one entry on."""
    for c in range(types.lanes):
        yield from vector_at(f"%slot{tag}.{c}", first, c)


def vector_at(name: str, table: str, position: int | str) -> Iterator[str]:
    """The vector whose offset is one entry of a table."""
    yield f"  {name}.e = getelementptr i32, ptr {table}, i64 {position}"
    yield f"  {name}.i = load i32, ptr {name}.e"
    yield f"  {name}.z = zext i32 {name}.i to i64"
    yield f"  {name} = getelementptr i8, ptr %scratch, i64 {name}.z"


def transposed_from_memory(source: str, align: int, types: Types, tag: str = "") -> Generator[str, None, list[str]]:
    """A tile in memory, transposed; returns the names. Halves of vectors are exchanged by crosswise loads."""
    lanes, half = types.lanes, types.lanes // 2
    h = f"<{half} x {types.element}>"
    both = ", ".join(f"i32 {k}" for k in range(lanes))
    for target in range(lanes):
        row, offset = target % half, target // half * half * types.item
        halves = [f"%half{tag}.{target}.{k}" for k in (0, 1)]
        for k, name in enumerate(halves):
            yield f"  {name}.p = getelementptr i8, ptr {source}.{row + k * half}, i64 {offset}"
            yield f"  {name} = load {h}, ptr {name}.p, align {align}"
        pair = ", ".join(f"{h} {name}" for name in halves)
        yield f"  %in{tag}.{target} = shufflevector {pair}, <{lanes} x i32> <{both}>"
    return (yield from transposed([f"%in{tag}.{r}" for r in range(lanes)], f"%t{tag}", types, half))


def transposed(names: list[str], x: str, types: Types, end: int) -> Generator[str, None, list[str]]:
    """Swap blocks of 1, 2, 4, ... elements (less than ``end``) between pairs of vectors; returns the last names."""
    lanes, t = types.lanes, types.narrow
    block = 1
    while block < end:
        swapped = list(names)
        low = [k if not k & block else lanes + (k ^ block) for k in range(lanes)]
        high = [k ^ block if not k & block else lanes + k for k in range(lanes)]
        for i in (i for i in range(lanes) if not i & block):
            pair = f"{t} {names[i]}, {t} {names[i + block]}"
            for row, picks in ((i, low), (i + block, high)):
                pattern = ", ".join(f"i32 {k}" for k in picks)
                swapped[row] = f"{x}.{block}.{row}"
                yield f"  {swapped[row]} = shufflevector {pair}, <{lanes} x i32> <{pattern}>"
        names, block = swapped, 2 * block
    return names
