"""Control points that follow from what is known at an end of a motion: its position, velocity, acceleration, ...

Up to some order the derivatives q_r at an end in time decide as many control points there. At s = 0 the r-th derivative
of basis function a is zero for a > r, so that the points are a triangular system away,

    sum_a B_a^(r) P_a = T^r q_r,        P = sum_r C_r T^r q_r,

and polynomials of the duration T. From rest all of them are the position itself, whatever the duration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from kinetree.transcribe.basis import Array, Basis, Indices


@dataclass(frozen=True)
class Dependent:
    """Variables that are polynomials of the duration, x_i = sum_r c_ir T^r.

    Args:
        variables: their indices among all variables (d,).
        coefficients: c (d, orders).

    Example:
        >>> speed = Dependent(np.array([1]), np.array([[2.0, 0.5, 0.0]]))
        >>> speed.values(4.0), speed.slopes(4.0)
        (array([4.]), array([0.5]))
    """

    variables: Indices
    coefficients: Array

    @property
    def size(self) -> int:
        return len(self.variables)

    @cached_property
    def curved(self) -> bool:
        """Whether there are powers of the duration above the first."""
        return bool(self.coefficients[:, 2:].any())

    def values(self, T: float) -> Array:
        return self.coefficients @ [T**r for r in range(self.coefficients.shape[1])]

    def completed(self, x: Array) -> Array:
        """All variables, with these ones as the duration says."""
        x = x.copy()
        x[self.variables] = self.values(float(x[-1]))
        return x

    def slopes(self, T: float) -> Array:
        return self.coefficients[:, 1:] @ [r * T ** (r - 1) for r in range(1, self.coefficients.shape[1])]

    def curvatures(self, T: float) -> Array:
        orders = range(2, self.coefficients.shape[1])
        return self.coefficients[:, 2:] @ np.array([r * (r - 1) * T ** (r - 2) for r in orders], float)


def end_points(basis: Basis, s: float, derivatives: Array) -> tuple[Indices, Array]:
    """The control points that the derivatives in time at an end decide (orders, n), and their coefficients.

    Args:
        basis: of the motion; a clamped spline.
        s: the end, 0 or 1.
        derivatives: positions, velocities and so on there (orders, n).

    Returns:
        The indices of the control points (orders,), from the end inwards, and coefficients (orders, n, orders) of the
        powers of the duration.
    """
    points, C = _end_system(basis, s, len(derivatives))
    return points, C[:, None, :] * derivatives.T


@lru_cache(maxsize=64)
def _end_system(basis: Basis, s: float, count: int) -> tuple[Indices, Array]:
    """The last so many control points at an end, and the inverse of the derivatives of their basis functions."""
    table, points = basis.evaluate(np.array([s]), count - 1)
    near = slice(0, count) if s == 0.0 else slice(-1, -count - 1, -1)
    return points[0, near], np.linalg.inv(table[0][:, near])
