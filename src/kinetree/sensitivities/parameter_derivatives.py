"""The derivative of any function of a robot with respect to named parameters of its model: a mass, a length, ..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model.mechanism import Mechanism
from kinetree.signature import flattened, nested, parameter_place


@dataclass(frozen=True)
class ParameterDerivatives:
    """A function over scalars with one result, differentiated; the last axis of the result counts the parameters.

    Args:
        function: takes the robot and its arguments.
        shape: of its result.
        wrt: the names of the parameters.
    """

    function: Any
    shape: tuple[int, ...]
    wrt: tuple[str, ...]

    @property
    def recipe(self) -> str:
        return repr((self.function.recipe, self.wrt))

    @property
    def __name__(self) -> str:
        return f"{self.function.__name__}_parameter_derivatives"

    def __call__(self, robot: Mechanism, *args: Any) -> Any:
        values = flattened(self.function(robot, *args), self.shape, "the result")
        graph = next(x for x in _leaves(args) if isinstance(x, Node)).graph
        columns = [pushforward(values, [graph.input(*parameter_place(robot, name))], [1.0]) for name in self.wrt]
        return nested([d for row in zip(*columns) for d in row], (*self.shape, len(self.wrt)))


def _leaves(value: Any) -> Any:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
