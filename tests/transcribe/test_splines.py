"""The splines of planned motions: basis functions, derivatives, integrals, curves through points, paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinetree.errors import InputError
from kinetree.plan import Path
from kinetree.transcribe.bspline import BSpline

ROUNDING = 1e-12  # relative; sums of a few numbers near one
STEP = 1e-5
SLOPES = 1e-8  # relative to the largest; central differences with STEP
PLACES = np.array([0.0, 0.013, 0.2, 0.31, 0.5, 0.77, 0.995, 1.0])

SPLINES = [
    pytest.param(BSpline(12), id="cubic"),
    pytest.param(BSpline(4), id="one span"),
    pytest.param(BSpline(11, 4), id="quartic"),
    pytest.param(BSpline(14, 5, tuple(np.linspace(0.1, 0.9, 8) ** 2)), id="uneven quintic"),
    pytest.param(BSpline(10, 5, (0.3, 0.6, 0.6, 0.6)), id="triple knot"),
]


def whole(spline: BSpline, s: Any, order: int) -> np.ndarray:
    """All basis functions at places, with derivatives (k, order + 1, m)."""
    table, numbers = spline.evaluate(np.asarray(s, float), order)
    full = np.zeros((len(table), order + 1, spline.size))
    for k, (rows, own) in enumerate(zip(table, numbers)):
        full[k][:, own] = rows
    return full


@pytest.mark.parametrize("spline", SPLINES)
def test_basis_functions_sum_to_one_and_their_derivatives_to_zero(spline):
    B = whole(spline, PLACES, spline.degree)
    size = np.abs(B).sum(axis=2)
    assert np.abs(B.sum(axis=2) - [1.0] + [[0.0] + [1.0] * spline.degree]).max() <= ROUNDING * size.max()
    assert (B[:, 0] >= 0.0).all()


@pytest.mark.parametrize("spline", SPLINES)
def test_the_ends_are_the_first_and_the_last_control_point(spline):
    B = whole(spline, [0.0, 1.0], 0)[:, 0]
    assert B[0].tolist() == [1.0] + [0.0] * (spline.size - 1)
    assert B[1].tolist() == [0.0] * (spline.size - 1) + [1.0]


@pytest.mark.parametrize("spline", SPLINES)
def test_each_derivative_is_the_slope_of_the_one_before(spline):
    places = np.array([0.02, 0.17, 0.45, 0.71, 0.93])  # no knots
    B = whole(spline, places, spline.degree)
    slopes = (whole(spline, places + STEP, spline.degree) - whole(spline, places - STEP, spline.degree)) / (2 * STEP)
    for r in range(spline.degree):
        assert np.abs(B[:, r + 1] - slopes[:, r]).max() <= SLOPES * np.abs(B).max()


@pytest.mark.parametrize("spline", SPLINES)
def test_control_points_at_the_greville_abscissae_make_a_straight_line(spline):
    line = spline.curve(spline.greville[:, None], PLACES, 2)[:, :, 0]
    assert np.abs(line[0] - PLACES).max() <= ROUNDING
    assert np.abs(line[1] - 1.0).max() <= 1e3 * ROUNDING


@pytest.mark.parametrize("spline", SPLINES)
def test_quadrature_is_exact_for_products_of_basis_functions(spline):
    s, w = spline.quadrature(spline.degree + 1)
    fine, weights = spline.quadrature(12)
    support = spline.knots[spline.degree + 1 :] - spline.knots[: spline.size]
    assert np.abs(w @ whole(spline, s, 0)[:, 0] - support / (spline.degree + 1)).max() <= ROUNDING
    for r in range(3):
        found, exact = (
            np.einsum("k,ka,kb->ab", v, whole(spline, at, r)[:, r], whole(spline, at, r)[:, r])
            for v, at in ((w, s), (weights, fine))
        )
        assert np.abs(found - exact).max() <= 1e2 * ROUNDING * np.abs(exact).max()


def test_a_curve_passes_through_its_points():
    spline = BSpline(9, 4)
    values = np.random.default_rng(0).normal(size=(9, 3))
    P = spline.interpolate(spline.greville, values)
    assert np.abs(spline.curve(P, spline.greville, 0)[0] - values).max() <= 1e2 * ROUNDING


@pytest.mark.parametrize("count", [2, 3, 5, 6, 9, 20])
def test_a_path_passes_through_its_points_and_is_smooth(count):
    points = np.random.default_rng(count).normal(size=(count, 3))
    path = Path.through(points)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    places = np.r_[0.0, np.cumsum(steps) / steps.sum()].clip(0.0, 1.0)
    assert np.abs(path(places) - points).max() <= 1e-9
    if count == 2:  # a straight line
        assert np.abs(path(0.25) - (0.75 * points[0] + 0.25 * points[1])).max() <= 1e2 * ROUNDING


def test_a_path_about_a_place_is_its_polynomial_there():
    path = Path.through(np.random.default_rng(5).normal(size=(9, 2)))
    s = np.array([0.21, 0.64])
    near = s + 0.01
    powers = 0.01 ** np.arange(6)
    assert np.abs(path.about(s) @ powers - path(near)).max() <= 1e-9


def test_a_path_may_be_a_function():
    path = Path.of(lambda s: [np.sin(2.0 * s), s * s], 2)
    assert np.abs(path(0.3) - [np.sin(0.6), 0.09]).max() <= 1e-9


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BSpline(3), "4 control points"),
        (lambda: BSpline(9, 2), "degree 3 or more"),
        (lambda: BSpline(9.5), "is an integer"),
        (lambda: BSpline(6, 3, (0.5,)), "2 inner knots"),
        (lambda: BSpline(6, 3, (0.6, 0.5)), "rise"),
        (lambda: BSpline(6, 3, (0.5, 1.0)), "rise between 0 and 1"),
        (lambda: BSpline(6, 3, (0.5, float("nan"))), "2 inner knots"),
        (lambda: BSpline(6, 3, (0.5, 0.5)), "multiplicity 2"),
        (lambda: Path.through([[1.0, 2.0]]), "two points or more"),
        (lambda: Path.through([[1.0], [float("inf")]]), "finite"),
        (lambda: Path.through([[1.0], [2.0], [2.0]]), "points 1 and 2 of the path are the same"),
        (lambda: Path.through([[1.0], [2.0]], at=[0.0, 0.5]), "rise from 0 to 1"),
        (lambda: Path.of([[1.0], [2.0]], 2), "the robot has 2"),
    ],
)
def test_splines_and_paths_that_make_no_sense_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
