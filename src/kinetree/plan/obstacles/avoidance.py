"""Obstacles in a search: which pairs are held apart where, and when that is enough.

Only pairs that are near enter the solver, at the collocation points where they are. Between its rounds the motion is
looked at again: pairs that have come near are added, and points where two shapes are too near in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.plan.obstacles.approach import Approach, Found
from kinetree.plan.obstacles.block import ClearanceBlock
from kinetree.plan.obstacles.scene import ROOM, Scene
from kinetree.runtime.arrays import Array, Indices
from kinetree.transcribe.constraints import BoundedBlock

if TYPE_CHECKING:
    from kinetree.plan.transcriber import Transcriber

SCALE = 0.1  # what violations of distances are measured by [m]
_NEAR = 0.1  # how near pairs are held apart [m]
_SAME = 1e-4  # points nearer to each other than this part of the motion are one
_OVER = 1.5  # a distance that is too small beside a point where it is held grows there by so much of what is missing


@dataclass(frozen=True)
class _Held:
    """Pairs that are held apart, and where: s rises."""

    s: Array
    pairs: Indices
    margins: Array  # beyond what is asked for [m]


class Avoidance:
    """The rows of a search that keep shapes apart.

    Args:
        transcriber: of the problem and its basis.
        s: the collocation points.
    """

    def __init__(self, transcriber: Transcriber, s: Array) -> None:
        scene = transcriber.problem.scene
        assert scene is not None
        self.scene: Scene = scene
        self.transcriber, self.grid = transcriber, s
        # positions at ends that are given decide the distances there
        fixed = [end for end, points in transcriber.fixed.items() if points]
        self.grid = s[~np.isin(s, fixed)]
        self.room = self._room()
        self.held = _Held(np.zeros(0), np.zeros(0, int), np.zeros(0))

    def _room(self) -> Array:
        """How much farther than asked for pairs are held apart: less where an end leaves less."""
        scene, room = self.scene, np.full(len(self.scene.pairs), ROOM)
        every = np.arange(len(room))
        for end, points in self.transcriber.fixed.items():
            if points and not (end and scene.moves):
                q = np.broadcast_to(points[0], (len(every), len(points[0])))
                spare = scene.distances(q, every, np.zeros(len(every))) - scene.clearance
                room = np.minimum(room, np.maximum(0.5 * spare, 0.0))
        return room

    def approach(self, x: Array) -> Approach:
        """The motion of some variables."""
        spline = self.transcriber.spline
        return Approach(self.scene, spline, x[:-1].reshape(self.transcriber.shape), float(x[-1]))

    def too_near(self, x: Array) -> Found:
        """Points of the motion at which pairs are nearer than the clearance; none are anywhere if there are none."""
        return self.approach(x).below(np.full(len(self.scene.pairs), self.scene.clearance))

    def violation(self, found: Found) -> float:
        """The most that is missing, over the scale of distances."""
        return float((self.scene.clearance - found.distances).max(initial=0.0)) / SCALE

    def worst(self, found: Found, duration: float) -> str:
        """In words."""
        k = int(np.argmin(found.distances))
        one, other = self.scene.pairs[found.pairs[k]].name
        return (
            f"{one} is {found.distances[k]:.4g} m from {other} at {found.s[k] * duration:.4g} s, "
            f"allowed: {self.scene.clearance:g} m or more"
        )

    # -- rows ----------------------------------------------------------------------------------------------------------

    def hold(self, x: Array, found: Found | None = None) -> bool:
        """Add rows for pairs that are near at collocation points, and where they are too near; whether any came."""
        scene, approach = self.scene, self.approach(x)
        q = approach.motion(self.grid)[0]
        limit = scene.clearance + _NEAR
        at, pairs = np.nonzero(scene.lower_bounds(q, self.grid * x[-1]) < limit)
        near = scene.distances(q[at], pairs, self.grid[at] * x[-1]) < limit
        keys = {(float(s), int(p)): m for s, p, m in zip(self.held.s, self.held.pairs, self.held.margins)}
        before = len(keys)
        for s, pair in zip(self.grid[at[near]].tolist(), pairs[near].tolist()):
            keys.setdefault((s, pair), 0.0)
        grown = False
        if found is not None:
            grown = self._dips(found, keys)
        ordered = sorted(keys)
        self.held = _Held(
            np.array([s for s, _ in ordered]),
            np.array([p for _, p in ordered], int),
            np.array([keys[key] for key in ordered]),
        )
        return grown or len(keys) > before

    def _dips(self, found: Found, keys: dict[tuple[float, int], float]) -> bool:
        """A row at the nearest approach of each pair in each knot interval; a margin where one is there already."""
        interval = np.searchsorted(self.transcriber.spline.breakpoints, found.s)
        lowest: dict[tuple[int, int], int] = {}
        for k in np.argsort(found.distances):
            lowest.setdefault((int(found.pairs[k]), int(interval[k])), int(k))
        for (pair, _), k in lowest.items():
            s, missing = float(found.s[k]), float(self.scene.clearance - found.distances[k])
            beside = [key for key in keys if key[1] == pair and abs(key[0] - s) < _SAME]
            for key in beside:
                keys[key] += _OVER * missing + 0.5 * ROOM
            if not beside:
                keys[s, pair] = 0.0
        return bool(lowest)

    @property
    def blocks(self) -> list[BoundedBlock]:
        """The rows with their bounds; none where nothing is near."""
        held = self.held
        if not len(held.s):
            return []
        block = ClearanceBlock(self.scene, self.transcriber.basis, held.s, held.pairs)
        lower = (self.scene.clearance + self.room[held.pairs] + held.margins)[:, None]
        return [BoundedBlock(block, lower, np.full_like(lower, np.inf), np.full_like(lower, SCALE))]

    def carried(self, multipliers: Array, before: BoundedBlock | None) -> Array:
        """Multipliers of the rows of now from those of the rows before, which came last."""
        count = 0 if before is None else before.count
        others = multipliers[: len(multipliers) - count]
        if before is None:
            return np.append(others, np.zeros(len(self.held.s)))
        block = before.block
        assert isinstance(block, ClearanceBlock)
        known = dict(zip(zip(block.s.tolist(), block.pairs.tolist()), multipliers[len(others) :].tolist()))
        own = [known.get(key, 0.0) for key in zip(self.held.s.tolist(), self.held.pairs.tolist())]
        return np.append(others, own)
