"""What limits and costs of a motion speak of: numbers that a robot has at one instant, written over scalars.

Each says how it follows from q, qd, qdd and qddd; gradients and second derivatives are taken from its graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kinetree.algorithms.force_rates import forces_and_rates
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.joint_wrenches import joint_wrenches
from kinetree.errors import InputError, UnknownNameError
from kinetree.model.mechanism import Mechanism
from kinetree.plan.names import coordinates
from kinetree.scalar import sqrt

Vector = Sequence[Any]
Loads = tuple[tuple[float, ...], ...]
TINY = 1e-12  # keeps the slope of a norm at zero a number


@dataclass(frozen=True)
class Quantity:
    """Numbers at one instant of a motion; a subclass gives `values`, `size` and the highest derivative it needs."""

    order = 2
    private = False  # whether it holds functions of the user, which no cache knows
    informed = False  # whether it gets the numbers that the task knows for each instant, after qddd
    carries = False  # whether it knows what moves joints without a drive, such as the ground

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no values()")

    def slopes(
        self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector, *known: Any
    ) -> list[list[Any]] | None:
        """A row for each value: its derivatives with respect to q, then qd, and so on; None to have them derived."""
        return None

    def size(self, robot: Mechanism) -> int:
        return robot.nv

    def names(self, robot: Mechanism) -> list[str]:
        """A name for each number, for messages and plots."""
        return [f"{self.title} of {name}" for name in coordinates(robot)]

    @property
    def title(self) -> str:
        return type(self).__name__.lower()

    def check(self, robot: Mechanism) -> None:
        """Refuse what this robot does not have."""

    def loaded(self, external: Loads) -> Quantity:
        """The same with constant loads on the bodies."""
        return self


@dataclass(frozen=True)
class Derivative(Quantity):
    """The position (0), velocity (1), acceleration (2) or jerk (3) of the joints: linear in the control points."""

    degree: int = 0

    @property
    def order(self) -> int:  # type: ignore[override]
        return self.degree

    @property
    def title(self) -> str:
        return ("position", "velocity", "acceleration", "jerk")[self.degree]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [*(q, qd, qdd, qddd)[self.degree]]


@dataclass(frozen=True)
class Parameter(Quantity):
    """The parameter of a path and its derivatives in time: linear in the control points of a motion along it."""

    degree: int = 0

    @property
    def order(self) -> int:  # type: ignore[override]
        return self.degree

    def size(self, robot: Mechanism) -> int:
        return 1

    def names(self, robot: Mechanism) -> list[str]:
        return [("place on the path", "speed along the path", "acceleration along the path")[self.degree]]


@dataclass(frozen=True)
class Dynamic(Quantity):
    """A quantity that forces go into: it may know constant loads on the bodies, as `external` everywhere."""

    external: Loads | None = field(default=None, kw_only=True)

    def loaded(self, external: Loads) -> Quantity:
        return replace(self, external=external)

    def wrenches(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Any]]:
        return joint_wrenches(robot, q, qd, qdd, self.external)


@dataclass(frozen=True)
class Force(Dynamic):
    """The joint forces tau(q, qd, qdd) [N m, N]."""

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return inverse_dynamics(robot, q, qd, qdd, self.external)


@dataclass(frozen=True)
class ForceRate(Dynamic):
    """How fast the joint forces change [N m/s, N/s]."""

    order = 3

    @property
    def title(self) -> str:
        return "force rate"

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return forces_and_rates(robot, q, qd, qdd, qddd, self.external)[1]


@dataclass(frozen=True)
class Power(Dynamic):
    """The power of each joint, tau qd [W]."""

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [t * v for t, v in zip(inverse_dynamics(robot, q, qd, qdd, self.external), qd)]


@dataclass(frozen=True)
class Energy(Dynamic):
    """The power that the drives take, sum abs(tau qd), with a smooth corner at zero [W]: nothing is won by braking.

    Args:
        corner: the power below which it is round [W].
    """

    corner: float = 0.1

    def powers(self) -> Power:
        return Power(external=self.external)

    def size(self, robot: Mechanism) -> int:
        return 1

    def names(self, robot: Mechanism) -> list[str]:
        return ["absolute power"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        power = self.powers().values(robot, q, qd, qdd, qddd)
        return [sum((sqrt(x * x + self.corner**2) - self.corner for x in power), 0.0)]


_PARTS = {"mx": 0, "my": 1, "mz": 2, "fx": 3, "fy": 4, "fz": 5}


@dataclass(frozen=True)
class Reaction(Dynamic):
    """What the joint of a body carries: the norm of the force or of the moment, or one component in body axes.

    Args:
        body: the name of the body that receives it from its parent.
        part: "force", "moment", or one of "mx", "my", "mz", "fx", "fy", "fz".
    """

    body: str = ""
    part: str = "force"

    def check(self, robot: Mechanism) -> None:
        robot_bodies = [body.name for body in robot.bodies]
        if self.body not in robot_bodies:
            raise UnknownNameError("body", self.body, robot_bodies)
        if self.part not in ("force", "moment", *_PARTS):
            raise UnknownNameError("part of a reaction", self.part, ["force", "moment", *_PARTS])

    def size(self, robot: Mechanism) -> int:
        return 1

    def names(self, robot: Mechanism) -> list[str]:
        return [f"reaction {self.part} on {self.body}"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        w = self.wrenches(robot, q, qd, qdd)[[body.name for body in robot.bodies].index(self.body)]
        if self.part in _PARTS:
            return [w[_PARTS[self.part]]]
        part = w[3:] if self.part == "force" else w[:3]
        return [sqrt(sum((x * x for x in part), TINY))]


@dataclass(frozen=True)
class Reactions(Dynamic):
    """The forces that all joints carry, three for each body in body axes [N]."""

    def size(self, robot: Mechanism) -> int:
        return 3 * robot.nbodies

    def names(self, robot: Mechanism) -> list[str]:
        return [f"reaction f{axis} on {body.name}" for body in robot.bodies for axis in "xyz"]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        return [x for w in self.wrenches(robot, q, qd, qdd) for x in w[3:]]


@dataclass(frozen=True)
class Custom(Quantity):
    """A function of your own over scalars: function(robot, q, qd, qdd, qddd) gives a list of numbers.

    Args:
        function: written over kinetree scalars.
        count: how many numbers it gives.
        name: for messages.
        highest: the highest derivative of q that it uses, up to 3.
    """

    private = True
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

    def size(self, robot: Mechanism) -> int:
        return self.count

    def names(self, robot: Mechanism) -> list[str]:
        return [self.name] if self.count == 1 else [f"{self.name}[{k}]" for k in range(self.count)]

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        values = [*self.function(robot, q, qd, qdd, qddd)]
        if len(values) != self.count:
            raise InputError(f"{self.name!r} gave {len(values)} numbers, it was said to give {self.count}")
        return values


QUANTITIES: dict[str, Quantity] = {
    "position": Derivative(0),
    "velocity": Derivative(1),
    "acceleration": Derivative(2),
    "jerk": Derivative(3),
    "force": Force(),
    "force_rate": ForceRate(),
    "power": Power(),
}


def quantity(what: str | Quantity) -> Quantity:
    """A quantity by name, or itself."""
    if isinstance(what, Quantity):
        return what
    if what not in QUANTITIES:
        raise UnknownNameError("quantity", what, QUANTITIES)
    return QUANTITIES[what]
