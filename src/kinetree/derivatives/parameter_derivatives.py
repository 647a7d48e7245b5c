"""The derivative of any function of a robot with respect to named parameters of its model: a mass, a length, ..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.graph.differentiate import pushforward
from kinetree.lower.operand import Operand
from kinetree.model import Mechanism
from kinetree.signature import Signature, flattened, nested
from kinetree.traceable import Traceable


@dataclass(frozen=True)
class ParameterDerivatives:
    """A function over scalars with one result, differentiated; the last axis of the result counts the parameters.

    Args:
        function: takes the robot and its arguments.
        wrt: the operand that holds each parameter, and where in it.
    """

    function: Traceable
    wrt: tuple[tuple[str, int], ...]

    def signature(self, robot: Mechanism) -> Signature:
        own = self.function.signature(robot)
        return own.giving(Operand("d", (*own.results[0].shape, len(self.wrt))))

    @property
    def __name__(self) -> str:
        return f"{self.function.__name__}_parameter_derivatives"

    def __call__(self, robot: Mechanism, *args: Any) -> Any:
        shape = self.function.signature(robot).results[0].shape
        values = flattened(self.function(robot, *args), shape, "the result")
        graph = args[0][0].graph  # all functions of a robot begin with its positions
        columns = [pushforward(values, [graph.input(*place)], [1.0]) for place in self.wrt]
        return nested([d for row in zip(*columns) for d in row], (*shape, len(self.wrt)))
