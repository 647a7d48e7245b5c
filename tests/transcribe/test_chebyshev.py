"""Largest violations over whole intervals, against a million samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kinetree.transcribe.chebyshev import NODES, PLACES, IntervalBounds, largest as largest_of, nodes, violations

MANY = np.linspace(0.0, 1.0, 1_000_001)
EDGES = np.array([0.0, 0.11, 0.4, 0.75, 1.0])


def largest(function: Callable[[np.ndarray], np.ndarray], lower: float, upper: float) -> tuple[float, float]:
    """The largest violation, and where it is."""
    left, right = EDGES[:-1], EDGES[1:]

    def wide(s: np.ndarray) -> np.ndarray:
        return function(s)[:, None]

    sides = IntervalBounds(*(np.full((4, 1), x) for x in (lower, upper, 2.0)))
    values = wide(nodes(left, right).ravel()).reshape(4, NODES, 1)
    found, _ = violations(wide, left, right, sides, values)
    quickly = largest_of(wide, left, right, sides, values)
    assert quickly == pytest.approx(max(0.0, float(found.max())), rel=1e-9, abs=1e-15)
    at = left[:, None] + (right - left)[:, None] * PLACES
    return float(found.max()), float(at.ravel()[np.argmax(found)])


@pytest.mark.parametrize("seed", range(30))
def test_no_sample_is_outside_by_more(seed: int):
    """Waves with a bound just below their peak: a millionth of it is seen."""
    rng = np.random.default_rng(seed)
    a, w, phase = rng.normal(size=6), rng.uniform(0.0, 40.0, 6), rng.uniform(0.0, 6.0, 6)

    def wave(s: np.ndarray) -> np.ndarray:
        return (a * np.sin(w * s[:, None] + phase)).sum(axis=1)

    values = wave(MANY)
    for share in (0.3, 1.0 - 1e-6, 1.0 + 1e-6):
        top = values.max() - (1.0 - share) * np.ptp(values)
        found, at = largest(wave, -1e3, float(top))
        expected = (values.max() - top) / 2.0
        assert found >= expected - 1e-12 or found <= 0.0 >= expected
        assert found <= max(0.0, expected) * 1.03 + 2e-9
        if share < 1.0:
            assert abs(at - MANY[np.argmax(values)]) < 0.04 or wave(np.array([at]))[0] > top


@pytest.mark.parametrize("seed", range(10))
def test_extrema_of_polynomials_are_exact(seed: int):
    c = np.random.default_rng(seed).normal(size=4)
    roots = np.roots(np.polyder(c))
    inside = [0.0, 1.0, *(r.real for r in roots if abs(r.imag) < 1e-12 and 0.0 < r.real < 1.0)]
    peak = max(np.polyval(c, inside))
    assert largest(lambda s: np.polyval(c, s), -1e3, peak - 2e-9)[0] == pytest.approx(1e-9, rel=1e-3)


@pytest.mark.parametrize("beside", [-1e-3, -3e-4, -1e-5, 1e-5, 1e-4, 3e-4, 5e-4, 1e-3])
@pytest.mark.parametrize("edge", [0.11, 0.4, 0.75])
def test_peaks_just_beside_an_edge_are_seen(edge: float, beside: float):
    """Where the first step of the grid leads downhill already."""
    assert largest(lambda s: -((s - edge - beside) ** 2), -1e3, -2e-9)[0] == pytest.approx(1e-9, rel=1e-3)


@pytest.mark.parametrize("where", [0.3, 0.4, 0.123456789])
def test_both_sides_of_a_jump_and_a_kink_are_seen(where: float):
    assert largest(lambda s: np.sign(s - where) + s, -3.0, 1.99)[0] == pytest.approx(0.005, abs=1e-9)
    jump, at = largest(lambda s: s - 2.0 * (s > where), -3.0, where - 1e-3)
    assert jump == pytest.approx(5e-4, rel=0.02)
    assert abs(at - where) < 0.02
    assert largest(lambda s: -np.abs(s - where), -3.0, -1e-6)[0] == pytest.approx(5e-7, rel=0.02)


def test_what_is_not_a_number_is_violated():
    assert largest(lambda s: np.where(s > 0.7, np.nan, 0.0), -1.0, 1.0)[0] == np.inf
