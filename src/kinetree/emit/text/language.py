"""Programs as text in other languages: what all of them share.

A target is a table of operations and a few rules: how a constant, an element of an array and a definition are written.
Sine, cosine and the like stay calls of the language's own library. Every operation is one line, in the order of
`lower.order`; long programs are cut into functions of bounded size with scratch memory between them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kinetree.emit.text.literals import joined
from kinetree.graph.node import Node, live
from kinetree.graph.operations import OPERATIONS as ARITY
from kinetree.lower.cut import Part, cut
from kinetree.lower.expand import without_sums
from kinetree.lower.order import ordered
from kinetree.lower.program import Operand, Program
from kinetree.lower.signs import settle_signs
from kinetree.lower.widths import settle_widths

BOOLEAN, NARROW, WIDE = "boolean", "narrow", "wide"
SCRATCH = "s"
# names that the texts use themselves
OURS = re.compile(
    rf"(t|part|state)\d+|{SCRATCH}|expected_.*|.*_now|compare|wrong|good|found|expected|state|step|check|batch"
)


# what looks alike in all of them
INFIX = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "eq": "{0} == {1}",
}
_FUNCTIONS = ("fma", "sin", "cos", "atan2", "sqrt", "abs", "sign", "copysign", "floor", "rint")


def calls(names: Mapping[str, str], prefix: str = "", suffix: str = "") -> dict[str, str]:
    """Operations that are calls of functions; ``names`` has those that the language calls otherwise, or has besides."""
    return {
        op: f"{prefix}{names.get(op, op)}{suffix}({', '.join(f'{{{k}}}' for k in range(ARITY[op]))})"
        for op in dict.fromkeys((*_FUNCTIONS, *names))
    }


@dataclass(frozen=True)
class State:
    """Arguments and the results that they should give, each flattened, in double precision."""

    inputs: tuple[tuple[float, ...], ...]
    results: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Listing:
    """A program with everything that is written around it.

    Args:
        name: of the function and of the files; an identifier in every language.
        function: what the function is called inside a namespace of its own.
        program: from `straight`.
        title: lines of plain text for the top of the file.
        notes: what operands and results are, by their names.
        states: for the self-test; none: no self-test.
        tolerance: of the self-test, relative to the largest number of a result.
        hidden: states of an iteration that begin as zeros and are no arguments and no results.
        defaults: numbers of operands where a caller gives none, by name.
    """

    name: str
    function: str
    program: Program
    title: tuple[str, ...]
    notes: Mapping[str, str]
    states: tuple[State, ...]
    tolerance: float
    hidden: frozenset[str] = frozenset()
    defaults: Mapping[str, Sequence[float]] = field(default_factory=dict)


def straight(
    operands: Sequence[Operand],
    results: Sequence[Operand],
    outputs: Sequence[Node],
    *,
    single: bool,
    size: int,
    repeats: bool = False,
) -> Program:
    """Settle signs and widths, order, cut into parts of this many operations; elementary functions stay."""
    settled, wide = settle_signs(without_sums(outputs)), frozenset[Node]()
    if any(node.op == "widen" for node in live(settled)):
        settled, wide = settle_widths(settled)
    parts, slots = cut(ordered(settled), wide, size=size)
    return Program(tuple(operands), tuple(results), tuple(settled), tuple(parts), slots, wide, single, repeats)


@dataclass(frozen=True)
class Piece:
    """The lines of one part, and what they read and write."""

    lines: tuple[str, ...]
    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    scratch: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of what the part is given."""
        return (*(o.name for o in (*self.operands, *self.results)), *[SCRATCH] * self.scratch)


