"""Closed loops in exact fractions: states, energies and what has a constant energy, without Kinetree.

The loops are four-bars with equal opposite sides. Their corners are rational functions of rational sines and cosines,
as parallelograms and crossed, so nothing is rounded.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from par_robots import geometry

PRIME = 2**61 - 1  # ranks are taken modulo it: never above the true one, and below with a chance of 1e-17
STATES = 60  # of a robot with 50 base parameters without its loops

Vector = list[Fraction]
Matrix = list[Vector]


@dataclass(frozen=True)
class Turn:
    """A complex number of fractions: a vector in the plane of a loop, or an angle as its cosine and sine."""

    c: Fraction
    s: Fraction

    def __mul__(self, other: Turn) -> Turn:
        return Turn(self.c * other.c - self.s * other.s, self.c * other.s + self.s * other.c)

    def __add__(self, other: Turn) -> Turn:
        return Turn(self.c + other.c, self.s + other.s)

    def __sub__(self, other: Turn) -> Turn:
        return Turn(self.c - other.c, self.s - other.s)

    def scaled(self, k: Fraction) -> Turn:
        return Turn(k * self.c, k * self.s)

    @property
    def back(self) -> Turn:
        """The conjugate: of an angle, its negative."""
        return Turn(self.c, -self.s)

    @property
    def square(self) -> Fraction:
        return self.c**2 + self.s**2

    @property
    def angle(self) -> float:
        return math.atan2(self.s, self.c)

    def cross(self, other: Turn) -> Fraction:
        return self.c * other.s - self.s * other.c


ZERO, ONE = Fraction(0), Fraction(1)
NONE, RIGHT = Turn(ONE, ZERO), Turn(ZERO, ONE)  # no turn, a right angle


def turn(t: Fraction) -> Turn:
    """The angle whose half has the tangent t."""
    return Turn((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))


def four_bar(a: Turn, a_rate: Fraction, b: Turn, b_rate: Fraction, crossed: bool) -> tuple[Turn, Fraction, Fraction]:
    """From two sides at a corner the corner on the other side, and the rates of the sides that lead there from a, b."""
    corner, diagonal = a + b, b - a
    if crossed:  # mirrored at the diagonal
        corner = a + (diagonal * diagonal * b.back).scaled(1 / diagonal.square)
    from_a, from_b, known = corner - a, corner - b, b.scaled(b_rate) - a.scaled(a_rate)
    all_ = from_a.cross(from_b)  # from_a ra - from_b rb = b b_rate - a a_rate
    return corner, known.cross(from_b) / all_, known.cross(from_a) / all_


# -- the robots --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """For each joint of the tree its angle and rate."""

    angles: tuple[Turn, ...]
    rates: Vector


class Par:
    """The geometry of a robot: Khalil's six numbers of each frame, angles as turns."""

    def __init__(self, name: str, numbers: dict[str, Any]) -> None:
        turns = {key: x for key, x in numbers.items() if isinstance(x, Turn)}
        elements = {f"cos({key})": x.c for key, x in turns.items()} | {f"sin({key})": x.s for key, x in turns.items()}
        self.numbers = {**numbers, **elements}
        lists = geometry(name)
        self.ant = [int(x) for x in lists["ant"]]
        self.length = {key: [self._length(x) for x in lists[key]] for key in ("b", "d", "r")}
        self.angle = {key: [self._angle(x) for x in lists[key]] for key in ("gamma", "alpha")}

    def _length(self, text: str) -> Fraction:
        total = -ONE if text.startswith("-") else ONE
        for factor in text.removeprefix("-").split("*"):
            total *= Fraction(factor) if factor.isdigit() else self.numbers[factor]
        return total

    def _angle(self, text: str) -> Turn:
        total = NONE
        for sign, term in re.findall(r"(-?)([\w/]+)", text):
            one = {"0": NONE, "pi/2": RIGHT}.get(term) or self.numbers[term]
            total *= one.back if sign else one
        return total


@dataclass(frozen=True)
class Loops:
    """A robot of `par_robots`: numbers for its lengths, its closed states, what its parallelograms keep."""

    name: str
    numbers: dict[str, Any]
    parallel: tuple[tuple[int, int], ...]  # the links that keep their orientation to each other
    upright: tuple[int, ...]  # the links that turn about the vertical only

    @property
    def par(self) -> Par:
        return Par(self.name, self.numbers)

    def states(self, crossed: Sequence[bool]) -> Iterator[State]:
        make = {"SR400": sr400, "TwoLoops": two_loops}[self.name]
        some = random.Random(1)
        for _ in range(STATES):
            turns = [turn(Fraction(k, 101)) for k in some.sample(range(-99, 100), 6)]
            rates = [Fraction(some.randint(-9, 9), 5) for _ in range(6)]
            yield make(self.numbers, turns, rates, crossed)


