"""The derivatives of any function as products: along a direction (J v), and against weights of the results (w J).

Where a derivative is multiplied by something next, as in the frameworks that differentiate programs, the matrix itself
is never needed: a product costs a few times the function. Both are functions again, with products of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kinetree.graph.differentiate import pullback, pushforward
from kinetree.graph.node import Node
from kinetree.lower.operand import Operand
from kinetree.signature import Signature, flattened, nested


@dataclass(frozen=True)
class Product:
    """A function over scalars with the derivatives of another one.

    Args:
        function: takes the robot, where there is one, and its arguments.
        own: its signature.
        outputs: the positions of its results that are differentiated.
        wrt: the arguments with respect to which, named parameters of the robot among them.
        has_robot: whether there is a robot.
    """

    function: Callable[..., Any]
    own: Signature
    outputs: tuple[int, ...]
    wrt: tuple[Operand, ...]
    has_robot: bool
    word: ClassVar[str] = ""

    @property
    def __name__(self) -> str:
        return f"{self.word}_of_{getattr(self.function, '__name__', 'function')}"

    @property
    def results(self) -> list[Operand]:
        """What is differentiated."""
        return [self.own.results[k] for k in self.outputs]

    def named(self, letters: str, operands: Sequence[Operand]) -> list[Operand]:
        """Names with letters before them, more of them where the function has such arguments already."""
        taken = {o.name for o in self.own.operands}
        while any(f"{letters}{o.name}" in taken for o in operands):
            letters = f"{letters[0]}{letters}"
        return [Operand(f"{letters}{o.name}", o.shape) for o in operands]

    def values_and_inputs(self, args: Sequence[Any]) -> tuple[list[Any], list[Node], list[Any]]:
        """The values of all results, the inputs to differentiate, and what the product takes besides."""
        count = len(self.own.operands) + self.has_robot
        graph = next(
            x for o, a in zip(self.own.operands, args[self.has_robot :]) for x in flattened(a, o.shape, "")
        ).graph
        found = self.function(*args[:count])
        found = (found,) if len(self.own.results) == 1 else tuple(found)
        values = [x for k in self.outputs for x in flattened(found[k], self.own.results[k].shape, f"result {k}")]
        inputs = [graph.input(o.name, k) for o in self.wrt for k in range(o.size)]
        return values, inputs, list(args[count:])


class Pushforward(Product):
    """The derivatives of the results along directions of the arguments, which come after the arguments."""

    word = "pushforward"

    def signature(self, robot: Any) -> Signature:
        return self.own.taking(*self.named("d_", self.wrt)).giving(*self.named("d_", self.results))

    def __call__(self, *args: Any) -> Any:
        values, inputs, directions = self.values_and_inputs(args)
        direction = [x for o, d in zip(self.wrt, directions) for x in flattened(d, o.shape, o.name)]
        return _shaped(pushforward(values, inputs, direction), self.results)


class Pullback(Product):
    """The gradient of the sum of weights times results, where the weights come after the arguments."""

    word = "pullback"

    def signature(self, robot: Any) -> Signature:
        return self.own.taking(*self.named("w_", self.results)).giving(*self.named("w_", self.wrt))

    def __call__(self, *args: Any) -> Any:
        values, inputs, given = self.values_and_inputs(args)
        weights = [x for r, w in zip(self.results, given) for x in flattened(w, r.shape, r.name)]
        return _shaped(pullback(values, weights, inputs), self.wrt)


def _shaped(values: Sequence[Any], operands: Sequence[Operand]) -> Any:
    """The numbers of several results, nested; of one result, itself."""
    rest = iter(values)
    shaped = [nested([next(rest) for _ in range(o.size)], o.shape) for o in operands]
    return shaped[0] if len(shaped) == 1 else shaped
