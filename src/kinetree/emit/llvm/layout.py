"""Where values are in memory while a program runs, and their types, in LLVM IR.

Every value is a vector of ``lanes`` numbers, one for each state of a block. Scratch memory holds one such vector per
slot: operands first, then results, then the values that pass between parts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from kinetree.graph.node import Node
from kinetree.lower.cut import Part
from kinetree.lower.program import Program


class Layout:
    """Where operands, results and values between parts are in scratch memory, in slots: each value once.

    Operands are padded to whole tiles of lanes x lanes, also of the last row of a core that is moved row by row.
    Constants are the first of the results.
    """

    def __init__(self, program: Program, lanes: int) -> None:
        position = 0
        self.inputs: dict[str, int] = {}
        for operand in program.operands:
            self.inputs[operand.name] = position
            row = operand.shape[-1] if operand.shape else 1
            position += max(_padded(operand.size, lanes), operand.size - row + _padded(row, lanes))
        own = dict.fromkeys(node for node in program.outputs if node.op != "input")
        self.constants = [node for node in own if node.op == "const"]
        computed = [node for node in own if node.op != "const"]
        self.results = {node: position + k for k, node in enumerate((*self.constants, *computed))}
        self.between = position + len(own)
        self.size = self.between + program.slots

    def result(self, node: Node) -> int:
        """The slot of a result."""
        return self.input(node) if node.op == "input" else self.results[node]

    def input(self, node: Node) -> int:
        name, position = node.value
        return self.inputs[name] + position

    def source(self, node: Node, part: Part) -> int:
        """Where a part finds a value that it does not compute."""
        return self.between + part.loads[node] if node in part.loads else self.result(node)

    def target(self, node: Node, slots: Mapping[Node, int]) -> int | None:
        """Where a value goes that a part has computed, given the slots of those that pass on to others."""
        return self.between + slots[node] if node in slots else self.results.get(node)


def _padded(count: int, lanes: int) -> int:
    return -(-count // lanes) * lanes


class Types:
    """The names of the vector types for a precision and a number of lanes."""

    def __init__(self, lanes: int, *, single: bool) -> None:
        self.lanes, self.item = lanes, 4 if single else 8
        self.element = "float" if single else "double"
        self.narrow = f"<{lanes} x {self.element}>"
        self.wide = f"<{lanes} x double>"
        self.boolean = f"<{lanes} x i1>"
        self.suffix = f"v{lanes}f{32 if single else 64}"
        self.wide_suffix = f"v{lanes}f64"
        self.bytes = lanes * self.item


def constant(value: float, *, single: bool) -> str:
    """A number in LLVM's exact notation, rounded to float32 if single."""
    if single:
        value = struct.unpack("f", struct.pack("f", value))[0]
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def table(name: str, element: str, values: Sequence[object]) -> str:
    """A table of numbers in the code."""
    listed = ", ".join(f"{element} {x}" for x in values)
    return f"@{name} = internal constant [{len(values)} x {element}] [{listed}]"


def element(name: str, kind: str, base: str, index: int | str, *, step: str = "", tag: str = "") -> Iterator[str]:
    """%{name}{tag}: an element of an array, or what is at an offset where the steps are bytes, i8."""
    yield f"  %{name}.p{tag} = getelementptr {step or kind}, ptr {base}, i64 {index}"
    yield f"  %{name}{tag} = load {kind}, ptr %{name}.p{tag}"
