"""Weights of the equations of a fit: by the noise of their joint, and less for outliers.

Reference: [Gautier2001] for a variance of each joint; [Huber1981] chapter 7 for outliers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import InputError, check_name
from kinetree.runtime.arrays import Array

METHODS = ("ls", "wls", "irls")
HUBER = 2.0  # standard deviations above which a row is an outlier; 1 percent of efficiency is lost on normal noise
ROUNDS = 30
SETTLED = 1e-7  # relative change of the values at which iterations end
FLOOR = 1e-9  # of the largest force: noise below it is rounding
OWN_FLOOR = 1e-6  # of a joint's own forces: no sensor is better
REGULAR = 1e-8  # smallest eigenvalue of rows^T rows, of columns of length one, that Cholesky's method is used for
LOST = 1e-14  # of a column of length one, what is orthogonal to the others: below, it is rounding
NOTHING = 1e-100  # [N m, N] where no force was measured at all
NORMAL = 1.4826  # standard deviation over median size, of normal noise


class Weights(NamedTuple):
    """The standard deviation of each joint's residuals (n,), and the factor of each row (m, n), 1 or less."""

    scales: Array
    rows: Array

    def of(self, forces: Array) -> Array:
        """Forces (m, n), or a regressor (m, n, p), in standard deviations."""
        factors = np.sqrt(self.rows) / self.scales
        return forces * (factors if forces.ndim == 2 else factors[..., None])


def weigh(y: Array, forces: Array, method: str) -> tuple[Array, Weights]:
    """The values x of y x = forces and the weights that they were found with.

    Args:
        y: the regressor (m, n, p), of full rank.
        forces: (m, n).
        method: "ls", equal weights; "wls", by the noise of each joint; "irls", iteratively reweighted, with less
            weight for outliers.
    """
    check_name("method", method, METHODS)
    m, n, p = y.shape
    floor = np.maximum(FLOOR * np.abs(forces).max(), OWN_FLOOR * np.sqrt((forces**2).mean(axis=0)))
    floor = np.maximum(floor, NOTHING)
    weights = Weights(np.ones(n), np.ones((m, n)))
    x = _solved(y, forces, weights)
    if method == "ls":
        return x, weights
    for _ in range(1 if method == "wls" else ROUNDS):
        left = forces - y @ x
        if method == "wls":
            scales = np.maximum(np.sqrt((left**2).sum(axis=0) / max(m - p / n, 1.0)), floor)
            weights = Weights(scales, np.ones((m, n)))
        else:
            scales = np.maximum(NORMAL * np.median(np.abs(left), axis=0), floor)
            far = np.abs(left) / scales
            weights = Weights(scales, np.where(far > HUBER, HUBER / np.maximum(far, HUBER), 1.0))
        before, x = x, _solved(y, forces, weights)
        if np.abs(x - before).max(initial=0.0) <= SETTLED * np.abs(x).max(initial=0.0):
            break
    return x, weights


def _solved(y: Array, forces: Array, weights: Weights) -> Array:
    """The values, with one step of iterative refinement."""
    rows, right = weights.of(y).reshape(-1, y.shape[2]), weights.of(forces).ravel()
    sizes = np.linalg.norm(rows, axis=0)
    rows = rows / sizes
    inverse = np.linalg.inv(triangle(rows))
    x = inverse @ (inverse.T @ (rows.T @ right))
    return (x + inverse @ (inverse.T @ (rows.T @ (right - rows @ x)))) / sizes


def triangle(rows: Array) -> Array:
    """The upper triangle R (p, p) with R^T R = W^T W, of rows W (m, p) whose columns have the length one.

    By Cholesky's method; by Householder's where columns hardly differ, which loses half as many digits.
    """
    normal = rows.T @ rows
    if np.linalg.eigvalsh(normal)[0] > REGULAR:
        return np.linalg.cholesky(normal).T
    found: Any = np.linalg.qr(rows, mode="r")
    if np.abs(np.diag(found)).min() < LOST:
        raise InputError(
            "with the weights of this fit, some parameters are not identifiable: give method='ls', or the data of a "
            "more exciting motion (kinetree.identify.excite)"
        )
    return found
