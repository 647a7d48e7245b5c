"""What constraints and costs of a motion are on: numbers that a robot has at one sample, written over scalars.

Each says how it follows from q, qd, qdd and qddd; gradients and second derivatives are taken from its graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.dynamics import Dynamics, Vector

TITLES = ("position", "velocity", "acceleration", "jerk")


@dataclass(frozen=True)
class Quantity:
    """Numbers at one sample of a motion; a subclass gives `values`, `names` and the highest derivative it needs."""

    order = 2
    label = ""  # its title where that is not the name of its class
    needs_parameters = False  # whether it gets the parameters of the sample, after qddd
    includes_contact = False  # whether it accounts for what moves unactuated joints, such as the ground

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no values()")

    def jacobian(self, robot: Mechanism, *sample: Any) -> list[list[Any]] | None:
        """A row for each value: its derivatives with respect to q, then qd, and so on; None to have them derived."""
        return None

    def size(self, robot: Mechanism) -> int:
        return len(self.names(robot))

    def names(self, robot: Mechanism) -> list[str]:
        """A name for each number, for messages and plots."""
        return [f"{self.title} of {name}" for name in robot.coordinate_names]

    @property
    def title(self) -> str:
        return self.label or type(self).__name__.lower()

    def part_of(self, robot: Mechanism) -> tuple[Quantity, Sequence[int] | None]:
        """A quantity that it is some numbers of, and which; itself with None where there is no such."""
        return self, None

    def check(self, robot: Mechanism) -> None:
        """Refuse what this robot does not have."""

    def under(self, dynamics: Dynamics) -> Quantity:
        """The same quantity of a mechanism with these dynamics."""
        return self


@dataclass(frozen=True)
class _Derivative(Quantity):
    """Positions (0), or a derivative of them in time."""

    degree: int = 0

    @property
    def order(self) -> int:  # type: ignore[override]
        return self.degree

    @property
    def title(self) -> str:
        return TITLES[self.degree] if self.degree < len(TITLES) else f"derivative {self.degree}"


@dataclass(frozen=True)
class Derivative(_Derivative):
    """The position (0), velocity (1), acceleration (2) or jerk (3) of the joints."""

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [*(q, qd, qdd, qddd)[self.degree]]


@dataclass(frozen=True)
class Coordinate(_Derivative):
    """Coordinates that curves describe where these are not the joints' (0), or a derivative of them in time."""

    labels: tuple[str, ...] = ()

    def names(self, robot: Mechanism) -> list[str]:
        return [f"{self.title} of {label}" for label in self.labels]


@dataclass(frozen=True)
class Custom(Quantity):
    """A function of your own over scalars: function(robot, q, qd, qdd, qddd) gives a list of numbers.

    Args:
        function: written over kinetree scalars.
        count: how many numbers it gives.
        name: for messages.
        highest: the highest derivative of q that it uses, up to 3.
    """

    function: Callable[..., Sequence[Any]] = lambda *_: []
    count: int = 1
    name: str = "custom"
    highest: int = 2

    @property
    def order(self) -> int:  # type: ignore[override]
        return self.highest

    @property
    def title(self) -> str:
        return self.name

    def check(self, robot: Mechanism) -> None:
        if self.highest not in (0, 1, 2, 3):
            raise InputError(f"{self.name!r} may use derivatives of q up to 3, got highest={self.highest!r}")

    def names(self, robot: Mechanism) -> list[str]:
        return [self.name] if self.count == 1 else [f"{self.name}[{k}]" for k in range(self.count)]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        values = [*self.function(robot, q, qd, qdd, qddd)]
        if len(values) != self.count:
            raise InputError(f"{self.name!r} gave {len(values)} numbers, it was said to give {self.count}")
        return values
