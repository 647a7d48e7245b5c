"""Reference motions over time, written over scalars: a position with its first four derivatives.

All of them stand still before their beginning and after their end, as far as they have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Target(NamedTuple):
    """Where a reference motion is at one time: as many numbers in each as there are coordinates."""

    q: list[Any]
    qd: list[Any]
    qdd: list[Any]
    qddd: list[Any]
    qdddd: list[Any]


@dataclass(frozen=True)
class Reference:
    """A motion of some coordinates, given for all times; a subclass is a frozen dataclass with tuples of numbers."""

    def at(self, t: Any) -> Target:
        """The target at the time t [s], a number or a scalar of a graph."""
        raise NotImplementedError(f"{type(self).__name__} has no at()")


@dataclass(frozen=True)
class Hold(Reference):
    """A posture that does not change.

    Args:
        position: of each coordinate [rad, m].

    Example:
        >>> Hold((0.1, 0.2)).at(3.0).qd
        [0.0, 0.0]
    """

    position: Sequence[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", tuple(self.position))

    def at(self, t: Any) -> Target:
        still = [0.0] * len(self.position)
        return Target([*self.position], still, still, still, still)
