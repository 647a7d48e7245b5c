"""The parts of a program as functions in LLVM IR, one state per SIMD lane.

Each part reads its values from scratch memory and leaves its results there (`layout`); `loop` calls all parts for each
block of states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kinetree.emit.llvm.instructions import Operations
from kinetree.emit.llvm.layout import Layout, Types
from kinetree.graph.node import Node
from kinetree.lower.cut import Part
from kinetree.lower.program import Program


def _name(node: Node) -> str:
    return f"%v{node.index}"


def functions(program: Program, types: Types, numbers: Iterable[int], linkage: str = "internal") -> Iterator[str]:
    """Some parts of the program that are no tables, by their numbers."""
    part = PartFunction(program, types, Layout(program, types.lanes))
    for k in numbers:
        yield part.text(k, program.parts[k], linkage)


class PartFunction:
    """The text of one function; `where` says in which slots values are."""

    def __init__(self, program: Program, types: Types, where: Any) -> None:
        self.program, self.types, self.where = program, types, where
        self.operations = Operations(types, program.wide)

    def text(self, number: int, part: Part, linkage: str) -> str:
        body = "\n".join(self.body(part))
        return f"define {linkage} void @part{number}(ptr noalias nocapture %s) #0 {{\n{body}\n  ret void\n}}"

    def body(self, part: Part) -> Iterator[str]:
        for node in part.loads:
            yield from self.load(node, self.where.source(node, part))
        known, slots = {*part.loads}, dict(part.stores)
        for node in part.operations:
            for arg in node.args:
                if arg not in known and arg.op != "const":
                    known.add(arg)
                    yield from self.load(arg, self.where.source(arg, part))
            known.add(node)
            yield from self.operations.lines(f"%v{node.index}", node, _name)
            slot = self.where.target(node, slots)
            if slot is not None:
                yield from self.store(node, slot)

    def load(self, node: Node, slot: Any) -> Iterator[str]:
        t = self.types.wide if node in self.program.wide else self.types.narrow
        name = f"%l{node.index}" if node.is_boolean else f"%v{node.index}"
        yield self.address(f"%p{node.index}", slot)
        yield f"  {name} = load {t}, ptr %p{node.index}, align {self.types.bytes}"
        if node.is_boolean:
            yield f"  %v{node.index} = fcmp one {t} {name}, zeroinitializer"

    def store(self, node: Node, slot: Any) -> Iterator[str]:
        t = self.types.wide if node in self.program.wide else self.types.narrow
        value, tag = f"%v{node.index}", f"{node.index}_{self.tag(slot)}"
        if node.is_boolean:
            one = self.types.number(1.0)
            number = f"%r{tag}"
            yield f"  {number} = select {self.types.boolean} {value}, {t} {one}, {t} zeroinitializer"
            value = number
        yield self.address(f"%s{tag}", slot)
        yield f"  store {t} {value}, ptr %s{tag}, align {self.types.bytes}"

    def address(self, name: str, slot: Any) -> str:
        return f"  {name} = getelementptr inbounds i8, ptr %s, i64 {slot * self.types.bytes}"

    def tag(self, slot: Any) -> str:
        """What tells the names of values in slots apart."""
        return str(slot)
