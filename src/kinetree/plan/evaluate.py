"""Quantities along a motion of the joints, as compiled functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.compile import compiled
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.plan.quantity import Quantity
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array
from kinetree.signature import Signature, parse
from kinetree.transcribe.bspline import BSpline

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


def curve_at(spline: BSpline, points: Array, duration: float, t: Array, order: int) -> Array:
    """A curve and its derivatives at times (...): (order + 1, ..., n); at rest before its start and after its end."""
    if not np.isfinite(t).all():
        raise InputError("times must be finite numbers")
    z = spline.curve(points, np.clip(t.ravel() / duration, 0.0, 1.0), order)
    z = z / (duration ** np.arange(order + 1))[:, None, None]
    z[1:, (t.ravel() < 0.0) | (t.ravel() > duration)] = 0.0
    return z.reshape(order + 1, *t.shape, -1)


def evaluate(robot: Robot, quantity: Quantity, motion: tuple[Array, ...]) -> Array:
    """The numbers of a quantity (..., m) for q (..., nq) and its derivatives (..., nv)."""
    return np.asarray(compiled(Evaluated(quantity), robot)(*motion[: quantity.order + 1]), float)
