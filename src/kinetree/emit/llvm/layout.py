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
    """The names of types for a precision: of vectors with a number of lanes, or of plain numbers without."""

    def __init__(self, lanes: int | None, *, single: bool) -> None:
        def vector(element: str) -> str:
            return element if lanes is None else f"<{lanes} x {element}>"

        count = "" if lanes is None else f"v{lanes}"
        self.lanes, self.item = lanes or 1, 4 if single else 8
        self.element = "float" if single else "double"
        self.narrow, self.wide, self.boolean = vector(self.element), vector("double"), vector("i1")
        self.suffix, self.wide_suffix = f"{count}f{32 if single else 64}", f"{count}f64"
        self.bytes = self.lanes * self.item
        self._vector, self._literal = vector, "{1}" if lanes is None else "splat ({0} {1})"
        self.true = self.literal("i1", "true")

    def integer(self, bits: int) -> str:
        """Integers of a size."""
        return self._vector(f"i{bits}")

    def literal(self, element: str, value: object) -> str:
        """A value in all lanes."""
        return self._literal.format(element, value)

    def number(self, value: float, *, is_wide: bool = False) -> str:
        """A number, in all lanes."""
        element = "double" if is_wide else self.element
        return self.literal(element, constant(value, single=element == "float"))


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
