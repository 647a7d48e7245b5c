"""A robot among obstacles: all pairs that must not touch, as operands of compiled distances.

A moved obstacle, another one or another shape of a body changes numbers, never code.
"""

from __future__ import annotations

import copy
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinetree.compile import compiled
from kinetree.errors import InputError, check_name
from kinetree.model import WORLD
from kinetree.plan.coordinates import JointCoordinates, LoopCoordinates
from kinetree.plan.obstacles.bodies import body_shapes, link_shapes, neighbours, separate
from kinetree.plan.obstacles.distance import BodyPoses, PairDistance, pair_size
from kinetree.plan.obstacles.shapes import Core, MovingObstacle, Solid, named
from kinetree.plan.obstacles.solids import Solids
from kinetree.robot import Robot
from kinetree.runtime.arrays import Array, Indices

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

_BESIDE = 0.2  # how near to a ball around an obstacle its own distance counts [m]
ROOM = 2e-5  # further away than asked for: what the motion may come nearer between points where it is held [m]


class Pair(NamedTuple):
    """A shape of the robot, by its index, and what it must not touch.

    Args:
        one: the index of the shape of the robot.
        name: of both.
        body: that carries the other; -1 for the world.
        core: of the other, in the frame of that body.
        obstacle: the obstacle that it is, None for another shape of the robot.
        other: the index of that shape.
    """

    one: int
    name: tuple[str, str]
    body: int
    core: Core
    obstacle: Solid | None = None
    other: int = -1


def _numbers(core: Core) -> list[float]:
    return [*core.axes.ravel().tolist(), *core.centre.tolist(), *core.half.tolist()]


