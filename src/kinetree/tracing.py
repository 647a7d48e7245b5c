"""Tracing: a function over scalars becomes an expression graph, once for a robot or for nothing but its signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InputError
from kinetree.graph.node import Graph, Node, count, live
from kinetree.lower.operand import Operand
from kinetree.parameter import bound
from kinetree.signature import Declared, Signature, flattened, nested, parameter_operands, parameter_place, parse


@dataclass(frozen=True)
class Trace:
    """A traced function: operands, results and the nodes of all results in order.

    One that repeats is a step of an iteration; see `kinetree.lower.program.Program`.
    """

    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    outputs: tuple[Node, ...]
    repeats: bool = False

    @property
    def operations(self) -> dict[str, int]:
        """How many operations of each kind one state takes."""
        return count(self.outputs)

    @property
    def fingerprint(self) -> str:
        """A hash of all that it computes."""
        import hashlib  # loads OpenSSL: not at the start

        digest = hashlib.sha256(repr((self.operands, self.results, self.repeats)).encode())
        numbers: dict[Node, int] = {}
        for node in live(self.outputs):
            numbers[node] = len(numbers)
            value = node.value.hex() if node.op == "const" else node.value
            digest.update(repr((node.op, [numbers[arg] for arg in node.args], value)).encode())
        digest.update(repr([numbers[node] for node in self.outputs]).encode())
        return digest.hexdigest()


def trace(
    function: Callable[..., Any], robot: Any = None, *, signature: Declared = None, outputs: Sequence[int] | None = None
) -> Trace:
    """The expression graph of a function over scalars, for counting and for looking at.

    Args:
        function, robot, signature, outputs: as for `kinetree.compile`.

    Example:
        >>> import kinetree as kt
        >>> kt.trace(lambda x: x[0] * x[1], signature="(2)->()").operations
        {'mul': 1}
    """
    declared = declared_signature(function, robot, signature)
    graph = Graph()
    inputs = [nested([graph.input(o.name, k) for k in range(o.size)], o.shape) for o in declared.operands]
    if robot is not None:
        parameters = {name: graph.input(*parameter_place(robot, name)) for name in robot.parameters}
        inputs.insert(0, bound(robot, parameters) if parameters else robot)
    results, values = declared.results, function(*inputs)
    values = (values,) if len(results) == 1 else tuple(values) if hasattr(values, "__iter__") else (values,)
    if len(values) != len(results):
        raise InputError(f"the function returned {len(values)} results, the signature '{declared}' has {len(results)}")
    repeats = getattr(function, "repeats", False)
    kept = range(len(results)) if outputs is None or repeats else outputs
    nodes = [graph.node(x) for k in kept for x in flattened(values[k], results[k].shape, f"result {k} of '{declared}'")]
    operands = (*declared.operands, *parameter_operands(robot))
    return Trace(operands, tuple(results[k] for k in kept), tuple(nodes), repeats)


def declared_signature(function: Any, robot: Any, signature: Declared) -> Signature:
    """The signature that was given, or the function's own."""
    if signature is not None:
        return signature if isinstance(signature, Signature) else parse(signature, robot)
    if not hasattr(function, "signature"):
        raise InputError(f"{function!r} does not say what it takes: give signature='(2),(2)->(2)' or the like")
    return function.signature(robot)
