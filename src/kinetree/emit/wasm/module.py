"""Programs as one module of WebAssembly with one memory.

Every operand and every result has a fixed address. Functions take nothing and give nothing: they read memory and write
memory. Operands and results of one name and shape are the same numbers for all functions, so that one function goes on
with what another one has left. The addresses are in a section of the module, as JSON.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinetree.emit.wasm.binary import FunctionBody, module, read_unsigned, sections, signed, unsigned
from kinetree.emit.wasm.body import function_body, load, part_body
from kinetree.emit.wasm.instructions import FUNCTIONS, NEEDS, OPERATIONS
from kinetree.graph.node import Node
from kinetree.lower.cut import Part
from kinetree.lower.program import Operand, Program

SECTION = "kinetree"
SIZE = 800  # operations in a function: the code of engines gets slower from 1500 on, that of 300 is a fifth longer
_LOOP, _BRANCH_IF, _COPY, _FILL = b"\x03\x40", b"\x0d\0\x0b", b"\xfc\x0a\0\0", b"\xfc\x0b\0"
_POSITIVE = b"\x44" + bytes(8) + b"\x64"  # > 0.0


@dataclass(frozen=True)
class ModuleFunction:
    """A function of a module.

    Args:
        program: from `kinetree.emit.text.language.straight`.
        hidden: states of an iteration that begin as zeros and are no operands and no results.
        defaults: numbers that operands hold at the start, by name.
    """

    program: Program
    hidden: frozenset[str] = frozenset()
    defaults: Mapping[str, Sequence[float]] = field(default_factory=dict)


class Memory:
    """Where numbers are: bytes are given out one after the other."""

    def __init__(self) -> None:
        self.size = 0
        self._shared: dict[Operand, int] = {}

    def shared(self, operand: Operand) -> int:
        """The address of an operand or result that functions have in common."""
        if operand not in self._shared:
            self._shared[operand] = self.own(operand.size)
        return self._shared[operand]

    def own(self, count: int) -> int:
        """The address of so many numbers more."""
        self.size += 8 * count
        return self.size - 8 * count


def written(entries: Mapping[str, ModuleFunction]) -> bytes:
    """The module that has these functions by these names."""
    memory = Memory()
    calls = {name: k for k, name in enumerate(_needed(entries))}
    bodies = [function_body(name, calls) for name in calls]
    scratch = memory.own(max((entry.program.slots for entry in entries.values()), default=0))
    exports: dict[str, int] = {}
    table: dict[str, Any] = {}
    data: dict[int, bytes] = {}
    for name, entry in entries.items():
        function = _Function(entry, memory)
        parts = [*function.parts(scratch, calls)]
        exports[name] = len(bodies) + len(parts)
        whole = function.whole(range(len(bodies), len(bodies) + len(parts)))
        bodies += [*parts, FunctionBody(0, 0, (), whole)]
        table[name] = function.listed()
        for operand in function.operands:
            if (values := entry.defaults.get(operand.name)) is not None:
                data[memory.shared(operand)] = struct.pack(f"<{operand.size}d", *values)
    notes = {SECTION: json.dumps({"functions": table}, separators=(",", ":")).encode()}
    return module(bodies, exports, memory.size, data, notes)


def listing(content: bytes) -> dict[str, Any]:
    """The functions of a module: for each its operands and results, with name, shape and address."""
    for number, section in sections(content):
        size, start = read_unsigned(section, 0)
        if not number and section[start : start + size] == SECTION.encode():
            return json.loads(section[start + size :])["functions"]
    return {}


class _Function:
    """One function: its addresses, its parts and what calls them.

    What is operand and result at once has a place of its own while the function runs.
    """

    def __init__(self, entry: ModuleFunction, memory: Memory) -> None:
        self.entry, self.program, program = entry, entry.program, entry.program
        both = {o.name for o in program.operands} & {r.name for r in program.results}
        self.operands = [o for o in program.operands if o.name not in entry.hidden]
        self.results = [r for r in program.written if r.name not in entry.hidden]
        self.places = {o.name: memory.shared(o) for o in self.operands}
        self.gives = {r.name: memory.shared(r) for r in self.results}
        self.inputs = {o.name: memory.own(o.size) if o.name in both else self.places[o.name] for o in program.operands}
        unseen = [r for r in program.results if r.name not in self.gives]
        self.outputs = {**self.gives, **{r.name: memory.own(r.size) for r in unseen}}
        self.both = [o for o in program.operands if o.name in both]

    def listed(self) -> dict[str, Any]:
        return {
            "operands": [[o.name, o.shape, self.places[o.name]] for o in self.operands],
            "results": [[r.name, r.shape, self.gives[r.name]] for r in self.results],
        }

    def parts(self, scratch: int, calls: Mapping[str, int]) -> Iterator[FunctionBody]:
        """A function for each part; results that nothing computes are written in the last one."""
        results: dict[Node, list[int]] = {}
        nodes = iter(self.program.outputs)
        for result in self.program.results:
            for k in range(result.size):
                results.setdefault(next(nodes), []).append(self.outputs[result.name] + 8 * k)
        parts = self.program.parts or (Part([]),)
        for part in parts:
            given = [node for node in results if not node.args] if part is parts[-1] else ()
            yield part_body(part, self.inputs, results, scratch, calls, given)

    def whole(self, parts: Sequence[int]) -> bytes:
        """Call the parts; in a program that repeats until its last result is not above zero."""
        begin = b"".join(
            _copied(self.inputs[o.name], self.places[o.name], o.size)
            if o.name in self.places
            else _integers(self.inputs[o.name], 0, 8 * o.size) + _FILL
            for o in self.both
        )
        steps = b"".join(b"\x10" + unsigned(number) for number in parts)
        if not self.program.repeats:
            return begin + steps
        after = b"".join(_copied(self.inputs[o.name], self.outputs[o.name], o.size) for o in self.both)
        again = load(self.outputs[self.program.results[-1].name]) + _POSITIVE
        return begin + _LOOP + steps + after + again + _BRANCH_IF


def _copied(target: int, source: int, count: int) -> bytes:
    return _integers(target, source, 8 * count) + _COPY


def _integers(*numbers: int) -> bytes:
    return b"".join(b"\x41" + signed(n) for n in numbers)


def _needed(entries: Mapping[str, ModuleFunction]) -> list[str]:
    """The functions that operations call."""
    operations = {node.op for entry in entries.values() for part in entry.program.parts for node in part.operations}
    used = {name for op in operations if isinstance(name := OPERATIONS[op], str)}
    return [name for name in FUNCTIONS if name in used or any(name in NEEDS.get(user, ()) for user in used)]
