"""Reference motions: every derivative is that of the one before, they rest outside, splines meet their points."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import kinetree as kt
from kinetree.control import BSpline, Hold, Quintic, Reference, Septic, Sinusoid, Target, Then
from kinetree.errors import InputError, UnknownNameError

ROUNDING = 1e-12  # polynomials of degree 7 with coefficients up to 1e2
SOLVED = 1e-9  # relative: the control points of a spline lose the digits of the condition of their system
# differences with 50 digits: of order 4 with steps of 1e-8, of order 1 with steps of 1e-12, one-sided
MANY, ONE = 1e-6, 1e-9
POINTS = [[0.0, 1.0], [0.4, -0.5], [1.0, 0.2], [0.7, 0.9], [-0.2, 0.0]]

SPLINES = {f"spline{degree}": BSpline(POINTS, 2.5, degree, begin=0.3) for degree in (3, 5, 7)}
UNEVEN = BSpline(POINTS, 2.5, fractions=[0.0, 0.1, 0.45, 0.7, 1.0])
RESTING: dict[str, Reference] = {
    "quintic": Quintic([0.1, 2.0], [1.0, -1.0], 1.7, begin=0.3),
    "septic": Septic([0.1, 2.0], [1.0, -1.0], 1.7, begin=0.3),
    **SPLINES,
    "uneven": UNEVEN,
}
# how many derivatives vanish at the ends
CALM = {"quintic": 2, "septic": 3, "spline3": 1, "spline5": 2, "spline7": 3, "uneven": 2}
MOVING = {**RESTING, "then": Quintic([0.0], [1.0], 1.0).then(Septic([1.0], [0.2], 1.5))}


@pytest.mark.parametrize("name", MOVING)
def test_each_derivative_is_that_of_the_position(name: str) -> None:
    """By differences with 50 digits."""
    motion = MOVING[name]
    with mpmath.workdps(50):
        for t in (0.41, 0.97, 1.63):
            target = motion.at(mpmath.mpf(t))
            for j in range(motion.size):
                for order in range(1, 5):
                    scale = 1 + abs(target[order][j])
                    assert abs(slope(motion, t, j, 0, order, 8) - target[order][j]) < MANY * scale
                    assert abs(slope(motion, t, j, order - 1, 1, 12) - target[order][j]) < ONE * scale


def slope(motion: Reference, t: float, j: int, of: int, order: int, digits: int) -> mpmath.mpf:
    """A derivative of a coordinate, or of one of its derivatives, by differences."""
    return mpmath.diff(lambda x: motion.at(x)[of][j], mpmath.mpf(t), order, h=mpmath.mpf(10) ** -digits)


def test_a_sinusoid_obeys_the_equation_of_an_oscillator() -> None:
    motion = Sinusoid([0.5, 0.1], omega=[2.0, 5.0], phase=0.3, offset=[1.0, 0.0])
    target = motion.sample(np.linspace(-3.0, 3.0, 61))
    w2 = np.array([4.0, 25.0])
    middle = np.array([1.0, 0.0])
    assert np.abs(target.qdd + w2 * (target.q - middle)).max() < ROUNDING
    assert np.abs(target.qddd + w2 * target.qd).max() < ROUNDING
    assert np.abs(target.qdddd + w2 * target.qdd).max() < ROUNDING * 25
    # amplitude: (q - offset)^2 + (qd / omega)^2
    assert np.abs((target.q - middle) ** 2 + target.qd**2 / w2 - np.array([0.25, 0.01])).max() < ROUNDING


@pytest.mark.parametrize("name", RESTING)
def test_motions_stand_still_outside(name: str) -> None:
    motion = RESTING[name]
    begin = 0.0 if name == "uneven" else 0.3
    start, end = motion.at(begin), motion.at(motion.finish)
    for t, edge in ((begin - 1e-9, start), (begin - 7.0, start), (motion.finish + 1e-9, end), (99.0, end)):
        target = motion.at(t)
        assert target.q == pytest.approx(edge.q, abs=ROUNDING)
        assert all(x == 0.0 for values in target[1:] for x in values)


@pytest.mark.parametrize("name", RESTING)
def test_motions_start_and_end_calmly(name: str) -> None:
    """The derivatives that the kind promises vanish at both ends, and the next one does not."""
    motion, calm = RESTING[name], CALM[name]
    begin = 0.0 if name == "uneven" else 0.3
    for t in (begin, motion.finish):
        target = motion.at(t)
        for order in range(1, calm + 1):
            size = max(map(abs, motion.at(0.5 * (begin + motion.finish))[order])) + 1.0
            assert max(map(abs, target[order])) < 1e-8 * size, (t, order)
        assert max(map(abs, target[calm + 1])) > 1e-3


@pytest.mark.parametrize("name", ["quintic", "septic"])
def test_point_to_point_motions_meet_both_points(name: str) -> None:
    motion = RESTING[name]
    assert isinstance(motion, Quintic | Septic)
    assert motion.at(0.3).q == pytest.approx(motion.start, abs=ROUNDING)
    assert motion.at(2.0).q == pytest.approx(motion.end, abs=ROUNDING)
    middle = [0.5 * (x + y) for x, y in zip(motion.start, motion.end)]
    assert motion.at(0.3 + 0.85).q == pytest.approx(middle, abs=ROUNDING)


@pytest.mark.parametrize("spline", [*SPLINES.values(), UNEVEN], ids=[*SPLINES, "uneven"])
def test_splines_pass_through_their_points(spline: BSpline) -> None:
    times = spline.begin + spline.duration * np.array(spline.fractions)
    assert np.abs(spline.sample(times).q - POINTS).max() < SOLVED


@pytest.mark.parametrize("spline", [*SPLINES.values(), UNEVEN], ids=[*SPLINES, "uneven"])
def test_splines_are_smooth_at_their_knots(spline: BSpline) -> None:
    """Continuous up to the derivative before the degree."""
    for fraction in spline.fractions[1:-1]:  # type: ignore[index]
        t = spline.begin + spline.duration * fraction
        before, after = spline.at(math.nextafter(t - 1e-12, -1)), spline.at(t + 1e-12)
        for order in range(min(spline.degree, 5)):
            scale = 1.0 + max(map(abs, after[order]))
            gap = max(abs(x - y) for x, y in zip(before[order], after[order]))
            # the next derivative, times the step of 2e-12
            assert gap < 1e-6 * scale, (fraction, order)


def test_a_spline_of_two_points_is_the_polynomial_between_them() -> None:
    times = np.linspace(-0.1, 1.6, 35)
    for degree, kind in ((5, Quintic), (7, Septic)):
        spline, polynomial = BSpline([[0.2], [1.1]], 1.5, degree).sample(times), kind([0.2], [1.1], 1.5).sample(times)
        for x, y in zip(spline, polynomial):
            assert np.abs(x - y).max() < SOLVED * (1 + np.abs(y).max())


def test_a_spline_of_many_points_stays_accurate() -> None:
    """Forty points of a sine; the spline follows it closely away from its ends."""
    times = np.linspace(0.0, 2 * np.pi, 41)
    spline = BSpline(np.sin(times)[:, None], 2 * np.pi)
    inner = np.linspace(2.6, 3.7, 57)  # at its ends the sine does not rest; what that costs fades by half a point
    target = spline.sample(inner)
    assert np.abs(target.q[:, 0] - np.sin(inner)).max() < 1e-6
    assert np.abs(target.qddd[:, 0] + np.cos(inner)).max() < 1e-3


def test_samples_are_what_at_gives() -> None:
    times = np.linspace(-0.5, 3.0, 29)
    for motion in MOVING.values():
        target = motion.sample(times.reshape(29, 1))
        single = [motion.at(float(t)) for t in times]
        for k, values in enumerate(target):
            assert values.shape == (29, 1, motion.size)
            assert np.abs(values[:, 0] - [x[k] for x in single]).max() < ROUNDING * (1 + np.abs(values).max())
    assert Hold([1.0, 2.0]).sample([0.0, 1.0]).q.tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_numbers_may_be_named_parameters() -> None:
    T, x = kt.parameter("T", 2.0), kt.parameter("x")
    times = np.linspace(0.0, 3.0, 7)
    pairs = (
        (Quintic([0.0, x], [x, 1.0], T), Quintic([0.0, 0.7], [0.7, 1.0], 2.0)),
        (BSpline([[0.0], [x], [1.0]], T), BSpline([[0.0], [0.7], [1.0]], 2.0)),
        (Sinusoid(x, omega=T), Sinusoid(0.7, omega=2.0)),
        (Hold([x]).then(Quintic([x], [T], 1.0), switch=T), Hold([0.7]).then(Quintic([0.7], [2.0], 1.0), switch=2.0)),
    )
    for named, plain in pairs:
        for a, b in zip(named.sample(times, x=0.7), plain.sample(times)):
            assert np.abs(a - b).max() < ROUNDING * (1 + np.abs(b).max())
    with pytest.raises(InputError, match="give x="):
        Sinusoid(x, omega=T).sample(times)
    with pytest.raises(UnknownNameError, match="y"):
        Sinusoid(1.0, omega=1.0).sample(times, y=1.0)


def test_motions_follow_one_another() -> None:
    there, back = Quintic([0.0], [1.0], 1.0), Quintic([1.0], [0.2], 0.5)
    motion = there.then(back).then(Sinusoid(0.1, omega=3.0, offset=0.2), switch=2.0)
    assert motion.finish == math.inf
    assert motion.at(0.5) == there.at(0.5)
    assert motion.at(1.25) == back.at(0.25)
    assert motion.at(1.9).q == pytest.approx([0.2])
    assert motion.at(2.3).q == pytest.approx([0.2 + 0.1 * math.sin(0.9)])
    assert there.then(back).finish == 1.5


def test_a_motion_of_ones_own_joins_in() -> None:
    class Ramp(Reference):
        def at(self, t):
            return Target([2.0 * t], [2.0], [0.0], [0.0], [0.0])

    assert Ramp().sample([0.0, 1.0]).q.tolist() == [[0.0], [2.0]]
    assert Ramp().then(Hold([4.0]), switch=2.0).at(5.0).q == [4.0]
    assert Ramp().finish == math.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quintic([0.0], [1.0, 2.0], 1.0), "start has 1, end has 2"),
        (lambda: Quintic([0.0], [1.0], 0.0), "duration must be above 0"),
        (lambda: Septic([0.0], [1.0], -1.0), "duration must be a finite number not below 0"),
        (lambda: Septic([0.0], [math.nan], 1.0), "end must be a finite number"),
        (lambda: Quintic([0.0], [1.0], 1.0, begin=math.inf), "begin must be a finite number"),
        (lambda: Quintic("ab", [1.0], 1.0), "start must be numbers"),
        (lambda: Quintic([], [], 1.0), "start must be at least one number"),
        (lambda: Hold([None]), "position must be a number"),
        (lambda: Sinusoid([1.0, 2.0], omega=[1.0, 2.0, 3.0]), "omega has 3"),
        (lambda: BSpline([[0.0]], 1.0), "two points or more"),
        (lambda: BSpline([[0.0], [1.0, 2.0]], 1.0), r"rows of \[1, 2\]"),
        (lambda: BSpline(3.0, 1.0), "rows of numbers"),
        (lambda: BSpline([[0.0], [1.0]], 1.0, degree=4), r"one of \(3, 5, 7\), got 4"),
        (lambda: BSpline(POINTS, 1.0, fractions=[0.0, 0.5, 0.4, 0.9, 1.0]), "rise from 0 to 1"),
        (lambda: BSpline(POINTS, 1.0, fractions=[0.0, 1.0]), "5 numbers"),
        (lambda: BSpline(POINTS, 1.0, fractions=[0.0, 0.2, 0.3, kt.parameter("x"), 1.0]), "named parameters"),
        (lambda: Hold([1.0]).then(Hold([2.0])), "never ends; give switch="),
        (lambda: Hold([1.0]).then(Hold([2.0, 1.0]), switch=1.0), "1 coordinates, the second 2"),
        (lambda: Then(Hold([1.0]), 3.0, 1.0), "kinetree.control.Reference"),
        (lambda: Hold([1.0]).sample([math.nan]), "times must be finite"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
