"""Actuators with limits of their force and of its rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.control.actuation import ActuatedJoints
from kinetree.control.validation import positive
from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.robot.configuration import per_velocity
from kinetree.scalar import Vector, is_scalar, maximum, minimum
from kinetree.simulation.controller import Controller


@dataclass(frozen=True)
class Limited(Controller):
    """Another controller behind actuators with limits of their force and of its rate.

    A limit of the rate needs the previous force: the controller is sampled then, at every step of the simulation or
    with its ``sample=``. The first sample has no limit of the rate.

    Args:
        controller: any `Controller`, with a memory or without.
        force: the largest force [N m, N], one number or one for each velocity of an actuated joint; the
            ``limits.effort`` of the joints by default (of the motor, where it drives the joint through a spring).
        rate: the largest rate of a force [N m/s, N/s], likewise; no limit by default.

    Example:
        >>> import kinetree as kt
        >>> pull = kt.control.PD(kt.control.Hold([1.0, -1.0]), kp=50.0, kd=5.0)
        >>> motion = kt.simulate(kt.robots.two_link(), [0, 0], [0, 0], 0.1, kt.control.Limited(pull, force=[2.0, 1.0]))
        >>> abs(motion.tau).max(axis=0)
        array([2., 1.])
    """

    controller: Controller
    force: Any = None
    rate: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.controller, Controller):
            raise InputError(f"Limited takes a kinetree.control.Controller, got {self.controller!r}")
        for name in ("force", "rate"):
            value = getattr(self, name)
            if value is not None:
                values = (value,) if is_scalar(value) else tuple(value)
                checked = tuple(positive(x, f"the limit of {name}", infinite=True) for x in values)
                object.__setattr__(self, name, checked[0] if is_scalar(value) else checked)

    def forces(self, robot: Mechanism, t: Any, q: Vector, qd: Vector) -> list[Any]:
        return self.update(robot, t, q, qd, self.memory(robot))[0]

    def memory(self, robot: Mechanism) -> list[float]:
        inner = self.controller.memory(robot)
        if self.rate is None:
            return inner
        given = isinstance(self.rate, tuple) and _closed(robot)
        return [*inner, *([0.0] * len(self.rate if given else _efforts(robot))), -math.inf]

    def update(self, robot: Mechanism, t: Any, q: Vector, qd: Vector, memory: Vector) -> tuple[list[Any], list[Any]]:
        inner = len(self.controller.memory(robot))
        tau, kept = self.controller.update(robot, t, q, qd, memory[:inner])
        most = _each(robot, _efforts(robot, len(tau)) if self.force is None else self.force, len(tau), "force")
        tau = [_within(x, -limit, limit) for x, limit in zip(tau, most)]
        if self.rate is None:
            return tau, kept
        *before, last = memory[inner:]
        if len(before) != len(tau):
            raise InputError(f"the controller gives {len(tau)} forces; give the limit of the rate for each of them")
        steps = [rate * (t - last) for rate in _each(robot, self.rate, len(tau), "rate")]
        tau = [_within(x, old - step, old + step) for x, old, step in zip(tau, before, steps)]
        return tau, [*kept, *tau, t]


def _within(x: Any, low: Any, high: Any) -> Any:
    # the value second: what is not a number stays so
    return x if isinstance(high, float) and high == math.inf else maximum(low, minimum(high, x))


def _efforts(robot: Mechanism, count: int | None = None) -> tuple[float, ...]:
    """The limits of the model: for each velocity, in a closed chain for each that is actuated, so many at need."""
    efforts = tuple(per_velocity(robot, lambda limits: limits.effort, actuated=_closed(robot)).tolist())
    if count is not None and _closed(robot) and len(efforts) != count:
        raise InputError(f"{count} forces, but {len(efforts)} joints of the model are actuated; give force= itself")
    return efforts


def _closed(robot: Mechanism) -> bool:
    return bool(robot.loops or robot.couplings)


def _each(robot: Mechanism, limits: Any, count: int, what: str) -> Sequence[Any]:
    """A limit for each force, from one for all, one for each, or one for each velocity of an actuated joint."""
    if not isinstance(limits, tuple):
        return [limits] * count
    if len(limits) == count:
        return limits
    joints = None if _closed(robot) else ActuatedJoints(robot)
    if joints is None or len(limits) != len(joints.indices):
        own = "" if joints is None else f" (or for each of the {len(joints.indices)} of the actuated joints)"
        raise InputError(f"{what} is one number, or one for each of the {count} forces{own}; got {len(limits)}")
    found = dict(zip(joints.actuator_indices, limits))
    return [found.get(k, math.inf) for k in range(count)]
