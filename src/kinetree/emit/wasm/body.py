"""Runs of operations as the instructions of a stack machine.

A value with one user is computed where that user takes it, on the stack; all others are kept in locals, which are given
to other values after their last use. Nothing branches and nothing can trap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from kinetree.emit.wasm import instructions as own
from kinetree.emit.wasm.binary import F64, I32, I64, FunctionBody, unsigned
from kinetree.emit.wasm.instructions import BITS, OPERATIONS, ZERO, constant
from kinetree.graph.node import Node
from kinetree.lower.cut import Part

GET, SET, TEE = 0x20, 0x21, 0x22
_LOAD, _STORE = b"\x2b\3", b"\x39\3"  # f64, at multiples of eight bytes
_TAKEN = {"select": (1, 2, 0)}  # the order of the arguments on the stack, where it is another
Leaves = Callable[[Node], bytes | None]
Instruction = bytes | tuple[int, Node]  # as it stands; or what is done with the local of a value


def load(address: int) -> bytes:
    """A number from memory."""
    return ZERO + _LOAD + unsigned(address)


class Stack:
    """The instructions of values.

    Args:
        leaves: how a value that is not computed here gets on the stack.
        calls: the numbers of the module's functions.
        operations: what is computed here.
        lasting: whether a leaf that is used twice gets a local.
    """

    def __init__(
        self, leaves: Leaves, calls: Mapping[str, int], operations: Sequence[Node], lasting: bool = True
    ) -> None:
        self.leaves, self.calls, self.lasting = leaves, calls, lasting
        self.uses = Counter(arg for node in operations for arg in node.args)
        self.angles = {(node.op, node.args[0]): node for node in operations if node.op in ("sin", "cos")}
        self.instructions: list[Instruction] = []
        self.kept: set[Node] = set()

    def push(self, node: Node) -> None:
        """Put a value on the stack, and what it is computed from before."""
        todo = [(node, False)]
        while todo:
            node, has_arguments = todo.pop()
            if node in self.kept:
                self.instructions.append((GET, node))
            elif (leaf := self.leaves(node)) is not None:
                self.instructions.append(leaf)
                if self.uses[node] > 1 and self.lasting:
                    self.kept.add(node)
                    self.instructions.append((TEE, node))
            elif has_arguments:
                self._apply(node)
            else:
                order = _TAKEN.get(node.op, range(len(node.args)))
                todo.append((node, True))
                todo += [(node.args[k], False) for k in reversed(order)]

    def keep(self, node: Node) -> None:
        """Put a value into a local."""
        if node in self.kept:
            return
        self.push(node)
        if self.instructions[-1] == (GET, node):  # it was put there with another one
            self.instructions.pop()
        else:
            self.instructions.append((SET, node))
        self.kept.add(node)

    def _apply(self, node: Node) -> None:
        instruction = {**OPERATIONS, **BITS}.get(node.op, node.op)
        if isinstance(instruction, bytes):
            self.instructions.append(instruction)
            return
        self.instructions.append(b"\x10" + unsigned(self.calls[instruction]))
        if instruction != "sincos":
            return
        # both are on the stack: the sine below the cosine
        sin, cos = (self.angles.get((op, node.args[0])) for op in ("sin", "cos"))
        for x in (cos, sin):
            if x is None:
                self.instructions.append(own.DROP)
            else:
                self.kept.add(x)
                self.instructions.append((SET, x))
        self.instructions.append((GET, node))

    def body(self, takes: int = 0, gives: int = 0) -> FunctionBody:
        """The function, with locals shared by values that live one after the other."""
        last = {x[1]: k for k, x in enumerate(self.instructions) if isinstance(x, tuple)}
        free: dict[bool, list[int]] = {False: [], True: []}
        counts, where = {False: 0, True: 0}, dict[Node, int]()
        numbered: list[bytes | tuple[int, bool, int]] = []
        for k, instruction in enumerate(self.instructions):
            if isinstance(instruction, bytes):
                numbered.append(instruction)
                continue
            action, node = instruction
            kind = node.is_boolean
            if node not in where:
                if not free[kind]:
                    free[kind].append(counts[kind])
                    counts[kind] += 1
                where[node] = free[kind].pop()
            numbered.append((action, kind, where[node]))
            if last[node] == k:
                free[kind].append(where[node])
        first = {False: takes, True: takes + counts[False]}
        code = b"".join(x if isinstance(x, bytes) else bytes([x[0]]) + unsigned(first[x[1]] + x[2]) for x in numbered)
        return FunctionBody(takes, gives, ((counts[False], F64), (counts[True], I32)), code)


def part_body(
    part: Part,
    inputs: Mapping[str, int],
    results: Mapping[Node, Sequence[int]],
    scratch: int,
    calls: Mapping[str, int],
    given: Iterable[Node] = (),
) -> FunctionBody:
    """A part of a program as a function.

    Args:
        part: the operations.
        inputs: the addresses of the operands.
        results: the addresses of outputs.
        scratch: the address of the scratch memory.
        calls: the numbers of the module's functions.
        given: outputs that nothing computes, to be written too.
    """

    def leaf(node: Node) -> bytes | None:
        if node.op == "const":
            return constant(node.value)
        if node.op == "input":
            return load(inputs[node.value[0]] + 8 * node.value[1])
        if (slot := part.loads.get(node)) is not None:
            return load(scratch + 8 * slot) + (own.TO_TRUTH if node.is_boolean else b"")
        return None

    stack = Stack(leaf, calls, part.operations)
    slots = dict(part.stores)
    overwritten = {*slots.values()}
    for node, slot in part.loads.items():
        if slot in overwritten:
            stack.keep(node)
    for node in (*part.operations, *given):
        addresses = [*results.get(node, ()), *([scratch + 8 * slots[node]] if node in slots else [])]
        if (node.args and stack.uses[node] > 1) or (addresses and stack.uses[node] + len(addresses) > 1):
            stack.keep(node)
        for address in addresses:
            stack.instructions.append(ZERO)
            stack.push(node)
            stack.instructions.append((own.TO_NUMBER if node.is_boolean else b"") + _STORE + unsigned(address))
    return stack.body()


def function_body(name: str, calls: Mapping[str, int]) -> FunctionBody:
    """A function of `FUNCTIONS`."""
    takes = own.FUNCTIONS[name][0]
    if name == "odd_sum":
        return FunctionBody(takes, 1, ((1, I64),), own.ODD_SUM)
    operations, outputs = own.traced(name)

    def leaf(node: Node) -> bytes | None:
        if node.op == "const":
            return constant(node.value)
        return bytes([GET, node.value[1]]) if node.op == "input" else None

    stack = Stack(leaf, calls, operations, lasting=False)
    stack.uses.update(outputs)
    for node in operations:
        if stack.uses[node] > 1:
            stack.keep(node)
    for node in outputs:
        stack.push(node)
    return stack.body(takes, len(outputs))
