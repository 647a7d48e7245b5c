"""What constraints and costs of a motion are on: quantities of a robot at one sample, and coordinates of its motion.

A sample is z = (q, qd, ..., up to the order that is needed), one after the other. Where the curves of a transcription
are not those of the joints, a `CoordinateMap` says how the motion of the joints follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array

HIGHEST = 3  # derivatives of q that quantities may use


class SampleQuantity(Protocol):
    """Numbers that a robot has at one sample of a motion, over scalars; see `kinetree.plan.Quantity`."""

    # the highest derivative of q that it uses
    @property
    def order(self) -> int: ...

    # whether it gets the parameters of the sample, after qddd
    @property
    def needs_parameters(self) -> bool: ...

    # how many numbers it has
    def size(self, robot: Mechanism) -> int: ...

    # a name for each number
    def names(self, robot: Mechanism) -> list[str]: ...

    # a quantity that it is some numbers of, and which; itself with None where there is no such
    def part_of(self, robot: Mechanism) -> tuple[SampleQuantity, Sequence[int] | None]: ...

    # the numbers, of (robot, q, qd, qdd, qddd, *parameters)
    @property
    def values(self) -> Callable[..., list[Any]]: ...

    # a row for each number: its derivatives with respect to q, then qd, and so on; None to have them derived
    @property
    def jacobian(self) -> Callable[..., list[list[Any]] | None]: ...


class CoordinateMap(Protocol):
    """How the motion of all joints follows from the coordinates of the curves; a frozen value, over scalars."""

    # further numbers of each sample that it needs, as an operand of a signature
    def operand(self, robot: Mechanism) -> str: ...

    # q, qd, qdd, qddd of all joints, from the coordinates and their derivatives
    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], operand: Any) -> list[list[Any]]: ...


class Coordinates(Protocol):
    """The coordinates that the curves of a transcription describe."""

    # how many there are
    @property
    def size(self) -> int: ...

    # to the joints; None where the coordinates are the joints'
    @property
    def map(self) -> CoordinateMap | None: ...

    # how many more derivatives of the coordinates are needed than of the joints
    @property
    def extra_order(self) -> int: ...

    # whether a quantity is the coordinates themselves or a derivative of them in time
    def is_linear(self, quantity: SampleQuantity) -> bool: ...

    # samples (k, (order + 1) size) as the map takes them, and its operand; ``near`` is that of samples nearby
    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]: ...
