"""Motions to be shown: checked, thinned to what the eye can see, and their gaps told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import InputError
from kinetree.model import Mechanism
from kinetree.runtime.arrays import Array
from kinetree.scene.packed import PackedArrays
from kinetree.scene.tree import Data

_RATE, _FRAMES = 60.0, 3000  # frames a second, and the most of them; the page interpolates


@dataclass(frozen=True)
class Arrow:
    """An arrow that moves, such as a force; none where it has no length.

    Args:
        at: where it begins (n, 3) [m], in world axes.
        along: from there to its tip (n, 3) [m].
        colour: "#rrggbb".
    """

    at: ArrayLike
    along: ArrayLike
    colour: str


@dataclass(frozen=True)
class Movement:
    """A motion to be shown.

    Args:
        t: times (n,) [s], rising.
        q: positions (n, nq) [rad, m]; rows with NaN are gaps.
        tau: the forces of the joints (n, nv) [N m, N], where they are known.
        name: of the motion.
        limits: of these forces (nv,) [N m, N], infinite where there is none; those of the joints by default.
        arrows: that move with it.
        travel: how far the whole is from its start at the end [m], in world axes. A motion that travels repeats
            without a jump: the next run goes on there, and the camera goes along.
    """

    t: ArrayLike
    q: ArrayLike
    tau: ArrayLike | None = None
    name: str = ""
    limits: ArrayLike | None = None
    arrows: Sequence[Arrow] = ()
    travel: tuple[float, float, float] = (0.0, 0.0, 0.0)


def checked(mechanism: Mechanism, t: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Times and positions of a motion as arrays; NaN among the positions is a gap."""
    times, positions = np.asarray(t, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if times.ndim != 1 or len(times) < 2 or positions.shape != (len(times), mechanism.nq):
        raise InputError(
            f"a motion of {mechanism.name} is t (n,) with n of 2 or more and q (n, {mechanism.nq}), "
            f"got t {times.shape} and q {positions.shape}"
        )
    if not (np.isfinite(times).all() and (np.diff(times) > 0).all()):
        raise InputError("the times of a motion must be finite and rise strictly")
    return times, np.where(np.isfinite(positions), positions, np.nan)


def even(t: Array) -> Array:
    """The times to show: all, or evenly spaced ones where there are more than the eye can see."""
    count = min(int((t[-1] - t[0]) * _RATE) + 2, _FRAMES)
    return t if len(t) <= count else np.linspace(t[0], t[-1], count)


def resampled(t: Array, values: Array, at: Array) -> Array:
    """Rows of values between those of the times t; NaN where either neighbour is."""
    if at is t:
        return values
    right = np.clip(np.searchsorted(t, at), 1, len(t) - 1)
    weight = ((at - t[right - 1]) / (t[right] - t[right - 1])).reshape(-1, *[1] * (values.ndim - 1))
    return values[right - 1] * (1 - weight) + values[right] * weight


def gaps(t: Array, q: Array) -> str:
    """Where rows have NaN, in words."""
    bad = ~np.isfinite(q).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(int)))
    said = [f"from {t[a]:.3g} to {t[b - 1]:.3g} s" for a, b in zip(edges[::2], edges[1::2])]
    return ", ".join(said[:5]) + (" and elsewhere" if len(said) > 5 else "")


def travelling(movement: Movement, t: Array, at: Array, block: PackedArrays) -> Data:
    """The arrows of a motion and how far it leads, as data: at some times of those of the motion."""
    data: Data = {}
    for arrow in movement.arrows:
        places = [np.asarray(x, dtype=np.float64) for x in (arrow.at, arrow.along)]
        for x in places:
            if x.shape != (len(t), 3) or not np.isfinite(x).all():
                raise InputError(f"an arrow is two arrays ({len(t)}, 3) of finite numbers, got one of {x.shape}")
        start, along = (block.add(resampled(t, x, at), "f4") for x in places)
        data.setdefault("arrows", []).append({"at": start, "along": along, "colour": arrow.colour})
    if any(movement.travel):
        data["travel"] = [float(x) for x in movement.travel]
    return data