class Scene:
    """Obstacles, the shapes of a robot, and the pairs that keep a distance.

    Args:
        robot: whose bodies carry the shapes.
        shapes: a mapping from names of frames to spheres and capsules in their axes.
        obstacles: of `kinetree.plan`.
        clearance: the least distance of all pairs [m].
        self_collision: whether shapes of the robot must not touch each other: True for all but neighbours and those
            that touch in the neutral configuration, False, or a list of pairs of names.
        neutral: another configuration for that (nq,), such as a closed one.
    """

    def __init__(
        self, robot: Robot, shapes: Any, obstacles: Any = (), clearance: float = 0.0, self_collision: Any = True,
        neutral: Array | None = None,
    ) -> None:  # fmt: skip
        number = isinstance(clearance, int | float | np.number) and not isinstance(clearance, bool)
        if not (number and 0 <= clearance < np.inf):
            raise InputError(f"a clearance is a number of metres not below 0, got {clearance!r:.80}")
        self.robot, self.clearance, self.neutral = robot, float(clearance), neutral
        self.shapes, self.obstacles = body_shapes(robot, shapes), named(obstacles)
        self._cores = cores = [obstacle.core for obstacle in self.obstacles]
        each = [(obstacle, obstacle.name, core) for obstacle, core in zip(self.obstacles, cores)]
        self.pairs = [
            Pair(k, (shape.name, name), WORLD, core, obstacle)
            for k, shape in enumerate(self.shapes)
            if shape.body != WORLD
            for obstacle, name, core in each
        ]
        self.self_collision, self.begin = self_collision, 0.0  # the time at which obstacles are where they begin [s]
        own, self.left_out, numbers = self._of_robot(self_collision)
        self.numbers = np.concatenate([self._of_obstacles(cores), numbers])
        self.pairs += own
        if not self.pairs:
            raise InputError("nothing is to be avoided: give obstacles, or self_collision=True")
        moving = any(isinstance(obstacle, MovingObstacle) for obstacle in self.obstacles)
        of_obstacles = enumerate(self.pairs if moving else ())
        self.moves = {k: p.obstacle for k, p in of_obstacles if isinstance(p.obstacle, MovingObstacle)}

    def later(self, seconds: float, obstacles: Any = None) -> Scene:
        """The same from a later time on, or with other obstacles from then on."""
        if obstacles is not None:
            return Scene(self.robot, self.shapes, obstacles, self.clearance, self.self_collision, self.neutral)
        other = copy.copy(self)
        other.begin = self.begin + seconds
        return other

    # -- pairs ---------------------------------------------------------------------------------------------------------

    def _of_robot(self, wanted: Any) -> tuple[list[Pair], tuple[tuple[str, str], ...], Array]:
        """Pairs of the robot's own shapes, those that are left out because they touch, and what describes the pairs.

        They are the same as long as the shapes are.
        """
        known: dict[Any, Any] = vars(self.robot).setdefault("_self_collision", {})
        pairs = wanted if isinstance(wanted, bool) else tuple(self._indices(pair) for pair in wanted)
        key = self.shapes, pairs, None if self.neutral is None else self.neutral.tobytes()
        if key not in known:
            known.clear()
            known[key] = self._selected(pairs)
        return known[key]

    def _selected(self, wanted: Any) -> tuple[list[Pair], tuple[tuple[str, str], ...], Array]:
        beside = neighbours(self.robot, self.shapes)
        every = [pair for pair in combinations(range(len(self.shapes)), 2) if pair not in beside]
        found = [self._pair(*pair) for pair in (every if wanted is True else wanted or ())]
        numbers = np.reshape([self._of_pair(pair) for pair in found], (len(found), pair_size(self.robot)))
        if wanted is not True or not found:
            return found, (), numbers
        lower, upper = np.asarray(self.robot.lower, float), np.asarray(self.robot.upper, float)
        neutral = np.clip(np.asarray(self.robot.neutral, float), lower, upper) if self.neutral is None else self.neutral
        apart = np.asarray(self.distance(neutral, numbers), float) > 0.0
        touching = tuple(pair.name for pair, far in zip(found, apart) if not far)
        return [pair for pair, far in zip(found, apart) if far], touching, numbers[apart]

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
        return Pair(one, (self.shapes[one].name, held.name), held.body, held.capsule.core, other=other)

    def _of_pair(self, pair: Pair) -> Array:
        n, shape = self.robot.nbodies, self.shapes[pair.one]
        row = np.zeros(pair_size(self.robot))
        row[shape.body] = 1.0
        if pair.body != WORLD:
            row[n + pair.body] = 1.0
        row[2 * n : 3 * n] = separate(self.robot, shape.body, pair.body)
        row[3 * n : 3 * n + 22] = [*shape.start, *shape.end, shape.radius, *_numbers(pair.core)]
        row[3 * n + 6] += pair.core.radius
        return row

    def _of_obstacles(self, cores: list[Core]) -> Array:
        """What describes all pairs of a shape of the robot and an obstacle, shape by shape."""
        n, size = self.robot.nbodies, pair_size(self.robot)
        moving = [shape for shape in self.shapes if shape.body != WORLD]
        rows = np.zeros((len(moving), len(cores), size))
        if cores:
            rows[:, :, 3 * n + 7 : 3 * n + 22] = [_numbers(core) for core in cores]
        for row, shape in zip(rows, moving):
            row[:, shape.body] = 1.0
            row[:, 2 * n : 3 * n] = separate(self.robot, shape.body, WORLD)
            row[:, 3 * n : 3 * n + 7] = *shape.start, *shape.end, shape.radius
        rows[:, :, 3 * n + 6] += [core.radius for core in cores]
        return rows.reshape(-1, size)

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
            path = obstacle.along(self.begin + t[mine])
            rows[mine, first + 16 : first + 19] += path[:, 0]
            rows[mine, first + 22 : first + 28] = path[:, 1:].reshape(len(mine), 6)
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
    def _balls(self) -> tuple[Indices, Array, Array]:
        """Of all shapes: the body, the middle in its frame, and the radius of the ball around it."""
        ends = np.array([[shape.start, shape.end] for shape in self.shapes])
        radius = np.array([shape.radius for shape in self.shapes]) + 0.5 * np.linalg.norm(
            ends[:, 1] - ends[:, 0], axis=1
        )
        return np.array([shape.body for shape in self.shapes]), ends.mean(axis=1), radius

    @cached_property
    def _solids(self) -> Solids:
        return Solids.of(self._cores)

    @cached_property
    def _own_pairs(self) -> tuple[Indices, Indices]:
        """Both shapes of the pairs of the robot with itself."""
        own = [pair for pair in self.pairs if pair.obstacle is None]
        return np.array([pair.one for pair in own], int), np.array([pair.other for pair in own], int)

    def lower_bounds(self, q: Array, t: Array) -> Array:
        """Bounds from below on the distances of all pairs at configurations (k, nq) and times (k,): (k, pairs) [m].

        Those of balls around the shapes of the robot from balls around obstacles, or from these where they are near,
        and from balls around its other shapes.
        """
        body, middle, radius = self._balls
        poses = np.asarray(self._poses(q), float)
        R, p = poses[:, :, :9].reshape(len(q), -1, 3, 3), poses[:, :, 9:]
        here = np.matmul(R[:, body], middle[:, :, None])[..., 0] + p[:, body]
        here[:, body == WORLD] = middle[body == WORLD]
        found, moving = [np.zeros((len(q), 0))], body != WORLD
        if self.obstacles:
            away = self._outside(here[:, moving], radius[moving], t)
            found.append((away - radius[moving][None, :, None]).reshape(len(q), -1))
        ones, others = self._own_pairs
        if len(ones):
            between = here[:, ones] - here[:, others]
            found.append(np.sqrt(np.einsum("kij,kij->ki", between, between)) - radius[ones] - radius[others])
        return np.concatenate(found, axis=1)

    def _outside(self, points: Array, radius: Array, t: Array) -> Array:
        """Bounds from below on distances of points (k, n, 3) from the obstacles at times (k,): (k, n, obstacles).

        Where balls of these radii (n,) are near they are these themselves.
        """
        solids, shape = self._solids, (*points.shape[:2], len(self.obstacles))
        centre = np.broadcast_to(solids.centre, (len(points), *solids.centre.shape))
        if self.moves:
            centre = centre.copy()
            for j, obstacle in enumerate(self.obstacles):
                if isinstance(obstacle, MovingObstacle):
                    centre[:, j] += obstacle.along(self.begin + t)[:, 0]
        away = np.matmul(points, -2.0 * centre.transpose(0, 2, 1))
        away += np.einsum("kni,kni->kn", points, points)[:, :, None]
        away += np.einsum("kji,kji->kj", centre, centre)[:, None, :]
        np.sqrt(np.maximum(away, 0.0, out=away), out=away)
        away -= solids.around
        k, n, j = np.unravel_index(np.flatnonzero(away < (_BESIDE + radius)[:, None]), shape)
        away[k, n, j] = solids.distances(points[k, n] - centre[k, j], j)
        return away


