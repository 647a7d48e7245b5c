"""LLVM IR for a program: one state per SIMD lane.

Every value is a vector of ``lanes`` numbers; scratch memory holds one such vector per slot, inputs first, then
outputs, then the values that pass between parts. `llvm_loop` wraps the parts into NumPy's inner loop.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kinetree.graph.node import Node
from kinetree.lower.cut import Part
from kinetree.lower.program import Program

# operation -> instruction; {t}: the type of the arguments, {v}: its suffix in intrinsics
INSTRUCTIONS = {
    "add": "fadd contract {t} {0}, {1}",
    "sub": "fsub contract {t} {0}, {1}",
    "mul": "fmul contract {t} {0}, {1}",
    "div": "fdiv {t} {0}, {1}",
    "neg": "fneg {t} {0}",
    "fma": "call {t} @llvm.fma.{v}({t} {0}, {t} {1}, {t} {2})",
    "sqrt": "call {t} @llvm.sqrt.{v}({t} {0})",
    "abs": "call {t} @llvm.fabs.{v}({t} {0})",
    "floor": "call {t} @llvm.floor.{v}({t} {0})",
    "rint": "call {t} @llvm.rint.{v}({t} {0})",
    "copysign": "call {t} @llvm.copysign.{v}({t} {0}, {t} {1})",
    "lt": "fcmp olt {t} {0}, {1}",
    "le": "fcmp ole {t} {0}, {1}",
    "eq": "fcmp oeq {t} {0}, {1}",
    "and": "and {b} {0}, {1}",
    "or": "or {b} {0}, {1}",
    "xor": "xor {b} {0}, {1}",
    "not": "xor {b} {0}, splat (i1 true)",
    "select": "select {b} {0}, {t} {1}, {t} {2}",
    "widen": "fpext {n} {0} to {w}",
    "narrow": "fptrunc {w} {0} to {n}",
}
INTRINSICS = {"fma": 3, "sqrt": 1, "fabs": 1, "floor": 1, "rint": 1, "copysign": 2}


@dataclass(frozen=True)
class Layout:
    """Where operands, results and values between parts stand in scratch memory, in slots."""

    inputs: dict[str, int]
    results: tuple[int, ...]
    outputs: tuple[int, ...]
    between: int
    size: int


def layout(program: Program, lanes: int) -> Layout:
    """Operands and results are padded to whole tiles of lanes x lanes."""

    def padded(n: int) -> int:
        return -(-n // lanes) * lanes

    position, inputs, results, outputs = 0, {}, [], []
    for operand in program.operands:
        inputs[operand.name] = position
        position += padded(operand.size)
    for result in program.results:
        results.append(position)
        outputs += range(position, position + result.size)
        position += padded(result.size)
    return Layout(inputs, tuple(results), tuple(outputs), position, position + program.slots)


class Memory:
    """Where the values that pass between parts stand in scratch memory, in slots."""

    def __init__(self, program: Program, where: Layout) -> None:
        self.where = where
        self.results: dict[Node, list[int]] = {}
        for node, slot in zip(program.outputs, where.outputs):
            self.results.setdefault(node, []).append(slot)

    def source(self, node: Node, part: Part) -> int:
        """Where a part finds a value that it does not compute."""
        if node.op == "input":
            name, position = node.value
            return self.where.inputs[name] + position
        return self.where.between + part.loads[node] if node in part.loads else self.results[node][0]

    def places(self, node: Node, slots: Mapping[Node, int]) -> list[int]:
        """Where a value goes that a part has computed, given the slots of those that pass on to others."""
        between = [self.where.between + slots[node]] if node in slots else []
        return [*self.results.get(node, ()), *between]


class Types:
    """The names of the vector types for a precision and a number of lanes."""

    def __init__(self, single: bool, lanes: int) -> None:
        self.lanes, self.item = lanes, 4 if single else 8
        self.element = "float" if single else "double"
        self.narrow = f"<{lanes} x {self.element}>"
        self.wide = f"<{lanes} x double>"
        self.boolean = f"<{lanes} x i1>"
        self.suffix = f"v{lanes}f{32 if single else 64}"
        self.wide_suffix = f"v{lanes}f64"
        self.bytes = lanes * self.item


def parts(program: Program, lanes: int) -> Iterator[str]:
    """The intrinsics and one function for each part of the program but the tables."""
    types, where = Types(program.single, lanes), layout(program, lanes)
    for name, arity in INTRINSICS.items():
        for t, suffix in dict.fromkeys([(types.narrow, types.suffix), (types.wide, types.wide_suffix)]):
            yield f"declare {t} @llvm.{name}.{suffix}({', '.join([t] * arity)})"
    memory = Memory(program, where)
    for k, part in enumerate(program.parts):
        if not part.is_table:
            yield _Part(program, types, memory).text(k, part)


def constant(value: float, single: bool) -> str:
    """A number in LLVM's exact notation, rounded to float32 if single."""
    if single:
        value = struct.unpack("f", struct.pack("f", value))[0]
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


