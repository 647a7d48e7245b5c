"""The systems of a step, and where the interior-point method starts."""

from __future__ import annotations

import numpy as np
import pytest
from packed import chain

from kinetree.nlp import Bounds, Interior, Multipliers, Start
from kinetree.nlp.kkt import factorised
from kinetree.nlp.skyline import Skyline, skyline
from kinetree.nlp.standard_form import Sides, StandardForm
from kinetree.nlp.start import initial

ROUNDING = 1e-12  # relative
SMALL = 1e-10  # relative; of sums of numbers of all sizes
FIRST = (0, 0, 1, 1, 4, 2, 5, 0)


def random_system() -> tuple[Skyline, np.ndarray]:
    """A pattern, and an indefinite matrix of it."""
    pattern, n = Skyline(FIRST), len(FIRST)
    A = np.zeros((n, n))
    A.ravel()[pattern.places] = np.random.default_rng(5).normal(size=pattern.size)
    return pattern, A + A.T


def test_a_packed_matrix_is_unpacked_to_a_symmetric_one() -> None:
    pattern, A = random_system()
    assert (pattern.unpacked(A.ravel()[pattern.places]) == A).all()


def test_a_packed_system_is_solved_as_by_lapack() -> None:
    pattern, A = random_system()
    n, least = len(A), float(np.linalg.eigvalsh(A).min())
    b = np.random.default_rng(6).normal(size=n)
    assert least < 0.0
    packed = A.ravel()[pattern.places]
    kept = packed.copy()
    assert pattern.factored(packed, 0.9 * -least) is None
    solve = pattern.factored(packed, 1.1 * -least)
    assert solve is not None
    expected = np.linalg.solve(A - 1.1 * least * np.eye(n), b)
    assert np.abs(solve(b) - expected).max() <= SMALL * np.abs(expected).max()
    assert (packed == kept).all()
    assert pattern.factored(np.full(pattern.size, np.nan), 0.0) is None


def test_large_systems_without_a_pattern_are_left_to_lapack() -> None:
    n = 200
    near, everywhere = n * np.arange(1, n) + np.arange(n - 1), np.flatnonzero(np.tri(n))
    assert skyline(near, n) is not None
    assert skyline(everywhere, n) is None
    assert skyline(np.zeros(0, int), 0) is None


@pytest.mark.parametrize("packed", [False, True])
def test_an_indefinite_matrix_is_shifted_and_the_shift_is_remembered(packed: bool) -> None:
    pattern, A = random_system()
    none = np.zeros((0, len(A)))
    K = A.ravel()[pattern.places] if packed else A
    found = factorised(K, none, np.zeros(0), 0.0, pattern if packed else None)
    assert found is not None
    solve, shift = found
    assert shift > -np.linalg.eigvalsh(A).min()
    b = np.arange(8.0)
    assert np.abs((A + shift * np.eye(8)) @ solve(b, np.zeros(0))[0] - b).max() <= SMALL * 8.0
    again = factorised(K + 0.0, none, np.zeros(0), shift, pattern if packed else None)
    assert again is not None
    assert shift / 3.0 <= again[1] <= 8.0 * shift


def test_a_step_with_equalities_satisfies_them_even_if_they_are_dependent() -> None:
    _, A = random_system()
    rows = np.random.default_rng(7).normal(size=(2, 8))
    rows = np.vstack((rows, rows.sum(axis=0)))
    c = np.array([1.0, 2.0, 3.0])
    found = factorised(A, rows, np.zeros(len(rows)), 0.0)
    assert found is not None
    dx, _ = found[0](np.ones(8), c)
    assert np.abs(rows @ dx - c).max() <= 1e-6


def test_equalities_hold_however_large_their_multipliers_are_once_these_are_known() -> None:
    _, A = random_system()
    K, rows = A @ A.T + np.eye(8), np.random.default_rng(7).normal(size=(2, 8))
    y = np.array([1e5, -3e4])
    found = factorised(K, rows, y, 0.0)
    assert found is not None
    dx, again = found[0](K @ np.ones(8) + rows.T @ y, rows @ np.ones(8))
    assert np.abs(rows @ (dx - 1.0)).max() <= 1e-9
    assert np.abs(again - y).max() <= 1e-6


def test_sides_map_rows_and_back() -> None:
    l, u = np.array([0.0, -np.inf, -1.0, -np.inf]), np.array([1.0, 2.0, np.inf, np.inf])
    sides = Sides(l, u)
    g = np.array([0.25, 3.0, 5.0, 7.0])
    assert sides.open.tolist() == [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    assert sides.count == 4
    assert sides.distances(g).tolist() == [0.25, 1.0, 6.0, 1.0, 0.75, -1.0, 1.0, 1.0]
    assert sides.violation(g) == 1.0
    z = np.array([1.0, 0.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0])
    assert sides.row_multipliers(z).tolist() == [2.0, 4.0, -2.0, 0.0]
    assert sides.row_sums(z).tolist() == [4.0, 4.0, 2.0, 0.0]
    both = Sides(l[:1], u[:1])
    assert both.distances(g[:1]).tolist() == [0.25, 0.75]


def test_the_standard_form_has_the_derivatives_of_its_rows() -> None:
    problem, rng = chain(6, equality=True), np.random.default_rng(8)
    x = np.r_[0.3, rng.normal(size=5)]
    for relaxed in (False, True):
        form = StandardForm(problem, relaxed)
        rows, equalities = form.sides.rows, len(form.equalities)
        assert (rows, equalities) == ((10, 0) if relaxed else (9, 1))
        z, y, S = rng.normal(size=rows), rng.normal(size=equalities), rng.random(rows)
        gradient, J, K = form.linearise(x, z, y, S)
        G = np.array([form.product(J, e) for e in np.eye(5)]).T
        assert np.abs(form.transpose_product(J, z) - G.T @ z).max() <= ROUNDING * 100.0
        plain = form.linearise(x, z, y, 0.0 * S)
        assert np.abs(K - plain.matrix - (G.T * S) @ G).max() <= ROUNDING * np.abs(K).max()
        assert gradient == pytest.approx(plain.gradient)


def test_a_warm_start_is_inside_all_sides_with_all_products_the_same() -> None:
    first = Interior().solve(chain(8), Start(np.full(8, 0.1)))
    problem = chain(8)
    problem.constraint_bounds = Bounds(problem.constraint_bounds.lower, problem.constraint_bounds.upper - 1e-3)
    form = StandardForm(problem)
    found = initial(form, Start(first.x, Multipliers(0.0 * first.multipliers.constraints, *first.multipliers[1:])))
    assert found is not None
    at, mu = found
    assert form.sides.violation(at.g) > 0.0
    assert (at.d > 0.0).all()
    assert np.abs(at.d * at.z - mu * form.sides.open).max() <= ROUNDING * mu
