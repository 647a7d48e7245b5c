"""Closed chains: curves of the independent joints, all others follow because the loops are closed.

At each sample a closed configuration is known as numbers, and Newton's method makes two steps from it over scalars.
Each squares the error, so that it is of the fourth order in the end, and derivatives are exact up to the third. The
jerks of the dependent joints come from the loops, differentiated once more,

    J qdd + bias = 0,        J qddd + (dJ/dt qdd + d bias/dt) = 0,

where the rates are taken from the graph, along the motion. Reference: [Khalil2010] section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinetree.algorithms.closed_chain import Actuation, Loops, closing_step, loops_in_motion
from kinetree.algorithms.loop_closure import closure
from kinetree.closed import ClosedChain
from kinetree.errors import ClosureError
from kinetree.model import Mechanism
from kinetree.plan.coordinates.coordinates import Array, Motion, PlanCoordinates
from kinetree.plan.dynamics import ChainDynamics, Dynamics, Loads, Vector, rates_along
from kinetree.plan.quantity import Derivative
from kinetree.scalar import dot, is_zero
from kinetree.transcribe.sample import VALUES, SampleFunctions

_STEPS = 2  # of Newton's method


@dataclass(frozen=True)
class LoopMap:
    """The motion of all joints of a closed chain from that of the independent ones, about a closed configuration."""

    actuation: Actuation

    def operand(self, robot: Mechanism) -> str:
        return f"configuration({robot.nq})"

    def motion(self, robot: Mechanism, parts: Sequence[Sequence[Any]], operand: Any) -> list[list[Any]]:
        q: list[Any] = list(operand)
        for k, x in zip(self.actuation.independent, parts[0]):
            q[k] = x
        for _ in range(_STEPS):
            q, _ = closing_step(robot, q, 0.0, self.actuation)
        loops, qd, qdd = loops_in_motion(robot, q, parts[1], parts[2], self.actuation)
        if all(map(is_zero, parts[3])):  # not needed
            return [q, qd, qdd, [0.0] * robot.nv]
        return [q, qd, qdd, _jerks(loops, q, qd, qdd, parts[3])]


def _jerks(loops: Loops, q: Vector, qd: Vector, qdd: Vector, independent: Vector) -> list[Any]:
    """The jerks of all joints."""
    equations, nv = closure(loops.robot, q, qd), len(qd)
    rows = rates_along([x for e in equations for x in e.row], (q, qd))
    biases = rates_along([e.bias for e in equations], (q, qd), (qd, qdd))
    along = [dot(rows[nv * k : nv * (k + 1)], qdd) for k in range(len(equations))]
    return loops.accelerations(independent, [x + y for x, y in zip(along, biases)])


class LoopCoordinates(PlanCoordinates):
    """The independent joints of a closed chain.

    Args:
        chain: what is closed.
        configuration: a closed one (nq), in whose assembly the chain moves; ``chain.neutral`` by default.
    """

    kind = "chain"

    def __init__(self, chain: ClosedChain, configuration: ArrayLike | None = None) -> None:
        self.chain, self.robot, self.map = chain, chain.robot, LoopMap(chain.actuation)
        self.independent = list(chain.actuation.independent)
        self.labels = tuple(chain.robot.coordinate_names[k] for k in self.independent)
        start = np.asarray(chain.neutral if configuration is None else configuration, float)
        own = start[..., self.independent] if start.shape == (chain.robot.nq,) else start
        self.configuration = chain.close(own, start).check()

    @property
    def system(self) -> ClosedChain:
        return self.chain

    def dynamics(self, external: Loads | None) -> Dynamics:
        return ChainDynamics(external, actuation=self.chain.actuation)

    def closed(self, q: Array, near: Array | None = None) -> Array:
        """All joints for independent ones (k, n); NaN where the loops can't be closed."""
        guess = np.broadcast_to(self.configuration, (len(q), len(self.configuration)))
        if near is not None and len(near) == len(q):
            guess = np.where(np.all(np.isfinite(near), axis=1, keepdims=True), near, guess)
        found = np.full(guess.shape, np.nan)
        good = np.isfinite(q).all(axis=1)
        closure = self.chain.close(q[good], guess[good])
        found[good] = np.where(np.asarray(closure.closed)[:, None], closure.q, np.nan)
        return found

    def operands(self, z: Array, near: Array | None) -> tuple[Array, ...]:
        return z, self.closed(z[:, : self.size], near)

    def positions(self, z: Array, near: Array | None = None) -> Array:
        return self.closed(z, near)

    def rest(self) -> Array:
        return self.configuration[self.independent]

    @property
    def rest_of_joints(self) -> Array:
        return self.configuration

    def joint_motion(self, z: Callable[[int], Array]) -> Motion:
        parts = z(3)
        flat = np.concatenate([*parts], axis=-1).reshape(-1, 4 * self.size)
        configurations = self.closed(flat[:, : self.size])
        if not np.isfinite(configurations).all():
            raise ClosureError("the loops can't be closed along the whole plan")
        functions = SampleFunctions(self.robot, [Derivative(k) for k in range(4)], self.size, 3, self.map)
        values = functions[VALUES](flat, configurations)
        q, qd, qdd, qddd = (x.reshape(*parts.shape[1:-1], -1) for x in np.split(values, 4, axis=1))
        return q, qd, qdd, qddd

    def to_json(self) -> dict[str, Any]:
        own = {"actuated": self.chain.actuated, "weights": self.chain.actuation.weights}
        return {"kind": self.kind, **own, "configuration": self.configuration.tolist()}
