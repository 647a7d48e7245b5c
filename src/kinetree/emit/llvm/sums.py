"""Sums of products from a table, in LLVM IR: a few loops, instead of an instruction for each product.

Sums that follow one another and have the same first factors make a block, of at most `WIDTH`; a first factor is loaded
once for all of them. The table holds their offsets in scratch memory [bytes]. For a block of w sums:

    number of products, w results, w starts (or none), and for each product its first factor and w second ones
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from kinetree.emit.llvm.layout import Layout, Types, table
from kinetree.graph.node import Node
from kinetree.lower.cut import Part
from kinetree.lower.program import Program

WIDTH = 8  # enough to hide the time that an addition takes, few enough for 16 registers


def parts(program: Program, types: Types) -> Iterator[str]:
    """Each part that is a table: the table and a function; and the loops that they need."""
    where = Layout(program, types.lanes)
    tables = [(k, part) for k, part in enumerate(program.parts) if part.is_table]
    for k, part in tables:
        yield from _part(k, part, where, types.bytes)
    for width, started in dict.fromkeys(_shape(block) for _, part in tables for block in blocks(part.operations)):
        yield from _loop(width, started, types)


def blocks(sums: Iterable[Node]) -> Iterator[list[Node]]:
    """The sums in blocks, of which none needs another one of its block."""
    block: list[Node] = []
    for node in sums:
        if block and (
            len(block) == WIDTH
            or node.args[1::2] != block[0].args[1::2]
            or _shape([node])[1] != _shape(block)[1]
            or not set(block).isdisjoint(node.args)
        ):
            yield block
            block = []
        block.append(node)
    yield block


def _shape(block: list[Node]) -> tuple[int, bool]:
    """What the loop for a block depends on: how many sums, and whether they start with a value or with zero."""
    return len(block), block[0].args[0].op != "const"


def _part(number: int, part: Part, where: Layout, size: int) -> Iterator[str]:
    """One table, and the calls that go through it."""
    slots = dict(part.stores)
    targets = {node: where.target(node, slots) for node in part.operations}

    def address(node: Node) -> int:
        slot = targets.get(node)
        return size * (where.source(node, part) if slot is None else slot)

    entries: list[int] = []
    calls: list[str] = []
    for (width, started), run in groupby(blocks(part.operations), _shape):
        alike = [*run]
        for block in alike:
            starts = [node.args[0] for node in block if started]
            factors = zip(block[0].args[1::2], *(node.args[2::2] for node in block))
            entries.append(len(block[0].args) // 2)
            entries += [address(node) for node in (*block, *starts, *(x for product in factors for x in product))]
        calls.append(f"call ptr @sums.{width}.{int(started)}(ptr %s, ptr %t{len(calls)}, i64 {len(alike)})")
    yield table(f"table{number}", "i32", entries)
    yield f"define internal void @part{number}(ptr noalias nocapture %s) #0 {{"
    yield f"  %t0 = getelementptr i32, ptr @table{number}, i64 0"
    for k, call in enumerate(calls, 1):
        yield f"  %t{k} = {call}"
    yield "  ret void"
    yield "}"


def _address(name: str, table: str, position: int) -> Iterator[str]:
    """{name}.p: the address of the vector whose offset is an entry of a table."""
    yield f"  {name}.t = getelementptr i32, ptr {table}, i64 {position}"
    yield f"  {name}.o = load i32, ptr {name}.t"
    yield f"  {name}.z = zext i32 {name}.o to i64"
    yield f"  {name}.p = getelementptr i8, ptr %s, i64 {name}.z"


def _vector(name: str, table: str, position: int, types: Types) -> Iterator[str]:
    """The vector itself."""
    yield from _address(name, table, position)
    yield f"  {name} = load {types.narrow}, ptr {name}.p, align {types.bytes}"


def _loop(width: int, started: bool, types: Types) -> Iterator[str]:
    """``ptr sums(ptr s, ptr table, i64 count)``: compute some blocks, and return where in the table they end."""
    t, each = types.narrow, range(width)
    yield f"define internal ptr @sums.{width}.{int(started)}(ptr %s, ptr %table, i64 %count) #0 {{"
    yield "entry:"
    yield "  br label %block"
    yield "block:"
    yield "  %n = phi i64 [%count, %entry], [%n.next, %end]"
    yield "  %t = phi ptr [%table, %entry], [%p.next, %end]"
    yield "  %products = load i32, ptr %t"
    yield f"  %factors = getelementptr i32, ptr %t, i64 {1 + width * (1 + started)}"
    for c in each if started else ():
        yield from _vector(f"%s{c}", "%t", 1 + width + c, types)
    yield "  br label %product"
    yield "product:"
    yield "  %k = phi i32 [%products, %block], [%k.next, %product]"
    yield "  %p = phi ptr [%factors, %block], [%p.next, %product]"
    for c in each:
        yield f"  %y{c} = phi {t} [{f'%s{c}' if started else 'zeroinitializer'}, %block], [%z{c}, %product]"
    yield from _vector("%a", "%p", 0, types)
    for c in each:
        yield from _vector(f"%b{c}", "%p", 1 + c, types)
        yield f"  %ab{c} = fmul contract {t} %a, %b{c}"
        yield f"  %z{c} = fadd contract {t} %y{c}, %ab{c}"
    yield f"  %p.next = getelementptr i32, ptr %p, i64 {1 + width}"
    yield "  %k.next = sub i32 %k, 1"
    yield "  %k.more = icmp ne i32 %k.next, 0"
    yield "  br i1 %k.more, label %product, label %end"
    yield "end:"
    for c in each:
        yield from _address(f"%r{c}", "%t", 1 + c)
        yield f"  store {t} %z{c}, ptr %r{c}.p, align {types.bytes}"
    yield "  %n.next = sub i64 %n, 1"
    yield "  %n.more = icmp ne i64 %n.next, 0"
    yield "  br i1 %n.more, label %block, label %done"
    yield "done:"
    yield "  ret ptr %p.next"
    yield "}"
