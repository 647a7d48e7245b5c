"""What a spline describes where it is not the joints themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetree.model.mechanism import Mechanism
from kinetree.plan.kernel import Mapping
from kinetree.plan.quantity import Parameter, Quantity

Array = NDArray[np.float64]
_TITLES = ("position", "velocity", "acceleration", "jerk")


class Way(Protocol):
    """How the joints of a robot follow: a path, or loops that are closed."""

    @property
    def mapping(self) -> Mapping:
        """The rule over scalars."""
        ...

    @property
    def width(self) -> int:
        """How many numbers the spline describes."""
        ...

    @property
    def lift(self) -> int:
        """How many derivatives more than of the joints are needed of what the spline describes."""
        ...

    def given(self, z: Array, before: Array | None) -> tuple[Array, Array]:
        """Instants as the rule wants them, and the numbers beside them; ``before`` are those for nearby instants."""
        ...


class Coordinates(Way, Protocol):
    """Coordinates of a robot that a task is stated in, and from which all others follow."""

    def linear(self, degree: int) -> Quantity:
        """These coordinates (0), or a derivative of them in time."""
        ...

    def quantity(self, wanted: Quantity) -> Quantity:
        """The quantity of the robot in these coordinates that corresponds to one of its tree."""
        ...

    def stated(self, degree: int, place: float, lower: Any, upper: Any) -> tuple[Quantity, Any, Any]:
        """A statement on positions (0) or a derivative of them at a place: the quantity it is on, and its bounds."""
        ...

    def rest(self) -> Array:
        """Where a motion of which no position is known is first looked for."""
        ...


@dataclass(frozen=True)
class Described(Parameter):
    """What a spline describes (0), or a derivative of it in time: linear in the control points."""

    labels: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return _TITLES[self.degree] if self.degree < len(_TITLES) else f"derivative {self.degree}"

    def size(self, robot: Mechanism) -> int:
        return len(self.labels)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"{self.title} of {label}" for label in self.labels]
