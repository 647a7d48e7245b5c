"""A program as a function with C's calling convention in LLVM IR: one state, plain numbers, nothing from elsewhere.

Arrays are pointers, numbers are passed by value, results come last. Sines and cosines are arithmetic (`lower.expand`),
so that neither a mathematical library nor a runtime is called. Values that pass between parts are on the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kinetree.emit.llvm.instructions import intrinsics
from kinetree.emit.llvm.layout import Types
from kinetree.emit.llvm.parts import PartFunction
from kinetree.graph.node import Node
from kinetree.lower.cut import Part
from kinetree.lower.program import Program

SCRATCH = "%s"
Address = tuple[str, int]  # a pointer, and which number behind it


def module(program: Program, name: str, triple: str) -> str:
    """The function of this name, and its parts."""
    types = Types(None, single=program.single)
    return "\n".join([
        f'target triple = "{triple}"',
        *intrinsics(types),
        *_Functions(program, types, name).texts(),
        'attributes #0 = { nounwind noredzone "no-trapping-math"="true" }',
    ])  # fmt: skip


class _Arrays:
    """Where values are: operands and results in the arrays of the caller, others in scratch memory on the stack."""

    def __init__(self, program: Program) -> None:
        self.inputs = {o.name: k for k, o in enumerate(program.operands)}
        first: dict[Node, Address] = {}
        self.copies: list[tuple[Node, Address]] = []  # results that no operation computes, or that are there already
        elements = [(k, i) for k, result in enumerate(program.results) for i in range(result.size)]
        for node, (k, i) in zip(program.outputs, elements):
            if node in first or not node.args:
                self.copies.append((node, (f"%r{k}", i)))
            else:
                first[node] = f"%r{k}", i
        self.results = first

    def source(self, node: Node, part: Part) -> Address:
        if node.op == "input":
            name, position = node.value
            return f"%a{self.inputs[name]}", position
        return (SCRATCH, part.loads[node]) if node in part.loads else self.results[node]

    def target(self, node: Node, slots: Mapping[Node, int]) -> Address | None:
        return (SCRATCH, slots[node]) if node in slots else self.results.get(node)


class _Functions(PartFunction):
    """The parts of a program on the caller's arrays, and the function that calls them one after the other."""

    def __init__(self, program: Program, types: Types, name: str) -> None:
        super().__init__(program, types, _Arrays(program))
        self.name, self.arrays = name, self.where
        self.numbers = {f"%a{k}" for k, o in enumerate(program.operands) if not o.shape}  # passed by value
        own = [f"{types.element if f'%a{k}' in self.numbers else 'ptr'} %a{k}" for k in range(len(program.operands))]
        self.arguments = [*own, *(f"ptr %r{k}" for k in range(len(program.results)))]

    def texts(self) -> Iterator[str]:
        parts = [*self.program.parts]
        alone = len(parts) == 1
        calls: list[str] = []
        for k, part in enumerate([] if alone else parts):
            given = ", ".join([*self.arguments, f"ptr {SCRATCH}"])
            yield self._function(f"internal void @{self.name}.part{k}", given, [*self.body(part)])
            calls.append(f"  call void @{self.name}.part{k}({given})")
        scratch = f"  {SCRATCH} = alloca [{self.program.slots * self.types.item} x i8], align 8"
        body = [*self.body(parts[0])] if alone else [*[scratch] * bool(calls), *calls]
        given = ", ".join(x.replace("ptr ", "ptr noalias ") for x in self.arguments)
        yield self._function(f"void @{self.name}", given, [*body, *self._copied()])

    def _function(self, head: str, arguments: str, body: Sequence[str]) -> str:
        return "\n".join([f"define {head}({arguments}) #0 {{", *body, "  ret void", "}"])

    def _copied(self) -> Iterator[str]:
        """Results that are operands, constants, or the same as others."""
        t = self.types.narrow
        for count, (node, target) in enumerate(self.arrays.copies):
            value = f"%c{count}"
            if node.op == "const":
                value = self.types.number(node.value)
            else:
                pointer, position = self.arrays.source(node, Part([]))
                if pointer in self.numbers:
                    value = pointer
                else:
                    yield self.address(f"%c{count}.p", (pointer, position))
                    yield f"  {value} = load {t}, ptr %c{count}.p, align {self.types.item}"
            yield self.address(f"%c{count}.t", target)
            yield f"  store {t} {value}, ptr %c{count}.t, align {self.types.item}"

    def load(self, node: Node, slot: Address) -> Iterator[str]:
        if slot[0] in self.numbers:
            yield f"  %v{node.index} = bitcast {self.types.narrow} {slot[0]} to {self.types.narrow}"
        else:
            yield from super().load(node, slot)

    def address(self, name: str, slot: Address) -> str:
        return f"  {name} = getelementptr inbounds i8, ptr {slot[0]}, i64 {slot[1] * self.types.item}"

    def tag(self, slot: Address) -> str:
        return f"{slot[0][1:]}_{slot[1]}"
