"""A robot among obstacles: all pairs that must not touch, as operands of compiled distances.

A moved obstacle, another one or another shape of a body changes numbers, never code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.compile import compiled
from kinetree.errors import InputError, check_name
from kinetree.model import WORLD
from kinetree.plan.coordinates import JointCoordinates
from kinetree.plan.obstacles.bodies import body_shapes, link_shapes, neighbours, separate
from kinetree.plan.obstacles.distance import BodyPoses, PairDistance, pair_size
from kinetree.plan.obstacles.shapes import Core, Moving, Shape, named
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array, Indices

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

ROOM = 2e-5  # further away than asked for: what the motion may come nearer between points where it is held [m]


@dataclass(frozen=True)
class Pair:
    """A shape of the robot, by its index, and what it must not touch.

    Args:
        one: the index of the shape of the robot.
        name: of both.
        body: that carries the other; -1 for the world.
        core: of the other, in the frame of that body.
        obstacle: the obstacle that it is, None for another shape of the robot.
    """

    one: int
    name: tuple[str, str]
    body: int
    core: Core
    obstacle: Shape | None = None


class Scene:
    """Obstacles, the shapes of a robot, and the pairs that keep a distance.

    Args:
        robot: whose bodies carry the shapes.
        shapes: a mapping from names of frames to spheres and capsules in their axes.
        obstacles: of `kinetree.plan`.
        clearance: the least distance of all pairs [m].
        self_collision: whether shapes of the robot must not touch each other: True for all but neighbours and those
            that touch in the neutral configuration, False, or a list of pairs of names.
    """

    def __init__(
        self, robot: Robot, shapes: Any, obstacles: Any = (), clearance: float = 0.0, self_collision: Any = True
    ) -> None:
        if isinstance(clearance, bool) or not isinstance(clearance, int | float | np.number) or not 0 <= clearance < np.inf:
            raise InputError(f"a clearance is a number of metres not below 0, got {clearance!r:.80}")
        self.robot, self.clearance = robot, float(clearance)
        self.shapes, self.obstacles = body_shapes(robot, shapes), named(obstacles)
        self.self_collision = self_collision
        self.left_out: tuple[tuple[str, str], ...] = ()
        moving = [k for k, shape in enumerate(self.shapes) if shape.body != WORLD]
        self.pairs = [
            Pair(k, (self.shapes[k].name, o.name), WORLD, o.core, o) for k in moving for o in self.obstacles
        ]
        if self_collision is not False:
            self.pairs += self._of_robot(self_collision)
        if not self.pairs:
            raise InputError("nothing is to be avoided: give obstacles, or self_collision=True")
        self.numbers = self._numbers()
        self.moves = {k: p.obstacle for k, p in enumerate(self.pairs) if isinstance(p.obstacle, Moving)}

    # -- pairs ---------------------------------------------------------------------------------------------------------

    def _of_robot(self, wanted: Any) -> list[Pair]:
        if wanted is not True:
            return [self._pair(*self._indices(pair)) for pair in wanted]
        beside = neighbours(self.robot, self.shapes)
        found = [self._pair(a, b) for a, b in combinations(range(len(self.shapes)), 2) if (a, b) not in beside]
        if not found:
            return []
        lower, upper = np.asarray(self.robot.lower, float), np.asarray(self.robot.upper, float)
        neutral = np.clip(np.asarray(self.robot.neutral, float), lower, upper)
        numbers = np.stack([self._of_pair(pair) for pair in found])
        apart = self.distance(neutral, numbers) > 0.0
        self.left_out = tuple(pair.name for pair, far in zip(found, apart) if not far)
        return [pair for pair, far in zip(found, apart) if far]

    def _indices(self, pair: Any) -> tuple[int, int]:
        names = [shape.name for shape in self.shapes]
        try:
            one, other = pair
        except (TypeError, ValueError):
            raise InputError(f"self_collision is True, False, or pairs of names of shapes, got {pair!r:.60}") from None
        for name in (one, other):
            check_name("shape of the robot", name, names)
        return names.index(one), names.index(other)

    def _pair(self, a: int, b: int) -> Pair:
        one, other = (b, a) if self.shapes[a].body == WORLD else (a, b)
        held = self.shapes[other]
        return Pair(one, (self.shapes[one].name, held.name), held.body, held.capsule.core)

    def _of_pair(self, pair: Pair) -> Array:
        n, shape, core = self.robot.nbodies, self.shapes[pair.one], pair.core
        row = np.zeros(pair_size(self.robot))
        row[shape.body] = 1.0
        if pair.body != WORLD:
            row[n + pair.body] = 1.0
        row[2 * n : 3 * n] = separate(self.robot, shape.body, pair.body)
        radius = [shape.radius + core.radius]
        row[3 * n : 3 * n + 22] = np.r_[shape.start, shape.end, radius, core.axes.ravel(), core.centre, core.half]
        return row

    def _numbers(self) -> Array:
        return np.stack([self._of_pair(pair) for pair in self.pairs])

    @cached_property
    def distance(self) -> Any:
        return compiled(PairDistance(), self.robot)

    # -- distances -----------------------------------------------------------------------------------------------------

    def operands(self, which: Indices, t: Array) -> Array:
        """What describes pairs (k,) at times (k,) to the compiled functions."""
        rows = self.numbers[which]
        first = 3 * self.robot.nbodies
        for k, obstacle in self.moves.items():
            mine = np.flatnonzero(which == k)
            for at in mine:
                displacement, *rates = obstacle.at(float(t[at]))
                rows[at, first + 16 : first + 19] += displacement
                rows[at, first + 22 : first + 28] = np.ravel(rates)
        return rows

    def distances(self, q: Array, which: Indices, t: Array) -> Array:
        """Of pairs (k,) at configurations (k, nq) and times (k,) [m]."""
        return np.asarray(self.distance(q, self.operands(which, t)), float)

    def nearest(self, q: Array, t: float = 0.0) -> tuple[float, Pair]:
        """The least distance of all pairs in a configuration (nq,), and the pair."""
        every = np.arange(len(self.pairs))
        d = self.distances(np.broadcast_to(q, (len(every), len(q))), every, np.full(len(every), t))
        k = int(np.argmin(d))
        return float(d[k]), self.pairs[k]

    # -- broad phase ---------------------------------------------------------------------------------------------------

    @cached_property
    def _poses(self) -> Any:
        return compiled(BodyPoses(), self.robot)

    @cached_property
    def _balls(self) -> tuple[Array, Array, Array]:
        """Of all shapes that move: the body, the middle in its frame, and the radius of the ball around it."""
        own = [shape for shape in self.shapes]
        body = np.array([shape.body for shape in own])
        middle = np.array([0.5 * (shape.start + shape.end) for shape in own])
        radius = np.array([shape.radius + 0.5 * np.linalg.norm(shape.end - shape.start) for shape in own])
        return body, middle, radius

    @cached_property
    def _cores(self) -> tuple[Array, Array, Array, Array, Array]:
        """Of all pairs: the shape, and of the other its body, middle in that body, half sizes and radius."""
        one = np.array([pair.one for pair in self.pairs])
        body = np.array([pair.body for pair in self.pairs])
        centre = np.array([pair.core.centre for pair in self.pairs])
        half = np.array([pair.core.half for pair in self.pairs])
        axes = np.array([pair.core.axes for pair in self.pairs])
        radius = np.array([pair.core.radius for pair in self.pairs])
        return one, body, centre, np.concatenate([axes.reshape(len(axes), 9), half], axis=1), radius

    def lower_bounds(self, q: Array, t: Array) -> Array:
        """Bounds from below on the distances of all pairs at configurations (k, nq) and times (k,): (k, pairs) [m].

        Balls around the shapes of the robot, and the other shapes themselves or balls around them.
        """
        body, middle, radius = self._balls
        one, other, centre, sizes, rounding = self._cores
        poses = np.asarray(self._poses(q), float)
        R, p = poses[:, :, :9].reshape(*poses.shape[:2], 3, 3), poses[:, :, 9:]
        here = np.matmul(R[:, body], middle[:, :, None])[..., 0] + p[:, body]
        here[:, body == WORLD] = middle[body == WORLD]
        found = np.empty((len(q), len(one)))
        world = other == WORLD
        if world.any():
            away = here[:, one[world]] - centre[world]
            for k, column in enumerate(np.flatnonzero(world)):
                if column in self.moves:
                    away[:, k] -= np.array([self.moves[column].at(float(x))[0] for x in t])
            axes, half = sizes[world, :9].reshape(-1, 3, 3), sizes[world, 9:]
            beyond = np.abs(np.einsum("kpi,pij->kpj", away, axes)) - half
            outside = np.sqrt((np.maximum(beyond, 0.0) ** 2).sum(axis=2))
            found[:, world] = outside + np.minimum(beyond.max(axis=2), 0.0)
        if not world.all():
            held = ~world
            place = np.matmul(R[:, other[held]], centre[held][:, :, None])[..., 0] + p[:, other[held]]
            around = np.linalg.norm(sizes[held, 9:], axis=1)
            found[:, held] = np.linalg.norm(here[:, one[held]] - place, axis=2) - around
        return found - radius[one] - rounding


def scene_of(problem: Problem, obstacles: Any, shapes: Any, clearance: Any, self_collision: Any) -> Scene:
    """The scene of a problem; arguments as for `Problem.avoid`."""
    if not isinstance(problem.coordinates, JointCoordinates):
        raise InputError(
            "obstacles are for trees of rigid joints with angles and lengths as coordinates; closed chains, paths, "
            "elastic joints and quaternions can't avoid them yet"
        )
    robot = problem.robot
    return Scene(robot, link_shapes(robot) if shapes is None else shapes, obstacles, clearance, self_collision)


def check_ends(problem: Problem) -> None:
    """Refuse a start or an end at which shapes touch, or are nearer than they may be."""
    scene = problem.scene
    if scene is None:
        return
    position = problem.coordinates.linear(0)
    for c in problem.point_constraints:
        if c.quantity != position or not c.equality or (c.s > 0.0 and scene.moves):
            continue
        distance, pair = scene.nearest(c.lower)
        if distance >= scene.clearance:
            continue
        where = {0.0: "at the start", 1.0: "at the end"}.get(c.s, f"at s = {c.s:g}")
        one, other = pair.name
        kind = "the obstacle " if pair.obstacle is not None else ""
        if distance < 0.0:
            raise InputError(f"{where} {one!r} and {kind}{other!r} overlap by {-distance:.4g} m")
        raise InputError(
            f"{where} {one!r} is {distance:.4g} m from {kind}{other!r}, nearer than the clearance of "
            f"{scene.clearance:g} m"
        )
