"""Rows that are linear in the control points, whatever the duration: periodicity, and knots that are removed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetree.transcribe.basis import Array, Basis, Indices
from kinetree.transcribe.block import weighted_squares
from kinetree.transcribe.bspline import BSpline


class LinearBlock:
    """Rows A x of some variables, as one point of a transcription.

    Args:
        names: one for each row.
        variables: the indices of the variables (m,).
        matrix: A (rows, m).
    """

    packed = False

    def __init__(self, names: Sequence[str], variables: Indices, matrix: Array) -> None:
        self._names, self.variables, self.matrix = [*names], variables[None], matrix[None]
        self.rows, self.s = len(matrix), np.zeros(1)

    def names(self) -> list[str]:
        return self._names

    def values(self, x: Array) -> Array:
        return self.matrix @ x[self.variables[0]]

    def linearise(self, x: Array, y: Array, sigma: Array, starts: Indices) -> tuple[Array, Array]:
        return self.matrix, weighted_squares(self.matrix, sigma, starts)


def periodicity(names: Sequence[Sequence[str]], basis: Basis, mirror: Array | None = None) -> LinearBlock:
    """The derivatives of a motion at its end less those at its start, in units of s.

    Args:
        names: of the positions, of the velocities and so on, up to the highest derivative that agrees.
        basis: of the motion.
        mirror: a matrix (n, n): the end is compared with the image of the start in it.
    """
    n, order = len(names[0]), len(names) - 1
    table, points = basis.evaluate(np.array([0.0, 1.0]), order)
    # in each row the largest coefficient is 1
    start, end = table / np.abs(table).max(axis=(0, 2))[:, None]
    variables = (points.ravel()[:, None] * n + np.arange(n)).ravel()
    image = np.eye(n) if mirror is None else mirror
    parts = [-start[:, None, :, None] * image[:, None, :], end[:, None, :, None] * np.eye(n)[:, None, :]]
    matrix = np.concatenate(parts, axis=2).reshape((order + 1) * n, -1)
    return LinearBlock([f"periodicity of {name}" for own in names for name in own], variables, matrix)


def knot_removal(n: int, spline: BSpline, some: Sequence[int]) -> LinearBlock:
    """The jumps of the highest derivative at every second knot, of some of n coordinates.

    Where forces are given, such as none on a base, some coordinates follow from the others. A spline of these can only
    be right if it has finer knot intervals than what it follows: with the same ones, motions that oscillate from point
    to point would seem to need no force. So all other coordinates lose every second knot: a spline of degree p has no
    knot where its p-th derivative does not jump, which is linear in its control points.
    """
    p, breaks = spline.degree, spline.breakpoints
    table, points = spline.evaluate(0.5 * (breaks[1:] + breaks[:-1]), p)
    left = np.arange(0, len(breaks) - 2, 2)  # intervals whose right end is no knot
    jumps, after = np.zeros((2, len(left), spline.size))
    np.put_along_axis(jumps, points[left], -table[left, p], axis=1)
    np.put_along_axis(after, points[left + 1], table[left + 1, p], axis=1)
    jumps = (jumps + after) / np.abs(jumps + after).max(axis=1, keepdims=True)
    matrix = (jumps[:, None, :, None] * np.eye(n)[list(some)][:, None, :]).reshape(len(left) * len(some), -1)
    return LinearBlock(["smoothness"] * len(matrix), np.arange(spline.size * n), matrix)
