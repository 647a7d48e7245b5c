"""The splines of a problem, and how their knots are chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetree.errors import check_name
from kinetree.transcribe.bspline import BSpline

KNOTS = ("even", "adapted", "free")


def chosen_spline(control_points: int, degree: int, knots: str | ArrayLike) -> tuple[BSpline, str]:
    """The space of motions, and how its knots are chosen; "given" where they are numbers."""
    if not isinstance(knots, str):
        return BSpline.shared(control_points, degree, tuple(np.asarray(knots, float).ravel().tolist())), "given"
    check_name("choice of knots", knots, KNOTS)
    return BSpline.shared(control_points, degree, None), knots
