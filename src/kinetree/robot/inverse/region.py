"""Where inverse kinematics looks: the limits of the positions, and the configurations that it starts from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import InputError
from kinetree.robot import configuration
from kinetree.robot.functions import Array, check_quaternions
from kinetree.robot.inverse.targets import numbers

if TYPE_CHECKING:
    from kinetree.robot.robot import Robot

_TURN, _WAY = 2.0 * math.pi, 2.0  # [rad, m]: how wide starts are spread at the most, and where there are no limits


@dataclass(frozen=True)
class Region:
    """The limits of a search, and where it starts.

    Args:
        lower, upper: of the positions (..., nq).
        centre: the middle of all starts (..., nq).
        span: how wide they are spread, for each velocity (..., nv).
        free: the positions without limits (nq,): they start about the guess.
    """

    lower: Array
    upper: Array
    centre: Array
    span: Array
    free: NDArray[np.bool_]

    @cached_property
    def is_closed(self) -> bool:
        """Whether all positions have limits."""
        return not self.free.any()

    def about(self, guess: Array) -> tuple[Array, Array]:
        """The guess inside the limits, and the middle of the further starts."""
        inside = np.minimum(np.maximum(guess, self.lower), self.upper)
        return inside, self.centre if self.is_closed else np.where(self.free, inside, self.centre)


class Regions:
    """The regions of one robot; those of its own limits, and of none, are made once.

    Args:
        robot: the mechanism.
        neutral: where joints without limits start.
    """

    def __init__(self, robot: Robot, neutral: Array) -> None:
        self.robot, self.neutral = robot, neutral
        self._known: dict[bool, Region] = {}

    def of(self, limits: Any) -> Region:
        """The region for limits: True, False, or a pair of arrays."""
        if limits is not True and limits is not False:
            return self._region(*self.limits(limits))
        if limits not in self._known:
            self._known[limits] = self._region(*self.limits(limits))
        return self._known[limits]

    def limits(self, given: Any) -> tuple[Array, Array]:
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

    def configurations(self, given: Any, what: str) -> Array:
        """Positions of all joints, with quaternions of length one."""
        q = self._per_position(given, what)
        if self.robot.quaternions:
            check_quaternions(self.robot, q)
            for _, k in self.robot.quaternions:
                q[..., k : k + 4] /= np.linalg.norm(q[..., k : k + 4], axis=-1, keepdims=True)
        return q

    def _per_position(self, given: Any, what: str) -> Array:
        x = np.array(numbers(given, what), float)
        if x.shape[-1:] != (self.robot.nq,):
            raise InputError(f"{what} has a number for each of the {self.robot.nq} positions; got shape {x.shape}")
        return x

    def _region(self, lower: Array, upper: Array) -> Region:
        home = np.clip(self.neutral, lower, upper)
        centre, span, free = home.copy(), [], np.zeros(self.robot.nq, bool)
        joints = zip((body.joint for body in self.robot.bodies), self.robot.q_slices)
        for kind, qs in ((joint.kind, qs) for joint, qs in joints if joint.kind.nv and not joint.mimic):
            angular = np.array([any(s.ang) for s in kind.subspace(kind.neutral)], bool)
            width = np.where(angular, _TURN, _WAY)
            if kind.quaternion is not None:
                free[qs] = True
            else:
                low, high = lower[..., qs], upper[..., qs]
                free[qs] = (np.isinf(low) & np.isinf(high)).reshape(-1, kind.nq).any(axis=0)
                # a side without a limit is as far from the other as starts are spread
                low = np.where(np.isinf(low), np.where(np.isinf(high), home[..., qs] - 0.5 * width, high - width), low)
                high = np.where(np.isinf(high), low + width, high)
                centre[..., qs] = 0.5 * (low + high)
                width = np.where(angular, np.minimum(high - low, _TURN), high - low)
            span.append(np.broadcast_to(width, (*lower.shape[:-1], kind.nv)))
        return Region(lower, upper, centre, np.concatenate(span, axis=-1), free)
