"""LLVM IR for a program: one state per SIMD lane.

Every value is a vector of ``lanes`` numbers; scratch memory holds one such vector per slot, inputs first, then
results, then the values that pass between parts. `llvm_loop` wraps the parts into NumPy's inner loop.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

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


class Layout:
    """Where operands, results and values between parts stand in scratch memory, in slots: each value once.

    Operands are padded to whole tiles of lanes x lanes. Constants are the first of the results.
    """

    def __init__(self, program: Program, lanes: int) -> None:
        position = 0
        self.inputs: dict[str, int] = {}
        for operand in program.operands:
            self.inputs[operand.name] = position
            position += -(-operand.size // lanes) * lanes
        own = dict.fromkeys(node for node in program.outputs if node.op != "input")
        self.constants = [node for node in own if node.op == "const"]
        computed = [node for node in own if node.op != "const"]
        self.results = {node: position + k for k, node in enumerate((*self.constants, *computed))}
        self.between = position + len(own)
        self.size = self.between + program.slots

    def result(self, node: Node) -> int:
        """Where a result is in the end."""
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
    types, where = Types(program.single, lanes), Layout(program, lanes)
    for name, arity in INTRINSICS.items():
        for t, suffix in dict.fromkeys([(types.narrow, types.suffix), (types.wide, types.wide_suffix)]):
            yield f"declare {t} @llvm.{name}.{suffix}({', '.join([t] * arity)})"
    for k, part in enumerate(program.parts):
        if not part.is_table:
            yield _Part(program, types, where).text(k, part)


def constant(value: float, single: bool) -> str:
    """A number in LLVM's exact notation, rounded to float32 if single."""
    if single:
        value = struct.unpack("f", struct.pack("f", value))[0]
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


class _Part:
    """The text of one function."""

    def __init__(self, program: Program, types: Types, where: Layout) -> None:
        self.program, self.types, self.where = program, types, where
        self.lines: list[str] = []
        self.known: set[Node] = set()

    def text(self, number: int, part: Part) -> str:
        for node in part.loads:
            self.load(node, self.where.source(node, part))
        slots = dict(part.stores)
        for node in part.operations:
            for arg in node.args:
                if arg.op != "const" and arg not in self.known:
                    self.load(arg, self.where.source(arg, part))
            self.operation(node)
            slot = self.where.target(node, slots)
            if slot is not None:
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
