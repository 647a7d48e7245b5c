"""Sums of products from a table, in LLVM IR: a few loops, instead of an instruction for each product.

Sums that follow one another and have the same first factors make a block, of at most `WIDTH`; a first factor is loaded
once for all of them. The table holds their offsets in scratch memory [bytes]. For a block of w sums:

    number of products, w results, w starts (or none), and for each product its first factor and w second ones
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from kinetree.emit.llvm.layout import Layout, Types
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
        yield _loop(width, started, types)


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

    table: list[int] = []
    calls: list[str] = []
    for (width, started), run in groupby(blocks(part.operations), _shape):
        alike = [*run]
        for block in alike:
            starts = [node.args[0] for node in block if started]
            factors = zip(block[0].args[1::2], *(node.args[2::2] for node in block))
            table.append(len(block[0].args) // 2)
            table += [address(node) for node in (*block, *starts, *(x for product in factors for x in product))]
        calls.append(f"call ptr @sums.{width}.{int(started)}(ptr %s, ptr %t{len(calls)}, i64 {len(alike)})")
    listed = ", ".join([f"i32 {x}" for x in table])
    yield f"@table{number} = internal constant [{len(table)} x i32] [{listed}]"
    yield f"define internal void @part{number}(ptr noalias nocapture %s) #0 {{"
    yield f"  %t0 = getelementptr i32, ptr @table{number}, i64 0"
    for k, call in enumerate(calls, 1):
        yield f"  %t{k} = {call}"
    yield "  ret void"
    yield "}"


def _address(name: str, table: str, position: int) -> list[str]:
    """{name}.p: the address of the vector whose offset is an entry of a table."""
    return [
        f"  {name}.t = getelementptr i32, ptr {table}, i64 {position}",
        f"  {name}.o = load i32, ptr {name}.t",
        f"  {name}.z = zext i32 {name}.o to i64",
        f"  {name}.p = getelementptr i8, ptr %s, i64 {name}.z",
    ]


def _loop(width: int, started: bool, types: Types) -> str:
    """``ptr sums(ptr s, ptr table, i64 count)``: compute some blocks, and return where in the table they end."""
    t, align, each = types.narrow, types.bytes, range(width)
    out = [
        f"define internal ptr @sums.{width}.{int(started)}(ptr %s, ptr %table, i64 %count) #0 {{",
        "entry:",
        "  br label %block",
        "block:",
        "  %n = phi i64 [%count, %entry], [%n.next, %end]",
        "  %t = phi ptr [%table, %entry], [%p.next, %end]",
        "  %products = load i32, ptr %t",
        f"  %factors = getelementptr i32, ptr %t, i64 {1 + width * (1 + started)}",
    ]
    for c in each if started else ():
        out += [*_address(f"%s{c}", "%t", 1 + width + c), f"  %s{c} = load {t}, ptr %s{c}.p, align {align}"]
    out += [
        "  br label %product",
        "product:",
        "  %k = phi i32 [%products, %block], [%k.next, %product]",
        "  %p = phi ptr [%factors, %block], [%p.next, %product]",
        *(f"  %y{c} = phi {t} [{f'%s{c}' if started else 'zeroinitializer'}, %block], [%z{c}, %product]" for c in each),
        *_address("%a", "%p", 0),
        f"  %a = load {t}, ptr %a.p, align {align}",
    ]
    for c in each:
        out += [
            *_address(f"%b{c}", "%p", 1 + c),
            f"  %b{c} = load {t}, ptr %b{c}.p, align {align}",
            f"  %ab{c} = fmul contract {t} %a, %b{c}",
            f"  %z{c} = fadd contract {t} %y{c}, %ab{c}",
        ]
    out += [
        f"  %p.next = getelementptr i32, ptr %p, i64 {1 + width}",
        "  %k.next = sub i32 %k, 1",
        "  %k.more = icmp ne i32 %k.next, 0",
        "  br i1 %k.more, label %product, label %end",
        "end:",
    ]
    for c in each:
        out += [*_address(f"%r{c}", "%t", 1 + c), f"  store {t} %z{c}, ptr %r{c}.p, align {align}"]
    out += [
        "  %n.next = sub i64 %n, 1",
        "  %n.more = icmp ne i64 %n.next, 0",
        "  br i1 %n.more, label %block, label %done",
        "done:",
        "  ret ptr %p.next",
        "}",
    ]
    return "\n".join(out)