class Language(ABC):
    """A language, for one listing."""

    name: ClassVar[str]
    suffix: ClassVar[str]  # of the name of the self-test
    reals: ClassVar[tuple[str, str]]  # the types of double and of single precision
    size: ClassVar[int] = 500  # operations in a function
    first: ClassVar[int] = 0  # the first index of an array
    repeats: ClassVar[bool] = False  # whether it has programs that repeat
    end: ClassVar[str] = ";"  # of a statement
    operations: ClassVar[Mapping[str, str]]  # {0}, {1}, {2}: arguments; {f}: "f" in single precision; {r}: the type
    reserved: ClassVar[frozenset[str]]  # words that are no names of arguments

    def __init__(self, listing: Listing) -> None:
        self.listing, self.program, self.single = listing, listing.program, listing.program.single
        self.real = self.reals[self.single]
        self.memory = self.reals[self.single and not self.program.wide]  # the type of scratch memory
        self.slots = max(self.program.slots, 1)
        taken = {listing.name, listing.function, *self.reserved}
        self.operands = tuple(self._named(operand, taken) for operand in self.program.operands)
        self.results = tuple(self._named(result, taken) for result in self.program.results)
        # of the function that one calls
        hidden, pairs = listing.hidden, zip(self.program.written, self.results)
        self.arguments = tuple(new for o, new in zip(self.program.operands, self.operands) if o.name not in hidden)
        self.written = tuple(new for r, new in pairs if r.name not in hidden)
        self._inputs = {old.name: new for old, new in zip(self.program.operands, self.operands)}
        self._numbers: dict[Node, int] = {}
        self._elements: dict[Node, list[tuple[Operand, int]]] = {}
        elements = [(result, position) for result in self.results for position in range(result.size)]
        for node, element in zip(self.program.outputs, elements):
            self._elements.setdefault(node, []).append(element)

    @staticmethod
    def _named(operand: Operand, taken: set[str]) -> Operand:
        name = re.sub(r"[^0-9A-Za-z_]", "_", operand.name)
        name = f"x{name}" if name.startswith("_") or not name else name
        name = f"x_{name}" if OURS.fullmatch(name) else name
        while name in taken:
            name += "_"
        taken.add(name)
        return Operand(name, operand.shape)

    @classmethod
    def lowered(cls, *shapes: Any, single: bool, repeats: bool) -> Program:
        """The program that is written, of operands, results and outputs."""
        return straight(*shapes, single=single, size=cls.size, repeats=repeats)

    # -- the rules of a language ---------------------------------------------------------------------------------

    @abstractmethod
    def texts(self) -> dict[str, list[str]]:
        """The lines of the code, by the suffixes of their files."""

    @abstractmethod
    def self_test(self) -> list[str]:
        """A program that compares results with what they should be."""

    @abstractmethod
    def constant(self, value: float, *, wide: bool = False) -> str:
        """A number in the precision of the code, or in double precision if wide."""

    @abstractmethod
    def element(self, operand: Operand, position: int, *, written: bool = False) -> str:
        """An element of an argument, or of a result to be written."""

    def define(self, name: str, value_type: str, value: str) -> str:
        """A statement that gives a value a name."""
        return f"{name} = {value}{self.end}"

    def expression(self, node: Node, args: Sequence[str], *, wide: bool) -> str:
        """One operation."""
        return self.operations[node.op].format(*args, f="f" * (self.single and not wide), r=self.real)

    def result(self, element: str, value: str, value_type: str) -> str:
        """A statement that writes a result; a truth value as 1 or 0."""
        return f"{element} = {value}{self.end}"

    def keep(self, slot: int, value: str, value_type: str) -> str:
        """A statement that leaves a value for a later part."""
        return f"{SCRATCH}[{slot + self.first}] = {value}{self.end}"

    def fetch(self, slot: int, value_type: str) -> str:
        """A value that an earlier part has left."""
        return f"{SCRATCH}[{slot + self.first}]{' != 0' * (value_type == BOOLEAN)}"

    def shape_text(self, operand: Operand) -> str:
        """The shape in words."""
        return " x ".join(map(str, operand.shape)) or "a number"

    # -- files ---------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, str]:
        """The texts by file name; the self-test comes last."""
        name = self.listing.name
        files = {f"{name}.{suffix}": joined(lines) for suffix, lines in self.texts().items()}
        return {**files, f"{name}_test.{self.suffix}": joined(self.self_test())} if self.listing.states else files

    def described(self, mark: str = "") -> list[str]:
        """The arguments and results: names, shapes and what they are."""
        names = [*zip(self.program.operands, self.operands), *zip(self.program.written, self.results)]
        notes = self.listing.notes
        return [
            f"{mark}{new.name}: {self.shape_text(new)}{f', {notes[old.name]}' if notes.get(old.name) else ''}"
            for old, new in names
            if old.name not in self.listing.hidden
        ]

    # -- the lines of a program ----------------------------------------------------------------------------------

    def pieces(self) -> list[Piece]:
        """The parts in order, the results that nothing computes in the last one."""
        pieces: list[Piece] = []
        parts = self.program.parts or (Part([]),)
        for part in parts:
            lines = [
                self.define(self._of(n), self.value_type(n), self.fetch(s, self.value_type(n)))
                for n, s in part.loads.items()
            ]
            kept, written = dict(part.stores), []
            for node in part.operations:
                lines.append(self._operation(node))
                if node in self._elements:
                    lines += self._results(node)
                    written.append(node)
                if node in kept:
                    lines.append(self.keep(kept[node], self._of(node), self.value_type(node)))
            given = [node for node in self._elements if not node.args] if part is parts[-1] else []
            for node in given:
                lines += self._results(node)
            read = [*(arg for node in part.operations for arg in node.args), *given]
            names = {node.value[0] for node in read if node.op == "input"}
            operands = tuple(new for old, new in self._inputs.items() if old in names)
            results = {result for node in (*written, *given) for result, _ in self._elements[node]}
            ordered_results = tuple(result for result in self.results if result in results)
            pieces.append(Piece(tuple(lines), operands, ordered_results, bool(part.loads or part.stores)))
        return pieces

    def unread(self, pieces: Sequence[Piece]) -> list[str]:
        """The names of arguments that nothing depends on."""
        read = {o.name for piece in pieces for o in piece.operands}
        return [o.name for o in self.operands if o.name not in read]

    def _operation(self, node: Node) -> str:
        wide = node in self.program.wide or any(arg in self.program.wide for arg in node.args)
        args = [self._value(arg, wide=wide) for arg in node.args]
        return self.define(self._of(node), self.value_type(node), self.expression(node, args, wide=wide))

    def _results(self, node: Node) -> list[str]:
        value, value_type = self._value(node), self.value_type(node)
        return [
            self.result(self.element(*element, written=True), value, value_type) for element in self._elements[node]
        ]

    def value_type(self, node: Node) -> str:
        """Which type a value has."""
        return BOOLEAN if node.is_boolean else WIDE if node in self.program.wide else NARROW

    def _value(self, node: Node, *, wide: bool = False) -> str:
        if node.op == "const":
            return self.constant(node.value, wide=wide)
        if node.op == "input":
            name, position = node.value
            return self.element(self._inputs[name], position)
        return self._of(node)

    def _of(self, node: Node) -> str:
        return f"t{self._numbers.setdefault(node, len(self._numbers) + 1)}"

    @property
    def uses(self) -> frozenset[str]:
        """The operations that occur."""
        return frozenset(node.op for part in self.program.parts for node in part.operations)
