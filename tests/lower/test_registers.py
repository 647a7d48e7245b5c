"""Orders of operations and values in registers: every value is where it is needed, and few are there at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

import kinetree as kt
from kinetree.graph.node import Node, live
from kinetree.lower.expand import expand
from kinetree.lower.order import ordered, short_lived
from kinetree.lower.registers import COMPUTE, FILL, LOAD, SPILL, steps, traffic


def outputs() -> list[Node]:
    return expand(kt.robots.ur5().function("inverse_dynamics_derivatives").source.trace().outputs, single=False)


def one_by_one(nodes: Sequence[Node]) -> list[Node]:
    operations = [node for node in live(nodes) if node.args]
    return short_lived(operations, *([node] for node in dict.fromkeys(nodes) if node.args))


def most_alive(order: Sequence[Node]) -> int:
    last = {arg: k for k, node in enumerate(order) for arg in node.args if arg.args}
    alive, most = set[Node](), 0
    for k, node in enumerate(order):
        alive |= {node} & last.keys()
        alive -= {arg for arg in node.args if last.get(arg) == k}
        most = max(most, len(alive))
    return most


@pytest.mark.parametrize("order", [ordered, one_by_one])
@pytest.mark.parametrize("registers", [8, 30, 1000])
def test_every_value_is_in_a_register_when_it_is_used(
    order: Callable[[Sequence[Node]], list[Node]], registers: int
) -> None:
    operations = order(outputs())
    memory: set[Node] = set()
    held: set[Node] = set()
    computed = 0
    for step, node in steps(operations, registers):
        if step == SPILL:
            held.remove(node)
            memory.add(node)
            continue
        elif step == FILL:
            assert node in memory
        elif step == COMPUTE:
            assert node is operations[computed]
            assert {arg for arg in node.args if arg.op != "const"} <= held
            computed += 1
        else:
            assert step == LOAD
            assert node.op == "input"
        held.add(node)
    assert computed == len(operations)
    assert bool(traffic(operations, registers)) is (registers < most_alive(operations))


def test_results_one_by_one_keep_fewer_values_alive() -> None:
    # from the last column to the first: the tip of the arm is done with first
    nodes = outputs()
    by_columns = [nodes[k] for column in reversed(range(6)) for k in range(len(nodes)) if k % 6 == column]
    assert sorted(one_by_one(by_columns), key=id) == sorted(ordered(nodes), key=id)
    assert most_alive(one_by_one(by_columns)) < 0.8 * most_alive(ordered(nodes))
