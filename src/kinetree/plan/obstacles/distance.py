"""The distance between a capsule of a robot and a rounded box, over scalars, with first and second derivatives.

Which body carries the capsule and which one the box, and all sizes and places, are operands: one compiled function of a
robot serves all pairs. Everything is seen from the box. A point c(t) = c0 + t e of the line, 0 <= t <= 1, is outside
the box by x(t) = c - clamp(c, -h, h), and

    d = min_t |x(t)| - r,        g(t) = e . x(t) = 0    at the nearest point,

where g rises and is linear between the six t at which a coordinate passes a face of the box: exact without iterations.
With twists (w_j, v_j) of the joints, u_j = w_j x p + v_j of the nearest point p, the normal n and signs s_j (1 for a
joint that carries the line alone, -1 the box alone, 0 both or neither), by the envelope theorem

    dd/dq_j = s_j n . u_j,
    d2d/dq_i dq_j = s_i s_j (n x w_i) . u_j + u_i^T K u_j - b_i b_j / f,        i nearer to the box than j,

with K = (diag(x_k /= 0) - n n^T) / |x| in the axes of the box; the last term, b_j = d(n . e)/dq_j and f = e^T K e, is
how the nearest point moves along the line. Inside the box the distance is that of the nearest face, negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinetree.algorithms.kinematics import world_poses
from kinetree.model import Mechanism
from kinetree.scalar import maximum, minimum, select, sqrt
from kinetree.signature import Signature, parse
from kinetree.spatial import Vec3

FIXED = 28  # numbers of a pair beside three for each body
_TINY = 1e-24  # of squares [m^2]
_ROUNDING = 1e-13  # of slopes of squares [m^2]
_FLAT = 1e-3  # the least curvature along the line, of that of a sphere


def pair_size(robot: Mechanism) -> int:
    """How many numbers describe a pair: which body carries the capsule, which one the box, the sign of each joint, the
    line's start and end, the radius, axes, centre and half sizes of the box, its velocity and its acceleration."""
    return 3 * robot.nbodies + FIXED


@dataclass(frozen=True)
class BodyPoses:
    """The poses of all bodies in the world: the rotation matrix row by row, and the origin."""

    __name__ = "body_poses"

    def signature(self, robot: Mechanism) -> Signature:
        return parse(f"q(nq) -> poses({robot.nbodies},12)", robot)

    def __call__(self, robot: Mechanism, q: Any) -> list[list[Any]]:
        X = world_poses(robot, q)
        return [[x for row in X[i].R.matrix for x in row] + [*X[i].p] for i in range(robot.nbodies)]


@dataclass(frozen=True)
class PairDistance:
    """d of a pair at q."""

    __name__ = "distance"

    def signature(self, robot: Mechanism) -> Signature:
        return parse(f"q(nq), pair({pair_size(robot)}) -> distance()", robot)

    def __call__(self, robot: Mechanism, q: Any, pair: Any) -> Any:
        return _Nearest(robot, q, pair).distance


@dataclass(frozen=True)
class PairRates:
    """d, and for both ends of the line how much farther they are from the plane at the nearest point, and how fast they
    leave it: the plane is between the shapes, so the distance is not below that of the nearer end."""

    __name__ = "distance_rates"

    def signature(self, robot: Mechanism) -> Signature:
        return parse(f"q(nq), qd(nv), pair({pair_size(robot)}) -> distance(), farther(2), rates(2)", robot)

    def __call__(self, robot: Mechanism, q: Any, qd: Any, pair: Any) -> Any:
        near = _Nearest(robot, q, pair)
        farther, rates = [], []
        for end in (near.start, near.start + near.line):
            farther.append(near.normal.dot(end - near.point))
            moves = _joint_moves(near, end)
            rates.append(sum((m.slope * qd[m.index] for m in moves), -near.normal.dot(near.velocity)))
        return near.distance, farther, rates


