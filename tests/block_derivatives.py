"""Derivatives of blocks of a transcription, point by point, and their check by central differences."""

from __future__ import annotations

import numpy as np

from kinetree.transcribe.block import CollocationBlock

Array = np.ndarray


def at_points(block: CollocationBlock, x: Array, y: Array) -> tuple[Array, Array]:
    """The Jacobians (k, rows, m), and the Hessians of y . rows (k, m, m)."""
    J, M = block.linearise(x, y, np.zeros_like(y), np.arange(len(block.s)))
    m = block.variables.shape[1]
    if not block.packed:
        return J, M
    H = np.zeros((len(block.s), m, m))
    i, j = np.tril_indices(m)
    H[:, i, j] = M
    return J, H + np.tril(H, -1).transpose(0, 2, 1)


def assert_derivatives(block: CollocationBlock, x: Array, step: float, tolerance: float) -> None:
    """Each is the central difference of what it is the derivative of, relative to the largest."""
    y = np.random.default_rng(9).normal(size=(len(block.s), block.rows))
    J, H = at_points(block, x, y)
    for k in range(len(block.s)):
        for i, variable in enumerate(block.variables[k]):
            up, down = (x + sign * step * (np.arange(len(x)) == variable) for sign in (1.0, -1.0))
            slope = (block.values(up)[k] - block.values(down)[k]) / (2 * step)
            assert np.abs(J[k, :, i] - slope).max() <= tolerance * np.abs(J[k]).max()
            second = y[k] @ (at_points(block, up, y)[0][k] - at_points(block, down, y)[0][k]) / (2 * step)
            assert np.abs(H[k, i] - second).max() <= tolerance * np.abs(H[k]).max()
