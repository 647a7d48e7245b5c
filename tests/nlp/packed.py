"""A chain of coupled variables, whose matrix is packed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetree.nlp import Bounds, DenseProblem, Linearisation
from kinetree.nlp.skyline import Skyline, skyline

Array = NDArray[np.float64]


def chain(n: int, equality: bool = False) -> DenseProblem:
    """Rosenbrock's function of n variables, the first fixed, neighbours coupled; their squares add up to 0.05 at most.

    Those of the first two add up to 0.1, at most or as an equality.
    """
    k = np.arange(n - 1)

    def gradient(x: Array) -> Array:
        g = np.zeros(n)
        g[1:] += 20.0 * (x[1:] - x[:-1] ** 2)
        g[:-1] -= 40.0 * x[:-1] * (x[1:] - x[:-1] ** 2) + 2.0 * (1.0 - x[:-1])
        return g

    def hessian(x: Array, y: Array, weight: float) -> Array:
        H = np.zeros((n, n))
        H[k + 1, k + 1] += 20.0 * weight
        H[k, k] += weight * (120.0 * x[:-1] ** 2 - 40.0 * x[1:] + 2.0)
        H[k, k + 1] = H[k + 1, k] = -40.0 * weight * x[:-1]
        return H + np.diag(2.0 * (np.r_[y, 0.0] + np.r_[0.0, y]))

    def jacobian(x: Array) -> Array:
        J = np.zeros((n - 1, n))
        J[k, k], J[k, k + 1] = 2.0 * x[:-1], 2.0 * x[1:]
        return J

    upper = np.r_[0.1, np.full(n - 2, 0.05)]
    lower = np.r_[0.1 if equality else -np.inf, np.full(n - 2, -np.inf)]
    return DenseProblem(
        Bounds(np.r_[0.3, np.full(n - 1, -2.0)], np.r_[0.3, np.full(n - 1, 2.0)]),
        objective=lambda x: float((10.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()),
        gradient=gradient,
        hessian=hessian,
        constraints=lambda x: x[:-1] ** 2 + x[1:] ** 2,
        jacobian=jacobian,
        constraint_bounds=Bounds(lower, upper),
        names=[f"squares of {i} and {i + 1}" for i in k],
    )


class Packed(DenseProblem):
    """A chain as a problem whose matrix is packed."""

    skyline: Skyline | None = None

    def __init__(self, of: DenseProblem) -> None:
        self.__dict__.update(of.__dict__)
        n = len(self.bounds.free)
        used = np.eye(n, dtype=bool) | np.eye(n, k=-1, dtype=bool)
        self.skyline = skyline(np.flatnonzero(used), n)

    def linearise(self, x: Array, y: Array, sigma: Array, objective_weight: float = 1.0) -> Linearisation:
        found = super().linearise(x, y, sigma, objective_weight)
        assert self.skyline is not None
        return found._replace(matrix=found.matrix.ravel()[self.skyline.places])
