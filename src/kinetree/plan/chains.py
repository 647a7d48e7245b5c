"""Closed chains: splines of the independent joints, all others follow because the loops are closed.

At each instant a closed posture is known as numbers, and Newton's method makes two steps from it over scalars. Each
squares the error, so that it is of the fourth order in the end, and derivatives are exact up to the third. The jerks of
the joints that follow come from the loops, differentiated once more,

    J qdd + bias = 0,        J qddd + (dJ/dt qdd + d bias/dt) = 0,

and the rates of the drives' forces from the forces; both rates are taken from the graph, along the motion.
Reference: [Khalil2010] section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.algorithms.closed_chain import (
    Actuation,
    Loops,
    closed_joint_wrenches,
    closing_step,
    loops_in_motion,
    shared_out,
)
from kinetree.algorithms.inverse_dynamics import inverse_dynamics
from kinetree.algorithms.loop_closure import closure
from kinetree.closed import ClosedChain
from kinetree.errors import TraceError
from kinetree.graph.differentiate import pushforward
from kinetree.graph.node import Node
from kinetree.model.mechanism import Mechanism
from kinetree.plan.names import coordinates
from kinetree.plan.quantity import (
    Energy,
    Force,
    ForceRate,
    Parameter,
    Power,
    Quantity,
    Reaction,
    Reactions,
    Vector,
)
from kinetree.plan.squares import Squares
from kinetree.scalar import dot, is_zero

Array = NDArray[np.float64]
_STEPS = 2  # of Newton's method


@dataclass(frozen=True)
class OnChain:
    """The motion of all joints of a closed chain from that of the independent ones; a closed posture is given."""

    actuation: Actuation

    def width(self, robot: Mechanism) -> int:
        return len(self.actuation.independent)

    def operand(self, robot: Mechanism) -> str:
        return f"posture({robot.nq})"

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], given: Any) -> list[list[Any]]:
        q: list[Any] = list(given)
        for k, x in zip(self.actuation.independent, parts[0]):
            q[k] = x
        for _ in range(_STEPS):
            q, _ = closing_step(robot, q, 0.0, self.actuation)
        loops, qd, qdd = loops_in_motion(robot, q, parts[1], parts[2], self.actuation)
        if all(map(is_zero, parts[3])):  # not wanted
            return [q, qd, qdd, [0.0] * robot.nv]
        return [q, qd, qdd, _jerks(loops, q, qd, qdd, parts[3])]


def _jerks(loops: Loops, q: Vector, qd: Vector, qdd: Vector, independent: Vector) -> list[Any]:
    """The jerks of all joints."""
    equations, nv = closure(loops.robot, q, qd), len(qd)
    rows = rates_along([x for e in equations for x in e.row], (q, qd))
    biases = rates_along([e.bias for e in equations], (q, qd), (qd, qdd))
    turned = [dot(rows[nv * k : nv * (k + 1)], qdd) for k in range(len(equations))]
    return loops.accelerations(independent, [x + y for x, y in zip(turned, biases)])


def rates_along(values: Sequence[Any], *motion: tuple[Vector, Vector]) -> list[Any]:
    """How fast values of a graph change in time, from quantities that they depend on and the rates of these."""
    rates: dict[Node, Any] = {}
    for x, rate in ((x, rate) for pair in motion for x, rate in zip(*pair)):
        if not isinstance(x, Node):
            if not is_zero(rate):
                raise TraceError("rates of closed chains are taken from a graph; compile the quantity")
        elif x.op == "neg":  # users of -x are made users of x
            rates[x.args[0]] = -rate
        else:
            rates[x] = rate
    return pushforward(values, [*rates], [*rates.values()])


class Closed:
    """The postures of a closed chain, in the assembly of one of them.

    Args:
        chain: what is closed.
        posture: a closed posture (nq); ``chain.neutral`` by default.
    """

    lift = 0

    def __init__(self, chain: ClosedChain, posture: ArrayLike | None = None) -> None:
        self.chain, self.mapping, self.width = chain, OnChain(chain.actuation), chain.mobility
        start = np.asarray(chain.neutral if posture is None else posture, float)
        own = start[..., list(chain.actuation.independent)] if start.shape == (chain.robot.nq,) else start
        self.posture = chain.close(own, start).check()

    @property
    def independent(self) -> list[int]:
        return list(self.chain.actuation.independent)

    def postures(self, q: Array, near: Array | None = None) -> Array:
        """All joints for independent ones (k, n); NaN where the loops can't be closed."""
        guess = np.broadcast_to(self.posture, (len(q), len(self.posture)))
        if near is not None and len(near) == len(q):
            guess = np.where(np.all(np.isfinite(near), axis=1, keepdims=True), near, guess)
        found = np.full(guess.shape, np.nan)
        good = np.isfinite(q).all(axis=1)
        closure = self.chain.close(q[good], guess[good])
        found[good] = np.where(np.asarray(closure.closed)[:, None], closure.q, np.nan)
        return found

    def given(self, z: Array, before: Array | None) -> tuple[Array, Array]:
        return z, self.postures(z[:, : self.width], before)

    def linear(self, degree: int) -> Quantity:
        return Independent(degree, self.chain.actuation.independent)

    def quantity(self, wanted: Quantity) -> Quantity:
        return on_chain(wanted, self.chain.actuation)

    def stated(self, degree: int, place: float, lower: Any, upper: Any) -> tuple[Quantity, Any, Any]:
        return self.linear(degree), lower, upper

    def rest(self) -> Array:
        return self.posture[self.independent]


