"""Between two recorded states: rates of the positions, and cubic polynomials through positions with their rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetree.errors import InputError
from kinetree.joints import quaternion
from kinetree.model.mechanism import Mechanism

Array = NDArray[np.float64]


class Turn(NamedTuple):
    """A unit quaternion among the positions.

    Args:
        q: where it starts in q.
        v: where the velocities of its joint start in qd, the angular ones first.
        free: whether the joint has a position too, in the three numbers before the quaternion.
    """

    q: int
    v: int
    free: bool

    @staticmethod
    def all_of(robot: Mechanism) -> tuple[Turn, ...]:
        return tuple(
            Turn(qs.start + body.joint.kind.quaternion, vs.start, body.joint.kind.nv == 6)
            for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices)
            if body.joint.kind.quaternion is not None
        )


def rates(q: Array, qd: Array, turns: Sequence[Turn]) -> Array:
    """dq/dt (..., nq): qd itself but for quaternions and the positions of free bodies."""
    if not turns:
        return qd
    found = np.empty(q.shape)
    here, there = 0, 0
    for k, v, free in turns:
        start = k - 3 * free
        found[..., here:start] = qd[..., there:v]
        x: Any = np.moveaxis(q[..., k : k + 4], -1, 0)
        w: Any = np.moveaxis(qd[..., v : v + 3], -1, 0)
        found[..., k : k + 4] = np.stack(quaternion.rates(x, w), axis=-1)
        if free:
            found[..., start:k] = _turned(q[..., k : k + 4], qd[..., v + 3 : v + 6])
        here, there = k + 4, v + 3 + 3 * free
    found[..., here:] = qd[..., there:]
    return found


def _turned(x: Array, v: Array) -> Array:
    """Vectors in body axes seen from outside, by unit quaternions."""
    across = 2.0 * np.cross(x[..., :3], v)
    return v + x[..., 3:] * across + np.cross(x[..., :3], across)


def cubic(s: Array, h: Array, x0: Array, v0: Array, x1: Array, v1: Array) -> Array:
    """The cubic polynomial with given ends and slopes, s from 0 to 1 on a way of the time h."""
    r = 1.0 - s
    return r * r * ((1.0 + 2.0 * s) * x0 + s * h * v0) + s * s * ((1.0 + 2.0 * r) * x1 - r * h * v1)


def normalised(q: Array, turns: Sequence[Turn]) -> Array:
    """Positions with quaternions of length one."""
    if turns:
        q = q.copy()
        for k, _, _ in turns:
            q[..., k : k + 4] /= np.linalg.norm(q[..., k : k + 4], axis=-1, keepdims=True)
    return q


def new_times(old: Array, times: ArrayLike) -> Array:
    """Rising times within the old ones, given as they are or by their step."""
    t: Any = np.asarray(times, float)
    if not len(old):
        raise InputError("the motion has no records to go between")
    first, last = float(old[0]), float(old[-1])
    if t.ndim == 0:
        if not 0 < t <= last - first:
            raise InputError(f"a step must be above 0 and at most the {last - first:g} s of the motion, got {t}")
        t = first + float(t) * np.arange(int((last - first) / float(t) * (1.0 + 1e-12)) + 1)
    slack = 1e-9 * (last - first)
    inside = t.ndim == 1 and ((t >= first - slack) & (t <= last + slack)).all()
    if not inside or (np.diff(t) < 0).any():
        raise InputError(f"times are one rising row within {first:g} and {last:g} s; got {times!r}")
    return np.minimum(np.maximum(t, first), last)


def between(old: Array, new: Array) -> Callable[..., Array]:
    """A function from values at the old times (..., n, k), and their slopes, to those at the new ones."""
    k = np.clip(np.searchsorted(old, new, side="right") - 1, 0, max(len(old) - 2, 0))
    after = np.minimum(k + 1, len(old) - 1)
    h = np.where(after > k, old[after] - old[k], 1.0)[:, None]
    s = (new - old[k])[:, None] / h

    def at(x: Array, slope: Array | None = None) -> Array:
        low, high = x[..., k, :], x[..., after, :]
        if slope is None:
            found = low + s * (high - low)
        else:
            found = cubic(s, h, low, slope[..., k, :], high, slope[..., after, :])
        # at a record nothing is mixed in from another one, which may be after the end of the run
        return np.where(s == 0.0, low, np.where(s == 1.0, high, found))

    return at