@dataclass(frozen=True)
class PairDerivatives:
    """d, its gradient with respect to q and the time, and y d2d + sigma (gradient)(gradient)^T."""

    __name__ = "distance_derivatives"

    def signature(self, robot: Mechanism) -> Signature:
        m = robot.nv + 1
        return parse(f"q(nq), pair({pair_size(robot)}), y(), sigma() -> gradient({m}), matrix({m},{m})", robot)

    def __call__(self, robot: Mechanism, q: Any, pair: Any, y: Any, sigma: Any) -> Any:
        near, n = _Nearest(robot, q, pair), robot.nv
        moves = [_time_move(near), *_joint_moves(near)]  # from the box outward
        gradient: list[Any] = [0.0] * (n + 1)
        H: list[list[Any]] = [[0.0] * (n + 1) for _ in range(n + 1)]
        for one in moves:
            gradient[one.index] = gradient[one.index] + one.slope
        for a, one in enumerate(moves):
            for other in moves[: a + 1]:
                value = y * near.second(other, one)
                i, j = one.index, other.index
                H[i][j] = H[i][j] + value
                if one is not other:
                    H[j][i] = H[j][i] + value
        H[n][n] = H[n][n] - y * near.normal.dot(near.acceleration)
        M = [[H[i][j] + sigma * gradient[i] * gradient[j] for j in range(i + 1)] for i in range(n + 1)]
        return gradient, [[M[max(i, j)][min(i, j)] for j in range(n + 1)] for i in range(n + 1)]


@dataclass
class _Move:
    """How the nearest point moves as one coordinate does, seen from the box but in world axes."""

    index: int  # of the coordinate
    sign: Any
    turn: Vec3  # n x w
    point: Vec3  # u
    slope: Any  # of the distance
    across: Sequence[Any]  # s u in the axes of the box, zero along its faces
    along: Any  # b


class _Nearest:
    """The nearest points of a pair."""

    def __init__(self, robot: Mechanism, q: Any, pair: Any) -> None:
        n = robot.nbodies
        self.robot, self.q = robot, q
        carries, holds, self.signs, rest = pair[:n], pair[n : 2 * n], pair[2 * n : 3 * n], pair[3 * n :]
        self.X = world_poses(robot, q)
        ends = [Vec3(*rest[0:3]), Vec3(*rest[3:6])]
        R, p = self._chosen(carries, False)
        a0, a1 = (_turned(R, a) + p for a in ends)
        R, p = self._chosen(holds, True)
        local = [rest[7 + 3 * i : 10 + 3 * i] for i in range(3)]
        self.axes = [[sum((R[i][k] * local[k][j] for k in range(3)), 0.0) for j in range(3)] for i in range(3)]
        centre = _turned(R, Vec3(*rest[16:19])) + p
        self.velocity, self.acceleration = Vec3(*rest[22:25]), Vec3(*rest[25:28])
        h = rest[19:22]
        self.start, self.line = a0, a1 - a0
        c0, e = self.in_box(a0 - centre), self.in_box(self.line)
        t = _nearest(c0, e, h)
        c = [x + t * y for x, y in zip(c0, e)]
        x = [v - _clamped(v, w) for v, w in zip(c, h)]
        squared = sum((v * v for v in x), 0.0)
        self.outside = squared > _TINY
        self.size = sqrt(maximum(squared, _TINY))
        faces = [select(v > 0.0, v, -v) - w for v, w in zip(c, h)]
        nearest = maximum(maximum(faces[0], faces[1]), faces[2])
        self.distance = select(self.outside, self.size, nearest) - rest[6]
        # the normal: of the nearest face inside
        first = select(faces[0] < nearest, 0.0, 1.0)
        second = select(faces[1] < nearest, 0.0, 1.0 - first)
        picked = [first, second, 1.0 - first - second]
        self.n = [select(self.outside, v / self.size, f * select(w > 0.0, 1.0, -1.0)) for v, f, w in zip(x, picked, c)]
        self.normal = Vec3(*(sum((row[j] * self.n[j] for j in range(3)), 0.0) for row in self.axes))
        self.point = a0 + t * self.line
        self.beyond = [select((v > 0.0), 1.0, select(v < 0.0, 1.0, 0.0)) for v in x]
        self.t, self.e = t, e
        # how the nearest point moves along the line
        slope = sum((a * b for a, b in zip(self.n, e)), 0.0)
        length = sum((v * v for v in e), 0.0)
        f = sum((k * v * v for k, v in zip(self.beyond, e)), 0.0) - slope * slope
        free = select(t > 0.0, select(t < 1.0, select(f > _FLAT * length, 1.0, 0.0), 0.0), 0.0)
        self.free = select(self.outside, free, 0.0) * select(length > _TINY, 1.0, 0.0)
        self.by_f = self.free * self.size / select(self.free > 0.0, f, 1.0)
        self.by_size = select(self.outside, 1.0 / self.size, 0.0)
        self.slope_along = slope

    def _chosen(self, weights: Any, or_world: bool) -> tuple[list[list[Any]], Vec3]:
        """The pose of the body whose weight is 1; that of the world where all are 0."""
        rest = 1.0 - sum(weights, 0.0) if or_world else 0.0
        poses = [(w, [[*row] for row in self.X[i].R.matrix], [*self.X[i].p]) for i, w in enumerate(weights)]
        R = [
            [sum((w * rows[r][c] for w, rows, _ in poses), rest if r == c else 0.0) for c in range(3)] for r in range(3)
        ]
        return R, Vec3(*(sum((w * p[r] for w, _, p in poses), 0.0) for r in range(3)))

    def in_box(self, v: Vec3) -> list[Any]:
        """A vector of the world in the axes of the box."""
        return [sum((row[j] * x for row, x in zip(self.axes, v)), 0.0) for j in range(3)]

    def move(self, index: int, sign: Any, ang: Vec3, point: Vec3) -> _Move:
        slope = sign * self.normal.dot(point)
        across = [sign * k * v for k, v in zip(self.beyond, self.in_box(point))]
        stretched = sum((v * w for v, w in zip(self.e, across)), 0.0) - self.slope_along * slope
        along = self.by_size * stretched + sign * self.normal.dot(ang.cross(self.line))
        return _Move(index, sign, self.normal.cross(ang), point, slope, across, along)

    def second(self, one: _Move, other: _Move) -> Any:
        """The second derivative along two coordinates, the first of which is nearer to the world."""
        forward, back = one.turn.dot(other.point), other.turn.dot(one.point)
        turned = one.sign * other.sign * select(other.sign > 0.0, forward, back)
        curved = sum((a * b for a, b in zip(one.across, other.across)), 0.0) - one.slope * other.slope
        return turned + self.by_size * curved - self.by_f * one.along * other.along


