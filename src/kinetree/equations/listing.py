"""The customised model of a robot as a list of equations, in the order of their computation.

It is the very graph that is compiled: zeros and ones are folded away, what is used twice has a name, and nothing is
expanded. Reference: [Khalil2010] section 3.2, where such listings are called customised symbolic models.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from kinetree.catalogue import Variant
from kinetree.equations import writing
from kinetree.equations.names import Names, named_inputs, named_recursion, named_results, named_turns
from kinetree.errors import InputError, printable
from kinetree.graph.node import Node, live
from kinetree.lower.expand import without_sums
from kinetree.parameter import FUNCTIONS
from kinetree.tracing import Trace, trace

_SHOWN = 60  # equations that a notebook renders at once


@dataclass(frozen=True)
class Assignment:
    """One equation: a name and the expression that it stands for."""

    name: str
    node: Node


@dataclass(frozen=True, repr=False)
class Equations:
    """The equations of one function of a robot; ``str()`` is the listing as text, one Python statement a line.

    Args:
        title: what they compute, and which body is which.
        steps: the equations in the order of their computation.
        known: the names of inputs and of earlier results.
        results: the names of the results.
    """

    title: tuple[str, ...]
    steps: tuple[Assignment, ...]
    known: Names
    results: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Equations: {printable(self.title[0])}, {len(self.steps)} steps>"

    def __str__(self) -> str:
        lines = [f"{step.name} = {writing.plain(step.node, self._label(step))}" for step in self.steps]
        return "\n".join([*(f"# {printable(line)}" for line in self.title), *lines])

    def __len__(self) -> int:
        return len(self.steps)

    def latex(self) -> str:
        """The listing as an ``align*`` environment."""
        lines = [f"{writing.symbol(step.name)} &= {writing.latex(step.node, self._label(step))}" for step in self.steps]
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"

    def _repr_latex_(self) -> str | None:
        """What notebooks show; of long listings the line of `repr`."""
        return self.latex() if len(self) <= _SHOWN else None

    def sympy(self) -> list[tuple[Any, Any]]:
        """The steps as pairs of a SymPy symbol and the expression that it stands for, as `sympy.cse` has them."""
        sympy = _sympy()
        symbols = {name: sympy.Symbol(name, real=True) for name in [*self.known.values(), *self.results]}
        values: dict[Node, Any] = {}
        steps = ((step, self._label(step)) for step in self.steps)
        return [(symbols[x.name], _computed(x.node, label, symbols, values, sympy)) for x, label in steps]

    def closed_form(self) -> dict[str, Any]:
        """Each result as one SymPy expression of the inputs, simplified; for robots with few joints."""
        sympy = _sympy()
        full: dict[Any, Any] = {}
        for symbol, expression in self.sympy():
            full[symbol] = expression.subs(full) if hasattr(expression, "subs") else expression
        found = {str(symbol): x for symbol, x in full.items() if str(symbol) in self.results}
        return {name: sympy.simplify(sympy.nsimplify(x, rational=True)) for name, x in found.items()}

    def _label(self, step: Assignment) -> writing.Label:
        """The names that an equation may use: all but its own."""
        return lambda node: None if node is step.node and self.known.get(node) == step.name else self.known.get(node)


def equations(robot: Any, variant: Variant) -> Equations:
    """The equations of an algorithm for a robot; see `kinetree.Robot.equations`."""
    captured: list[tuple[Any, list[Any]]] = []

    def traced(bound_robot: Any, *args: Any) -> Any:
        captured.append((bound_robot, list(args)))
        return variant(bound_robot, *args)

    found = trace(traced, robot, signature=variant.signature(robot))
    found = replace(found, outputs=tuple(without_sums(found.outputs)))
    inputs = named_inputs(found, robot.parameters)
    nodes = live(found.outputs)
    names = {**inputs, **named_turns(inputs, nodes)}
    if variant.name == "inverse_dynamics" and not variant.external and not variant.base:
        bound_robot, motion = captured[0]
        for node, label in named_recursion(variant.model(bound_robot), motion).items():
            names.setdefault(node, label)
    title = [f"{robot.name}: {variant.name.replace('_', ' ')}"]
    title += [f"{i}: {body.name}, {body.joint.name}" for i, body in enumerate(robot.bodies, 1)]
    if variant.algorithm.regrouped:
        title.append(
            "numbers of inertias are regrouped: forces and moments inside the joints are not those of the robot"
        )
    return _listed(found, nodes, names, tuple(title))


def _listed(found: Trace, nodes: list[Node], names: Names, title: tuple[str, ...]) -> Equations:
    """Steps for what has a name or is used more than once."""
    uses = Counter(arg for node in nodes for arg in node.args)
    results = named_results(found)
    known: Names = {}
    steps: list[Assignment] = []
    taken = {*(label for label, _ in results), *(names[node] for node in nodes if node.op == "input")}
    for node in nodes:
        if node.op == "input":
            known[node] = names[node]
        elif node.op != "const" and (node in names or uses[node] > 1) and not (node.op == "neg" and node not in names):
            label = names.get(node, f"t{len(steps) + 1}")
            label = f"{label}_{node.index}" if label in taken else label
            taken.add(label)
            known[node] = label
            steps.append(Assignment(label, node))
    steps += [Assignment(label, node) for label, node in results]
    return Equations(title, tuple(steps), known, tuple(label for label, _ in results))


# -- SymPy -------------------------------------------------------------------------------------------------------------


def _sympy() -> Any:
    try:
        return importlib.import_module("sympy")
    except ImportError:
        raise InputError("expressions of SymPy need SymPy, which is not installed: pip install sympy") from None


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    **{op: FUNCTIONS[op] for op in ("add", "sub", "mul", "div", "neg", "lt", "le", "widen", "narrow")},
    "fma": lambda a, b, c: a * b + c,
}
_FUNCTIONS = {"sin": "sin", "cos": "cos", "sqrt": "sqrt", "atan2": "atan2", "abs": "Abs", "sign": "sign",
              "floor": "floor", "eq": "Eq", "and": "And", "or": "Or", "xor": "Xor", "not": "Not"}  # fmt: skip


def _computed(node: Node, label: writing.Label, symbols: dict[str, Any], values: dict[Node, Any], sympy: Any) -> Any:
    if name := label(node):
        return symbols[name]
    if node.op == "const":
        return int(node.value) if node.value == int(node.value) else sympy.Float(node.value)
    if node not in values:
        args = [_computed(arg, label, symbols, values, sympy) for arg in node.args]
        if node.op == "select":
            values[node] = sympy.Piecewise((args[1], args[0]), (args[2], True))
        elif node.op in _ARITHMETIC:
            values[node] = _ARITHMETIC[node.op](*args)
        elif node.op in _FUNCTIONS:
            values[node] = getattr(sympy, _FUNCTIONS[node.op])(*args)
        else:
            raise InputError(f"SymPy has nothing for {node.op!r}")
    return values[node]