def scene_of(problem: Problem, obstacles: Any, shapes: Any, clearance: Any, self_collision: Any) -> Scene:
    """The scene of a problem; arguments as for `Problem.avoid`."""
    if not isinstance(problem.coordinates, JointCoordinates | LoopCoordinates):
        raise InputError(
            "obstacles are for rigid joints that turn or slide; motions along paths, elastic joints and quaternions "
            "can't avoid them yet"
        )
    robot = problem.robot
    shapes = link_shapes(robot) if shapes is None else shapes
    return Scene(robot, shapes, obstacles, clearance, self_collision, problem.coordinates.rest_of_joints)


def check_ends(problem: Problem) -> None:
    """Refuse a start or an end at which shapes touch, or are nearer than they may be."""
    scene = problem.scene
    if scene is None:
        return
    coordinates, position = problem.coordinates, problem.coordinates.linear(0)
    for c in problem.point_constraints:
        if c.quantity != position or not c.equality or (c.s > 0.0 and scene.moves):
            continue
        distance, pair = scene.nearest(coordinates.positions(c.lower[None])[0])
        if distance >= scene.clearance:
            continue
        where = {0.0: "at the start", 1.0: "at the end"}.get(c.s, f"at s = {c.s:g}")
        one, other = pair.name
        kind = "the obstacle " if pair.obstacle is not None else ""
        if distance < 0.0:
            raise InputError(f"{where} {one!r} and {kind}{other!r} overlap by {-distance:.4g} m")
        near = f"{where} {one!r} is {distance:.4g} m from {kind}{other!r}, nearer than the clearance of"
        raise InputError(f"{near} {scene.clearance:g} m")