def _joint_moves(near: _Nearest, at: Vec3 | None = None) -> list[_Move]:
    """Of the nearest point, or of another one of the line."""
    robot, found = near.robot, list[_Move]()
    tip = near.point if at is None else at
    for i, body in enumerate(robot.bodies):
        X = near.X[i]
        for k, s in zip(range(robot.nv)[robot.v_slices[i]], body.joint.subspace(near.q[robot.q_slices[i]])):
            ang = X.R @ s.ang
            point = X.R @ s.lin + ang.cross(tip - X.p)
            found.append(near.move(k, near.signs[i], ang, point))
    return found


def _time_move(near: _Nearest) -> _Move:
    """Of an obstacle that moves."""
    return near.move(near.robot.nv, 1.0, Vec3.zero, -near.velocity)


def _turned(R: Any, v: Vec3) -> Vec3:
    return Vec3(*(sum((a * x for a, x in zip(row, v)), 0.0) for row in R))


def _clamped(x: Any, h: Any) -> Any:
    return maximum(minimum(x, h), -h)


def _nearest(c: Sequence[Any], e: Sequence[Any], h: Sequence[Any]) -> Any:
    """Where on the line c + t e, 0 <= t <= 1, the nearest point to a box is; the middle where there are many."""
    times: list[Any] = [0.0, 1.0]
    for x, v, w in zip(c, e, h):
        moves = select(v > 0.0, 1.0, select(v < 0.0, 1.0, 0.0))
        by = moves / select(moves > 0.0, v, 1.0)
        times += [maximum(minimum((side - x) * by, 1.0), 0.0) for side in (w, -w)]
    slopes = []
    for t in times:
        at = [x + t * v for x, v in zip(c, e)]
        slopes.append(sum((v * (x - _clamped(x, w)) for x, v, w in zip(at, e, h)), 0.0))
    first = _root(times, slopes, lambda g: select(g < -_ROUNDING, 1.0, 0.0))
    last = _root(times, slopes, lambda g: select(g > _ROUNDING, 0.0, 1.0))
    return 0.5 * (first + last)


def _root(times: Sequence[Any], slopes: Sequence[Any], falls: Any) -> Any:
    """Where a rising, piecewise linear function passes zero, from its values at the corners."""
    low, at_low, high, at_high = 0.0, slopes[0], 1.0, slopes[1]
    for t, g in zip(times, slopes):
        down = falls(g) > 0.5
        nearer = select(t >= low, 1.0, 0.0) > 0.5
        low, at_low = (select(down, select(nearer, a, b), b) for a, b in ((t, low), (g, at_low)))
        farther = select(t <= high, 1.0, 0.0) > 0.5
        high, at_high = (select(down, b, select(farther, a, b)) for a, b in ((t, high), (g, at_high)))
    rise = at_high - at_low
    share = select(rise > 0.0, -at_low / select(rise > 0.0, rise, 1.0), 0.5)
    between = low + (high - low) * maximum(minimum(share, 1.0), 0.0)
    starts_up, ends_down = falls(slopes[0]) < 0.5, falls(slopes[1]) > 0.5
    return select(starts_up, 0.0, select(ends_down, 1.0, between))
