"""Obstacles in a search: which pairs are held apart where, and when that is enough.

Only pairs that are near enter the solver, at the collocation points where they are. Between its rounds the motion is
looked at again: pairs that have come near are added, and points where two shapes are too near in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.nlp import Solution
from kinetree.plan.obstacles.approach import CLOSE, Approach, Found
from kinetree.plan.obstacles.block import ClearanceBlock
from kinetree.plan.obstacles.scene import ROOM, Scene
from kinetree.runtime.arrays import Array, Indices
from kinetree.transcribe.constraints import BoundedBlock

if TYPE_CHECKING:
    from kinetree.plan.transcriber import Transcriber

SCALE = 0.1  # what violations of distances are measured by [m]
_NEAR, _NEARBY = 0.06, 0.03  # how near pairs are held apart: from a guess, near a solution [m]
_FAR = 0.02  # how much may be missing to a clearance for the next solution to be nearby [m]
_ACTIVE = 1e-4  # a multiplier of a pair that decides a motion
_FINER = 16  # parts of a knot interval in which a pair was too near between collocation points
_OVER = 1.5  # a pair that is too near between these is held farther apart beside, by so much of what is missing


_NONE = Found(np.zeros(0), np.zeros(0, int), np.zeros(0))
Rows = dict[tuple[float, int], float]  # the margins of points and pairs


@dataclass(frozen=True)
class Held:
    """Pairs that are held apart, and where: s rises.

    Args:
        s: points of the motion (k,).
        pairs: the indices of the pairs (k,).
        names: of these pairs.
        margins: beyond what is asked for (k,) [m].
        multipliers: in the end (k,); none before.
    """

    s: Array
    pairs: Indices
    names: tuple[tuple[str, str], ...]
    margins: Array
    multipliers: Array | None = None

    def split(self, y: Array) -> tuple[Array, Held]:
        """Multipliers of rows, of which the last are these: the others, and these with their own."""
        count = len(y) - len(self.s)
        return y[:count], replace(self, multipliers=y[count:].copy())

    def rest(self, passed: float) -> Held:
        """Those of the rest of a motion, of which a part has passed."""
        left = (self.s - passed) / (1.0 - passed)
        kept = np.flatnonzero(left > 0.0)
        y = None if self.multipliers is None else (1.0 - passed) * self.multipliers[kept]
        return Held(left[kept], self.pairs[kept], tuple(self.names[k] for k in kept), self.margins[kept], y)

    def among(self, index: dict[tuple[str, str], int]) -> Held:
        """In a scene that may have other pairs, by their names."""
        pairs = np.array([index.get(name, -1) for name in self.names], int)
        if (pairs >= 0).all():
            return replace(self, pairs=pairs)
        kept = np.flatnonzero(pairs >= 0)
        y = None if self.multipliers is None else self.multipliers[kept]
        return Held(self.s[kept], pairs[kept], tuple(self.names[k] for k in kept), self.margins[kept], y)

    @property
    def rows(self) -> Rows:
        return dict(zip(zip(self.s.tolist(), self.pairs.tolist()), self.margins.tolist()))


class Avoidance:
    """The rows of a search that keep shapes apart.

    Args:
        scene: obstacles and shapes.
        transcriber: of the problem and its basis.
        s: the collocation points.
    """

    def __init__(self, scene: Scene, transcriber: Transcriber, s: Array) -> None:
        self.scene, self.transcriber = scene, transcriber
        self.coordinates = transcriber.problem.coordinates
        # positions at ends that are given decide the distances there
        fixed = [end for end, points in transcriber.fixed.items() if points]
        self.grid = s[~np.isin(s, fixed)]
        self.room, self.curved, self.near = self._room(), False, _NEAR
        self._target = scene.clearance + np.minimum(self.room, CLOSE)  # so that the clearance is told as asked for
        self.held, self._found = Held(np.zeros(0), np.zeros(0, int), (), np.zeros(0)), _NONE
        self._block: ClearanceBlock | None = None

    def _room(self) -> Array:
        """How much farther than asked for pairs are held apart: less where an end leaves less."""
        scene, room = self.scene, np.full(len(self.scene.pairs), ROOM)
        every = np.arange(len(room))
        for end, points in self.transcriber.fixed.items():
            if points and not (end and scene.moves):
                q = np.repeat(self.coordinates.positions(points[0][None]), len(every), axis=0)
                spare = scene.distances(q, every, np.zeros(len(every))) - scene.clearance
                room = np.minimum(room, np.maximum(0.5 * spare, 0.0))
        return room

    def approach(self, x: Array) -> Approach:
        """The motion of some variables."""
        points = x[:-1].reshape(self.transcriber.shape)
        return Approach(self.scene, self.transcriber.spline, points, float(x[-1]), self.coordinates)

    def positions(self, x: Array, s: Array) -> Array:
        """Those of the joints at s (k,): (k, nq)."""
        curve = self.transcriber.spline.curve(x[:-1].reshape(self.transcriber.shape), s, 0)[0]
        return self.coordinates.positions(curve)

    def look(self, x: Array) -> float:
        """The most that is missing to the clearance anywhere, over the scale of distances; 0 is certain."""
        motion = self.approach(x)
        if not np.isfinite(motion.curves.pieces).all():  # loops that can't be closed
            self._found = _NONE
            return math.inf
        self._found = motion.below(self._target)
        return float(self._missing.max(initial=0.0)) / SCALE

    @property
    def _missing(self) -> Array:
        """What is missing at the points that were found."""
        return self._target[self._found.pairs] - self._found.distances

    def worst(self, violation: float, duration: float) -> str:
        """What is missing most, in words; nothing where another violation is larger."""
        found, scene = self._found, self.scene
        if not len(found.s) or violation > self._missing.max() / SCALE:
            return ""
        k = int(np.argmin(found.distances))
        one, other = scene.pairs[found.pairs[k]].name
        distance = f"{one} is {found.distances[k]:.4g} m from {other} at {found.s[k] * duration:.4g} s"
        return f"{distance}, allowed: {scene.clearance:g} m or more"

    # -- rows ----------------------------------------------------------------------------------------------------------

    def begin(self, x: Array, warm: Any) -> Array:
        """The first rows: of a search before, and of pairs that are near; gives their multipliers."""
        self.curved, before = warm is not None, getattr(warm, "held", None)
        self.near = _NEAR if before is None else _NEARBY
        if before is not None:
            before = before.among({pair.name: k for k, pair in enumerate(self.scene.pairs)})
        self._set(self._near(x, {} if before is None else self._relevant(x, before)))
        return self._multipliers(before)

    def hold(self, x: Array, best: Solution) -> tuple[Array | None, Array]:
        """Add rows for pairs that are near at collocation points, and where they are too near.

        Gives the multipliers of these rows, None if none came; and those of all others.
        """
        others, before = self.held.split(best.multipliers.constraints)
        missing = float(self._missing.max(initial=0.0))
        curved, self.curved = self.curved, missing < _FAR  # far from here multipliers tell nothing
        keys = before.rows
        count, grown = len(keys), self._dips(keys)
        keys = self._near(x, keys)
        if curved and not grown and len(keys) == count:
            return None, best.multipliers.constraints
        self._set(keys)
        return self._multipliers(before), others

    def _multipliers(self, before: Held | None) -> Array:
        values = None if before is None else before.multipliers
        known = {} if before is None or values is None else dict(zip(before.rows, values.tolist()))
        return np.array([known.get(key, 0.0) for key in self.held.rows])

    def _relevant(self, x: Array, held: Held) -> Rows:
        """The rows that are near still, or decide the motion."""
        d = self.scene.distances(self.positions(x, held.s), held.pairs, held.s * x[-1])
        kept = (d < self.scene.clearance + self.near) | (held.margins > 0.0)
        if held.multipliers is not None:
            kept |= np.abs(held.multipliers) > _ACTIVE
        return {key: m for (key, m), near in zip(held.rows.items(), kept.tolist()) if near}

    def _near(self, x: Array, keys: Rows) -> Rows:
        """With pairs that are near at collocation points."""
        scene, limit, t = self.scene, self.scene.clearance + self.near, self.grid * x[-1]
        q = self.positions(x, self.grid)
        at, pairs = np.nonzero(scene.lower_bounds(q, t) < limit)
        near = scene.distances(q[at], pairs, t[at]) < limit
        return dict.fromkeys(zip(self.grid[at[near]].tolist(), pairs[near].tolist()), 0.0) | keys

    def _set(self, keys: Rows) -> None:
        ordered = sorted(keys)
        s, pairs = np.array([s for s, _ in ordered]), np.array([p for _, p in ordered], int)
        names = tuple(self.scene.pairs[p].name for p in pairs)
        self.held = Held(s, pairs, names, np.array([keys[key] for key in ordered]))

    def _dips(self, keys: Rows) -> bool:
        """More rows in each knot interval in which a pair is too near; where these are there already, one at its
        nearest approach, and margins beside."""
        found, knots = self._found, self.transcriber.spline.breakpoints
        interval = np.clip(np.searchsorted(knots, found.s, side="right") - 1, 0, len(knots) - 2)
        lowest: dict[tuple[int, int], int] = {}
        for k in np.argsort(found.distances):
            lowest.setdefault((int(found.pairs[k]), int(interval[k])), int(k))
        for (pair, i), k in lowest.items():
            finer = knots[i] + (knots[i + 1] - knots[i]) * np.arange(1, _FINER) / _FINER
            new = {(s, pair): 0.0 for s in finer.tolist() if (s, pair) not in keys}
            if not new:
                s, missing = float(found.s[k]), float(self._missing[k])
                gap = (knots[i + 1] - knots[i]) / _FINER
                for key in [key for key in keys if key[1] == pair and abs(key[0] - s) < gap]:
                    keys[key] += _OVER * missing
                new = {(s, pair): 0.0} if abs(finer - s).min() > 0.1 * gap else {}
            keys |= new
        return bool(lowest)

    @contextmanager
    def flat(self) -> Iterator[None]:
        """The last rows without their second derivatives."""
        if (block := self._block) is None:
            yield
            return
        before, block.curved = block.curved, False
        try:
            yield
        finally:
            block.curved = before

    @property
    def blocks(self) -> list[BoundedBlock]:
        """The rows with their bounds; none where nothing is near."""
        held = self.held
        if not len(held.s):
            return []
        self._block = block = ClearanceBlock(
            self.scene, self.transcriber.basis, held.s, held.pairs, self.curved, self.coordinates
        )
        lower = (self.scene.clearance + self.room[held.pairs] + held.margins)[:, None]
        return [BoundedBlock(block, lower, np.full_like(lower, np.inf), np.full_like(lower, SCALE))]
