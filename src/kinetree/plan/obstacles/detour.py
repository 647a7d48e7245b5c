"""A first guess around obstacles: of many curves that sway to a side, the one that leaves the straight one least."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kinetree.plan.constraints import position_limits
from kinetree.runtime.arrays import Array

if TYPE_CHECKING:
    from kinetree.plan.obstacles.scene import Scene
    from kinetree.plan.transcriber import Transcriber

_CURVES, _COARSE, _CLOSER = 64, 3, 8  # how many are looked at, at every third sample; and closer
_AT_A_TIME = 16  # curves that are looked at together, those that sway least first
_SAMPLES = 3  # in each knot interval
_SWAYS = (0.25, 0.5, 1.0, 1.6)  # how far curves sway, as parts of a radian or metre and of the distance gone
_SPARE = 0.01  # a guess keeps so much farther away [m]
_OPEN = 1.0  # what a configuration counts in which loops are open [m]
_SMALLER = 0.75  # a sway that is enough is tried again with so much of it


def detour(transcriber: Transcriber, P: Array, random: np.random.Generator | None = None) -> Array:
    """Control points like P whose curve touches nothing, or as little as was found.

    Args:
        transcriber: of a problem with a scene.
        P: control points of a guess (m, n).
        random: for other curves than the usual ones.
    """
    scene = transcriber.problem.scene
    if scene is None:
        return P
    curves = SampledCurves(scene, transcriber)
    if not curves.overlaps(P[None])[0]:
        return P
    generator = np.random.default_rng(0) if random is None else random
    n, at = P.shape[1], transcriber.spline.greville
    sizes = np.resize(_SWAYS, _CURVES)[:, None] * max(1.0, 0.5 * float(np.abs(P[-1] - P[0]).max()))
    directions = generator.normal(size=(_CURVES, n))
    directions *= sizes / np.linalg.norm(directions, axis=1, keepdims=True)
    bump = np.sin(np.pi * at) ** 2
    lower, upper = position_limits(transcriber.problem.constraints, n)

    def swayed(by: Array) -> Array:
        return np.clip(P + bump[:, None] * by[:, None, :], np.minimum(lower, P), np.maximum(upper, P))

    directions = directions[np.argsort(np.linalg.norm(directions, axis=1), kind="stable")]
    overlaps = _tried(lambda by: curves.overlaps(swayed(by), every=_COARSE), directions, _AT_A_TIME, _CLOSER)
    closer = directions[np.sort(np.argsort(overlaps, kind="stable")[:_CLOSER])]
    overlaps = _tried(lambda by: curves.overlaps(swayed(by)), closer, 2, 1)
    k = int(np.argmin(overlaps))
    best, left = closer[k], overlaps[k]
    while not left and np.linalg.norm(best) > 0.05:
        if curves.overlaps(swayed(_SMALLER * best[None]))[0]:
            break
        best = _SMALLER * best
    return swayed(best[None])[0]


def _tried(overlaps: Callable[[Array], Array], directions: Array, at_a_time: int, enough: int) -> Array:
    """The overlaps of sways, the smallest first, until so many have none: no larger one can be a better choice."""
    found = np.zeros(0)
    for k in range(0, len(directions), at_a_time):
        found = np.append(found, overlaps(directions[k : k + at_a_time]))
        if np.count_nonzero(found == 0.0) >= enough:
            break
    return found


class SampledCurves:
    """How much curves overlap with a scene."""

    def __init__(self, scene: Scene, transcriber: Transcriber) -> None:
        self.scene, self.coordinates = scene, transcriber.problem.coordinates
        self.s = transcriber.basis.samples(_SAMPLES)[1:-1]
        table, self.points = transcriber.basis.evaluate(self.s, 0)
        self.table = table[:, 0]

    def overlaps(self, P: Array, every: int = 1) -> Array:
        """The sum of the depths at samples, or at some of them, for control points (curves, m, n) [m]."""
        scene, k = self.scene, len(self.s[::every])
        q = np.einsum("ka,ckan->ckn", self.table[::every], P[:, self.points[::every]]).reshape(len(P) * k, -1)
        q = self.coordinates.positions(q)
        t, limit = np.zeros(len(q)), scene.clearance + _SPARE
        at, pairs = np.nonzero(scene.lower_bounds(q, t) < limit)
        depth = np.maximum(limit - scene.distances(q[at], pairs, t[at]), 0.0)
        open_ = np.flatnonzero(~np.isfinite(q).all(axis=1))  # loops that can't be closed
        at, depth = np.r_[at, open_], np.r_[depth, np.full(len(open_), _OPEN)]
        return np.asarray(np.bincount(at // k, depth, len(P)), float)
