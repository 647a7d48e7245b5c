"""A planning problem as a nonlinear program: its constraints and costs as blocks of rows on a basis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinetree.nlp.elimination import Elimination
from kinetree.nlp.problem import Bounds
from kinetree.plan.constraints import ALWAYS, PointConstraint
from kinetree.plan.equalities import equality_blocks
from kinetree.plan.quantity import Derivative, Quantity
from kinetree.plan.squares import Squares
from kinetree.transcribe.basis import Array, Basis, Indices
from kinetree.transcribe.block import EXACT, CollocationBlock
from kinetree.transcribe.bspline import BSpline
from kinetree.transcribe.constraints import BoundedBlock, Integral
from kinetree.transcribe.dependent import Dependent, end_points
from kinetree.transcribe.linear_block import LinearBlock, periodicity
from kinetree.transcribe.refinement import Refinement
from kinetree.transcribe.transcription import Transcription

if TYPE_CHECKING:
    from kinetree.plan.problem import Problem

T = TypeVar("T")


class Transcriber:
    """Makes transcriptions of a problem.

    Args:
        problem: which must not change any more.
        basis: of its motions; the problem's own spline by default.
    """

    def __init__(self, problem: Problem, basis: Basis | None = None) -> None:
        self.problem, self.basis = problem, problem.spline if basis is None else basis
        self._shared: dict[Any, Any] = {} if problem.shared is None else problem.shared.setdefault(self.basis, {})

    # -- variables -----------------------------------------------------------------------------------------------------

    @property
    def spline(self) -> BSpline:
        """The basis where it must be a spline."""
        if not isinstance(self.basis, BSpline):
            raise TypeError(f"{type(self.basis).__name__} is no spline")
        return self.basis

    @property
    def shape(self) -> tuple[int, int]:
        """Of the control points."""
        return self.basis.size, self.problem.coordinates.size

    @cached_property
    def fixed(self) -> dict[float, list[Array]]:
        """What is known at each end: positions, velocities and so on; each decides a control point there."""
        return {s: self._fixed(s) for s in ALWAYS}

    def _fixed(self, s: float) -> list[Array]:
        problem, found = self.problem, list[Array]()
        is_linear = problem.coordinates.is_linear
        known = {c.quantity.order: c for c in problem.point_constraints if c.s == s and is_linear(c.quantity)}
        while (degree := len(found)) in known and degree <= self.basis.continuity + 1:
            c = known[degree]
            # control points of a moving end change with knots that are free
            if not c.equality or (degree and problem.knots == "free" and c.lower.any()):
                break
            found.append(c.lower)
        return found

    @cached_property
    def _decided_points(self) -> tuple[Indices, Array]:
        """The variables that the ends decide, and their coefficients of powers of the duration, as many of each."""
        n, orders = self.shape[1], max(map(len, self.fixed.values()))
        variables, coefficients = [np.zeros(0, int)], [np.zeros((0, orders))]
        for s, derivatives in self.fixed.items():
            if derivatives:
                points, C = end_points(self.basis, s, np.array(derivatives))
                variables.append((points[:, None] * n + np.arange(n)).ravel())
                padded = np.zeros((*C.shape[:2], orders))
                padded[:, :, : C.shape[2]] = C
                coefficients.append(padded.reshape(-1, orders))
        return np.concatenate(variables), np.concatenate(coefficients)

    @cached_property
    def dependent(self) -> Dependent | None:
        """The variables that change with the duration; None where the ends rest, or the duration is fixed."""
        (variables, coefficients), (least, most) = self._decided_points, self.problem.durations
        if least == most or not coefficients[:, 1:].any():
            return None
        point = variables // self.shape[1]
        inner = (point > 0) & (point < self.basis.size - 1)  # the first and the last are the positions
        return Dependent(variables[inner], coefficients[inner])

    def completed(self, x: Array) -> Array:
        """The variables with those that follow from the duration."""
        return x if self.dependent is None else self.dependent.completed(x)

    def stretched(self, x: Array, by: float) -> Array:
        """The variables of the same curve, taken slower: by a part of the duration, but as fast as before at ends that
        move, from which on it slows down gradually."""
        x = x.copy()
        if self.dependent is not None:
            s, spline = self.spline.greville, self.spline
            start, end = (any(np.any(v) for v in self.fixed[at][1:]) for at in ALWAYS)
            later = s * (1.0 - s) * ((1.0 - s) * start - s * end)  # its slope is 1 at an end that moves
            x[:-1] += ((by * later)[:, None] * spline.curve(x[:-1].reshape(self.shape), s, 1)[1]).ravel()
        x[-1] *= 1.0 + by
        return self.completed(np.clip(x, self.bounds.lower, self.bounds.upper))

    @cached_property
    def bounds(self) -> Bounds:
        """Of the variables: control points that the ends decide, and the duration."""
        least, most = self.problem.durations
        variables, coefficients = self._decided_points
        upper = np.full(math.prod(self.shape) + 1, np.inf)
        lower = -upper
        lower[variables] = upper[variables] = Dependent(variables, coefficients).values(least)
        lower[-1], upper[-1] = least, most
        return Bounds(lower, upper)

    # -- blocks --------------------------------------------------------------------------------------------------------

    def block(self, quantities: list[Quantity], s: Array, hessian: str | None = None) -> CollocationBlock:
        problem = self.problem
        return CollocationBlock(problem.robot, self.basis, problem.coordinates, quantities, s, problem.parameters,
                                hessian or problem.hessian)  # fmt: skip

    def sampled_constraints(self, per_interval: int) -> BoundedBlock | None:
        """The same at so many samples in each knot interval."""
        return self._once(("sampled", per_interval), lambda: self.path_constraints(self.basis.samples(per_interval)))

    def _once(self, key: Any, made: Callable[[], T]) -> T:
        """What is the same for all tasks with these limits."""
        if key not in self._shared:
            self._shared[key] = made()
        return self._shared[key]

    def _at(self, what: Any, s: Array, made: Callable[[Array], T]) -> T:
        """The same at s, where that is one of the grids on which every search looks."""
        grids = self._shared.setdefault("grids", [])
        k = next((k for k, grid in enumerate(grids) if grid is s), None)
        return made(s) if k is None else self._once((what, k), lambda: made(s))

    def _grid(self, s: Array) -> Array:
        """A grid on which every search looks."""
        self._shared.setdefault("grids", []).append(s)
        return s

    def path_constraints(self, s: Array) -> BoundedBlock | None:
        """The inequalities along the motion at s; None where there are none."""
        some = [c for c in self.problem.constraints if not c.equality.all()]
        if not some:
            return None
        # a quantity that is bounded more than once, at different times, is computed once
        distinct = [*dict.fromkeys(c.quantity for c in some)]
        merged, scales = [], []
        for quantity in distinct:
            own = [c for c in some if c.quantity == quantity]
            sides = [c.inequalities() if c.during == ALWAYS else c.bounds_at(s, *c.inequalities()) for c in own]
            lows, highs = zip(*sides)
            merged.append((reduce(np.maximum, lows), reduce(np.minimum, highs)))
            scales.append(own[0].scale)
        block = self._once("block", lambda: self.block(distinct, s))
        return BoundedBlock.of(block if block.s is s else block.at(s), merged, scales)

    def open_path_constraints(self, s: Array) -> BoundedBlock | None:
        """The same without the rows that fixed control points at an end decide."""
        return self._at(self._ends, s, lambda s: self._open(self.path_constraints(s)))

    @property
    def _ends(self) -> tuple[int, int]:
        return len(self.fixed[0.0]), len(self.fixed[1.0])

    def _open(self, found: BoundedBlock | None) -> BoundedBlock | None:
        return None if found is None else found.without(self._decided(found))

    def _decided(self, bounded: BoundedBlock) -> NDArray[np.bool_]:
        block, found = bounded.block, np.zeros(bounded.lower.shape, bool)
        linear = block.linear if isinstance(block, CollocationBlock) else []
        n = self.problem.coordinates.size
        for s, points in self.fixed.items():
            for k, q in enumerate(linear):
                if q.order < len(points):
                    found[block.s == s, k * n : (k + 1) * n] = True
        return found

    def open_points(self) -> list[PointConstraint]:
        """The point constraints that fixed control points don't satisfy."""
        is_linear = self.problem.coordinates.is_linear
        return [
            c
            for c in self.problem.point_constraints
            if not is_linear(c.quantity) or c.quantity.order >= len(self.fixed.get(c.s, ()))
        ]

    @cached_property
    def point_blocks(self) -> list[BoundedBlock]:
        """Equalities along the motion, point constraints and periodicity."""
        problem = self.problem
        blocks = equality_blocks(self)
        for c in self.open_points():
            blocks.append(BoundedBlock.of(self.block([c.quantity], np.array([c.s])), [(c.lower, c.upper)]))
        if problem.periodic_order is not None:
            block, value = self._periodicity(problem.periodic_order)
            blocks.append(BoundedBlock(block, value[None], value[None], np.ones((1, len(value)))))
        return blocks

    def _periodicity(self, order: int) -> tuple[LinearBlock, Array]:
        """The rows of periodicity, and what they must be."""
        problem = self.problem
        names = [problem.coordinates.linear(degree).names(problem.robot) for degree in range(order + 1)]
        block = periodicity(names, self.basis, problem.mirror)
        return block, np.append(problem.advance, np.zeros(block.rows - len(problem.advance)))

    @cached_property
    def periodic_elimination(self) -> Elimination | None:
        """The last control points as they follow from the first ones; None where the motion is not periodic."""
        order, (size, n) = self.problem.periodic_order, self.shape
        if order is None or size < 2 * (order + 1) or any(self.fixed.values()):
            return None
        block, value = self._periodicity(order)
        last = np.arange((size - order - 1) * n, size * n)
        return Elimination.of(block.matrix[0], value, block.variables[0], last)

    @property
    def costs(self) -> list[Integral]:
        return self._once("costs", self._costs)

    def _costs(self) -> list[Integral]:
        found = []
        for cost, weight in self.problem.costs:
            s, weights = self.basis.quadrature(self.spline.degree + 1)
            small = isinstance(cost, Squares) and isinstance(cost.of, Derivative)
            found.append(Integral(self.block([cost], s, EXACT if small else None), weight * weights))
        return found

    # -- the whole -----------------------------------------------------------------------------------------------------

    def refinement(self, per_interval: int = 4, margin: float = 2e-7, adding: bool = False) -> Refinement:
        """Where the inequalities along the motion are enforced and checked."""
        constraints = self.problem.constraints
        highest = max((c.quantity.order for c in constraints), default=0)
        changes = [s for c in constraints for s in c.during]

        def made() -> Refinement:
            limits = self.open_path_constraints
            found = Refinement(self.basis, limits, highest, changes, per_interval, margin, adding)
            self._grid(found.s)
            return found

        return self._once((per_interval, margin, adding, self._ends), made).fresh()

    def transcription(self, s: Array, margins: Array | float = 0.0) -> Transcription:
        """With inequalities along the motion enforced at s, tightened by margins."""
        return self.with_path_constraints(self.open_path_constraints(s), margins)

    def with_path_constraints(
        self, path: BoundedBlock | None, margins: Array | float, more: Sequence[BoundedBlock] = ()
    ) -> Transcription:
        """``more`` are blocks of inequalities after all others."""
        blocks = [] if path is None else [path.tightened(margins)]

        def made() -> Transcription:
            return Transcription(self.bounds, [*blocks, *self.point_blocks], self.costs,
                                 self.problem.time_weight, dependent=self.dependent)  # fmt: skip

        if self.point_blocks or path is None:
            found = made()
        else:
            what = "whole", self._ends, self.dependent is None
            whole = self._at(what, path.block.s, lambda s: made())
            found = whole.rebounded(blocks[0], self.bounds, self.dependent)
        return reduce(Transcription.extended, more, found)
