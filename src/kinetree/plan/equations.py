"""Limits that are equations along the whole motion, such as no force at a joint or a base that nothing drives.

A spline can't keep an equation everywhere, but at as many places as it has control points to spend. An equation with
the r-th derivative in it is set at the averages of the knots of splines of degree p - r, at which these interpolate
anything: one place for each control point but r, which the start takes. What is left in between is the residual.
Where forces are given, all other coordinates move on coarser spans: `coarse` says why.
Reference: [PieglTiller] section 9.2 for places of interpolation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinetree.plan.coarse import Coarse
from kinetree.plan.ends import fixed_points
from kinetree.plan.floating import Charts
from kinetree.plan.quantity import Dynamic, Force
from kinetree.plan.transcription import Rows, rows_of

if TYPE_CHECKING:
    from kinetree.plan.conditions import Limit
    from kinetree.plan.problem import Problem
    from kinetree.plan.spline import Spline

Array = NDArray[np.float64]
_DENSE = 24  # places in each span where the residual is looked at
_MUCH = 0.1  # of the largest force


def exact(limit: Limit) -> NDArray[np.bool_]:
    """Which numbers of a limit are equations."""
    return limit.lower == limit.upper


def open_sides(limit: Limit) -> tuple[Array, Array]:
    """The bounds of what is no equation."""
    bad = exact(limit)
    return np.where(bad, -np.inf, limit.lower), np.where(bad, np.inf, limit.upper)


def places_of_equations(spline: Spline, order: int, start: int = 0, end: int = 0) -> Array:
    """Where equations with a derivative of this order in them are set.

    Args:
        spline: of the motion.
        order: the highest derivative that is in the equation.
        start, end: how many control points are known at either end; what they settle is left out.
    """
    p = max(1, spline.degree - order)
    knots = np.r_[np.zeros(p + 1), spline.inner or (), np.ones(p + 1)]
    places = np.array([knots[k + 1 : k + p + 1].mean() for k in range(len(knots) - p - 1)])
    return places[max(0, start - order) : len(places) - max(0, end - order)]


def equation_rows(problem: Problem) -> list[Rows]:
    """The equations of the limits, at their places."""
    rows: list[Rows] = []
    for limit in problem.limits:
        if exact(limit).any():
            known = [len(fixed_points(problem, place)) for place in (0.0, 1.0)]
            lift = 0 if problem.way is None else problem.way.lift
            places = places_of_equations(problem.spline, limit.quantity.order + lift, *known)
            places = places[(limit.during[0] <= places) & (places <= limit.during[1])]
            if limit.during != (0.0, 1.0):  # a part of a motion has its own ends
                places = np.union1d(places, limit.during)
            rows.append(_rows(problem, limit, places))
    if others := following(problem):
        coarse = Coarse(problem.width, problem.spline, others)
        none = np.zeros((1, coarse.rows))
        rows += [Rows(coarse, none, none, np.ones_like(none))] if coarse.rows else []
    return rows


def following(problem: Problem) -> list[int]:
    """The coordinates beside those that must follow them, because a force is given there; none where none is."""
    given: set[int] = set()
    for limit in problem.limits:
        if type(limit.quantity) is Force:
            given |= {*np.flatnonzero(exact(limit)).tolist()}
    if isinstance(problem.coordinates, Charts):
        given = {problem.coordinates.beside[k] for k in given}
    elif problem.way is not None:
        return []
    return [k for k in range(problem.width) if k not in given] if given else []


def _rows(problem: Problem, limit: Limit, places: Array) -> Rows:
    value = np.where(exact(limit), limit.lower, -np.inf), np.where(exact(limit), limit.upper, np.inf)
    rows = rows_of(problem.block([limit.quantity], places), [limit.sides(places, *value)])
    bounds = np.abs(np.r_[limit.lower, limit.upper])
    sizes = bounds[np.isfinite(bounds) & (bounds > 0.0)]
    if limit.scale is not None:
        size = limit.scale
    elif len(sizes):
        size = float(sizes.max())
    else:  # an acceleration of 1 m/s^2 of the whole robot
        masses = (float(body.inertia.mass) for body in problem.robot.bodies)
        size = max(sum(masses), 1e-3) if isinstance(limit.quantity, Dynamic) else 1.0
    return Rows(rows.block, rows.lower, rows.upper, np.full_like(rows.scale, size))


def residual(problem: Problem, x: Array) -> tuple[float, str]:
    """How far the equations are off anywhere, at the most, in their own units; and in words, where that is much.

    Forces that are given may be off by a tenth of the largest force of the motion.
    """
    worst, words = 0.0, ""
    for limit in problem.limits:
        if exact(limit).any():
            rows = _rows(problem, limit, problem.spline.even(_DENSE))
            off = np.where(rows.used, rows.excess(x) * rows.scale, 0.0)
            worst = max(worst, float(off.max()))
            if type(limit.quantity) is Force and off.max() > _MUCH * np.abs(rows.block.values(x)).max():
                name = limit.quantity.names(problem.robot)[int(np.argmax(off.max(axis=0)))]
                words = f"{name} is off by {off.max():.3g} between places where it is given; take more control points"
    return worst, words
