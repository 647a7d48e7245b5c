"""The condensed system of a Newton step, and the multiple of the identity that makes it positive definite.

    (K + shift I) dx + A^T y = r,      A dx = c

K is W + J^T S J: slacks and their multipliers are eliminated already. A is the Jacobian of the equalities. A shift is
taken where K is not positive definite for A dx = 0. Reference: [Waechter2006] section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetree.nlp.skyline import Skyline
from kinetree.runtime.arrays import Array

Solve = Callable[[Array, Array], tuple[Array, Array]]
_RELAXATION = 1e-10  # of equalities
_FIRST, _LEAST, _LARGEST = 1e-4, 1e-10, 1e30  # shifts
_FALL, _RISE, _FIRST_RISE = 3.0, 8.0, 100.0  # of the shift: from step to step, from trial to trial


def factorised(
    K: Array, A: Array, y: Array, last_shift: float, skyline: Skyline | None = None
) -> tuple[Solve, float] | None:
    """The solution of the system for given right sides, and the last shift that was needed.

    Args:
        K: dense; or packed in a skyline, where there are no equalities.
        A: the Jacobian of the equalities.
        y: their multipliers of now.
        last_shift: that of the steps before.
        skyline: the pattern in which K is packed.

    Returns:
        None where K is not finite, or no shift helps.
    """
    shift = 0.0
    penalty = 10.0 * float(np.abs(np.diag(K)).mean()) * (A.T @ A) if len(A) else None
    while True:
        if skyline is not None:
            solve = _without_equalities(skyline.factored(K, shift))
        else:
            solve = _dense(K + shift * np.eye(len(K)) if shift else K, A, y, penalty)
        if solve is not None:
            return solve, shift or last_shift
        if not np.isfinite(K).all():
            return None
        first = max(_LEAST, last_shift / _FALL) if last_shift else _FIRST
        shift = first if not shift else shift * (_RISE if last_shift else _FIRST_RISE)
        if not shift < _LARGEST:
            return None


def _dense(K: Array, A: Array, now: Array, penalty: Array | None) -> Solve | None:
    """The solution with LAPACK; None where K, with the penalty of equalities, is not positive definite."""
    try:
        np.linalg.cholesky(K if penalty is None else K + penalty)
    except np.linalg.LinAlgError:
        return None
    if penalty is None:
        return _without_equalities(lambda r: _solved(K, r))
    n, k = len(K), len(A)
    # a small relaxation keeps dependent equalities from making it singular; it is one of the change of their
    # multipliers, so that nothing is left of it in the end
    whole = np.block([[K, A.T], [A, -_RELAXATION * np.eye(k)]])

    def solve(r: Array, c: Array) -> tuple[Array, Array]:
        found = _solved(whole, np.concatenate((r, c - _RELAXATION * now)))
        return found[:n], found[n:]

    return solve


def _solved(M: Array, r: Array) -> Array:
    """M^-1 r, or the least squares solution of a matrix that is singular to rounding."""
    try:
        return np.asarray(np.linalg.solve(M, r), np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(M, r)[0], np.float64)


def _without_equalities(solve: Callable[[Array], Array] | None) -> Solve | None:
    return None if solve is None else lambda r, c: (solve(r), c)