def sr400(x: dict[str, Any], q: Sequence[Turn], w: Vector, crossed: Sequence[bool]) -> State:
    """Driven joints 1, 2, 7, 4, 5, 6; a four-bar of links 2, 3, 8, 7."""
    q1, u2, u7, *wrist = q
    w1, w2, w7, *wrist_rates = w
    a, b = u2.scaled(x["d3"]), u7.scaled(-x["d8"])
    corner, w3, w8 = four_bar(a, w2, b, w7, crossed[0])
    u3 = (corner - a).scaled(-1 / x["d8"]) * RIGHT.back
    u8 = (corner - b).scaled(1 / x["d3"])
    return State((q1, u2, u3 * u2.back, *wrist, u7, u8 * u7.back), [w1, w2, w3 - w2, *wrist_rates, w7, w8 - w7])


def two_loops(x: dict[str, Any], q: Sequence[Turn], w: Vector, crossed: Sequence[bool]) -> State:
    """Driven joints 1, 2, 3, 5; a four-bar of links 3, 4, 7, 8, and one of links 1, 2, 8, 6."""
    q1, u2, u3, q5, *_ = q
    w1, w2, w3, w5, *_ = w
    a, b = u2.scaled(x["d3"]), (x["g12"] * RIGHT).scaled(x["d12"])
    corner, w8, w6 = four_bar(a, w2, b, ZERO, crossed[1])
    u6, side = (corner - b).scaled(1 / x["d3"]), corner - a
    u8 = side.scaled(1 / x["d7"]) * (x["g12"] * RIGHT).back
    a = u3.scaled(x["d4"])
    corner, w4, w7 = four_bar(a, w3, side, w8, crossed[0])
    u4 = (corner - a).scaled(1 / x["d7"]) * RIGHT.back
    u7 = (side - corner).scaled(1 / x["d4"])
    angles = (q1, u2, u3 * u2.back, u4 * u3.back, q5, u6, u7 * (u4 * RIGHT).back, u8 * u3.back)
    return State(angles, [w1, w2, w3 - w2, w4 - w3, w5, w6, w7 - w4, w8 - w3])


LENGTHS = {key: Fraction(k, 10) for key, k in {"d2": 3, "d3": 5, "d4": 9, "d7": 4, "d8": 2, "d12": 4, "r4": 8}.items()}
SR400 = Loops("SR400", LENGTHS, parallel=((2, 8), (3, 7)), upright=(1,))
TWO_LOOPS = Loops(
    "TwoLoops",
    {**LENGTHS, "g12": turn(Fraction(2, 5))},
    parallel=((2, 6), (3, 7), (4, 8), (1, 8)),
    upright=(1, 4, 5, 8),
)


# -- kinematics and energy ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """Axes (columns of R) and place of a frame, its angular velocity, the velocity of its origin: all of the world."""

    R: Matrix
    p: Vector
    w: Vector
    v: Vector


GROUND = Frame([[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]], [ZERO] * 3, [ZERO] * 3, [ZERO] * 3)


def dot(a: Vector, b: Vector) -> Fraction:
    return sum((x * y for x, y in zip(a, b)), ZERO)


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def inside(frame: Frame, x: Vector) -> Vector:
    """A vector of the world in the axes of a frame."""
    return [dot([row[k] for row in frame.R], x) for k in range(3)]


