"""Actuators with limits of their force and of its rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.control.actuation import ActuatedJoints
from kinetree.control.validation import positive
from kinetree.errors import InputError
from kinetree.model.mechanism import Mechanism
from kinetree.scalar import is_scalar, maximum, minimum
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

    def forces(self, robot: Mechanism, t: Any, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        return self.update(robot, t, q, qd, self.memory(robot))[0]

    def memory(self, robot: Mechanism) -> list[float]:
        inner = self.controller.memory(robot)
        return inner if self.rate is None else [*inner, *([0.0] * _count(robot, self.rate)), -math.inf]

    def update(
        self, robot: Mechanism, t: Any, q: Sequence[Any], qd: Sequence[Any], memory: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
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
    return x if not _bounded(high) else maximum(low, minimum(high, x))


def _bounded(limit: Any) -> bool:
    return not (isinstance(limit, float) and limit == math.inf)


def _count(robot: Mechanism, limits: Any) -> int:
    """How many forces there are: one for each velocity, in a closed chain one for each that is actuated."""
    if not (robot.loops or robot.couplings):
        return robot.nv
    return len(limits) if isinstance(limits, tuple) else len(_actuated(robot))


def _actuated(robot: Mechanism) -> list[float]:
    """The efforts of the joints that the model marks as actuated, one for each velocity."""
    joints = (body.joint for body in robot.bodies if body.joint.actuated and not body.joint.mimic)
    return [joint.limits.effort for joint in joints for _ in range(joint.kind.nv)]


def _efforts(robot: Mechanism, count: int) -> tuple[float, ...]:
    """The limits of the model, one for each force."""
    if robot.loops or robot.couplings:
        efforts = _actuated(robot)
        if len(efforts) != count:
            raise InputError(f"{count} forces, but {len(efforts)} joints of the model are actuated; give force= itself")
        return tuple(efforts)
    own = [body.joint for body in robot.bodies if body.joint.kind.nv and not body.joint.mimic]
    return tuple(joint.limits.effort for joint in own for _ in range(joint.kind.nv))


def _each(robot: Mechanism, limits: Any, count: int, what: str) -> Sequence[Any]:
    """A limit for each force, from one for all, one for each, or one for each velocity of an actuated joint."""
    if not isinstance(limits, tuple):
        return [limits] * count
    if len(limits) == count:
        return limits
    joints = None if robot.loops or robot.couplings else ActuatedJoints(robot)
    if joints is None or len(limits) != len(joints.indices):
        own = "" if joints is None else f" (or for each of the {len(joints.indices)} of the actuated joints)"
        raise InputError(f"{what} is one number, or one for each of the {count} forces{own}; got {len(limits)}")
    found = dict(zip(joints.actuator_indices, limits))
    return [found.get(k, math.inf) for k in range(count)]
