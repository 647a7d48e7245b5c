"""Names for the values of a traced recursion, as listings of robot models have them.

Bodies are counted from 1. ``w2_x`` is a component of the angular velocity of body 2, ``ww2_xy`` a product of two of
them, ``wd2_x`` a component of its rate, ``U2_xy`` of [wd x] + [w x][w x], ``a2_x`` of the acceleration of its origin
less that of free fall; ``N2_x`` and ``F2_x`` of the moment and the force that move the body alone, ``n2_x`` and
``f2_x`` of those that its joint transmits. ``_m`` at the end: the negative of it. ``S2`` and ``C2`` are sine and cosine
of q2; t1, t2, ... are what is used more than once besides. Reference: [Khalil2010] (18)-(31).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kinetree.algorithms.inverse_dynamics import moving_links, newton_euler
from kinetree.graph.node import Node, live
from kinetree.lower.program import Operand
from kinetree.signature import TOGETHER
from kinetree.tracing import Trace

Names = dict[Node, str]


def named_results(trace: Trace) -> list[tuple[str, Node]]:
    """The results with their names."""
    labels = [label for operand in trace.results for label in _labels(operand)]
    return list(zip(labels, trace.outputs))


def named_inputs(trace: Trace, parameters: Iterable[str]) -> Names:
    """The inputs that are used; open parameters under their own names, also where one operand holds them all."""
    labels = {(o.name, k): label for o in trace.operands for k, label in enumerate(_labels(o))}
    labels |= {(TOGETHER, k): label for k, label in enumerate(parameters)}
    return {node: labels[node.value] for node in live(trace.outputs) if node.op == "input"}


def named_turns(inputs: Names, nodes: Iterable[Node]) -> Names:
    """Sines and cosines of the positions, and of positions with an offset."""
    names: Names = {}
    for node in nodes:
        if node.op in ("sin", "cos"):
            angle = node.args[0]
            while angle.op in ("add", "sub", "neg") and angle not in inputs:
                angle = angle.args[0]
            label = inputs.get(angle, "")
            if label.startswith("q") and label[1:].isdigit():
                name = f"{'S' if node.op == 'sin' else 'C'}{label[1:]}"
                names[node] = name if name not in names.values() else f"{name}_{node.index}"
    return names


def named_recursion(robot: Any, motion: Sequence[Any]) -> Names:
    """What the recursion of inverse dynamics computes on its way, found again by computing it once more."""
    names: Names = {}

    def name(value: Any, label: str) -> None:
        if isinstance(value, Node) and value.op not in ("input", "const"):
            names.setdefault(value, label)
            if value.op == "neg" and value.args[0].op not in ("input", "const"):
                names.setdefault(value.args[0], f"{label}_m")

    def each(vector: Any, label: str) -> None:
        for axis, x in zip("xyz", vector):
            name(x, f"{label}_{axis}")

    for i, (link, angular, a) in enumerate(moving_links(robot, *motion), 1):
        each(angular.w, f"w{i}")
        each(angular.wd, f"wd{i}")
        for x, pair in zip((*angular.squares, *angular.products), ("xx", "yy", "zz", "yz", "xz", "xy")):
            name(x, f"ww{i}_{pair}")
        for row, axis in zip(angular.U, "xyz"):
            for x, other in zip(row, "xyz"):
                name(x, f"U{i}_{axis}{other}")
        each(a, f"a{i}")
        wrench = link.inertia.newton_euler(angular, a)
        each(wrench.ang, f"N{i}")
        each(wrench.lin, f"F{i}")
    for i, wrench in enumerate(newton_euler(robot, *motion), 1):
        each(wrench.ang, f"n{i}")
        each(wrench.lin, f"f{i}")
    return names


def _labels(operand: Operand) -> list[str]:
    """The names of the elements: tau1, tau2, ...; M1_1, M1_2, ..."""
    if not operand.shape:
        return [operand.name]
    labels = [""]
    for size in operand.shape:
        labels = [f"{label}_{k}" for label in labels for k in range(1, size + 1)]
    return [operand.name + label.removeprefix("_") for label in labels]
