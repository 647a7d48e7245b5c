"""Laws of the factorisation of symmetric matrices: on matrices with the zeros of a tree, and on full ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from kinetree.algorithms.symmetric import SIDE_BY_SIDE, Factorisation

# matrices of condition 100 at the most, a dozen unknowns
ROUNDING = 1e-11


def of_a_tree(parents: list[int], rng: np.random.Generator) -> np.ndarray:
    """Positive definite, with entries between a place and its ancestors alone: sums of chains to the root."""
    n = len(parents)
    A = np.eye(n)
    for k in range(n):
        chain, at = np.zeros(n), k
        while at >= 0:
            chain[at], at = rng.normal(), parents[at]
        A += np.outer(chain, chain)
    return A


trees = st.lists(st.integers(0, 100), max_size=11).map(lambda ks: [-1, *((x % (k + 2)) - 1 for k, x in enumerate(ks))])


@given(trees, st.integers(0, 99))
def test_solutions_columns_and_inverse_agree_with_lapack(parents: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, n = of_a_tree(parents, rng), len(parents)
    B = rng.normal(size=(n, SIDE_BY_SIDE + 3))
    # a column that is zero on some branches, as those of derivatives are
    B[:, ::2] *= (A != 0)[:, rng.integers(0, n, (SIDE_BY_SIDE + 4) // 2)]
    found = Factorisation(A.tolist(), range(n)[::-1])
    scale = ROUNDING * np.abs(np.linalg.inv(A)).max() * max(1.0, np.abs(B).max())
    np.testing.assert_allclose(found.minus_solved(B.tolist()), -np.linalg.solve(A, B), rtol=0, atol=scale)
    np.testing.assert_allclose(found.solve(B[:, 0].tolist()), np.linalg.solve(A, B[:, 0]), rtol=0, atol=scale)
    np.testing.assert_allclose(found.inverse(), np.linalg.inv(A), rtol=0, atol=scale)
