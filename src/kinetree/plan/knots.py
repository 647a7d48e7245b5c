"""Adapted knots: closer where the motion needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.transcribe.bspline import BSpline

if TYPE_CHECKING:
    from kinetree.plan.plan import Plan


_SAMPLES, _WINDOW = 2000, 41  # of the jerk, and how many are averaged: 2 % of the motion
_FLOOR, _POWER = 0.02, 0.25  # of the density of knots


def adapted_knots(plan: Plan) -> BSpline:
    """A spline like that of a plan with its knots where the jerk is large."""
    spline = plan.spline
    s = np.linspace(0.0, 1.0, _SAMPLES)
    jerk = np.abs(spline.curve(plan.control_points, s, 3)[3])
    jerk = (jerk / np.fmax(jerk.max(axis=0), 1e-300)).max(axis=1)
    padded = np.pad(jerk, _WINDOW // 2, mode="edge")
    smooth = np.convolve(padded, np.full(_WINDOW, 1.0 / _WINDOW), mode="valid")
    density = (smooth / smooth.max() + _FLOOR) ** _POWER
    passed = np.r_[0.0, np.cumsum(0.5 * (density[1:] + density[:-1]))]
    intervals = spline.size - spline.degree
    inner = np.interp(np.linspace(0.0, 1.0, intervals + 1)[1:-1], passed / passed[-1], s)
    return BSpline(spline.size, spline.degree, tuple(inner.tolist()))