class _Part:
    """The text of one function."""

    def __init__(self, program: Program, types: Types, memory: Memory) -> None:
        self.program, self.types, self.memory = program, types, memory
        self.lines: list[str] = []
        self.known: set[Node] = set()

    def text(self, number: int, part: Part) -> str:
        for node in part.loads:
            self.load(node, self.memory.source(node, part))
        slots = dict(part.stores)
        for node in part.operations:
            for arg in node.args:
                if arg.op != "const" and arg not in self.known:
                    self.load(arg, self.memory.source(arg, part))
            self.operation(node)
            for slot in self.memory.places(node, slots):
                self.store(node, slot)
        body = "\n".join(self.lines)
        return f"define internal void @part{number}(ptr noalias nocapture %s) #0 {{\n{body}\n  ret void\n}}"

    def operation(self, node: Node) -> None:
        types, wide = self.types, self.program.wide
        is_wide = node in wide or any(arg in wide for arg in node.args)
        t, v = (types.wide, types.wide_suffix) if is_wide else (types.narrow, types.suffix)
        args = [self.operand(arg, is_wide) for arg in node.args]
        text = INSTRUCTIONS[node.op].format(*args, t=t, v=v, b=types.boolean, n=types.narrow, w=types.wide)
        self.lines.append(f"  %v{node.index} = {text}")
        self.known.add(node)

    def operand(self, node: Node, is_wide: bool) -> str:
        if node.op == "const":
            element = "double" if is_wide else self.types.element
            return f"splat ({element} {constant(node.value, self.program.single and not is_wide)})"
        return f"%v{node.index}"

    def load(self, node: Node, slot: int) -> None:
        self.known.add(node)
        t = self.types.wide if node in self.program.wide else self.types.narrow
        name = f"%l{node.index}" if node.is_boolean else f"%v{node.index}"
        self.address(f"%p{node.index}", slot)
        self.lines.append(f"  {name} = load {t}, ptr %p{node.index}, align {self.types.bytes}")
        if node.is_boolean:
            self.lines.append(f"  %v{node.index} = fcmp one {t} {name}, zeroinitializer")

    def store(self, node: Node, slot: int) -> None:
        t = self.types.wide if node in self.program.wide else self.types.narrow
        value, place = f"%v{node.index}", f"%s{node.index}_{slot}"
        if node.is_boolean:
            one = f"splat ({self.types.element} {constant(1.0, self.program.single)})"
            self.lines.append(
                f"  %r{node.index}_{slot} = select {self.types.boolean} {value}, {t} {one}, {t} zeroinitializer"
            )
            value = f"%r{node.index}_{slot}"
        self.address(place, slot)
        self.lines.append(f"  store {t} {value}, ptr {place}, align {self.types.bytes}")

    def address(self, name: str, slot: int) -> None:
        self.lines.append(f"  {name} = getelementptr inbounds i8, ptr %s, i64 {slot * self.types.bytes}")
