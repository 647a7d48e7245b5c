"""Quantities along a motion of the joints, as compiled functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.compile import compiled
from kinetree.model import Mechanism
from kinetree.plan.quantity import Quantity
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.signature import Signature, parse

_NAMES = ("q", "qd", "qdd", "qddd")


@dataclass(frozen=True)
class Evaluated:
    """A quantity as a function of q, qd, ..., up to the derivative that it needs."""

    quantity: Quantity

    @property
    def __name__(self) -> str:
        return self.quantity.title.replace(" ", "_")

    def signature(self, robot: Mechanism) -> Signature:
        sizes = (robot.nq, *(robot.nv,) * self.quantity.order)
        operands = ", ".join(f"{name}({size})" for name, size in zip(_NAMES, sizes))
        return parse(f"{operands} -> values({self.quantity.size(robot)})")

    def __call__(self, robot: Mechanism, *motion: Any) -> list[Any]:
        missing = [[0.0] * robot.nv] * (len(_NAMES) - len(motion))
        return self.quantity.values(robot, *motion, *missing)


def evaluate(robot: Robot, quantity: Quantity, motion: tuple[Array, ...]) -> Array:
    """The numbers of a quantity (..., m) for q (..., nq) and its derivatives (..., nv)."""
    return np.asarray(compiled(Evaluated(quantity), robot)(*motion[: quantity.order + 1]), float)
