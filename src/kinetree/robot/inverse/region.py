"""Where inverse kinematics looks: the limits of the positions, and the configurations that it starts from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.robot import configuration
from kinetree.robot.functions import check_quaternions
from kinetree.robot.inverse.targets import numbers

_TURN, _WAY = 2.0 * math.pi, 2.0  # [rad, m]: how wide starts are spread at the most, and where there are no limits
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Region:
    """The limits of a search, and where it starts.

    Args:
        lower, upper: of the positions (..., nq).
        centre: the middle of all starts (..., nq).
        span: how wide they are spread, for each velocity (..., nv).
        guess: the first start (..., nq).
    """

    lower: Vector
    upper: Vector
    centre: Vector
    span: Vector
    guess: Vector


class Regions:
    """The regions of one robot; those that need nothing but the robot are made once.

    Args:
        robot: the mechanism.
        neutral: where joints without limits start.
    """

    def __init__(self, robot: Mechanism, neutral: Vector) -> None:
        self.robot, self.neutral = robot, neutral

    def of(self, limits: Any, guess: Any) -> Region:
        """The region for limits (True, False, or a pair of arrays) and a guess, or None."""
        if limits is True and guess is None:
            return self.whole
        lower, upper = self.limits(limits)
        return self._region(lower, upper, None if guess is None else self.configurations(guess, "the guess"))

    @cached_property
    def whole(self) -> Region:
        """Inside the robot's own limits, without a guess."""
        return self._region(*self.limits(True), None)

    def limits(self, given: Any) -> tuple[Vector, Vector]:
        """Lower and upper limits."""
        if given is True:
            return configuration.lower(self.robot), configuration.upper(self.robot)
        if given is False:
            return np.full(self.robot.nq, -np.inf), np.full(self.robot.nq, np.inf)
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise InputError(f"limits is True, False, or a pair of arrays, lower and upper; got {given!r:.60}")
        lower, upper = (self._per_position(x, what) for x, what in zip(given, ("lower", "upper")))
        for _, k in self.robot.quaternions:
            lower[..., k : k + 4], upper[..., k : k + 4] = -np.inf, np.inf
        if not (lower <= upper).all():
            k = int(np.argwhere(~(lower <= upper))[0][-1])
            pair = np.broadcast_arrays(lower, upper)
            low, high = (float(x[..., k].flat[int(np.argmax(~(pair[0] <= pair[1])[..., k]))]) for x in pair)
            name = self.robot.position_names[k]
            raise InputError(f"limits: no position of {name!r} is between {low:g} and {high:g}")
        return lower, upper

    def configurations(self, given: Any, what: str) -> Vector:
        """Positions of all joints, with quaternions of length one."""
        q = self._per_position(given, what)
        check_quaternions(self.robot, q)
        for _, k in self.robot.quaternions:
            q[..., k : k + 4] /= np.linalg.norm(q[..., k : k + 4], axis=-1, keepdims=True)
        return q

    def _per_position(self, given: Any, what: str) -> Vector:
        x = np.array(numbers(given, what), float)
        if x.shape[-1:] != (self.robot.nq,):
            raise InputError(f"{what} has a number for each of the {self.robot.nq} positions; got shape {x.shape}")
        return x

    def _region(self, lower: Vector, upper: Vector, guess: Vector | None) -> Region:
        home = np.clip(self.neutral if guess is None else guess, lower, upper)
        centre, span = [], []
        for kind, qs in (
            (b.joint.kind, qs) for b, qs in zip(self.robot.bodies, self.robot.q_slices) if not b.joint.mimic
        ):
            angular, here = np.array([any(s.ang) for s in kind.subspace(kind.neutral)], bool), home[..., qs]
            width = np.where(angular, _TURN, _WAY)
            if kind.quaternion is not None:
                centre.append(here)
                span.append(width)
                continue
            limits = zip((lower[..., qs], upper[..., qs]), (-0.5, 0.5))
            low, high = (np.where(np.isfinite(x), x, here + side * width) for x, side in limits)
            centre.append(0.5 * (low + high))
            span.append(np.where(angular, np.minimum(high - low, _TURN), high - low))
        middle = _joined(centre)
        return Region(lower, upper, middle, _joined(span), middle if guess is None else home)


def _joined(parts: list[Any]) -> Vector:
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
    return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in parts], axis=-1).astype(float)
