"""Equalities along the whole motion, such as no force at an unactuated joint or on a floating base.

A spline can't satisfy an equality everywhere, but at as many points as it has control points to spend. An equality with
the r-th derivative in it is enforced at the Greville abscissae of splines of degree p - r, at which these interpolate
anything: one point for each control point but r, which the start takes. What is left in between is the residual.
Where forces are given, all other coordinates lose every second knot: `knot_removal` says why.
Reference: [PieglTiller] section 9.2 for points of interpolation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.plan.coordinates import JointCoordinates, OrientationCharts
from kinetree.plan.forces import Dynamic, Force
from kinetree.transcribe.basis import Array
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.constraints import BoundedBlock
from kinetree.transcribe.linear_block import knot_removal

if TYPE_CHECKING:
    from kinetree.plan.constraints import PathConstraint
    from kinetree.plan.problem import Problem
    from kinetree.plan.transcriber import Transcriber

_DENSE = 24  # samples in each knot interval where the residual is looked at
_MUCH = 0.1  # of the largest force


def interpolation_points(spline: BSpline, order: int, start: int = 0, end: int = 0) -> Array:
    """Where equalities with a derivative of this order in them are enforced.

    Args:
        spline: of the motion.
        order: the highest derivative in the equality.
        start, end: how many control points are fixed at either end; what they decide is left out.
    """
    p = max(1, spline.degree - order)
    knots = np.r_[np.zeros(p + 1), spline.inner or (), np.ones(p + 1)]
    s = np.array([knots[k + 1 : k + p + 1].mean() for k in range(len(knots) - p - 1)])
    return s[max(0, start - order) : len(s) - max(0, end - order)]


def equality_blocks(transcriber: Transcriber) -> list[BoundedBlock]:
    """The equalities along the motion, at their points."""
    problem, blocks = transcriber.problem, list[BoundedBlock]()
    for c in problem.constraints:
        if c.equality.any():
            fixed = [len(points) for points in transcriber.fixed.values()]
            order = c.quantity.order + problem.coordinates.extra_order
            s = interpolation_points(transcriber.spline, order, *fixed)
            s = s[(c.during[0] <= s) & (s <= c.during[1])]
            if c.during != (0.0, 1.0):  # a part of a motion has its own ends
                s = np.union1d(s, c.during)
            blocks.append(_block(transcriber, c, s))
    if others := beside_given_forces(problem):
        removal = knot_removal(problem.coordinates.size, transcriber.spline, others)
        zero = np.zeros((1, removal.rows))
        blocks += [BoundedBlock(removal, zero, zero, np.ones_like(zero))] if removal.rows else []
    return blocks


def beside_given_forces(problem: Problem) -> list[int]:
    """The coordinates beside those that follow from given forces; none where none are given."""
    forces = [c for c in problem.constraints if type(c.quantity) is Force]
    given = {k for c in forces for k in np.flatnonzero(c.equality).tolist()}
    if isinstance(problem.coordinates, OrientationCharts):
        given = {problem.coordinates.of_velocity[k] for k in given}
    elif not isinstance(problem.coordinates, JointCoordinates):
        return []
    return [k for k in range(problem.coordinates.size) if k not in given] if given else []


def _block(transcriber: Transcriber, c: PathConstraint, s: Array) -> BoundedBlock:
    found = BoundedBlock.of(transcriber.block([c.quantity], s), [c.bounds_at(s, *c.equalities())])
    sizes = np.abs(np.r_[c.lower, c.upper])
    size = c.scale or float(sizes[np.isfinite(sizes)].max(initial=0.0))
    if not size:  # an acceleration of 1 m/s^2 of the whole robot
        masses = (float(body.inertia.mass) for body in transcriber.problem.robot.bodies)
        size = max(sum(masses), 1e-3) if isinstance(c.quantity, Dynamic) else 1.0
    return replace(found, scale=np.full_like(found.scale, size))


def residual(transcriber: Transcriber, x: Array) -> tuple[float, str]:
    """How far the equalities are off anywhere, at the most, in their own units; and in words, where that is much.

    Forces that are given may be off by a tenth of the largest force of the motion.
    """
    worst, message = 0.0, ""
    for c in transcriber.problem.constraints:
        if c.equality.any():
            found = _block(transcriber, c, transcriber.basis.samples(_DENSE))
            off = np.where(found.used, found.violation(x) * found.scale, 0.0)
            worst = max(worst, float(off.max()))
            if type(c.quantity) is Force and off.max() > _MUCH * np.abs(found.block.values(x)).max():
                name = c.quantity.names(transcriber.problem.robot)[int(np.argmax(off.max(axis=0)))]
                message = f"{name} is off by {off.max():.3g} between collocation points; take more control points"
    return worst, message
