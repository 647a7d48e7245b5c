"""The compiled passes over rows and their sides, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from kinetree.nlp import Bounds, DenseProblem, Interior, Start, Termination
from kinetree.runtime.barrier import functions

CLOSE = {"rtol": 1e-12, "atol": 1e-13}


@pytest.mark.parametrize("r", [1, 3, 4, 9, 131])
def test_all_passes_do_what_their_equations_say(r: int):
    rng = np.random.default_rng(r)
    weigh, ratios, correct, move, renew = functions()
    d, z, residual, ds = rng.uniform(0.1, 2.0, 2 * r), rng.uniform(0.1, 2.0, 2 * r), *rng.normal(size=(2, r))
    side = (rng.random(2 * r) > 0.2).astype(float)  # some are infinite
    z *= side
    inverse, products, S, vectors, sums = weigh(d, z, residual, side)
    low, high = slice(0, r), slice(r, None)
    np.testing.assert_allclose(inverse, side / d, **CLOSE)
    np.testing.assert_allclose(products, d * z, **CLOSE)
    np.testing.assert_allclose(S, (z * inverse)[low] + (z * inverse)[high], **CLOSE)
    np.testing.assert_allclose(vectors, [z[high] - z[low], inverse[high] - inverse[low], S * residual], **CLOSE)
    np.testing.assert_allclose(sums, [products.sum(), products.max(), z.sum()], **CLOSE)
    relative, sums = ratios(ds, inverse, products)
    expected = np.r_[ds, -ds] * inverse
    with_d = products * expected
    np.testing.assert_allclose(relative, expected, **CLOSE)
    extremes = min(expected.min(), 0.0), max(expected.max(), 0.0)
    np.testing.assert_allclose(sums, [*extremes, expected.sum(), with_d.sum(), (with_d * expected).sum()], **CLOSE)
    corrector, row = correct(ds, inverse, products, np.array([0.3]))
    bent = np.clip(with_d * (-1.0 - expected), -0.3, 0.3)
    np.testing.assert_allclose(corrector, bent, **CLOSE)
    np.testing.assert_allclose(row, (bent * inverse)[high] - (bent * inverse)[low], **CLOSE)
    s, g = rng.normal(size=(2, r))
    there, away, off, sums = move(s, ds, d, relative, g, np.array([0.1]))
    np.testing.assert_allclose(there, s + 0.1 * ds, **CLOSE)
    np.testing.assert_allclose(away, d * (1.0 + 0.1 * relative), **CLOSE)
    np.testing.assert_allclose(off, g - there, **CLOSE)
    np.testing.assert_allclose(sums, [np.abs(off).sum(), np.abs(off).max()], **CLOSE)
    mu, room = 0.01, 0.99
    new, sums = renew(z, inverse, relative, corrector, d, side, np.array([mu, room]))
    dz = (mu - bent) * inverse - z * (1.0 + expected)
    change = np.divide(dz, z, out=np.zeros_like(z), where=z > 0.0)
    fall = -min(0.0, float(change.min()))
    assert sums[0] == pytest.approx(-fall)
    central = mu * side / d
    length = 1.0 if fall <= room else room / fall
    np.testing.assert_allclose(new, np.clip(z + length * dz, central * 1e-10, central * 1e10), **CLOSE)


def test_a_gap_is_enough_where_it_is_asked_for():
    """The least sum of ten numbers not below 1 that the solver may miss by a part."""
    n = 10
    problem = DenseProblem(
        Bounds(np.ones(n), np.full(n, 9.0)),
        lambda x: x.sum() + 0.1 * x @ x,
        lambda x: 1.0 + 0.2 * x,
        lambda x, y, weight: 0.2 * weight * np.eye(n),
    )
    start = Start(np.full(n, 5.0))
    exact, rough = Interior().solve(problem, start), Interior(gap=0.1).solve(problem, start)
    assert exact.termination is Termination.CONVERGED
    assert rough.termination is Termination.ACCEPTABLE
    assert rough.iterations < exact.iterations
    assert exact.objective <= rough.objective <= 1.1 * exact.objective


def test_an_objective_that_is_known_to_be_the_best_is_enough():
    """That of the problem without its constraints, which hold at its solution anyhow."""
    n = 10
    free = Bounds(np.full(n, -np.inf), np.full(n, np.inf))
    inside = Bounds(np.full(n, -1e-3), np.full(n, 9.0))

    def problem(bounds: Bounds) -> DenseProblem:
        return DenseProblem(
            bounds, lambda x: 1.0 + (x**4).sum(), lambda x: 4.0 * x**3, lambda x, y, w: w * np.diag(12.0 * x**2)
        )

    start = Start(np.full(n, 5.0))
    best = Interior().solve(problem(free), start)
    whole = Interior().solve(problem(inside), start)
    quick = Interior(target=best.objective).solve(problem(inside), start)
    assert quick.termination is Termination.ACCEPTABLE
    assert quick.iterations < whole.iterations
    assert abs(quick.objective - best.objective) <= 1e-7 * best.objective
