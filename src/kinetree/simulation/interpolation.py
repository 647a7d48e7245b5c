"""Interpolation between two states: rates of the positions, and cubic Hermite polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.joints import quaternion
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array


class QuaternionCoordinates(NamedTuple):
    """Where a unit quaternion is among the positions.

    Args:
        q: the index of its first number in q.
        v: the index of the first velocity of its joint in qd, the angular ones first.
        free: whether the joint has a position too, in the three numbers before the quaternion.
    """

    q: int
    v: int
    free: bool

    @staticmethod
    def of(robot: Mechanism) -> tuple[QuaternionCoordinates, ...]:
        """Those of all joints of a robot."""
        return tuple(
            QuaternionCoordinates(qs.start + body.joint.kind.quaternion, vs.start, body.joint.kind.nv == 6)
            for body, qs, vs in zip(robot.bodies, robot.q_slices, robot.v_slices)
            if body.joint.kind.quaternion is not None
        )


Quaternions = Sequence[QuaternionCoordinates]


def rates(q: Array, qd: Array, quaternions: Quaternions) -> Array:
    """dq/dt (..., nq): qd itself but for quaternions and the positions of free bodies."""
    if not quaternions:
        return qd
    found = np.empty(q.shape)
    next_q, next_v = 0, 0  # of the joints without a quaternion
    for k, v, free in quaternions:
        start = k - 3 * free
        found[..., next_q:start] = qd[..., next_v:v]
        x: Any = np.moveaxis(q[..., k : k + 4], -1, 0)
        w: Any = np.moveaxis(qd[..., v : v + 3], -1, 0)
        found[..., k : k + 4] = np.stack(quaternion.rates(x, w), axis=-1)
        if free:
            found[..., start:k] = _rotated(q[..., k : k + 4], qd[..., v + 3 : v + 6])
        next_q, next_v = k + 4, v + 3 + 3 * free
    found[..., next_q:] = qd[..., next_v:]
    return found


def _rotated(x: Array, v: Array) -> Array:
    """Vectors in body axes, rotated to world axes by unit quaternions."""
    across = 2.0 * np.cross(x[..., :3], v)
    return v + x[..., 3:] * across + np.cross(x[..., :3], across)


def cubic(s: Array, h: Array, x0: Array, v0: Array, x1: Array, v1: Array) -> Array:
    """The cubic Hermite polynomial with these values and slopes at its ends, s from 0 to 1 over the time h."""
    r = 1.0 - s
    return r * r * ((1.0 + 2.0 * s) * x0 + s * h * v0) + s * s * ((1.0 + 2.0 * r) * x1 - r * h * v1)


def normalised(q: Array, quaternions: Quaternions) -> Array:
    """Positions with quaternions of length one."""
    if quaternions:
        q = q.copy()
        for k, _, _ in quaternions:
            q[..., k : k + 4] /= np.linalg.norm(q[..., k : k + 4], axis=-1, keepdims=True)
    return q


def sample_times(old: Array, times: ArrayLike) -> Array:
    """Rising times within the old ones, given as they are or by their step."""
    t: Any = np.asarray(times, float)
    if not len(old):
        raise InputError("the motion has no records to interpolate")
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


def interpolator(old: Array, new: Array) -> Callable[..., Array]:
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