@dataclass(frozen=True)
class Independent(Parameter):
    """Positions, velocities, accelerations or jerks of the independent joints: linear in the control points."""

    places: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        return ("position", "velocity", "acceleration", "jerk")[self.degree]

    def size(self, robot: Mechanism) -> int:
        return len(self.places)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"{self.title} of {coordinates(robot)[k]}" for k in self.places]


@dataclass(frozen=True)
class _OfDrives(Quantity):
    """A quantity with one number for each actuated joint."""

    actuation: Actuation = field(kw_only=True)

    def size(self, robot: Mechanism) -> int:
        return len(self.actuation.actuated)

    def names(self, robot: Mechanism) -> list[str]:
        return [f"{self.title} of {coordinates(robot)[k]}" for k in self.actuation.actuated]


@dataclass(frozen=True)
class ClosedForce(_OfDrives, Force):
    """The forces of the actuated joints. [Khalil2010] (57)."""

    @property
    def title(self) -> str:
        return "force"

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        loops = Loops(robot, self.actuation, q)
        tau = loops.projected(inverse_dynamics(robot, q, qd, qdd, self.external))
        return shared_out(loops, self.actuation, tau)


@dataclass(frozen=True)
class ClosedForceRate(_OfDrives, ForceRate):
    """How fast the forces of the actuated joints change."""

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        forces = ClosedForce(external=self.external, actuation=self.actuation).values(robot, q, qd, qdd, qddd)
        return rates_along(forces, (q, qd), (qd, qdd), (qdd, qddd))


@dataclass(frozen=True)
class ClosedPower(_OfDrives, Power):
    """The power of the actuated joints."""

    @property
    def title(self) -> str:
        return "power"

    def values(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, qddd: Vector) -> list[Any]:
        forces = ClosedForce(external=self.external, actuation=self.actuation).values(robot, q, qd, qdd, qddd)
        return [force * qd[k] for force, k in zip(forces, self.actuation.actuated)]


@dataclass(frozen=True)
class ClosedEnergy(Energy):
    """The power that the drives take."""

    actuation: Actuation = field(kw_only=True)

    def powers(self) -> Power:
        return ClosedPower(external=self.external, actuation=self.actuation)


def _wrenches(
    robot: Mechanism, q: Vector, qd: Vector, qdd: Vector, actuation: Actuation, external: Any
) -> list[list[Any]]:
    qd_i, qdd_i = ([x[k] for k in actuation.independent] for x in (qd, qdd))
    return closed_joint_wrenches(robot, q, qd_i, qdd_i, actuation, external)[0]


@dataclass(frozen=True)
class ClosedReaction(Reaction):
    """What the joint of a body carries when the cut joints carry their part."""

    actuation: Actuation = field(kw_only=True)

    def wrenches(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Any]]:
        return _wrenches(robot, q, qd, qdd, self.actuation, self.external)


@dataclass(frozen=True)
class ClosedReactions(Reactions):
    """The forces that all joints of the tree carry."""

    actuation: Actuation = field(kw_only=True)

    def wrenches(self, robot: Mechanism, q: Vector, qd: Vector, qdd: Vector) -> list[list[Any]]:
        return _wrenches(robot, q, qd, qdd, self.actuation, self.external)


_CLOSED: dict[type[Quantity], Callable[..., Quantity]] = {
    Force: lambda x, actuation: ClosedForce(external=x.external, actuation=actuation),
    ForceRate: lambda x, actuation: ClosedForceRate(external=x.external, actuation=actuation),
    Power: lambda x, actuation: ClosedPower(external=x.external, actuation=actuation),
    Energy: lambda x, actuation: ClosedEnergy(x.corner, external=x.external, actuation=actuation),
    Reaction: lambda x, actuation: ClosedReaction(x.body, x.part, external=x.external, actuation=actuation),
    Reactions: lambda x, actuation: ClosedReactions(external=x.external, actuation=actuation),
    Squares: lambda x, actuation: replace(x, of=on_chain(x.of, actuation)),
}


_TREE: dict[type[Quantity], type[Quantity]] = {
    ClosedForce: Force,
    ClosedForceRate: ForceRate,
    ClosedPower: Power,
    ClosedEnergy: Energy,
    ClosedReaction: Reaction,
    ClosedReactions: Reactions,
}


def on_chain(quantity: Quantity, actuation: Actuation) -> Quantity:
    """The quantity of a closed chain that corresponds to one of its tree."""
    make = _CLOSED.get(type(quantity))
    return quantity if make is None else make(quantity, actuation)


def of_tree(quantity: Quantity) -> Quantity:
    """The quantity of a tree that `on_chain` made one of a closed chain from."""
    if isinstance(quantity, Squares):
        return replace(quantity, of=of_tree(quantity.of))
    kind = _TREE.get(type(quantity))
    return quantity if kind is None else kind(**{x.name: getattr(quantity, x.name) for x in fields(kind)})
