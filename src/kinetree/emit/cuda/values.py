"""The values of one thread: the operations of a program, step by step, in LLVM IR."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kinetree.emit.cuda.arrays import GLOBAL, SHARED, Arrays, KernelArray
from kinetree.emit.llvm.instructions import Operations
from kinetree.graph.node import Node
from kinetree.lower.program import Program
from kinetree.lower.registers import COMPUTE, FILL, LOAD, Step


class Values:
    """Values in registers, and in this thread's rows of shared memory.

    Args:
        program: whose operations they are.
        arrays: of the kernel.
        operands: those that are staged are in rows of shared memory.
        spilled: where values are that leave their registers for a while: a name of rows, and a column.
    """

    def __init__(
        self, program: Program, arrays: Arrays, operands: Iterable[KernelArray], spilled: Mapping[Node, tuple[str, int]]
    ) -> None:
        self.program, self.arrays, self.spilled = program, arrays, spilled
        self.types, self.operations = arrays.types, Operations(arrays.types, program.wide)
        self.operands = {array.operand.name: array for array in operands}
        self.names: dict[Node, str] = {}
        self.count = 0

    def taken(self, steps: Sequence[Step], results: Mapping[Node, Sequence[tuple[KernelArray, int]]]) -> Iterator[str]:
        """Some steps; values that are elements of results are stored when they are known."""
        for step, node in steps:
            yield from self.step(step, node)
            if step == COMPUTE:
                yield from self.stored(node, results.get(node, ()))

    def step(self, step: str, node: Node) -> Iterator[str]:
        if step == LOAD:
            yield from self.loaded(node)
        elif step == COMPUTE and node.op == "dot":
            yield from self._summed(node)
        elif step == COMPUTE and node.op == "div" and node not in self.program.wide:
            yield from self._divided(node)
        elif step == COMPUTE:
            yield from self.operations.lines(self._fresh(node), node, self.names.__getitem__)
        elif step == FILL:
            yield from self.at("load", self._fresh(node), *self.spilled[node])
        else:
            yield from self.at("store", self.names[node], *self.spilled[node])

    def _summed(self, node: Node) -> Iterator[str]:
        """A sum of products, from its first term on."""
        t, (total, *factors) = self._type, map(self.number, node.args)
        for a, b in zip(factors[::2], factors[1::2]):
            self.count += 1
            yield f"  %product.{self.count} = fmul contract {t} {a}, {b}"
            yield f"  %sum.{self.count} = fadd contract {t} {total}, %product.{self.count}"
            total = f"%sum.{self.count}"
        self.names[node] = total

    def _divided(self, node: Node) -> Iterator[str]:
        """A quotient, to one or two units in the last place: LLVM's has branches, which nothing is moved across.

        In double precision about 20 bits of the reciprocal, and a step that cubes its error; where that gives no
        number, as for b = 0 and infinite b, the first approximation.
        """
        (a, b), q = map(self.number, node.args), self._fresh(node)
        if self.program.single:
            yield f"  {q}.r = call float @llvm.nvvm.rcp.approx.ftz.f(float {b})"
            yield f"  {q} = fmul float {a}, {q}.r"
            return
        fma = "call double @llvm.fma.f64(double {}, double {}, double {})".format
        yield f"  {q}.r = call double @llvm.nvvm.rcp.approx.ftz.d(double {b})"
        yield f"  {q}.m = fneg double {b}"
        yield f"  {q}.e = {fma(f'{q}.m', f'{q}.r', 1.0)}"
        yield f"  {q}.f = {fma(f'{q}.e', f'{q}.e', f'{q}.e')}"
        yield f"  {q}.s = {fma(f'{q}.r', f'{q}.f', f'{q}.r')}"
        yield f"  {q}.ok = fcmp ord double {q}.s, {q}.s"
        yield f"  {q}.t = select i1 {q}.ok, double {q}.s, double {q}.r"
        yield f"  {q} = fmul double {a}, {q}.t"

    def loaded(self, node: Node) -> Iterator[str]:
        """An input."""
        operand, k = node.value
        array, name = self.operands[operand], self._fresh(node)
        if array.staged:
            yield from self.at("load", name, array.name, k)
            return
        yield from self.arrays.element(array, k, f"{name}.p", f"%{array.name}.row")
        align = self.arrays.align(array, k)
        yield f"  {name} = load {self._type}, {GLOBAL} {name}.p, align {align}, !invariant.load !0"

    def stored(self, node: Node, places: Sequence[tuple[KernelArray, int]]) -> Iterator[str]:
        """A value into elements of results, in rows or in global memory."""
        if not places:
            return
        value = self.number(node)
        if node.is_boolean:
            value = f"{self.names[node]}.n{self.count}"
            yield f"  {value} = uitofp i1 {self.names[node]} to {self._type}"
        for array, k in places:
            if array.staged:
                yield from self.at("store", value, array.name, k)
            else:
                self.count += 1
                place = f"%to.{self.count}"
                yield from self.arrays.element(array, k, place, f"%{array.name}.row")
                yield f"  store {self._type} {value}, {GLOBAL} {place}, align {self.arrays.align(array, k)}"

    def number(self, node: Node) -> str:
        return self.types.number(node.value) if node.op == "const" else self.names[node]

    @property
    def _type(self) -> str:
        return self.types.element

    def _fresh(self, node: Node) -> str:
        """A new name for a value: one that comes from memory again is another one for LLVM."""
        self.count += 1
        self.names[node] = f"%v{node.index}.{self.count}"
        return self.names[node]

    def at(self, action: str, value: str, rows: str, column: int) -> Iterator[str]:
        """Load or store a value in a column of this thread's row."""
        self.count += 1
        place = f"%at.{self.count}"
        yield f"  {place} = getelementptr {self._type}, {SHARED} %{rows}.own, i32 {column}"
        if action == "load":
            yield f"  {value} = load {self._type}, {SHARED} {place}, align {self.types.item}"
        else:
            yield f"  store {self._type} {value}, {SHARED} {place}, align {self.types.item}"
