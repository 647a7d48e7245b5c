"""Random programs over the operations of the graph, as data: they can be kept in a file and traced again.

A program has leaves (the elements of its operands, then named parameters) and steps, each an operation on leaves,
earlier steps and constants. Values are counted through; a constant is a text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

import kinetree as kt
from kinetree.graph.operations import BOOLEAN, LOGICAL, OPERATIONS
from kinetree.parameter import FUNCTIONS
from kinetree.scalar import Scalar, plus_products
from kinetree.signature import flattened, nested

Shape = tuple[int, ...]
CONSTANTS = (
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -0.1, 1.5, 2.5, math.pi, -math.pi / 2, 1e-3, 1e3, 1e15, -7e5, 1e-30,
    1e30, 5e-324, -2.2e-308, 1e-45, -1e-38, 1.7976931348623157e308, -3.4e38, math.inf, -math.inf, math.nan,
    2.0**24 + 1, 2.0**53,
)  # fmt: skip
SHAPES: tuple[Shape, ...] = (
    (), (), (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (9,), (16,), (17,), (33,),
    (2, 3), (3, 3), (4, 2), (1, 7), (2, 1, 3), (2, 2, 2, 2),
)  # fmt: skip
MANY: tuple[Shape, ...] = ((6, 6), (7, 9), (64,), (67,), (12, 12), (3, 5, 7), (200,))  # results that may be streamed
OFTEN = ("add", "sub", "mul", "mul", "add", "neg", "select", "lt", "dot", "sin", "cos", "div")
LONGEST = 6  # products in a sum
SLOW = 0.1  # how many programs may have an fma, for which the interpreter takes long


@dataclass(frozen=True)
class Program:
    """Shapes of operands and results, the number of parameters, steps, and where the results come from."""

    operands: tuple[Shape, ...]
    parameters: int
    results: tuple[Shape, ...]
    steps: tuple[tuple[Any, ...], ...]
    outputs: tuple[int, ...]

    @staticmethod
    def of(data: dict[str, Any]) -> Program:
        """From what `asdict` and JSON made of one."""
        shapes = {name: tuple(map(tuple, data[name])) for name in ("operands", "results", "steps")}
        return Program(parameters=data["parameters"], outputs=tuple(data["outputs"]), **shapes)

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def signature(self) -> str:
        return "->".join(",".join(f"({','.join(map(str, s))})" for s in side) for side in (self.operands, self.results))

    @property
    def robot(self) -> kt.Robot | None:
        """A robot whose named parameters are further operands."""
        names = [f"p{k:02}" for k in range(self.parameters)]
        joints = [kt.Joint(name, kt.joints.Revolute()) for name in names]
        bodies = [kt.Body(j.name, j, kt.Inertia(kt.parameter(j.name, 1.0))) for j in joints]
        return kt.Robot(tuple(bodies)) if names else None

    def __call__(self, *args: Any) -> Any:
        """The results, from the robot (if there are parameters) and the operands, over scalars."""
        robot, operands = (args[0], args[1:]) if self.parameters else (None, args)
        values = [x for operand, shape in zip(operands, self.operands) for x in flattened(operand, shape, "operand")]
        values += [] if robot is None else [body.inertia.mass for body in robot.bodies]
        for op, *refs in self.steps:
            values.append(_applied(op, [float.fromhex(ref) if isinstance(ref, str) else values[ref] for ref in refs]))
        found, start = [], 0
        for shape in self.results:
            end = start + math.prod(shape)
            found.append(nested([values[k] for k in self.outputs[start:end]], shape))
            start = end
        return found if len(found) > 1 else found[0]


def _applied(op: str, args: list[Any]) -> Any:
    """The operation; what no traced function may do gives a number instead."""
    if op == "dot":
        return plus_products(args[0], args[1::2], args[2::2])
    if op == "div" and not isinstance(args[1], Scalar) and args[1] == 0.0:
        return args[0]
    try:
        return FUNCTIONS[op](*args)
    except (ArithmeticError, ValueError):  # of Python's own numbers, after all scalars were simplified away
        return op in ("lt", "le", "eq") if op in BOOLEAN else 1.0


def random_program(random: Random) -> Program:
    operands = tuple(random.choice(SHAPES) for _ in range(random.choice((1, 1, 2, 2, 3, 4))))
    operands += ((0,),) if random.random() < 0.02 else ()
    parameters = random.choice((1, 3, 40)) if random.random() < 0.1 else 0
    results = tuple(random.choice(SHAPES) for _ in range(random.choice((1, 1, 1, 2, 3))))
    if random.random() < 0.06:
        results = (random.choice(MANY), *results[1:])
    leaves = sum(map(math.prod, operands)) + parameters
    numbers, truths = [*range(leaves)], list[int]()
    steps: list[tuple[Any, ...]] = []
    length = random.choice((1, 3, 5, 8, 12, 20, 30, 60)) if random.random() < 0.97 else 400
    choices = [op for op in (*OPERATIONS, "dot") if op != "fma" or random.random() < SLOW]
    while len(steps) < length:
        op = random.choice(OFTEN if random.random() < 0.6 else choices)
        if truths or op not in (*LOGICAL, "select"):
            steps.append((op, *_arguments(random, op, numbers, truths)))
            (truths if op in BOOLEAN else numbers).append(leaves + len(steps) - 1)
    pool = [*numbers, *truths[-2:]]
    count = sum(map(math.prod, results))
    outputs = tuple(random.choice(pool[-12:] if random.random() < 0.8 else pool) for _ in range(count))
    return Program(operands, parameters, results, tuple(steps), outputs)


def _arguments(random: Random, op: str, numbers: Sequence[int], truths: Sequence[int]) -> list[Any]:
    """Values and constants for an operation, among them at least one value; recent values are taken more often."""

    def value() -> int:
        return random.choice(numbers[-8:] if random.random() < 0.6 else numbers)

    def number() -> Any:
        return value() if random.random() < 0.8 else random.choice(CONSTANTS).hex()

    if op in LOGICAL:
        return [random.choice(truths) for _ in range(OPERATIONS[op])]
    if op == "select":
        return [random.choice(truths), number(), number()]
    if op == "dot":
        return [number() for _ in range(1 + 2 * random.randint(1, LONGEST))]
    found = [number() for _ in range(OPERATIONS[op])]
    found[random.randrange(len(found))] = value()
    return found