def about(R: Matrix, axis: int, by: Turn) -> Matrix:
    """Axes, turned about one of their own."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    turned = [list(row) for row in R]
    for row in turned:
        row[j], row[k] = row[j] * by.c + row[k] * by.s, row[k] * by.c - row[j] * by.s
    return turned


def frames(par: Par, state: State) -> list[Frame]:
    """Ground, links, then for each cut joint its frame in one link, not turned, then for each that in the other."""
    made = [GROUND]
    for k, ant in enumerate(par.ant):
        at = made[ant]
        R = about(at.R, 2, par.angle["gamma"][k])
        arm = [par.length["b"][k] * row[2] for row in R]
        R = about(R, 0, par.angle["alpha"][k])
        arm = [x + par.length["d"][k] * row[0] + par.length["r"][k] * row[2] for x, row in zip(arm, R)]
        R = about(R, 2, state.angles[k]) if k < len(state.angles) else R
        rate = state.rates[k] if k < len(state.rates) else ZERO
        w = [x + rate * row[2] for x, row in zip(at.w, R)]
        v = [x + y for x, y in zip(at.v, cross(at.w, arm))]
        made.append(Frame(R, [x + y for x, y in zip(at.p, arm)], w, v))
    return made


def energies(links: Sequence[Frame]) -> Vector:
    """h of H = h pi: kinetic energy, and potential energy under a gravity of 10 m/s^2, in the order of Kinetree."""
    row: Vector = []
    for at in links:
        w, v, up = (inside(at, x) for x in (at.w, at.v, [ZERO, ZERO, 10 * ONE]))
        row += [dot(v, v) / 2 + 10 * at.p[2], *(x + y for x, y in zip(cross(v, w), up))]
        row += [w[0] ** 2 / 2, w[1] ** 2 / 2, w[2] ** 2 / 2, w[0] * w[1], w[0] * w[2], w[1] * w[2]]
    return row


def observed(robot: Loops, crossed: Sequence[bool]) -> Matrix:
    """Energies at closed states, less those of the first at rest."""
    par = robot.par
    moving = [frames(par, state) for state in robot.states(crossed)]
    first = energies([Frame(at.R, at.p, [ZERO] * 3, [ZERO] * 3) for at in moving[0][1:9]])
    return [[x - y for x, y in zip(energies(at[1:9]), first)] for at in moving]


def rank(rows: Matrix) -> int:
    """Modulo the prime: nothing is rounded."""
    left = [[x.numerator * pow(x.denominator, -1, PRIME) % PRIME for x in row] for row in rows]
    count = 0
    for column in range(len(rows[0])):
        pivot = next((row for row in left[count:] if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left.insert(count, pivot)
        count += 1
        scale = pow(pivot[column], -1, PRIME)
        for row in left[count:]:
            if row[column]:
                factor = row[column] * scale
                row[:] = [(x - factor * y) % PRIME for x, y in zip(row, pivot)]
    return count


# -- what has a constant energy ----------------------------------------------------------------------------------------

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of XX, YY, ZZ, XY, XZ, YZ


def parameters(mass: Fraction, ms: Vector, J: Matrix) -> Vector:
    return [mass, *ms, *(J[i][j] for i, j in PAIRS)]


def rods(p: Vector, e: Vector) -> list[Vector]:
    """A mass at p, two opposite ones on the axis e through p, and a thick rod on the axis."""
    cells = [[(i, j) for j in range(3)] for i in range(3)]
    one = [[Fraction(i == j) for i, j in row] for row in cells]
    point = [[dot(p, p) * one[i][j] - p[i] * p[j] for i, j in row] for row in cells]
    pair = [[2 * dot(p, e) * one[i][j] - p[i] * e[j] - e[i] * p[j] for i, j in row] for row in cells]
    thick = [[one[i][j] - e[i] * e[j] for i, j in row] for row in cells]
    return [parameters(ONE, p, point), parameters(ZERO, e, pair), parameters(ZERO, [ZERO] * 3, thick)]


def spread(parts: dict[int, Vector]) -> Vector:
    """The parameters of all eight links, from those of some; the ground has none."""
    return [x for link in range(1, 9) for x in parts.get(link, [ZERO] * 10)]


def constant_energy(robot: Loops, at: Sequence[Frame], cut: bool) -> Matrix:
    """Combinations of parameters with a constant energy, from one configuration; with the loops cut or not."""
    par = robot.par
    joints = [(par.ant[k - 1], k, at[k]) for k in range(1, 9)]
    joints += [] if cut else [(par.ant[k - 1], _link(par, k + loop_count(par)), at[k]) for k in cut_joints(par)]
    found: Matrix = []
    for one, other, axis in joints:  # what lies on the axis of a joint is in either of its links
        e = [row[2] for row in axis.R]
        both = [rods(inside(x, [a - b for a, b in zip(axis.p, x.p)]), inside(x, e)) for x in (at[one], at[other])]
        found += [spread({one: [-x for x in a], other: b}) for a, b in zip(*both)]
    for one, other in () if cut else robot.parallel:  # both turn alike
        for i, j in PAIRS:
            found.append(spread({one: [-x for x in _second(at[one], i, j)], other: _second(at[other], i, j)}))
    for link in (1,) if cut else robot.upright:  # only the moment about the vertical is seen, and what is beside it
        found += [spread({link: _second(at[link], i, j)}) for i, j in PAIRS if (i, j) != (2, 2)]
        found.append(spread({link: [ZERO, *inside(at[link], [ZERO, ZERO, ONE]), *[ZERO] * 6]}))
    return [*found, *(spread({1: [ZERO, *x, *[ZERO] * 7]}) for x in ([ONE, ZERO], [ZERO, ONE]))]  # link 1 stays there


def _second(at: Frame, i: int, j: int) -> Vector:
    """Second moments of which the world sees one element only, in the axes of a frame."""
    a, b = at.R[i], at.R[j]
    return parameters(ZERO, [ZERO] * 3, [[a[k] * b[m] + b[k] * a[m] for m in range(3)] for k in range(3)])


def cut_joints(par: Par) -> range:
    return range(9, 9 + loop_count(par))


def loop_count(par: Par) -> int:
    return (len(par.ant) - 8) // 2


def _link(par: Par, frame: int) -> int:
    """The link that a frame is fixed in."""
    return frame if frame <= 8 else _link(par, par.ant[frame - 1])
