"""All joints along a motion as polynomials of time in pieces, and how far these may be off.

Curves of joints are splines: their knot intervals are the pieces, and nothing is off. The joints of a closed chain
follow from the independent ones, and are smooth. They are interpolated in zeros of Chebyshev polynomials, as
`kinetree.transcribe.chebyshev` does, on intervals that are halved until what is left out is small.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import cheb2poly

from kinetree.plan.coordinates import PlanCoordinates
from kinetree.runtime.arrays import Array
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.chebyshev import NODES, coefficients, left_out, nodes

_KEPT = 10  # coefficients of a joint in a piece
_ENOUGH = 1e-8  # what may be left out [rad, m]
_HALVINGS = 8  # of a knot interval, at the most


class JointCurves(NamedTuple):
    """Polynomials of the time since an origin.

    Args:
        breakpoints: the ends of the pieces in s (k + 1,).
        origins: in s, one for each piece (k,).
        pieces: coefficients of powers of time (k, powers, nv).
        off: how far joints may be from them (k, nv).
        largest: the largest absolute value of each joint (nv,).
    """

    breakpoints: Array
    origins: Array
    pieces: Array
    off: Array
    largest: Array


def joint_curves(coordinates: PlanCoordinates | None, spline: BSpline, points: Array, duration: float) -> JointCurves:
    """Those of curves with control points (m, n) of some coordinates, the joints themselves by default; NaN where these
    do not say where the joints are."""
    if coordinates is not None and not coordinates.are_joints:
        return _interpolated(coordinates, spline, points, duration)
    starts = spline.breakpoints[:-1]
    table, indices = spline.evaluate(starts, spline.degree)
    factors = np.array([math.factorial(r) * duration**r for r in range(spline.degree + 1)])
    pieces = np.einsum("kra,kan->krn", table, points[indices]) / factors[None, :, None]
    off = np.zeros((len(starts), points.shape[1]))
    return JointCurves(spline.breakpoints, starts, pieces, off, np.abs(points).max(axis=0))


def _interpolated(coordinates: PlanCoordinates, spline: BSpline, points: Array, duration: float) -> JointCurves:
    left, right = spline.breakpoints[:-1], spline.breakpoints[1:]
    done: list[tuple[Array, Array, Array, Array]] = []
    for halving in range(_HALVINGS + 1):
        s = nodes(left, right).ravel()
        q = coordinates.positions(spline.curve(points, s, 0)[0])
        c = np.matmul(coefficients, q.reshape(len(left), NODES, -1))
        off = np.abs(c[:, _KEPT:]).sum(axis=1) + left_out(c)
        good = ~(off.max(axis=1) > _ENOUGH) | (halving == _HALVINGS)  # NaN is not halved
        done.append((left[good], right[good], c[good, :_KEPT], off[good]))
        if good.all():
            break
        middle = 0.5 * (left + right)[~good]
        left, right = np.r_[left[~good], middle], np.r_[middle, right[~good]]
    left, right, c, off = (np.concatenate(x) for x in zip(*done))
    order = np.argsort(left)
    left, right, c, off = (x[order] for x in (left, right, c, off))
    half = 0.5 * (right - left) * duration
    pieces = np.matmul(_to_powers(), c) / half[:, None, None] ** np.arange(_KEPT)[:, None]
    largest = (np.abs(c).sum(axis=1) + off).max(axis=0)
    return JointCurves(np.append(left, right[-1]), 0.5 * (left + right), pieces, off, largest)


@cache
def _to_powers() -> Array:
    """From coefficients c_k to those of powers of (s - middle) / half: cos(k theta) is (-1)^k T_k there."""
    found = np.zeros((_KEPT, _KEPT))
    for k in range(_KEPT):
        found[: k + 1, k] = (-1.0) ** k * cheb2poly(np.eye(k + 1)[k])
    return found
