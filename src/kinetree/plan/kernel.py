"""Compiled values, first and second derivatives of quantities, for many instants at once.

An instant is z = (q, qd, ..., up to the order that is needed), one after the other. Where a spline describes something
else, such as the way along a path, a `Mapping` says how the motion of the joints follows from it. Quantities may also
depend on numbers that a task knows beforehand for each instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetree.compile import compiled
from kinetree.graph.differentiate import pullback, pushforward
from kinetree.model.mechanism import Mechanism
from kinetree.plan.quantity import Quantity
from kinetree.runtime.function import Function
from kinetree.signature import Signature, parse

Array = NDArray[np.float64]
_STEP = 1e-6  # of differences of gradients, relative
HIGHEST = 3  # derivatives of q that quantities may use


class Mapping(Protocol):
    """How the motion of all joints follows from what a spline describes, and from numbers given for each instant."""

    def width(self, robot: Mechanism) -> int:
        """How many numbers the spline describes."""
        ...

    def operand(self, robot: Mechanism) -> str:
        """The numbers given for each instant, as an operand of a signature."""
        ...

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], given: Any) -> list[list[Any]]:
        """q, qd, qdd, qddd of all joints."""
        ...


@dataclass(frozen=True)
class Traced:
    """Quantities as one function of z: values (0), also the Jacobian (1); or, of their weighted sum, gradient and
    Hessian (2), or the gradient alone (3)."""

    quantities: tuple[Quantity, ...]
    order: int
    derivatives: int
    mapping: Mapping | None = None
    known: int = 0  # how many numbers are known beforehand

    @property
    def __name__(self) -> str:
        return ("values", "jacobian", "hessian", "gradient")[self.derivatives]

    def given(self, robot: Mechanism) -> str:
        """What comes beside the motion, as operands of a signature."""
        known = f", known({self.known})" if self.known else ""
        return known if self.mapping is None else f", {self.mapping.operand(robot)}{known}"

    def signature(self, robot: Mechanism) -> Signature:
        m, given = sum(q.size(robot) for q in self.quantities), self.given(robot)
        nz = (robot.nv if self.mapping is None else self.mapping.width(robot)) * (self.order + 1)
        text = (
            f"z(nz){given} -> values(m)",
            f"z(nz){given} -> values(m), jacobian(m,nz)",
            f"z(nz), weights(m){given} -> gradient(nz), hessian(nz,nz)",
            f"z(nz), weights(m){given} -> gradient(nz)",
        )[self.derivatives]
        return parse(text, robot, nz=nz, m=m)

    def motions(self, robot: Mechanism, z: Sequence[Any], more: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The arguments of the quantities."""
        n = len(z) // (self.order + 1)
        parts = [z[n * r : n * (r + 1)] for r in range(self.order + 1)]
        parts += [[0.0] * n] * (HIGHEST - self.order)
        known, more = (more[-1], more[:-1]) if self.known else (None, more)
        if self.mapping is not None:
            parts = self.mapping.motion(robot, parts, more[-1])
        return [(robot, *parts, *((known,) if q.informed else ())) for q in self.quantities]

    def each(self, robot: Mechanism, z: Sequence[Any], more: Sequence[Any]) -> tuple[list[list[Any]], list[list[Any]]]:
        """The values of each quantity, and the rows of the Jacobian of all."""
        given = self.motions(robot, z, more)
        each = [q.values(*g) for q, g in zip(self.quantities, given)]
        slopes = [q.slopes(*g) if self.mapping is None else None for q, g in zip(self.quantities, given)]
        return each, [row for x, known in zip(each, slopes) for row in _rows(x, known, z)]

    def __call__(self, robot: Mechanism, z: Sequence[Any], *more: Any) -> Any:
        if self.derivatives == 1:
            each, rows = self.each(robot, z, more)
            return [x for own in each for x in own], rows
        given = self.motions(robot, z, more)
        values = [x for q, g in zip(self.quantities, given) for x in q.values(*g)]
        if self.derivatives == 0:
            return values
        gradient = pullback(values, more[0], z)
        if self.derivatives == 3:
            return gradient
        H: list[list[Any]] = [[0.0] * len(z) for _ in z]
        for j, x in enumerate(z):
            for i, value in enumerate(pushforward(gradient[: j + 1], [x], [1.0])):
                H[i][j] = H[j][i] = value
        return gradient, H


def _rows(values: Sequence[Any], known: list[list[Any]] | None, z: Sequence[Any]) -> list[list[Any]]:
    """The Jacobian of a quantity: its own where it knows it, else in forward mode, or of one number in reverse mode."""
    if known is not None:
        return [row + [0.0] * (len(z) - len(row)) for row in known]
    if len(values) == 1:
        return [pullback(values, [1.0], z)]
    columns = [pushforward(values, [x], [1.0]) for x in z]
    return [list(row) for row in zip(*columns)]


class Kernel:
    """The functions of some quantities of a robot, compiled when first needed."""

    def __init__(
        self, robot: Any, quantities: Sequence[Quantity], order: int, mapping: Mapping | None = None, known: int = 0
    ) -> None:
        self.robot, self.size = robot, sum(q.size(robot) for q in quantities)
        self._traced = tuple(quantities), order, mapping, known
        self._own: list[Function | None] = [None, None, None, None]
        self._rooms: dict[tuple[int, ...], Array] = {}

    def traced(self, derivatives: int) -> Traced:
        quantities, order, mapping, known = self._traced
        return Traced(quantities, order, derivatives, mapping, known)

    def differences(self, z: Array, weights: Array, *given: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of the weighted sum, the latter by differences of the former: small to compile."""
        gradient = self.function(3)
        steps = _STEP * (1.0 + np.abs(z))
        k, n = z.shape
        around, there, H = self._room((3, k, n, n))
        around[...] = z[:, None, :]
        around[:, range(n), range(n)] += steps
        now = gradient(z, weights, *given)
        gradient(around, weights[:, None], *(x[:, None] for x in given), out=there)
        there -= now[:, None]
        there *= (0.5 / steps)[:, :, None]
        return now, np.add(there, there.transpose(0, 2, 1), out=H)

    def _room(self, shape: tuple[int, ...]) -> Array:
        """Memory for large matrices, the same each time: the system needs longer to give it than we to fill it."""
        if self._rooms.get(shape) is None:
            self._rooms = {shape: np.empty(shape)}
        return self._rooms[shape]

    def function(self, derivatives: int) -> Function:
        own = self._own[derivatives]
        if own is None:
            own = self._own[derivatives] = compiled(self.traced(derivatives), self.robot)
        return own
